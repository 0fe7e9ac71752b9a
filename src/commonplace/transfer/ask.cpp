#include "commonplace/transfer/ask.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/comm/serialise.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/rank_parts.h"
#include "commonplace/library/machine/machine_labels.h"

namespace commonplace::transfer {
namespace {

constexpr std::string_view kTransferKind = "transfer";

void check_request(const Request& request) {
  require(!request.sources.empty(), "give the collection that has the labels with --source");
  require(!request.target.empty(), "give the collection to label with --target");
  require(request.above >= 0 && request.above <= 1, "the least probability is ", request.above,
          "; expected 0 to 1");
  require(!request.direct || (request.through.empty() && !request.chain),
          "--direct does not go with --through or --chain");
  require(request.through.empty() || !request.chain, "--through does not go with --chain");
  std::vector<std::string> all = request.sources;
  all.insert(all.end(), request.through.begin(), request.through.end());
  all.push_back(request.target);
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  require(twice == all.end(), "'", twice == all.end() ? "" : *twice,
          "' is named twice; sources, target and those in between must be different collections");
}

/// Sources, all that may be in between, the target.
Data read_candidates(const Library& library, const Request& request, const ReadOptions& read,
                     const Run& run) {
  std::vector<std::string> names = request.sources;
  if (!request.through.empty()) {
    names.insert(names.end(), request.through.begin(), request.through.end());
  } else if (!request.candidates.empty()) {
    names.insert(names.end(), request.candidates.begin(), request.candidates.end());
  } else if (!request.direct) {
    for (const Collection& each : collections(library))
      if (each.items > 0 && each.name != request.target &&
          std::find(names.begin(), names.end(), each.name) == names.end())
        names.push_back(each.name);
  }
  names.push_back(request.target);
  std::vector<Input> inputs;
  for (const std::string& name : names)
    inputs.push_back(transfer_input(library, name, read.features));
  Data data = read_data(inputs, request.sources.size(), read, run);
  require_same_data(data, run.comm);
  return data;
}

/// Where to go, as places in the map, and whether to go at all.
struct Way {
  std::vector<std::size_t> through;
  std::optional<RankedBridge> forecast;
};

/// The way of rank 0, on all ranks.
Way choose_way(const Request& request, const BridgeMap& map, const BridgeChoice& choice,
               Comm& comm) {
  Way way;
  if (!request.through.empty()) {
    way.through.resize(request.through.size());
    std::iota(way.through.begin(), way.through.end(), std::size_t{1});
  } else if (request.chain) {
    const auto chain = best_chain(map, request.most);
    require(chain.has_value(), "there is no way from ", map.names.front(), " to ", map.names.back(),
            " with at most ", request.most,
            " collections in between: at some step nothing is shared");
    way.through = *chain;
  } else if (!request.direct) {
    const std::vector<RankedBridge> ranked = rank_bridges(map, choice);
    if (!ranked.empty() && leads(ranked[0]) &&
        (ranked[0].only_way || is_clear_gain(ranked[0].forecast))) {
      const auto place = std::find(map.names.begin(), map.names.end(), ranked[0].name);
      way.through = {static_cast<std::size_t>(place - map.names.begin())};
    }
  }
  way.through = broadcast_value(comm, std::move(way.through));
  if (!way.through.empty()) way.forecast = forecast_path(map, way.through, choice);
  return way;
}

/// Why not to go, or empty.
std::string objection(const Request& request, const BridgeMap& map, const Way& way) {
  std::vector<std::size_t> path = {0};
  path.insert(path.end(), way.through.begin(), way.through.end());
  path.push_back(map.target());
  for (std::size_t step = 1; step < path.size(); ++step)
    if (map.shared(static_cast<Eigen::Index>(path[step - 1]),
                   static_cast<Eigen::Index>(path[step])) < kHardlyShared)
      return concat("'", map.names[path[step - 1]], "' and '", map.names[path[step]],
                    "' have hardly a feature in common; ",
                    request.direct || way.through.empty()
                        ? "find a collection in between with 'commonplace bridges', or a path with "
                          "--chain"
                        : "go through another collection");
  if (way.forecast && !way.forecast->only_way && way.forecast->forecast.gain < 0)
    return concat("going through ", way.forecast->name,
                  " is predicted to harm; transfer --direct, or go through another collection");
  return {};
}

/// This rank's items of a collection, whose other rows are let go; ids and labels stay.
TransferCollection own_items(Set& set, const Comm& comm) {
  const RowRange own = own_rows(set.rows.rows(), comm);
  if (comm.size() > 1) set.rows = own_part(set.rows.view(), comm);
  return {set.rows.view(), {set.labels.begin() + own.begin, set.labels.begin() + own.end}};
}

/// The rows of all ranks.
MatrixD put_together(const MatrixD& own, Comm& comm) {
  const std::vector<double> all = all_gather_numbers(
      comm, std::span<const double>(own.data(), static_cast<std::size_t>(own.size())));
  return Eigen::Map<const MatrixD>(all.data(), std::ssize(all) / own.cols(), own.cols());
}

void collect(const Data& data, const MatrixD& classes, double above, Answer& summary) {
  const Set& target = data.collections.back();
  std::map<std::int32_t, std::int64_t> counts;
  double sum = 0;
  for (std::size_t item = 0; item < target.ids.size(); ++item) {
    if (target.labels[item] >= 0) {
      ++summary.known;
      continue;
    }
    Eigen::Index best = 0;
    const double probability = classes.row(static_cast<Eigen::Index>(item)).maxCoeff(&best);
    summary.predictions.push_back(
        {target.ids[item], data.classes[static_cast<std::size_t>(best)], probability});
    sum += probability;
    if (probability >= above) ++counts[static_cast<std::int32_t>(best)];
  }
  for (const auto& [label, items] : counts) {
    summary.counts.push_back({data.classes[static_cast<std::size_t>(label)], items});
    summary.sure += items;
  }
  summary.mean_probability =
      summary.predictions.empty() ? 0 : sum / static_cast<double>(summary.predictions.size());
}

void store(Library& library, const Request& request, const Options& options,
           const Answer& summary) {
  std::vector<MachineLabel> labels;
  for (const Prediction& each : summary.predictions)
    if (each.probability >= request.above)
      labels.push_back({each.item, each.label, std::min(each.probability, 1.0)});
  Answer short_summary = summary;
  short_summary.predictions.clear();
  store_machine_labels(library, collection(library, request.target),
                       {summary.model,
                        std::string(kTransferKind),
                        {},
                        options_to_json(options),
                        commonplace::to_json(short_summary),
                        {}},
                       summary.field, labels);
}

}  // namespace

std::string model_name(const Request& request) {
  if (!request.name.empty()) return request.name;
  std::string name;
  for (const std::string& source : request.sources) name += source + "-";
  return name + "to-" + request.target;
}

Answer ask(Library& library, const Request& request, const ReadOptions& read,
           const Options& options, const Run& run) {
  check_request(request);
  const auto begin = Clock::now();
  Data data = read_candidates(library, request, read, run);
  const std::size_t sources = request.sources.size();
  const BridgeMap map = map_of(data, sources, {}, run);
  const BridgeAdvice advice = bridge_advice(library);
  const Way way = choose_way(request, map, advice.choice, run.comm);

  Answer summary;
  summary.sources = request.sources;
  summary.target = request.target;
  summary.field = data.field;
  summary.forecast = way.forecast;
  if (way.forecast) summary.advice = advice.learned_from;
  summary.model = model_name(request);
  std::vector<TransferCollection> from;
  for (std::size_t which = 0; which < sources; ++which)
    from.push_back(own_items(data.collections[which], run.comm));
  std::vector<TransferCollection> path;
  for (const std::size_t place : way.through) {
    summary.through.push_back(map.names[place]);
    path.push_back(own_items(data.collections[place + sources - 1], run.comm));
  }
  path.push_back(own_items(data.collections.back(), run.comm));
  summary.reason = broadcast_text(run.comm, objection(request, map, way));
  summary.refused = !summary.reason.empty() && !request.force;
  if (summary.refused) return summary;

  Transfer found = transfer_classes(from, path, std::ssize(data.classes), options, run);
  summary.stages = std::move(found.stages);
  summary.same_items = found.same_items;
  if (summary.reason.empty() && summary.stages.back().expected <= summary.stages.back().guessing) {
    summary.reason =
        concat("what '", join(request.sources), "' says of '", request.target,
               "' is expected to be right in ", std::lround(100 * summary.stages.back().expected),
               " %, which is no better than guessing");
    summary.refused = !request.force;
    if (summary.refused) return summary;
  }
  collect(data, put_together(found.classes.back(), run.comm), request.above, summary);
  summary.seconds = run.comm.broadcast(seconds_since(begin), 0);
  if (request.dry_run) return summary;
  on_root(run.comm, [&] { store(library, request, options, summary); });
  summary.written = summary.sure;
  return summary;
}

BridgeRanking rank_library_bridges(const Library& library, const Request& request,
                                   const ReadOptions& read, const Run& run) {
  check_request(request);
  const Data data = read_candidates(library, request, read, run);
  require(data.collections.size() > request.sources.size() + 1,
          "there is no collection between source and target; add one with 'commonplace add'");
  BridgeRanking ranking;
  ranking.map = map_of(data, request.sources.size(), {}, run);
  ranking.advice = bridge_advice(library);
  ranking.bridges = rank_bridges(ranking.map, ranking.advice.choice);
  if (const auto chain = best_chain(ranking.map, request.most)) {
    ranking.chain.emplace();
    for (const std::size_t place : *chain) ranking.chain->push_back(ranking.map.names[place]);
  }
  return ranking;
}

BridgeMap measure_library(const Library& library, const ReadOptions& read, const Run& run) {
  std::vector<Input> inputs;
  for (const Collection& each : collections(library))
    if (each.items > 0) inputs.push_back(transfer_input(library, each.name, read.features));
  require(inputs.size() >= 2, "distances are between collections, and there ",
          inputs.empty() ? "is none" : "is only one");
  const Data data = read_data(inputs, 0, read, run);
  require_same_data(data, run.comm);
  return map_of(data, 1, {}, run);
}

BridgeEnd source_of(const BridgeMap& map) {
  return map.names.empty() ? BridgeEnd()
                           : BridgeEnd{map.names.front(), map.measures.complexity.front()};
}
BridgeEnd target_of(const BridgeMap& map) {
  return map.names.empty() ? BridgeEnd()
                           : BridgeEnd{map.names.back(), map.measures.complexity.back()};
}
double distance_of(const BridgeMap& map) {
  return map.names.empty() ? 0 : map.measures.distance(0, map.measures.distance.cols() - 1);
}

std::vector<MeasuredCollection> measured_collections(const BridgeMap& map) {
  std::vector<MeasuredCollection> result;
  for (std::size_t i = 0; i < map.names.size(); ++i)
    result.push_back({map.names[i], map.items[i], map.measures.complexity[i]});
  return result;
}

std::vector<MeasuredPair> measured_pairs(const BridgeMap& map) {
  std::vector<MeasuredPair> result;
  const auto size = static_cast<Eigen::Index>(map.names.size());
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = i + 1; j < size; ++j)
      result.push_back({map.names[static_cast<std::size_t>(i)],
                        map.names[static_cast<std::size_t>(j)], map.measures.distance(i, j),
                        map.shared(i, j)});
  return result;
}

}  // namespace commonplace::transfer
