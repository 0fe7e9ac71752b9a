#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/open_library.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/transfer/ask.h"

namespace commonplace::app {
namespace bridges_cli {

using namespace transfer;

struct Arguments : Common {
  std::string library;
  bool learn = false;
  bool distances = false;
  transfer::Request request;
  transfer::ReadOptions read;
};

std::string quality_line(const BridgeAdvice& advice) {
  const BridgeQuality& quality = advice.choice.quality;
  return "Forecasts are learned from " + advice.learned_from + ": " +
         fixed(100 * quality.balanced_accuracy, 1) + " % right on trials held out, " +
         fixed(100 * quality.target_accuracy, 1) + " % on targets held out; gains are off by " +
         fixed(100 * quality.gain_error, 1) + " points.";
}

void show(const Arguments& arguments, const BridgeRanking& ranking) {
  const CollectionMeasures& measures = ranking.map.measures;
  say(arguments, "From " + ranking.map.names.front() + " (complexity " +
                     fixed(measures.complexity.front(), 2) + ") to " + ranking.map.names.back() +
                     " (" + fixed(measures.complexity.back(), 2) + "): A-distance " +
                     fixed(measures.distance(0, measures.distance.cols() - 1), 2) + ", " +
                     fixed(100 * ranking.map.shared(0, ranking.map.shared.cols() - 1), 0) +
                     " % of features shared.");
  std::vector<std::vector<std::string>> rows;
  for (const RankedBridge& each : ranking.bridges)
    rows.push_back({each.name, fixed(each.traits.bridge_complexity, 2),
                    fixed(each.traits.source_bridge, 2), fixed(each.traits.bridge_target, 2),
                    fixed(100 * each.shared_source, 0), fixed(100 * each.shared_target, 0),
                    fixed(100 * each.forecast.success, 0),
                    (each.forecast.gain < 0 ? "" : "+") + fixed(100 * each.forecast.gain, 1) +
                        " +- " + fixed(100 * each.forecast.gain_error, 1),
                    each.only_way ? "the only way" : ""});
  print_table({"THROUGH", "COMPLEXITY", "TO SOURCE", "TO TARGET", "SHARED, %", "SHARED, %",
               "SUCCESS, %", "GAIN, POINTS", ""},
              rows);
  tell(!ranking.chain           ? "There is no chain: at some step nothing is shared."
       : ranking.chain->empty() ? "The shortest way is the direct one."
                                : "The shortest way goes through " + join(*ranking.chain) + ".");
  say(arguments, quality_line(ranking.advice));
}

int run_learn(const Arguments& arguments) {
  Library library = open_to_write(arguments, arguments.library);
  LearnedBridges learned;
  {
    ProgressBar bar(arguments);
    learned = learn_bridges(library, arguments.request.candidates, arguments.read, {}, bar.run());
  }
  if (arguments.json)
    print_json(learned);
  else
    tell(quality_line(learned.advice));
  return kSuccess;
}

int run_distances(const Arguments& arguments) {
  const Library library(arguments.library);
  BridgeMap map;
  {
    ProgressBar bar(arguments);
    map = measure_library(library, arguments.read, bar.run());
  }
  if (arguments.json) {
    print_json(map);
    return kSuccess;
  }
  std::vector<std::string> header = {"A-DISTANCE", "ITEMS", "COMPLEXITY"};
  header.insert(header.end(), map.names.begin(), map.names.end());
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < map.names.size(); ++i) {
    rows.push_back({map.names[i], with_commas(map.items[i]), fixed(map.measures.complexity[i], 2)});
    for (std::size_t j = 0; j < map.names.size(); ++j)
      rows.back().push_back(fixed(
          map.measures.distance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), 2));
  }
  print_table(header, rows);
  return kSuccess;
}

int run(const Arguments& arguments) {
  if (arguments.learn) return run_learn(arguments);
  if (arguments.distances) return run_distances(arguments);
  require(!arguments.request.sources.empty() && !arguments.request.target.empty(),
          "give --source and --target, or --distances, or --learn");
  const Library library(arguments.library);
  BridgeRanking ranking;
  {
    ProgressBar bar(arguments);
    ranking = rank_library_bridges(library, arguments.request, arguments.read, bar.run());
  }
  if (arguments.json)
    print_json(ranking);
  else
    show(arguments, ranking);
  return kSuccess;
}

}  // namespace bridges_cli

void add_bridges(CLI::App& app) {
  using namespace bridges_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "bridges", "Which collections could help to transfer labels between two others",
      "  commonplace bridges ~/library --source books --target kitchen\n"
      "  commonplace bridges ~/library --source books --target kitchen --candidates dvd,music "
      "--json\n"
      "  commonplace bridges ~/library --distances\n"
      "  commonplace bridges ~/library --learn --label-field sentiment\n"
      "Collections are measured without their labels: how complex each is, how easily two are "
      "told\n"
      "apart (A-distance, 0 to 2), and what that predicts. --learn tries the library's own "
      "labelled\n"
      "collections (four or more) between each other, and stores what it finds for later "
      "forecasts.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--source", arguments->request.sources, "Where the labels are, or several")
      ->delimiter(',');
  command->add_option("--target", arguments->request.target, "The collection to label");
  command
      ->add_option("--candidates", arguments->request.candidates,
                   "Collections that may be gone through (all others)")
      ->delimiter(',');
  command->add_option("--most", arguments->request.most, "Collections in between, of a chain")
      ->capture_default_str();
  command->add_flag("--learn", arguments->learn, "Learn from this library which bridges help");
  command->add_flag("--distances", arguments->distances,
                    "How far all collections are from each other");
  visit_options(arguments->read, FlagMaker{command, "Reading"});
}

}  // namespace commonplace::app
