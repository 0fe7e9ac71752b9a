#include "commonplace/transfer/bridges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/json.h"
#include "commonplace/io/options_json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/transfer/core/built_in_bridges.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace::transfer {
namespace {

constexpr std::string_view kBridgesKind = "bridge-choice";
constexpr std::size_t kFewestCollections = 4;
constexpr std::size_t kTurns = 3;

/// Collections whose items have a label of that field, and the field if none was given.
std::vector<std::string> labelled_collections(const Library& library, std::string& field) {
  std::vector<std::string> found;
  std::set<std::string> fields;
  for (const Collection& each : collections(library)) {
    ItemReader reader(library, each);
    Item item;
    bool has = false;
    while (!has && reader.next(item))
      for (const Label& label : item.labels) {
        if (!field.empty() && label.field != field) continue;
        fields.insert(label.field);
        has = true;
      }
    if (has) found.push_back(each.name);
  }
  require(field.empty() ? fields.size() <= 1 : true, "the collections have several labels (",
          join(fields), "); say which with --label-field");
  if (field.empty() && !fields.empty()) field = *fields.begin();
  return found;
}

double share_in_both(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double both = 0;
  double in_a = 0;
  double in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += a[i] & b[i];
    in_a += a[i];
    in_b += b[i];
  }
  return both / std::max(1.0, std::min(in_a, in_b));
}

/// Collections that are much alike need no bridge, and little can be learned from them. So they are
/// tried once more as if a third of them had lost one half of the features, a third the other half,
/// and the rest nothing; in each turn other ones.
std::vector<LabelledCollection> taken_apart(const std::vector<LabelledCollection>& collections,
                                            std::size_t turn) {
  std::vector<LabelledCollection> result = collections;
  for (std::size_t which = 0; which < result.size(); ++which)
    if (const std::size_t side = (which + turn) % kTurns; side > 0)
      result[which] = hide_features(result[which], static_cast<int>(side) - 1, 1, 7 + turn);
  return result;
}

/// All sources as one collection; measuring needs no labels.
LabelledCollection joined_sources(const Data& data, std::size_t sources) {
  LabelledCollection joined;
  joined.rows.columns = data.columns();
  std::vector<std::string> names;
  for (std::size_t which = 0; which < sources; ++which) {
    const Set& set = data.collections[which];
    names.push_back(set.name);
    for (std::int64_t row = 0; row < set.rows.rows(); ++row)
      joined.rows.push_row(set.rows.view(), row);
  }
  joined.name = join(names);
  joined.labels.assign(static_cast<std::size_t>(joined.rows.rows()), -1);
  return joined;
}

double step_cost(const BridgeMap& map, std::size_t a, std::size_t b) {
  const auto row = static_cast<Eigen::Index>(a);
  const auto column = static_cast<Eigen::Index>(b);
  if (map.shared(row, column) < kHardlyShared) return std::numeric_limits<double>::infinity();
  return -std::log(1.01 - map.measures.distance(row, column) / 2);
}

}  // namespace

bool leads(const RankedBridge& bridge) {
  return bridge.shared_source >= kHardlyShared && bridge.shared_target >= kHardlyShared;
}

bool is_clear_gain(const BridgeForecast& forecast) {
  return forecast.success > 0.5 && forecast.gain > forecast.gain_error;
}

BridgeAdvice built_in_advice() {
  return {bridge_choice_from_json(built_in_bridges()), built_in_bridges_source()};
}

BridgeAdvice bridge_advice(const Library& library) {
  for (const ModelRecord& record : model_records(library))
    if (record.name == kBridgesModel && record.kind == kBridgesKind)
      return {load_bridge_choice(TensorFile(record.file)),
              json_from(record.report).value("learned_from", "this library")};
  return built_in_advice();
}

LearnedBridges learn_bridges(Library& library, std::vector<std::string> names,
                             const ReadOptions& read, const BridgeTrialOptions& options,
                             const Run& run) {
  ReadOptions reading = read;
  if (names.empty()) names = labelled_collections(library, reading.label_field);
  require(names.size() >= kFewestCollections, "only ", names.size(),
          " collections have labels to try bridges with; at least ", kFewestCollections,
          " are needed");
  std::vector<Input> inputs;
  for (const std::string& name : names)
    inputs.push_back(transfer_input(library, name, reading.features));
  Data data = read_data(inputs, inputs.size(), reading, run);
  require_same_data(data, run.comm);
  std::vector<LabelledCollection> labelled;
  for (Set& set : data.collections)
    labelled.push_back({set.name, std::move(set.rows), std::move(set.labels)});

  LearnedBridges learned;
  const auto begin = Clock::now();
  learned.tried = run_bridge_trials(labelled, options, run);
  learned.plain = learned.tried.trials.size();
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    const BridgeTrials apart = run_bridge_trials(taken_apart(labelled, turn), options, run);
    learned.tried.trials.insert(learned.tried.trials.end(), apart.trials.begin(),
                                apart.trials.end());
  }
  BridgeChoiceFit fit = fit_bridge_choice(bridge_examples(learned.tried));
  learned.seconds = run.comm.broadcast(seconds_since(begin), 0);
  learned.names = std::move(names);
  learned.held_out = std::move(fit.held_out);
  learned.advice.choice = std::move(fit.choice);
  learned.advice.learned_from =
      concat(learned.tried.trials.size(), " trials with the ", learned.names.size(),
             " collections of this library that have the label '", data.field, "'");
  const nlohmann::ordered_json report = {{"learned_from", learned.advice.learned_from}};
  on_root(run.comm, [&] {
    store_model(library,
                {kBridgesModel,
                 std::string(kBridgesKind),
                 {},
                 options_to_json(options),
                 json_text(report),
                 {}},
                [&](const std::filesystem::path& path) { save(learned.advice.choice, path); });
  });
  return learned;
}

std::vector<TriedBridge> tried_bridges(const LearnedBridges& learned) {
  std::vector<TriedBridge> result;
  const auto name = [&](std::int32_t place) {
    return learned.names[static_cast<std::size_t>(place)];
  };
  for (std::size_t i = 0; i < learned.tried.trials.size(); ++i) {
    const BridgeTrial& trial = learned.tried.trials[i];
    result.push_back({name(trial.source), name(trial.bridge), name(trial.target),
                      i >= learned.plain, trial.direct, trial.bridged, learned.held_out[i]});
  }
  return result;
}

BridgeMap map_of(const Data& data, std::size_t sources, const BridgeTrialOptions& options,
                 const Run& run) {
  BridgeMap map;
  std::vector<LabelledCollection> measured = {joined_sources(data, sources)};
  for (std::size_t which = sources; which < data.collections.size(); ++which) {
    const Set& set = data.collections[which];
    measured.push_back({set.name, set.rows, set.labels});
  }
  for (const LabelledCollection& each : measured) {
    map.names.push_back(each.name);
    map.items.push_back(each.rows.rows());
  }
  map.measures = measure_collections(measured, options, run);
  std::vector<std::vector<std::uint8_t>> used;
  for (const LabelledCollection& each : measured)
    used.push_back(features_in_use(each.rows.view(), self_comm()));
  const auto count = static_cast<Eigen::Index>(used.size());
  map.shared.resize(count, count);
  for (Eigen::Index a = 0; a < count; ++a)
    for (Eigen::Index b = 0; b < count; ++b)
      map.shared(a, b) =
          share_in_both(used[static_cast<std::size_t>(a)], used[static_cast<std::size_t>(b)]);
  return map;
}

RankedBridge forecast_path(const BridgeMap& map, const std::vector<std::size_t>& through,
                           const BridgeChoice& choice) {
  require(!through.empty(), "a path without collections in between has no forecast");
  const auto at = [](std::size_t place) { return static_cast<Eigen::Index>(place); };
  RankedBridge bridge;
  bridge.traits = traits_of(map.measures, 0, static_cast<std::int32_t>(through.front()),
                            static_cast<std::int32_t>(map.target()));
  bridge.traits.bridge_target = map.measures.distance(at(through.back()), at(map.target()));
  std::vector<std::string> names;
  for (const std::size_t place : through) {
    names.push_back(map.names[place]);
    bridge.traits.bridge_complexity =
        std::max(bridge.traits.bridge_complexity, map.measures.complexity[place]);
  }
  bridge.name = join(names);
  bridge.shared_source = map.shared(0, at(through.front()));
  bridge.shared_target = map.shared(at(through.back()), at(map.target()));
  bridge.forecast = predict(choice, bridge.traits);
  bridge.only_way = map.shared(0, at(map.target())) < kHardlyShared && leads(bridge);
  return bridge;
}

std::vector<RankedBridge> rank_bridges(const BridgeMap& map, const BridgeChoice& choice) {
  std::vector<RankedBridge> ranked;
  for (std::size_t place = 1; place < map.target(); ++place)
    ranked.push_back(forecast_path(map, {place}, choice));
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedBridge& a, const RankedBridge& b) {
    return std::pair(leads(a), a.forecast.gain) > std::pair(leads(b), b.forecast.gain);
  });
  return ranked;
}

std::optional<std::vector<std::size_t>> best_chain(const BridgeMap& map, std::size_t most) {
  const std::size_t count = map.names.size();
  constexpr double kNoWay = std::numeric_limits<double>::infinity();
  // The cheapest way to each place with exactly so many steps, and where it came from.
  std::vector<std::vector<double>> cost(1, std::vector<double>(count, kNoWay));
  std::vector<std::vector<std::size_t>> from(1, std::vector<std::size_t>(count, 0));
  cost[0][0] = 0;
  for (std::size_t step = 1; step <= most + 1; ++step) {
    cost.emplace_back(count, kNoWay);
    from.emplace_back(count, 0);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 1; b < count; ++b) {
        if (a == b || a == map.target()) continue;
        const double through = cost[step - 1][a] + step_cost(map, a, b);
        if (through < cost[step][b]) {
          cost[step][b] = through;
          from[step][b] = a;
        }
      }
  }
  std::size_t steps = 1;
  for (std::size_t step = 2; step < cost.size(); ++step)
    if (cost[step][map.target()] < cost[steps][map.target()]) steps = step;
  if (cost[steps][map.target()] == kNoWay) return std::nullopt;
  std::vector<std::size_t> chain;
  for (std::size_t place = from[steps][map.target()], step = steps - 1; step > 0; --step) {
    chain.push_back(place);
    place = from[step][place];
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace commonplace::transfer
