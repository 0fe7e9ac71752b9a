#include "commonplace/detect/evaluate.h"

#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"
#include "commonplace/detect/evaluate_report.h"

namespace commonplace::app {
namespace evaluate_detect_cli {

using namespace detect;

struct Arguments : EvaluateArguments {
  std::string collection;
  std::vector<std::string> features;
  std::string labels;
  std::string concepts_from = "tags";
  std::int64_t min_uses = 20;
  detect::EvaluationOptions options;
  DetectorOptions detector;
};

detect::Trial trial_of(const Arguments& arguments) {
  if (arguments.library.empty()) {
    require(!arguments.features.empty() && !arguments.labels.empty(),
            "give a library with --collection NAME, or --features X.npy and --labels Y.npy");
    return detect::read_trial({arguments.features.begin(), arguments.features.end()},
                              arguments.labels);
  }
  require(!arguments.collection.empty(), "say which collection to try on: --collection NAME");
  detect::ModelOptions options;
  for (const std::string& name : arguments.features)
    options.features += (options.features.empty() ? "" : ",") + name;
  options.concepts_from = arguments.concepts_from;
  options.min_uses = arguments.min_uses;
  return collection_trial(Library(arguments.library), arguments.collection, options);
}

void show(const Arguments& arguments, const detect::Evaluation& evaluation) {
  say(arguments, counted(evaluation.items, "item") + ", " + with_commas(evaluation.columns) +
                     " features, " + counted(std::ssize(evaluation.concepts), "concept") +
                     "; in brackets the 95 % interval.");
  std::vector<std::vector<std::string>> rows;
  for (const detect::MethodQuality& each : evaluation.methods)
    rows.push_back({with_commas(each.labelled), with_commas(each.unlabelled), each.method,
                    with_interval(each.miap, 1, 100), fixed(100 * each.precision_at_100.value, 1),
                    each.error < 0 ? "" : fixed(100 * each.error, 1), fixed(each.seconds, 2),
                    each.chosen});
  print_table(
      {"LABELLED", "UNLABELLED", "METHOD", "MIAP, %", "P@100, %", "ERROR, %", "SECONDS", "CHOSEN"},
      rows);
}

int run(const Arguments& arguments) {
  const detect::Trial trial = trial_of(arguments);
  return evaluate_and_report(
      arguments, "detect", arguments.collection,
      [&](const Run& run) {
        return detect::evaluate(trial, arguments.options, arguments.detector, run);
      },
      show);
}

}  // namespace evaluate_detect_cli

void add_evaluate_detect(CLI::App& evaluate) {
  using namespace evaluate_detect_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "detect", "How well concepts are detected from few labels, beside other methods",
      "  commonplace evaluate detect --features sift.npy --labels classes.npy --labelled 5,15\n"
      "  commonplace evaluate detect ~/library --collection photos --features sift,gist \\\n"
      "    --methods auto,svm,ale-laprls --repeat 10 --plot detect.svg\n"
      "  commonplace evaluate detect --features x.npy --labels y.npy --unlabelled 100,1000,all\n"
      "The labels are a class number an item, or a 0 or 1 for each concept.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "A library");
  command->add_option("--collection", arguments->collection, "Its collection");
  command
      ->add_option("--features", arguments->features, "Files of features, or names in the library")
      ->delimiter(',');
  command->add_option("--labels", arguments->labels, "A file of labels");
  command->add_option("--concepts-from", arguments->concepts_from, "tags, or a label's field");
  FlagMaker{command, "Options"}("min_uses|min", arguments->min_uses,
                                "Items that a concept must have");
  command->add_option("--plot", arguments->plot, "Draw the figures into this SVG file");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->detector, FlagMaker{command, "Detecting (auto)"});
}

}  // namespace commonplace::app
