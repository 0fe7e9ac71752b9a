#include "commonplace/relate/learn.h"

#include <unordered_map>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/io/options_json.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/relate/core/choice.h"
#include "commonplace/relate/core/space.h"
#include "commonplace/relate/rows.h"

namespace commonplace::relate {
namespace {

std::vector<PlacedModality> placed(const Space& space, Data& data, const NystromCache& cache,
                                   const Run& run) {
  std::vector<PlacedModality> modalities;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    PlacedModality& into = modalities.emplace_back();
    into.positions = positions_of(space, data, k, run, &cache);
    into.what = data.modalities[k].what;
    into.features = data.modalities[k].features;
    into.names = std::move(data.modalities[k].names);
    into.places = std::move(data.modalities[k].places);
    into.text = std::move(data.modalities[k].text);
    into.has = std::move(data.modalities[k].has);
  }
  return modalities;
}

Report report_of(const Model& model, const Links& links) {
  Report report;
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    std::int64_t linked = 0;
    for (const double degree : model.space.degrees[k]) linked += degree > 0 ? 1 : 0;
    report.modalities.push_back({modality.what.full(), modality.nodes(), linked, modality.features,
                                 model.space.settings[k], model.rules[k].quality});
  }
  for (const Sparse& each : links.links) report.links += each.nonzeros();
  report.dim = model.space.dim();
  report.largest_residual = model.space.largest_residual;
  report.rounds = model.space.rounds;
  report.converged = model.space.converged;
  return report;
}

/// Stores the model under the name that the report has for it, with how long it took.
void keep(Library& library, const Model& model, Report& report, Clock::time_point begin,
          Comm& comm) {
  const double seconds = seconds_since(begin);
  report.seconds = comm.broadcast(seconds, 0);
  on_root(comm, [&] {
    store_model(library,
                {report.model, kModelKind, {}, options_to_json(model.options), to_json(report), ""},
                [&](const std::filesystem::path& path) { save(model, path); });
  });
}

/// What tells a node without features apart from the others of its modality.
std::vector<std::string> keys_of(const std::vector<std::string>& names,
                                 const std::vector<Place>& places, std::int64_t nodes) {
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(tag_key(name));
  if (keys.empty())
    for (const Place& place : places) keys.push_back(concat(place.latitude, ",", place.longitude));
  if (keys.empty())
    for (std::int64_t i = 0; i < nodes; ++i) keys.push_back(std::to_string(i));
  return keys;
}

/// The space before, with the rows of nameable nodes put in the order that they have now.
Space renumbered(const Model& before, const Data& data) {
  Space space = before.space;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    ProjectedModality& modality = space.projection.modalities[k];
    if (!modality.identity) continue;
    std::unordered_map<std::string, Eigen::Index> row_of;
    const auto keys = keys_of(before.modalities[k].names, before.modalities[k].places,
                              before.modalities[k].nodes());
    for (std::size_t i = 0; i < keys.size(); ++i)
      row_of.emplace(keys[i], static_cast<Eigen::Index>(i));
    MatrixD projection = MatrixD::Zero(data.modalities[k].nodes, modality.projection.cols());
    const auto now =
        keys_of(data.modalities[k].names, data.modalities[k].places, data.modalities[k].nodes);
    for (std::size_t i = 0; i < now.size(); ++i)
      if (const auto found = row_of.find(now[i]); found != row_of.end())
        projection.row(static_cast<Eigen::Index>(i)) = modality.projection.row(found->second);
    modality.projection = std::move(projection);
  }
  return space;
}

}  // namespace

Report learn(Library& library, const std::string& name, const ModelOptions& options,
             const Run& run) {
  const auto begin = Clock::now();
  check(options);
  Data data = read_data(library, options.read, run);
  require_same_data(library, data, run.comm);
  const Choice choice = choose_relation(data, options, run);
  Model model;
  model.options = options;
  model.rules = choice.rules;
  model.place_rule = choice.place_rule;
  GuidedProjectionOptions projection = options.projection;
  projection.dim = choice.dim;
  const Links links = links_of(data);
  NystromCache cache;
  model.space =
      fit_relate_space(data, links, choice.settings, projection, run, {nullptr, nullptr, &cache});
  model.modalities = placed(model.space, data, cache, run);
  Report report = report_of(model, links);
  report.model = name.empty() ? "relate" : name;
  report.quality = choice.quality;
  report.asked = choice.asked;
  report.tried = choice.tried;
  keep(library, model, report, begin, run.comm);
  return report;
}

Report update(Library& library, const std::string& name, const Run& run) {
  const auto begin = Clock::now();
  const ModelRecord record = model_record(library, name);
  require(record.kind == kModelKind, "the model '", name, "' is of the kind '", record.kind,
          "'; expected one made by 'commonplace learn LIB relate'");
  require_same(run.comm, record.file.filename().string(), concat("model '", name, "'"));
  const Model before = load_model(TensorFile(record.file));
  std::vector<TfidfModel> texts;
  for (const PlacedModality& modality : before.modalities) texts.push_back(modality.text);
  Data data = read_data(library, before.options.read, run, texts);
  require_same_data(library, data, run.comm);
  require(data.modalities.size() == before.modalities.size(),
          "there are other kinds to relate now than when the model '", name,
          "' was learned; learn it again");
  for (std::size_t k = 0; k < data.modalities.size(); ++k)
    require(data.modalities[k].what == before.modalities[k].what, "the kinds of the model '", name,
            "' have changed: ", data.modalities[k].what.full(), " is new; learn it again");
  Model model;
  model.options = before.options;
  model.rules = before.rules;
  model.place_rule = before.place_rule;
  GuidedProjectionOptions projection = before.options.projection;
  projection.dim = before.space.dim();
  const Links links = links_of(data);
  const Space start = renumbered(before, data);
  NystromCache cache;
  model.space = fit_relate_space(data, links, before.space.settings, projection, run,
                                 {&start.landmarks, &start.projection, &cache});
  model.modalities = placed(model.space, data, cache, run);
  Report report = report_of(model, links);
  report.model = name;
  keep(library, model, report, begin, run.comm);
  return report;
}

std::string to_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json modalities = Json::array();
  for (const LearnedModality& each : report.modalities) {
    modalities.push_back({{"kind", each.name},
                          {"things", each.nodes},
                          {"linked", each.linked},
                          {"kernel", each.setting.kernel},
                          {"gamma", each.setting.gamma}});
    if (!each.features.empty()) modalities.back()["features"] = each.features;
    if (each.setting.width > 0) modalities.back()["width"] = each.setting.width;
    if (each.quality > 0) modalities.back()["ndcg"] = each.quality;
  }
  Json json = {{"model", report.model},
               {"kinds", modalities},
               {"links", report.links},
               {"coordinates", report.dim},
               {"residual", report.largest_residual},
               {"rounds", report.rounds},
               {"converged", report.converged},
               {"tried", ordered_json_from(to_json(report.tried, "ndcg"))},
               {"seconds", report.seconds}};
  if (report.quality > 0) json.update({{"asked", report.asked}, {"ndcg", report.quality}});
  return json_text(json);
}

}  // namespace commonplace::relate
