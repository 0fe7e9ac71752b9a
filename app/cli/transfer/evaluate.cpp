#include "commonplace/transfer/evaluate.h"

#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"

namespace commonplace::app {
namespace evaluate_transfer_cli {

using namespace transfer;

struct Arguments : EvaluateArguments {
  std::vector<std::string> source;
  std::vector<std::string> intermediate;
  std::string target;
  transfer::ReadOptions read;
  transfer::Options transfer;
  transfer::EvaluationOptions options;
};

/// Sources, those in between, the target: of the library, or files.
transfer::Evaluation evaluate(const Arguments& arguments, const Run& run) {
  std::vector<std::string> names = arguments.source;
  names.insert(names.end(), arguments.intermediate.begin(), arguments.intermediate.end());
  names.push_back(arguments.target);
  std::unique_ptr<Library> library;
  if (!arguments.library.empty()) library = std::make_unique<Library>(arguments.library);
  std::vector<transfer::Input> inputs;
  for (const std::string& name : names)
    inputs.push_back(library ? transfer_input(*library, name, arguments.read.features)
                             : transfer_input(name));
  const std::size_t sources = arguments.source.size();
  const transfer::Data data = transfer::read_data(inputs, sources, arguments.read, run);
  require_same_data(data, *arguments.comm);
  return transfer::evaluate(data, sources, arguments.transfer, arguments.options, run);
}

std::string number_or_nothing(std::int64_t number) { return number > 0 ? with_commas(number) : ""; }

void show(const Arguments& arguments, const transfer::Evaluation& evaluation) {
  std::vector<std::string> path;
  for (std::size_t i = 0; i < evaluation.collections.size(); ++i)
    path.push_back(evaluation.collections[i] + " (" + with_commas(evaluation.items[i]) + ")");
  say(arguments, "From " + join(path) + ": " + with_commas(evaluation.features) + " features, " +
                     with_commas(std::ssize(evaluation.classes)) + " classes" +
                     "; always saying the same " + "would be right for " +
                     fixed(100 * evaluation.largest_class, 1) + " %.");
  std::vector<std::vector<std::string>> rows;
  for (const transfer::MethodQuality& each : evaluation.methods)
    rows.push_back(
        {each.method, number_or_nothing(each.clusters), number_or_nothing(each.labelled_bridge),
         number_or_nothing(each.labelled_target), number_or_nothing(each.removed),
         fixed(100 * each.accuracy, 1),
         arguments.options.repeat > 1 ? fixed(100 * each.deviation, 1) : "",
         each.calibration_error < 0 ? "" : fixed(each.calibration_error), fixed(each.seconds, 2)});
  print_table({"METHOD", "CLUSTERS", "LABELLED BRIDGE", "TARGET", "REMOVED", "RIGHT, %", "+-",
               "ECE", "SECONDS"},
              rows);
}

int run(const Arguments& arguments) {
  return evaluate_and_report(
      arguments, "transfer", join(arguments.source) + " to " + arguments.target,
      [&](const Run& run) { return evaluate(arguments, run); }, show);
}

}  // namespace evaluate_transfer_cli

void add_evaluate_transfer(CLI::App& evaluate) {
  using namespace evaluate_transfer_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "transfer", "How well labels of one collection reach another, beside other methods",
      "  commonplace evaluate transfer ~/library --source books --intermediate dvd --target music\n"
      "  commonplace evaluate transfer --source autos.jsonl --intermediate bikes.jsonl \\\n"
      "    --target hockey.jsonl --cut --repeat 10 --language english --stop-words --plot t.svg\n"
      "  commonplace evaluate transfer --source a.npy:a_labels.npy --intermediate "
      "b.npy:b_labels.npy"
      " \\\n    --target c.npy:c_labels.npy --cluster-counts 5,10,20,50,100\n"
      "  commonplace evaluate transfer ~/library --source news --intermediate captioned \\\n"
      "    --target photos --labelled-target 5,10,25\n"
      "Labels of all but the sources are hidden, and those of the target asked for. Without a\n"
      "library, collections are files that 'commonplace add' can read, or X.npy:CLASSES.npy.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "A library");
  command->add_option("--source", arguments->source, "The labelled collection, or several")
      ->delimiter(',')
      ->required();
  command
      ->add_option("--intermediate", arguments->intermediate,
                   "The collections in between, in their order")
      ->delimiter(',');
  command->add_option("--target", arguments->target, "The collection whose labels are asked for")
      ->required();
  command->add_option("--plot", arguments->plot, "Draw the figures into this SVG file");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->read, FlagMaker{command, "Reading"});
  visit_options(arguments->transfer, FlagMaker{command, "Transfer"});
}

}  // namespace commonplace::app
