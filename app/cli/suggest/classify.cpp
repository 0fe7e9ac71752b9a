#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/suggest/evaluate_classify_report.h"

namespace commonplace::app {
namespace evaluate_classify_cli {

using namespace suggest;

struct Arguments : EvaluateArguments {
  std::string csv;
  ClassifyOptions options;
  PrototypeOptions descent;
  HyperparameterOptions tuning;
};

std::string name_of(const ClassifierQuality& each) {
  if (each.method == "full") return "Gaussian process on all items";
  if (each.method == "ivm") return "informative vector machine";
  return "sparse Gaussian process, " + each.selection;
}

void show(const Arguments& arguments, const ClassifyEvaluation& evaluation) {
  say(arguments, counted(evaluation.items, "item") + ", " +
                     counted(evaluation.features, "feature") + ", " +
                     with_commas(evaluation.classes) + " classes; in brackets the 95 % interval.");
  std::vector<std::vector<std::string>> rows;
  for (const ClassifierQuality& each : evaluation.methods)
    rows.push_back(
        {name_of(each), each.asked, with_commas(each.prototypes), with_interval(each.error, 2, 100),
         fixed(each.log_likelihood.value) + " / " + fixed(each.averaged_log_likelihood.value),
         fixed(each.calibration_error.value) + " / " + fixed(each.averaged_calibration_error.value),
         fixed(each.train_seconds, 1), fixed(each.predict_seconds, 1)});
  print_table({"METHOD", "ASKED", "PROTOTYPES", "ERROR, %", "LOG LIKELIHOOD", "CALIBRATION",
               "LEARNING, S", "ASKING, S"},
              rows);
  say(arguments,
      "LOG LIKELIHOOD of the true class and CALIBRATION error: at the mode / averaged over the "
      "posterior.");
  for (const SelectionGain& gain : evaluation.descent_over_random)
    tell("Error of descent minus random, " + gain.asked +
         " prototypes: " + with_interval(gain.difference, 2, 100) +
         " percentage points; of the log likelihood: " + with_interval(gain.log_likelihood, 4) +
         ".");
  say(arguments,
      "The kernel of the first repetition: " + std::string(to_string(evaluation.kernel.kind)) +
          ", length " + fixed(evaluation.kernel.length_scale) + ", variance " +
          fixed(evaluation.kernel.variance) + ".");
}

int run(const Arguments& arguments) {
  const ClassifiedItems items = read_classified(arguments.csv);
  return evaluate_and_report(
      arguments, "classify", arguments.csv,
      [&](const Run& run) {
        return evaluate_classify(items, arguments.options, arguments.descent, arguments.tuning,
                                 run);
      },
      show);
}

/// Flags of these options only: the rest is an option of the evaluation itself.
struct SomeFlags {
  FlagMaker make;

  template <class Value>
  void operator()(const char* name, Value& value, const char* help) const {
    const std::string_view word = name;
    if (word != "selection" && word != "prototypes" && word != "seed") make(name, value, help);
  }
};

}  // namespace evaluate_classify_cli

void add_evaluate_classify(CLI::App& evaluate) {
  using namespace evaluate_classify_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "classify", "Learn classes from some items of a CSV file and tell those of others",
      "  commonplace evaluate classify --csv letter.csv.gz --prototypes 1%,5%,20%\n"
      "  commonplace evaluate classify --csv letter.csv.gz --kernel nn --repeat 3 \\\n"
      "    --selection descent,random --plot letter.svg\n"
      "The class is in the last column, and the others are numbers.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("--csv", arguments->csv, "The file, plain or .gz")->required();
  command->add_option("--plot", arguments->plot, "Draw the errors into this SVG file");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->descent, SomeFlags{{command, "Descent"}});
  visit_options(arguments->tuning, FlagMaker{command, "Kernel"});
}

}  // namespace commonplace::app
