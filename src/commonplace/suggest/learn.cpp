#include "commonplace/suggest/learn.h"

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/json.h"
#include "commonplace/io/options_json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/suggest/targets.h"
#include "commonplace/suggest/update.h"

namespace commonplace::suggest {
namespace {

/// The tagged items of a collection.
struct Material {
  StoredRows rows;
  Sparse targets;
  std::vector<std::string> ids;
  std::vector<std::string> times;
  StoredRows strange;  ///< items whose tags are all too rare
  std::vector<std::string> strange_times;
  bool left_out = false;  ///< there are items of which only rejections are known
};

Material gather_material(const StoredRows& rows, const Tags& tags,
                         const std::vector<std::string>& ids, const std::vector<std::string>& times,
                         bool hide) {
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
    material.times.push_back(times[static_cast<std::size_t>(row)]);
    push_targets(targets_of(tags.targets.view(), row, hide, id, keys), material.targets);
  }
  material.rows = take_rows(rows.view(), which);
  material.strange = take_rows(rows.view(), tags.strange);
  for (const std::int64_t row : tags.strange)
    material.strange_times.push_back(times[static_cast<std::size_t>(row)]);
  return material;
}

std::string features_text(const Evidence& evidence) {
  std::string text;
  for (const auto& source : evidence.sources) text += (text.empty() ? "" : ",") + source.name;
  return text;
}

}  // namespace

Report learn(Library& library, const std::string& collection_name, const std::string& name,
             const ModelOptions& options, const Run& run) {
  check(options.suggester);
  Model model;
  model.options = options;
  model.collection = collection_name;
  model.control = read_tag_control(options.tags);
  Material material;
  NamedTags named;
  Report report;
  {
    const ReadSnapshot snapshot = read_snapshot(library);
    const Collection source = collection(library, collection_name);
    model.state = state_of(library, source);
    require_same(run.comm, model.state, concat("collection '", collection_name, "'"));
    report.merged = merge_leaves(library, source, model.control);
    require_tags(read_tags(library, source, model.control), collection_name);
    model.evidence = choose_evidence(library, source, options.evidence, run);
    model.control.described = plan_names(library, source, model.evidence).has_value();
    Tags tags = read_tags(library, source, model.control);
    const bool hide = uses_tags(model.evidence);
    material = gather_material(evidence_rows(library, source, model.evidence, hide, run), tags,
                               item_ids(library, source), item_times(library, source), hide);
    model.tags = std::move(tags.names);
    named = read_names(library, source, model.evidence, model.tags, model.naming, run);
  }
  LearnedSuggester learned =
      learn_suggester({material.rows.view(), model.evidence.blocks(), material.targets.view(),
                       std::move(material.times), material.strange.view(),
                       std::move(material.strange_times), model.control.min_uses, std::move(named)},
                      options.suggester, run);
  model.suggester = std::move(learned.suggester);
  model.known_ids = std::move(material.ids);
  if (material.left_out) {
    // Rejections by themselves come last: they say nothing about the other tags of their items.
    model.state.clear();
    update_model(model, library, run);
  }

  report.from_tags = model.evidence.sources.size() == 1 && uses_tags(model.evidence);
  report.model = name.empty() ? "suggest." + collection_name : name;
  report.collection = collection_name;
  report.features = features_text(model.evidence);
  report.fit = std::move(learned.report);
  std::int64_t file_bytes = 0;
  on_root(run.comm, [&] {
    const ModelRecord record = store_model(
        library, {report.model, kModelKind, {}, options_to_json(options), to_json(report), ""},
        [&](const std::filesystem::path& path) { save(model, path); });
    file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(record.file));
  });
  report.file_bytes = run.comm.broadcast(file_bytes, 0);
  return report;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json = {
      {"model", report.model}, {"collection", report.collection}, {"features", report.features}};
  json.update(ordered_json_from(to_json(report.fit)));
  if (report.merged > 0) json["merged_tags"] = report.merged;
  if (report.file_bytes > 0) json["file_bytes"] = report.file_bytes;
  return json_text(json);
}

}  // namespace commonplace::suggest
