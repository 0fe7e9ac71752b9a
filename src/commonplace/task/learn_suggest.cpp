#include "commonplace/task/learn_suggest.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/data/items.h"
#include "commonplace/data/stored_features.h"
#include "commonplace/data/stored_models.h"
#include "commonplace/eval/split.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/options_json.h"
#include "commonplace/task/item_texts.h"

namespace commonplace {
namespace {

using Target = std::pair<std::int32_t, float>;

bool uses_tags(const SuggestEvidence& evidence) {
  return std::any_of(evidence.sources.begin(), evidence.sources.end(),
                     [](const SuggestEvidence::Source& source) { return source.is_tags(); });
}

std::vector<std::string> keys_of(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(tag_key(name));
  return keys;
}

/// The targets of one item, without the tags that are its evidence where tags are.
std::vector<Target> targets_of(const SparseView& targets, std::int64_t row, bool hide,
                               const std::string& id, const std::vector<std::string>& keys) {
  std::vector<Target> result;
  const auto tags = targets.row_indices(row);
  const auto values = targets.row_values(row);
  for (std::size_t i = 0; i < tags.size(); ++i)
    if (values[i] < 0 || !hide || tag_is_hidden(id, keys[static_cast<std::size_t>(tags[i])]))
      result.emplace_back(tags[i], values[i]);
  return result;
}

void push_targets(const std::vector<Target>& targets, Sparse& into) {
  for (const auto& [tag, value] : targets) into.push(tag, value);
  into.end_row();
}

/// Items of a collection that have something to teach.
struct Material {
  StoredRows rows;
  Sparse targets;
  std::vector<std::string> ids;
};

Material gather_material(const StoredRows& rows, const SuggestTags& tags,
                         const std::vector<std::string>& ids, bool hide) {
  const std::vector<std::string> keys = keys_of(tags.names);
  Material material;
  material.targets.columns = tags.targets.columns;
  std::vector<std::int64_t> which;
  for (std::int64_t row = 0; row < tags.targets.rows(); ++row) {
    if (tags.targets.view().row_indices(row).empty()) continue;
    const std::string& id = ids[static_cast<std::size_t>(row)];
    which.push_back(row);
    material.ids.push_back(id);
    push_targets(targets_of(tags.targets.view(), row, hide, id, keys), material.targets);
  }
  material.rows = take_rows(rows.view(), which);
  return material;
}

std::string features_text(const SuggestEvidence& evidence) {
  std::string text;
  for (const auto& source : evidence.sources) text += (text.empty() ? "" : ",") + source.name;
  return text;
}

void require_tags(const SuggestTags& tags, const std::string& collection) {
  require(!tags.names.empty(), "no tag of collection '", collection,
          "' may be suggested: give a smaller --min-uses, other lists, or tag more items");
}

/// An item's difference from what the model was taught.
std::vector<Target> differences(const std::vector<Target>& now, std::vector<Target> before) {
  for (const Target& each : now) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const Target& other) { return other.first == each.first; });
    if (same == before.end())
      before.emplace_back(each.first, -each.second);
    else
      same->second -= each.second;
  }
  std::vector<Target> result;
  for (const auto& [tag, value] : before)
    if (value != 0) result.emplace_back(tag, -value);
  return result;
}

std::vector<Target> row_of(const SparseView& matrix, std::int64_t row) {
  std::vector<Target> result;
  const auto columns = matrix.row_indices(row);
  const auto values = matrix.row_values(row);
  for (std::size_t i = 0; i < columns.size(); ++i) result.emplace_back(columns[i], values[i]);
  return result;
}

std::span<const float> whitened_row(const Matrix& whitened, std::size_t row) {
  return {whitened.row(static_cast<Eigen::Index>(row)).data(),
          static_cast<std::size_t>(whitened.cols())};
}

void append_rows(StoredRows& to, const StoredRows& from) {
  if (to.is_sparse) {
    for (std::int64_t row = 0; row < from.sparse.rows(); ++row)
      to.sparse.push_row(from.sparse.view(), row);
  } else {
    const Eigen::Index before = to.dense.rows();
    to.dense.conservativeResize(before + from.dense.rows(), from.dense.cols());
    to.dense.bottomRows(from.dense.rows()) = from.dense;
  }
}

/// The items that have changed from `before`, a state, to `now`, if that is a matter of decisions
/// on tags that the model has; otherwise nothing.
std::optional<std::vector<std::string>> changed_items(const SuggestModel& model,
                                                      const Library& library,
                                                      const Collection& collection,
                                                      std::string_view before,
                                                      std::string_view now) {
  // A state ends with the number of the last decision.
  const std::size_t end = before.rfind(' ');
  if (end == std::string_view::npos || before.substr(0, end) != now.substr(0, now.rfind(' ')))
    return std::nullopt;
  const std::string_view number = before.substr(end + 1);
  std::int64_t last = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), last).ec != std::errc())
    return std::nullopt;
  return decided_since(library, collection, model.control, model.tags, last);
}

/// Brings one model up to date.
class Updating {
 public:
  /// `only` names the items that can have changed, if that is known.
  Updating(SuggestModel& model, const Library& library, const Collection& collection,
           const std::optional<std::vector<std::string>>& only, int jobs)
      : model_(model),
        library_(library),
        collection_(collection),
        jobs_(jobs),
        hide_(uses_tags(model.evidence)),
        ids_(only ? *only : item_ids(library, collection)),
        tags_(only ? read_suggest_tags(library, collection, model.control, model.tags, ids_)
                   : read_suggest_tags(library, collection, model.control, model.tags)) {
    for (std::size_t i = 0; i < model.known_ids.size(); ++i)
      known_.emplace(model.known_ids[i], static_cast<std::int64_t>(i));
  }

  SuggestUpdate run() {
    add_new_tags();
    find_changes();
    change_known();
    learn_new();
    return update_;
  }

 private:
  void add_new_tags() {
    update_.new_tags = std::ssize(tags_.names) - std::ssize(model_.tags);
    if (update_.new_tags == 0) return;
    model_.tags = tags_.names;
    add_tags(model_.suggester.latents, update_.new_tags);
    model_.suggester.known_tags.columns += update_.new_tags;
    if (Matrix& shares = model_.suggester.categories.shares; shares.size() > 0) {
      shares.conservativeResize(Eigen::NoChange, shares.cols() + update_.new_tags);
      shares.rightCols(update_.new_tags).setZero();
    }
  }

  void find_changes() {
    const std::vector<std::string> keys = keys_of(model_.tags);
    targets_.resize(model_.known_ids.size());
    for (std::size_t i = 0; i < targets_.size(); ++i)
      targets_[i] = row_of(model_.suggester.known_tags.view(), static_cast<std::int64_t>(i));
    for (std::int64_t row = 0; row < tags_.targets.rows(); ++row) {
      const std::string& id = ids_[static_cast<std::size_t>(row)];
      const auto known = known_.find(id);
      if (known == known_.end() && tags_.targets.view().row_indices(row).empty()) continue;
      std::vector<Target> now = targets_of(tags_.targets.view(), row, hide_, id, keys);
      if (known == known_.end()) {
        new_rows_.push_back(row);
        new_targets_.push_back(std::move(now));
        continue;
      }
      auto& before = targets_[static_cast<std::size_t>(known->second)];
      std::vector<Target> changed = differences(now, before);
      if (changed.empty()) continue;
      changed_.push_back(known->second);
      differences_.push_back(std::move(changed));
      before = std::move(now);
    }
    update_.changed_items = std::ssize(changed_);
    update_.new_items = std::ssize(new_rows_);
  }

  void change_known() {
    const StoredRows rows = take_rows(model_.suggester.known.view(), changed_);
    const Matrix whitened = whiten(model_.suggester.basis, rows.view(), jobs_);
    for (std::size_t i = 0; i < changed_.size(); ++i)
      change_targets(model_.suggester.latents, whitened_row(whitened, i), differences_[i]);
  }

  void learn_new() {
    const StoredRows rows = prepare(model_.suggester, new_evidence().view(), jobs_);
    const Matrix whitened = whiten(model_.suggester.basis, rows.view(), jobs_);
    for (std::size_t i = 0; i < new_rows_.size(); ++i) {
      learn_item(model_.suggester.latents, whitened_row(whitened, i), new_targets_[i]);
      model_.known_ids.push_back(ids_[static_cast<std::size_t>(new_rows_[i])]);
      targets_.push_back(new_targets_[i]);
    }
    append_rows(model_.suggester.known, rows);
    Sparse rebuilt;
    rebuilt.columns = model_.suggester.known_tags.columns;
    for (const auto& targets : targets_) push_targets(targets, rebuilt);
    model_.suggester.known_tags = std::move(rebuilt);
  }

  /// The raw rows of the new items.
  StoredRows new_evidence() const {
    std::vector<EvidenceOf> things;
    if (!new_rows_.empty()) {
      EvidenceReader reader(library_, collection_, model_.evidence);
      for (const std::int64_t row : new_rows_)
        things.push_back(
            reader.find(ids_[static_cast<std::size_t>(row)], hide_).value_or(EvidenceOf()));
    }
    return evidence_rows(model_.evidence, things);
  }

  SuggestModel& model_;
  const Library& library_;
  const Collection& collection_;
  int jobs_;
  bool hide_;
  std::vector<std::string> ids_;  ///< of the items looked at
  SuggestTags tags_;              ///< theirs
  std::unordered_map<std::string, std::int64_t> known_;
  std::vector<std::vector<Target>> targets_;  ///< per known item, as they are now
  std::vector<std::int64_t> changed_;         ///< known items
  std::vector<std::vector<Target>> differences_;
  std::vector<std::int64_t> new_rows_;  ///< of tags_
  std::vector<std::vector<Target>> new_targets_;
  SuggestUpdate update_;
};

Sparse without_rejected(const SparseView& targets) {
  Sparse result;
  result.columns = targets.columns;
  for (std::int64_t row = 0; row < targets.rows; ++row) {
    for (const auto& [tag, value] : row_of(targets, row))
      if (value > 0) result.push(tag, value);
    result.end_row();
  }
  return result;
}

/// Which rows are for learning: all before the median time, or a random share.
Split split_of(const Library& library, const Collection& collection, const SparseView& targets,
               const SuggestEvaluationOptions& options, std::uint64_t seed) {
  std::vector<std::int64_t> tagged;
  for (std::int64_t row = 0; row < targets.rows; ++row)
    if (!targets.row_indices(row).empty()) tagged.push_back(row);
  Split split;
  if (options.split == "random") {
    for (const std::int64_t row : tagged)
      (is_test_row(seed, row, options.test_share) ? split.test : split.train).push_back(row);
    return split;
  }
  require(options.split == "time", "the split '", options.split,
          "' is not known; give random or time");
  std::vector<std::pair<std::string, std::int64_t>> times;
  Statement query = library.database().prepare("SELECT row, time FROM item WHERE collection = ?");
  query.bind(collection.id);
  std::vector<std::string> time_of(static_cast<std::size_t>(collection.items));
  while (query.step())
    if (query.integer(0) < collection.items && !query.is_null(1))
      time_of[static_cast<std::size_t>(query.integer(0))] = query.text(1);
  for (const std::int64_t row : tagged)
    if (!time_of[static_cast<std::size_t>(row)].empty())
      times.emplace_back(time_of[static_cast<std::size_t>(row)], row);
  require(times.size() >= 2, "collection '", collection.name,
          "' has no two tagged items with times; give --split random");
  std::sort(times.begin(), times.end());
  for (std::size_t i = 0; i < times.size(); ++i)
    (2 * i < times.size() ? split.train : split.test).push_back(times[i].second);
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

/// Keeps the tags that enough of the rows for learning have.
Sparse kept_targets(const SparseView& targets, std::span<const std::int64_t> rows,
                    const std::vector<std::int32_t>& place, std::int64_t width) {
  Sparse result;
  result.columns = width;
  for (const std::int64_t row : rows) {
    for (const std::int32_t tag : targets.row_indices(row))
      if (const std::int32_t to = place[static_cast<std::size_t>(tag)]; to >= 0) result.push(to, 1);
    result.end_row();
  }
  return result;
}

}  // namespace

SuggestLearningReport learn_suggest(Library& library, const std::string& collection_name,
                                    const std::string& name, const SuggestModelOptions& options,
                                    int jobs, const Progress& progress) {
  check(options.suggester);
  SuggestModel model;
  model.options = options;
  model.collection = collection_name;
  model.control = read_tag_control(options.tags);
  Material material;
  {
    const ReadSnapshot snapshot(library.database());
    const Collection source = collection(library, collection_name);
    model.state = state_of(library, source);
    SuggestTags tags = read_suggest_tags(library, source, model.control);
    require_tags(tags, collection_name);
    model.evidence = choose_evidence(library, source, options.evidence, jobs, progress);
    const bool hide = uses_tags(model.evidence);
    material = gather_material(evidence_rows(library, source, model.evidence, hide, jobs, progress),
                               tags, item_ids(library, source), hide);
    model.tags = std::move(tags.names);
  }
  LearnedSuggester learned =
      learn_suggester({material.rows.view(), model.evidence.blocks(), material.targets.view()},
                      options.suggester, jobs, progress);
  model.suggester = std::move(learned.suggester);
  model.known_ids = std::move(material.ids);

  SuggestLearningReport report;
  report.model = name.empty() ? "suggest." + collection_name : name;
  report.collection = collection_name;
  report.features = features_text(model.evidence);
  report.fit = std::move(learned.report);
  const ModelRecord record = store_model(
      library, {report.model, kSuggestModelKind, {}, options_to_json(options), to_json(report), ""},
      [&](const std::filesystem::path& path) { save(model, path); });
  report.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(record.file));
  return report;
}

std::string to_json(const SuggestLearningReport& report) {
  nlohmann::ordered_json json = {
      {"model", report.model}, {"collection", report.collection}, {"features", report.features}};
  json.update(nlohmann::ordered_json::parse(to_json(report.fit)));
  if (report.file_bytes > 0) json["file_bytes"] = report.file_bytes;
  return json.dump();
}

SuggestUpdate update_model(SuggestModel& model, const Library& library, int jobs,
                           const Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const ReadSnapshot snapshot(library.database());
  const Collection source = collection(library, model.collection);
  std::string state = state_of(library, source);
  if (state == model.state) return {};
  progress({"learning what has changed", 0, 0, ""});
  const auto only = changed_items(model, library, source, model.state, state);
  SuggestUpdate update = Updating(model, library, source, only, jobs).run();
  model.state = std::move(state);
  update.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return update;
}

SuggestUpdate update_suggest(Library& library, const std::string& name, int jobs,
                             const Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const ModelRecord record = model_record(library, name);
  SuggestModel model = load_suggest_model(TensorFile(record.file));
  SuggestUpdate update = update_model(model, library, jobs, progress);
  if (update.any())
    store_model(library, record, [&](const std::filesystem::path& path) { save(model, path); });
  update.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return update;
}

SuggestTrial split_collection(const Library& library, const std::string& collection_name,
                              const SuggestModelOptions& options,
                              const SuggestEvaluationOptions& evaluation, int jobs,
                              const Progress& progress) {
  require(evaluation.test_share > 0 && evaluation.test_share < 1, "test_share is ",
          evaluation.test_share, "; expected a share between 0 and 1");
  const ReadSnapshot snapshot(library.database());
  const Collection source = collection(library, collection_name);
  TagControl control = read_tag_control(options.tags);
  const std::int64_t min_uses = control.min_uses;
  control.min_uses = 1;
  SuggestTags tags = read_suggest_tags(library, source, control);
  require_tags(tags, collection_name);
  tags.targets = without_rejected(tags.targets.view());
  const Split split =
      split_of(library, source, tags.targets.view(), evaluation, options.suggester.seed);

  std::vector<std::int64_t> uses(tags.names.size());
  for (const std::int64_t row : split.train)
    for (const std::int32_t tag : tags.targets.view().row_indices(row))
      ++uses[static_cast<std::size_t>(tag)];
  std::vector<std::int32_t> place;
  std::int32_t next = 0;
  for (const std::int64_t count : uses) place.push_back(count >= min_uses ? next++ : -1);
  require(next > 0, "no tag is used by ", min_uses,
          " of the items to learn from; give a smaller --min-uses");

  const SuggestEvidence evidence =
      choose_evidence(library, source, options.evidence, jobs, progress);
  require(!uses_tags(evidence),
          "an evaluation with other tags as evidence is not possible: they are what is asked for");
  const StoredRows rows = evidence_rows(library, source, evidence, false, jobs, progress);
  SuggestTrial trial;
  trial.blocks = evidence.blocks();
  trial.train = take_rows(rows.view(), split.train);
  trial.test = take_rows(rows.view(), split.test);
  trial.train_tags = kept_targets(tags.targets.view(), split.train, place, next);
  trial.test_tags = kept_targets(tags.targets.view(), split.test, place, next);
  return trial;
}

}  // namespace commonplace
