#include "commonplace/suggest/evaluate_audit.h"

#include <memory>

#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"

namespace commonplace::app {
namespace evaluate_audit_cli {

using namespace suggest;

struct Arguments : EvaluateArguments {
  std::string collection;
  std::string train;
  std::string test;
  ModelOptions model;
  AuditOptions options;
  AuditTrialOptions faults;
};

AuditTrial trial_of(const Arguments& arguments, const Run& run) {
  const bool files = !arguments.train.empty() && !arguments.test.empty();
  const bool library = !arguments.library.empty() && !arguments.collection.empty();
  require(files != library, "give --train and --test, or a library and --collection");
  if (files) return audit_trial(read_trial(arguments.train, arguments.test));
  return audit_trial(Library(arguments.library), arguments.collection, arguments.model, run);
}

void show(const Arguments& arguments, const AuditEvaluation& evaluation) {
  say(arguments, counted(evaluation.swapped, "tag") + " of " + with_commas(evaluation.given) +
                     ", on " + counted(evaluation.items, "item") +
                     ", were exchanged for others at random and looked for, in " +
                     fixed(evaluation.seconds, 1) + " s.");
  std::vector<std::vector<std::string>> rows;
  for (const FaultQuality& each : evaluation.methods)
    rows.push_back({each.method, fixed(100 * each.wrong_first, 1), fixed(each.wrong_auc),
                    fixed(100 * each.missing_first, 1), fixed(each.missing_auc)});
  print_table({"METHOD", "WRONG: FIRST 100, %", "AUC", "MISSING: FIRST 100, %", "AUC"}, rows);
}

int run(const Arguments& arguments) {
  const auto evaluation = with_progress(arguments, [&](const Run& run) {
    return evaluate_audit(trial_of(arguments, run), arguments.model.suggester, arguments.options,
                          arguments.faults, run);
  });
  const std::string json = to_json(evaluation);
  const int code = print_answer(arguments, json, [&] { show(arguments, evaluation); });
  if (!arguments.library.empty())
    keep_evaluation(arguments, "evaluate audit", arguments.collection, json);
  return code;
}

}  // namespace evaluate_audit_cli

void add_evaluate_audit(CLI::App& evaluate) {
  using namespace evaluate_audit_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "audit", "Exchange tags at random, and see whether audit finds them",
      "  commonplace evaluate audit ~/library --collection photos\n"
      "  commonplace evaluate audit --train train.txt.gz --test test.txt.gz --swapped 0.1\n"
      "Nothing in the library is changed. Beside it stand the ways of cleanlab, as published, "
      "with\n"
      "the same confidence of models that did not see the item.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library");
  command->add_option("--collection", arguments->collection, "The collection to judge");
  command->add_option("--train", arguments->train, "Instead: a file of items (xc, svmlight)");
  command->add_option("--test", arguments->test, "and another; both are judged together");
  visit_options(arguments->faults, FlagMaker{command, "Evaluation"});
  visit_options(arguments->options, FlagMaker{command, "Judging"});
  visit_options(arguments->model, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
