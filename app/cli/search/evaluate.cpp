#include "commonplace/search/evaluate.h"

#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"
#include "commonplace/search/evaluate_queries.h"

namespace commonplace::app {
namespace evaluate_search_cli {

using namespace search;

struct Arguments : EvaluateArguments {
  std::string target;
  std::vector<std::string> auxiliaries;
  std::string queries;
  search::ModelOptions model;
  search::EvaluationOptions options;
};

std::string label(const MethodQuality& each) {
  return each.method + (each.shared < 0 ? "" : ", K = " + std::to_string(each.shared));
}

void show_curves(const search::Evaluation& evaluation) {
  std::vector<std::string> header = {"PRECISION AT RECALL"};
  for (int tenth = 0; tenth <= 10; ++tenth) header.push_back(fixed(tenth / 10.0, 1));
  std::vector<std::vector<std::string>> rows;
  for (const MethodQuality& each : evaluation.methods) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(label(each));
    for (const double precision : each.curve) row.push_back(fixed(precision));
  }
  print_table(header, rows);
}

void show(const Arguments& arguments, const search::Evaluation& evaluation) {
  say(arguments, counted(evaluation.items, "item") + ", " + counted(evaluation.terms, "term") +
                     ", " + fixed(evaluation.asked) + " asked for; in brackets the 95 % interval.");
  std::vector<std::vector<std::string>> rows;
  for (const MethodQuality& each : evaluation.methods)
    rows.push_back({label(each), with_interval(each.map), with_interval(each.missing_map),
                    with_interval(each.precision_at_recall), with_interval(each.precision_at)});
  print_table({"METHOD", "MAP", "OF THOSE WITHOUT THE TAG", "PRECISION AT RECALL 0.1",
               "PRECISION OF THE FIRST 10"},
              rows);
  show_curves(evaluation);
  tell("Commonplace minus own words: " + with_interval(evaluation.over_words) +
       "; minus the word-to-word ridge: " + with_interval(evaluation.over_ridge) + ".");
  if (!arguments.auxiliaries.empty())
    tell(evaluation.borrowed > 0.5 ? "Borrowing was found to help."
                                   : "Borrowing was not found to help.");
}

void show_queries(const Arguments& arguments, const QueriesEvaluation& evaluation) {
  const auto percent = [](double share) { return fixed(100 * share, 1) + " %"; };
  say(arguments, std::to_string(evaluation.queries) + " queries" + " about " +
                     counted(evaluation.items, "item") + ", " + fixed(evaluation.milliseconds, 1) +
                     " ms each.");
  print_table({"FOUND FIRST", "AMONG 5", "AMONG 10", "MEDIAN RANK", "NOTHING FITS"},
              {{percent(evaluation.found_first), percent(evaluation.found_in_5),
                percent(evaluation.found_in_10), fixed(evaluation.median_rank, 0),
                percent(evaluation.nothing)}});
}

int run_queries(const Arguments& arguments, const Library& library) {
  const auto evaluation = with_progress(arguments, [&](const Run& run) {
    return evaluate_queries(library, arguments.target, arguments.queries, run);
  });
  return print_answer(arguments, to_json(evaluation), [&] { show_queries(arguments, evaluation); });
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  if (!arguments.queries.empty()) return run_queries(arguments, library);
  return evaluate_and_report(
      arguments, "search", arguments.target,
      [&](const Run& run) {
        return search::evaluate(library, arguments.target, arguments.auxiliaries, arguments.model,
                                arguments.options, run);
      },
      show);
}

}  // namespace evaluate_search_cli

void add_evaluate_search(CLI::App& evaluate) {
  using namespace evaluate_search_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "search", "Hide tags, ask for them, and compare the ways of finding them",
      "  commonplace evaluate search ~/library --target photos --auxiliary tate\n"
      "  commonplace evaluate search ~/library --target photos --auxiliary tate --repeat 10 \\\n"
      "    --plot search.svg\n"
      "  commonplace evaluate search ~/library --target photos --judgements right.tsv --json\n"
      "  commonplace evaluate search ~/library --target photos --ask captions.tsv\n"
      "Nothing in the library is changed.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--target", arguments->target, "The collection to search")->required();
  command
      ->add_option("--auxiliary", arguments->auxiliaries,
                   "Collections to borrow from, separated by commas or given one by one")
      ->delimiter(',');
  command->add_option(
      "--ask", arguments->queries,
      "Ask for lines 'query TAB item id' of this file, by what was learned already");
  command->add_option("--plot", arguments->plot, "Draw the curves into this SVG file");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->model, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
