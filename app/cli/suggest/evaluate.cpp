#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/suggest/evaluate_report.h"

namespace commonplace::app {
namespace evaluate_suggest_cli {

using namespace suggest;

struct Arguments : EvaluateArguments {
  std::string collection;
  std::string train;
  std::string test;
  suggest::ModelOptions model;
  suggest::EvaluationOptions options;
};

std::string percent(double share) { return fixed(100 * share, 1); }

std::vector<std::string> row_of(const suggest::MethodQuality& each, std::int64_t test_items) {
  return {each.method,
          each.prototypes > 0 ? with_commas(each.prototypes) : "",
          percent(each.precision[0]) + " / " + percent(each.precision[2]) + " / " +
              percent(each.precision[4]),
          percent(each.precision_at_1.low) + " .. " + percent(each.precision_at_1.high),
          fixed(each.ndcg_at_5),
          fixed(each.popular_ndcg) + " / " + fixed(each.rare_ndcg),
          fixed(each.f1_at_5),
          fixed(each.rank_loss),
          fixed(each.one_error),
          each.has_confidence ? fixed(each.hamming_loss, 4) : "",
          each.has_confidence ? fixed(each.calibration_error) : "",
          fixed(each.train_seconds, 1),
          with_commas(static_cast<std::int64_t>(static_cast<double>(test_items) /
                                                std::max(each.predict_seconds, 1e-9))),
          with_commas(each.memory >> 20)};
}

std::string range(const Interval& interval) {
  return percent(interval.low) + " .. " + percent(interval.high);
}

/// What learning claimed of itself, beside what came true.
void show_claims(const Arguments& arguments, const suggest::Evaluation& evaluation) {
  std::vector<std::vector<std::string>> rows;
  for (const auto* results : {&evaluation.methods, &evaluation.sweep})
    for (const suggest::MethodQuality& each : *results) {
      if (!each.has_claim) continue;
      const auto less = [](const Measured& difference) {
        return percent(difference.value) + " (" + range(difference.interval) + ")";
      };
      rows.push_back({each.method, percent(each.claimed_precision_at_1), percent(each.precision[0]),
                      less(each.precision_at_1_less_claimed), with_commas(each.shown.count),
                      percent(each.shown.confidence), percent(each.shown.right),
                      less(each.right_less_confidence), with_commas(each.shown_rare.count),
                      percent(each.shown_rare.confidence), percent(each.shown_rare.right)});
    }
  if (rows.empty()) return;
  say(arguments,
      "Claimed and real, in %; a difference is real less claimed, with its 95 % interval:");
  print_table({"METHOD", "P@1 CLAIMED", "REAL", "DIFFERENCE", "SHOWN", "CONFIDENCE", "RIGHT",
               "DIFFERENCE", "SHOWN, RARE", "CONFIDENCE", "RIGHT"},
              rows);
}

void show(const Arguments& arguments, const suggest::Evaluation& evaluation) {
  say(arguments, "Learned from " + counted(evaluation.train_items, "item") +
                     ", asked for the tags of " + counted(evaluation.test_items, "item") + "; " +
                     counted(evaluation.features, "feature") + ", " +
                     counted(evaluation.tags, "tag") + "." +
                     (evaluation.untagged > 0
                          ? " " + counted(evaluation.untagged, "item") + " without tags left out."
                          : "") +
                     (evaluation.strange > 0 ? " " + counted(evaluation.strange, "item") +
                                                   " with new or rare tags only count as wrong."
                                             : ""));
  std::vector<std::vector<std::string>> rows;
  for (const auto* results : {&evaluation.methods, &evaluation.sweep})
    for (const suggest::MethodQuality& each : *results)
      rows.push_back(row_of(each, evaluation.test_items));
  print_table(
      {"METHOD", "PROTOTYPES", "P@1 / 3 / 5, %", "P@1, 95 %", "NDCG@5", "POPULAR / RARE", "F1@5",
       "RANK LOSS", "ONE-ERROR", "HAMMING", "CALIBRATION", "LEARNING, S", "ITEMS A SECOND", "MIB"},
      rows);
  say(arguments,
      "CALIBRATION is the expected error of the confidence of what is shown, from 0 (honest) to 1; "
      "POPULAR are the tags of half of all uses, RARE the others.");
  show_claims(arguments, evaluation);
}

suggest::Trial trial_of(const Arguments& arguments, const Run& run) {
  const bool files = !arguments.train.empty() && !arguments.test.empty();
  const bool library = !arguments.library.empty() && !arguments.collection.empty();
  require(files != library, "give --train and --test, or a library and --collection");
  if (files) return read_trial(arguments.train, arguments.test);
  const Library opened(arguments.library);
  require_same(*arguments.comm, state_of(opened, collection(opened, arguments.collection)),
               concat("collection '", arguments.collection, "'"));
  return split_collection(opened, arguments.collection, arguments.model, arguments.options.split,
                          run);
}

int run(const Arguments& arguments) {
  return evaluate_and_report(
      arguments, "suggest", arguments.collection,
      [&](const Run& run) {
        return suggest::evaluate(trial_of(arguments, run), arguments.model.suggester,
                                 arguments.options, run);
      },
      show);
}

}  // namespace evaluate_suggest_cli

void add_evaluate_suggest(CLI::App& evaluate) {
  using namespace evaluate_suggest_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "suggest", "Learn from some items, ask for the tags of others, and compare",
      "  commonplace evaluate suggest ~/library --collection bookmarks --split time \\\n"
      "    --test-share 0.2\n"
      "  commonplace evaluate suggest --train train.txt.gz --test test.txt.gz --prototypes 10%\n"
      "  commonplace evaluate suggest --train train.txt --test test.txt --baselines all \\\n"
      "    --sweep 1%,5%,20% --plot suggest.svg\n"
      "No item or model is changed, and no choice sees the items that are asked for; what is "
      "found\n"
      "is kept in the library for 'commonplace serve'.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "The library");
  command->add_option("--collection", arguments->collection, "The collection to learn from");
  command->add_option("--train", arguments->train, "Instead: a file of items to learn from");
  command->add_option("--test", arguments->test,
                      "and a file of items to be asked for (xc, svmlight)");
  command->add_option("--plot", arguments->plot, "Draw the curves into this SVG file");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->model, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
