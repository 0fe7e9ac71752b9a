#include "commonplace/suggest/evaluate_review.h"

#include <memory>

#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"

namespace commonplace::app {
namespace evaluate_review_cli {

using namespace suggest;

struct Arguments : EvaluateArguments {
  std::string collection;
  std::string train;
  std::string test;
  ModelOptions model;
  SplitOptions split;
  ReviewTrialOptions options;
};

Trial trial_of(const Arguments& arguments, const Run& run) {
  const bool files = !arguments.train.empty() && !arguments.test.empty();
  const bool library = !arguments.library.empty() && !arguments.collection.empty();
  require(files != library, "give --train and --test, or a library and --collection");
  if (files) return read_trial(arguments.train, arguments.test);
  return split_collection(Library(arguments.library), arguments.collection, arguments.model,
                          arguments.split, run);
}

std::string curve(const std::vector<double>& values) {
  std::string text;
  for (const double each : values) text += (text.empty() ? "" : " ") + fixed(100 * each, 1);
  return text;
}

void show(const Arguments& arguments, const ReviewEvaluation& evaluation) {
  say(arguments, "A reviewer answered questions about " + counted(evaluation.items, "item") +
                     "; the model was learned anew after every " + with_commas(evaluation.batch) +
                     " and asked for the tags of " + counted(evaluation.test_items, "other item") +
                     ".");
  std::vector<std::vector<std::string>> rows;
  for (const ReviewOrderQuality& each : evaluation.orders)
    rows.push_back({each.order, curve(each.ndcg), fixed(100 * each.yes, 1), fixed(each.error),
                    fixed(each.error_raw)});
  print_table(
      {"ORDER", "NDCG@5 BEFORE AND AFTER EACH, %", "YES, %", "CALIBRATION", "OF THE MODEL ALONE"},
      rows);
}

int run(const Arguments& arguments) {
  const auto evaluation = with_progress(arguments, [&](const Run& run) {
    return evaluate_review(trial_of(arguments, run), arguments.model.suggester, arguments.options,
                           run);
  });
  const std::string json = to_json(evaluation);
  const int code = print_answer(arguments, json, [&] { show(arguments, evaluation); });
  if (!arguments.library.empty())
    keep_evaluation(arguments, "evaluate review", arguments.collection, json);
  return code;
}

}  // namespace evaluate_review_cli

void add_evaluate_review(CLI::App& evaluate) {
  using namespace evaluate_review_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "review",
      "Simulate a reviewer: what the answers teach, and how honest the chances are",
      "  commonplace evaluate review ~/library --collection photos\n"
      "  commonplace evaluate review --train train.txt.gz --test test.txt.gz --answers 500\n"
      "Some items keep some of their tags; the reviewer knows all of them. Each order of questions "
      "is\n"
      "answered, and the model is measured on other items. Nothing in the library is changed.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library");
  command->add_option("--collection", arguments->collection, "The collection");
  command->add_option("--train", arguments->train, "Instead: a file of items to be asked about");
  command->add_option("--test", arguments->test, "and one of items to measure on (xc, svmlight)");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->split, FlagMaker{command, "Evaluation"});
  visit_options(arguments->model, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
