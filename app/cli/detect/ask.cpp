#include "commonplace/detect/ask.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"

namespace commonplace::app {
namespace detect_cli {

using namespace detect;

struct Arguments : Common {
  std::string library;
  std::string name;
  std::string model;
  std::string collection;
  detect::Options options;
};

int list(const Arguments& arguments, const detect::Answerer& finder) {
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const detect::DetectableConcept& each : finder.concepts()) {
    json.push_back(as_json(each));
    rows.push_back({each.name, with_commas(each.tagged), with_commas(each.shown),
                    with_commas(each.not_shown)});
  }
  if (arguments.json)
    print_json({{"collection", finder.collection()}, {"concepts", json}});
  else if (rows.empty())
    say(arguments, "There are no concepts yet; show examples with 'commonplace teach'.");
  else
    print_table({"CONCEPT", "TAGGED", "YES", "NO"}, rows);
  return kSuccess;
}

void show(const Arguments& arguments, const detect::Answer& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const detect::Detected& each : answer.items_found)
    rows.push_back({fixed(each.score),
                    each.confidence >= 0 ? fixed(100 * each.confidence, 0) + " %" : "",
                    each.taught > 0   ? "yes"
                    : each.taught < 0 ? "no"
                                      : "",
                    each.id});
  print_table({"SCORE", "SURE", "TAUGHT", "ITEM"}, rows);
  say(arguments, std::string(arguments.options.uncertain ? "What to label next, of " : "Of ") +
                     counted(answer.items, "item") + ", in " + fixed(1000 * answer.seconds, 0) +
                     " ms.");
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  detect::Answer answer;
  {
    ProgressBar bar(arguments);
    const detect::Answerer finder(library, arguments.model, arguments.collection, bar.run());
    if (arguments.name.empty()) return list(arguments, finder);
    answer = finder.ask(arguments.name, arguments.options);
  }
  if (arguments.json)
    print_json(answer);
  else
    show(arguments, answer);
  return kSuccess;
}

}  // namespace detect_cli

void add_detect(CLI::App& app) {
  using namespace detect_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "detect", "Find the items that show a concept, from a few examples or from tags",
      "  commonplace detect ~/library                      (lists the concepts)\n"
      "  commonplace detect ~/library sunset -l 20\n"
      "  commonplace detect ~/library sunset --uncertain   (what to label next)\n"
      "  commonplace detect ~/library sunset --json --collection photos\n"
      "Learn a model first (commonplace learn LIB detect), and show examples with\n"
      "'commonplace teach'.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("CONCEPT", arguments->name, "The concept");
  command->add_option("--model", arguments->model, "The model, if there are several");
  command->add_option("--collection", arguments->collection,
                      "The collection, if there are several");
  command->add_option("-l,--limit", arguments->options.limit, "Show so many items");
  command->add_flag("--uncertain", arguments->options.uncertain,
                    "Show the items that it would help most to have labelled");
}

}  // namespace commonplace::app
