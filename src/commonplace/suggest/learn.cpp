#include "commonplace/suggest/learn.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/comm/together.h"
#include "commonplace/eval/split.h"
#include "commonplace/io/options_json.h"
#include "commonplace/library/items.h"
#include "commonplace/library/stored_models.h"
#include "commonplace/suggest/targets.h"

namespace commonplace {
namespace {

/// The tagged items of a collection.
struct Material {
  StoredRows rows;
  Sparse targets;
  std::vector<std::string> ids;
  bool left_out = false;  ///< there are items of which only rejections are known
};

Material gather_material(const StoredRows& rows, const SuggestTags& tags,
                         const std::vector<std::string>& ids, bool hide) {
  const std::vector<std::string> keys = keys_of(tags.names);
  Material material;
  material.targets.columns = tags.targets.columns;
  std::vector<std::int64_t> which;
  for (std::int64_t row = 0; row < tags.targets.rows(); ++row) {
    if (tags.targets.view().row_indices(row).empty()) continue;
    if (!is_tagged(tags.targets.view().row_values(row))) {
      material.left_out = true;
      continue;
    }
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
                                    Comm& comm, int jobs, const Progress& progress) {
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
    require_same(comm, model.state, concat("collection '", collection_name, "'"));
    SuggestTags tags = read_suggest_tags(library, source, model.control);
    require_tags(tags, collection_name);
    model.evidence = choose_evidence(library, source, options.evidence, comm, jobs, progress);
    const bool hide = uses_tags(model.evidence);
    material =
        gather_material(evidence_rows(library, source, model.evidence, hide, comm, jobs, progress),
                        tags, item_ids(library, source), hide);
    model.tags = std::move(tags.names);
  }
  LearnedSuggester learned =
      learn_suggester({material.rows.view(), model.evidence.blocks(), material.targets.view()},
                      options.suggester, comm, jobs, progress);
  model.suggester = std::move(learned.suggester);
  model.known_ids = std::move(material.ids);
  if (material.left_out) {
    // Rejections by themselves come last: they say nothing about the other tags of their items.
    model.state.clear();
    update_model(model, library, jobs, progress);
  }

  SuggestLearningReport report;
  report.model = name.empty() ? "suggest." + collection_name : name;
  report.collection = collection_name;
  report.features = features_text(model.evidence);
  report.fit = std::move(learned.report);
  std::int64_t file_bytes = 0;
  on_first(comm, [&] {
    const ModelRecord record = store_model(
        library,
        {report.model, kSuggestModelKind, {}, options_to_json(options), to_json(report), ""},
        [&](const std::filesystem::path& path) { save(model, path); });
    file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(record.file));
  });
  report.file_bytes = comm.broadcast(file_bytes, 0);
  return report;
}

std::string to_json(const SuggestLearningReport& report) {
  nlohmann::ordered_json json = {
      {"model", report.model}, {"collection", report.collection}, {"features", report.features}};
  json.update(nlohmann::ordered_json::parse(to_json(report.fit)));
  if (report.file_bytes > 0) json["file_bytes"] = report.file_bytes;
  return json.dump();
}

SuggestTrial split_collection(const Library& library, const std::string& collection_name,
                              const SuggestModelOptions& options,
                              const SuggestEvaluationOptions& evaluation, Comm& comm, int jobs,
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
      choose_evidence(library, source, options.evidence, comm, jobs, progress);
  require(!uses_tags(evidence),
          "an evaluation with other tags as evidence is not possible: they are what is asked for");
  const StoredRows rows = evidence_rows(library, source, evidence, false, comm, jobs, progress);
  SuggestTrial trial;
  trial.blocks = evidence.blocks();
  trial.train = take_rows(rows.view(), split.train);
  trial.test = take_rows(rows.view(), split.test);
  trial.train_tags = kept_targets(tags.targets.view(), split.train, place, next);
  trial.test_tags = kept_targets(tags.targets.view(), split.test, place, next);
  return trial;
}

}  // namespace commonplace
