#include "commonplace/search/learn.h"

#include "app/cli/command.h"
#include "app/cli/learn_frame.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"

namespace commonplace::app {
namespace learn_search_cli {

using namespace search;

struct Arguments : LearnArguments {
  std::string target;
  std::vector<std::string> auxiliaries;
  search::ModelOptions options;
};

std::vector<std::string> quality_row(const std::string& name, const HeldOutQuality& quality) {
  return {name, fixed(quality.map),
          fixed(quality.interval.low) + " .. " + fixed(quality.interval.high),
          fixed(quality.missing_map)};
}

void show_quality(const Arguments& arguments, const search::Report& report) {
  say(arguments, "On " + counted(report.asked, "hidden tag") + ", asked for:");
  std::vector<std::vector<std::string>> rows = {
      quality_row("own words alone", report.words),
      quality_row("learned from the target alone", report.alone)};
  if (!report.lenders.empty()) rows.push_back(quality_row("borrowing", report.borrowed));
  print_table({"RANKED BY", "MAP", "95 %", "MAP OF THOSE WITHOUT THE TAG"}, rows);
  if (report.lenders.empty()) {
    say(arguments, "Nothing to borrow from was named; the target lends to itself.");
  } else if (report.lending != Lending::target) {
    tell("Borrowing changes the MAP by " + fixed(report.borrowed.map - report.alone.map) +
         " (95 %: " + fixed(report.gain.low) + " .. " + fixed(report.gain.high) + "), with " +
         counted(report.shared, "topic") + " in common" +
         (report.lending == Lending::all ? "; the target lends too." : "."));
  } else {
    tell("Borrowing does not help (95 %: " + fixed(report.gain.low) + " .. " +
         fixed(report.gain.high) + "), so nothing is shared.");
  }
}

void show_meaning(const Arguments& arguments, const MeaningReport& report) {
  for (const MeaningWaySummary& way : report.ways) {
    std::string line = "Features '" + way.features + "' are searched by meaning: ";
    if (way.kind == MeaningKind::texts) {
      line += "texts";
    } else {
      line += way.captioned > 0
                  ? "pictures, " + std::to_string(way.captioned) + " of them captioned" +
                        "; of captions held out " + fixed(way.recall, 0) +
                        " % find theirs among the first 10 of " + std::to_string(way.among)
                  : "pictures, by the classes that are seen in them";
    }
    say(arguments, line + " (weight " + fixed(way.weight, 1) + ").");
  }
  if (!report.problem.empty())
    warn(printable("commonplace: not all vectors can be used: " + report.problem));
}

void show(const Arguments& arguments, const search::Report& report) {
  for (const LenderSummary& lender : report.lenders)
    say(arguments, "'" + lender.name + "': " + counted(lender.items, "item") + ", " +
                       counted(lender.common_terms, "term") +
                       " in common with the target, divergence of their uses " +
                       fixed(lender.divergence) + " bits.");
  show_tried(arguments, report.tried, "MAP");
  show_meaning(arguments, report.meaning);
  if (report.model.empty()) {
    say(arguments, "'" + report.target + "' has no tags, so it is searched by its own words and " +
                       "by meaning. Try: commonplace search " + arguments.library + " \"...\"");
    return;
  }
  if (report.asked > 0)
    show_quality(arguments, report);
  else
    say(arguments, std::string("There are too few tags to test on") +
                       (report.lenders.empty() || report.lending != Lending::target
                            ? "."
                            : ", so nothing is borrowed; --shared K overrules that."));
  say(arguments, (report.fit.converged ? "Converged after " : "Stopped, not converged, after ") +
                     counted(report.fit.iterations, "iteration") + ", objective " +
                     fixed(report.fit.objective.empty() ? 0 : report.fit.objective.back(), 4) +
                     ".");
  say(arguments, "Model '" + report.model + "': " + counted(report.items, "item") + ", " +
                     counted(report.terms, "term") + ". Try: commonplace search " +
                     arguments.library + " \"...\"");
}

int run(const Arguments& arguments) {
  return learn_and_report(
      arguments,
      [&](Library& library, const Run& run) {
        return search::learn(library, arguments.target, arguments.auxiliaries, arguments.name,
                             arguments.options, run);
      },
      show);
}

}  // namespace learn_search_cli

void add_learn_search(CLI::App& learn, std::string& library) {
  using namespace learn_search_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_learn_command(
      learn, library, "search", "Learn to find items of a collection although their tags are poor",
      "  commonplace learn ~/library search --target photos\n"
      "  commonplace learn ~/library search --target photos --auxiliary tate,oldnyc\n"
      "  commonplace learn ~/library search --target films --auxiliary books --text \\\n"
      "    --language english --stop-words\n"
      "  commonplace learn ~/library search --target photos --auxiliary tate --shared 20 \\\n"
      "    --rank 80 --solver mu\n"
      "  mpirun -n 64 commonplace-mpi learn ~/library search --target photos --checkpoint kept\n"
      "It hides tags that it knows, asks for them, and keeps what finds them best. What it\n"
      "prints tells whether borrowing helped; with --shared auto nothing is shared if not.",
      arguments, run);
  command->add_option("--target", arguments->target, "The collection to search")->required();
  command
      ->add_option("--auxiliary", arguments->auxiliaries,
                   "Collections to borrow from, separated by commas or given one by one")
      ->delimiter(',');
  command->add_option("--name", arguments->name, "What to call the model (search.TARGET)");
  add_checkpoint(*command, arguments->options.subspace.checkpoint);
  visit_options(arguments->options, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
