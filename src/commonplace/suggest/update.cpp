#include "commonplace/suggest/update.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "commonplace/base/clock.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/vocabulary.h"
#include "commonplace/suggest/targets.h"

namespace commonplace::suggest {
namespace {

/// Targets as the tags' Gaussian processes learn them.
std::vector<Target> said(std::vector<Target> targets) {
  const float say = say_of_each(std::count_if(targets.begin(), targets.end(),
                                              [](const Target& each) { return each.second > 0; }));
  for (auto& [tag, value] : targets)
    if (value > 0) value = say;
  return targets;
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
std::optional<std::vector<std::string>> changed_items(const Model& model, const Library& library,
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

/// Whether a tag has a description that the model does not know.
bool has_new_descriptions(const Model& model, const Library& library) {
  std::unordered_set<std::string> known;
  for (const std::string& tag : model.tags) known.insert(tag_key(tag));
  return std::ranges::any_of(described_for(library, model.control), [&](const std::string& name) {
    return !known.contains(tag_key(name));
  });
}

/// Brings one model up to date.
class Updating {
 public:
  /// `only` names the items that can have changed, if that is known.
  Updating(Model& model, const Library& library, const Collection& collection,
           const std::optional<std::vector<std::string>>& only, int jobs)
      : model_(model),
        library_(library),
        collection_(collection),
        jobs_(jobs),
        hide_(uses_tags(model.evidence)),
        ids_(only ? *only : item_ids(library, collection)),
        tags_(only ? read_tags(library, collection, model.control, model.tags, ids_)
                   : read_tags(library, collection, model.control, model.tags)) {
    for (std::size_t i = 0; i < model.known_ids.size(); ++i)
      known_.emplace(model.known_ids[i], static_cast<std::int64_t>(i));
  }

  Update run() {
    add_new_tags();
    find_changes();
    change_known();
    learn_new();
    update_.new_names = refresh_names(library_, model_.tags, model_.naming, model_.suggester.names,
                                      {.jobs = jobs_});
    return update_;
  }

 private:
  void add_new_tags() {
    update_.new_tags = std::ssize(tags_.names) - std::ssize(model_.tags);
    if (update_.new_tags == 0) return;
    model_.tags = tags_.names;
    add_tags(model_.suggester.tag_gp, update_.new_tags);
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
      std::vector<Target> changed = differences(said(now), said(before));
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
      change_targets(model_.suggester.tag_gp, whitened_row(whitened, i), differences_[i]);
  }

  void learn_new() {
    const StoredRows rows = prepare(model_.suggester, new_evidence().view(), jobs_);
    const Matrix whitened = whiten(model_.suggester.basis, rows.view(), jobs_);
    for (std::size_t i = 0; i < new_rows_.size(); ++i) {
      const bool tagged = is_tagged(tags_.targets.view().row_values(new_rows_[i]));
      (tagged ? learn_item : learn_targets)(model_.suggester.tag_gp, whitened_row(whitened, i),
                                            said(new_targets_[i]));
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

  Model& model_;
  const Library& library_;
  const Collection& collection_;
  int jobs_;
  bool hide_;
  std::vector<std::string> ids_;  ///< of the items looked at
  Tags tags_;                     ///< theirs
  std::unordered_map<std::string, std::int64_t> known_;
  std::vector<std::vector<Target>> targets_;  ///< per known item, as they are now
  std::vector<std::int64_t> changed_;         ///< known items
  std::vector<std::vector<Target>> differences_;
  std::vector<std::int64_t> new_rows_;  ///< of tags_
  std::vector<std::vector<Target>> new_targets_;
  Update update_;
};

}  // namespace

Update update_model(Model& model, const Library& library, const Run& run) {
  const auto begin = Clock::now();
  const ReadSnapshot snapshot = read_snapshot(library);
  const Collection source = collection(library, model.collection);
  std::string state = state_of(library, source);
  follow_vocabulary(model, TagMeanings(library));
  const bool renamed = !model.naming.empty() && model.naming.state != vocabulary_state(library);
  if (state == model.state && !renamed) return {};
  run.progress({"learning what has changed", 0, 0, ""});
  const auto only = renamed && has_new_descriptions(model, library)
                        ? std::nullopt
                        : changed_items(model, library, source, model.state, state);
  Update update = Updating(model, library, source, only, run.jobs).run();
  model.state = std::move(state);
  update.seconds = seconds_since(begin);
  return update;
}

Update update(Library& library, const std::string& name, const Run& run) {
  Update update;
  on_root(run.comm, [&] {
    const auto begin = Clock::now();
    const ModelRecord record = model_record(library, name);
    Model model = load_model(TensorFile(record.file));
    update = update_model(model, library, run);
    if (update.any())
      store_model(library, record, [&](const std::filesystem::path& path) { save(model, path); });
    update.seconds = seconds_since(begin);
  });
  run.comm.broadcast(std::span<Update>(&update, 1), 0);
  return update;
}

}  // namespace commonplace::suggest
