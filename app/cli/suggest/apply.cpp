#include "commonplace/suggest/apply.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/keep/json.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/detect/apply.h"
#include "commonplace/upkeep/write_back.h"

namespace commonplace::app {
namespace apply_cli {

using namespace suggest;

constexpr std::size_t kShownTags = 10;

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string model;
  std::string concept_name;
  std::int64_t first = 0;
  bool undo = false;
  bool in_pictures = false;
  ApplyOptions options;
};

int run_undo(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const std::string model = arguments.concept_name.empty()
                                ? suggest::model_for(library, arguments.model, arguments.collection)
                                : detect::tags_name(arguments.collection, arguments.concept_name);
  const std::int64_t removed =
      undo_runs_of(library, collection(library, arguments.collection), model);
  TakenBack taken;
  {
    ProgressBar bar(arguments);
    taken = take_back(library, collection(library, arguments.collection), model,
                      arguments.in_pictures, bar.callback());
  }
  for (const Problem& problem : taken.problems)
    warn(to_string(problem.where) + ": " + problem.message);
  if (arguments.json) {
    print_json({{"model", model},
                {"collection", arguments.collection},
                {"removed", removed},
                {"sidecars", taken.sidecars},
                {"pictures", taken.pictures},
                {"removed_from_files", taken.tags},
                {"sidecars_away", taken.away},
                {"inside_pictures", taken.inside},
                {"failed", taken.problems.size()}});
  } else {
    say(arguments, "Removed " + counted(removed, "tag") + " that '" + model + "' gave to '" +
                       arguments.collection + "'. Your own tags are as they were.");
    if (taken.tags > 0)
      say(arguments, "Took " + counted(taken.tags, "tag") + " of it out of " +
                         counted(taken.sidecars, "sidecar") +
                         (taken.pictures > 0 ? " and " + counted(taken.pictures, "picture") : "") +
                         ".");
    if (taken.away > 0)
      say(arguments, counted(taken.away, "picture") +
                         " cannot be reached now; when they are back, 'export --xmp' takes its "
                         "tags out of their sidecars.");
  }
  if (!taken.inside.empty()) {
    warn(counted(std::ssize(taken.inside), "picture") + " " +
         (taken.inside.size() == 1 ? "has" : "have") +
         " tags of it in the file itself, where another program put them. This library does not "
         "take them in again, others would read them as the machine's" +
         (arguments.in_pictures ? ":" : "; --undo --in-pictures takes them out:"));
    for (std::size_t i = 0; i < std::min(taken.inside.size(), kShownTags); ++i)
      warn("  " + taken.inside[i]);
    if (taken.inside.size() > kShownTags)
      warn("  and " + with_commas(static_cast<std::int64_t>(taken.inside.size() - kShownTags)) +
           " more");
  }
  return taken.problems.empty() ? kSuccess : kSomeSkipped;
}

void show(const Arguments& arguments, const std::string& model, const suggest::Applied& summary) {
  const bool dry = arguments.options.dry_run;
  tell((dry ? "Would write " : "Wrote ") + counted(summary.tags, "machine tag") + " to " +
       with_commas(summary.tagged_items) + " of " + counted(summary.items, "item") +
       (summary.before > 0
            ? ", in place of " + with_commas(summary.before) + " that the model had given before"
            : "") +
       ".");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(summary.uses.size(), kShownTags); ++i)
    rows.push_back({with_commas(summary.uses[i].items), summary.uses[i].name});
  if (!rows.empty() && !arguments.quiet) print_table({"ITEMS", "TAG"}, rows);
  if (summary.uses.size() > rows.size())
    say(arguments,
        "and " + counted(std::ssize(summary.uses) - std::ssize(rows), "other tag") + ".");
  if (summary.tags == 0)
    say(arguments, "Try a smaller --above.");
  else if (!dry)
    say(arguments, "They are marked as the machine's, of '" + model +
                       "'. To take them back: commonplace apply " + arguments.library +
                       " --collection " + arguments.collection + " --model " + model + " --undo");
}

std::string percent(double share) { return fixed(100 * share, 0) + " %"; }

void show(const Arguments& arguments, const detect::Applied& tags) {
  const detect::Calibration& sure = tags.calibration;
  tell((arguments.options.dry_run ? "Would give '" : "Gave '") + arguments.concept_name + "' to " +
       with_commas(std::ssize(tags.tags)) + " of " + counted(tags.items, "item") +
       (tags.before > 0 ? ", in place of " + with_commas(tags.before) + " that had it so before"
                        : "") +
       ".");
  if (!sure.held_out)
    say(arguments, "The probability is a guess: " + counted(sure.answers, "answer") + " of which " +
                       with_commas(sure.right) +
                       " show it; it takes 3 that do and 3 that do not to test it.");
  else if (sure.above > 0)
    say(arguments, "Of the answers given, each by what the others teach, " +
                       with_commas(sure.above_right) + " of the " + with_commas(sure.above) +
                       " that score as high are right (95 %: " + percent(sure.low) + " .. " +
                       percent(sure.high) + ").");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(tags.tags.size(), kShownTags); ++i)
    rows.push_back({fixed(tags.tags[i].probability, 2), tags.tags[i].item});
  if (!rows.empty() && !arguments.quiet) print_table({"PROBABILITY", "ITEM"}, rows);
  if (!arguments.options.dry_run)
    say(arguments, "They are marked as the machine's, run " + std::to_string(tags.run) +
                       ". To take them back: commonplace runs " + arguments.library + " --undo " +
                       std::to_string(tags.run));
}

int run_concept(const Arguments& arguments) {
  Library library(arguments.library,
                  arguments.options.dry_run ? Library::Access::read : Library::Access::write);
  collection(library, arguments.collection);
  detect::ApplyOptions options;
  options.dry_run = arguments.options.dry_run;
  options.first = arguments.first;
  if (arguments.first == 0) options.above = arguments.options.above;
  detect::Applied tags;
  {
    ProgressBar bar(arguments);
    const detect::Answerer finder(library, arguments.model, arguments.collection, bar.run());
    tags = detect::apply(library, finder, arguments.concept_name, options, bar.run());
  }
  if (arguments.json)
    print_json(app::as_json(tags, arguments.concept_name));
  else
    show(arguments, tags);
  return kSuccess;
}

int run(const Arguments& arguments) {
  if (arguments.undo) return run_undo(arguments);
  if (!arguments.concept_name.empty()) return run_concept(arguments);
  Library library(arguments.library,
                  arguments.options.dry_run ? Library::Access::read : Library::Access::write);
  collection(library, arguments.collection);
  suggest::Applied summary;
  std::string model;
  {
    ProgressBar bar(arguments);
    const suggest::Answerer suggester(library, arguments.model, arguments.collection, bar.run());
    model = suggester.name();
    summary =
        suggest::apply(library, suggester, arguments.collection, arguments.options, bar.run());
  }
  if (arguments.json)
    print_json(app::as_json(summary, model, arguments.collection, arguments.options));
  else
    show(arguments, model, summary);
  return kSuccess;
}

}  // namespace apply_cli

void add_apply(CLI::App& app) {
  using namespace apply_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "apply", "Write the suggestions that are sure enough, marked as a machine's",
      "  commonplace apply ~/library --collection bookmarks --above 0.9 --dry-run\n"
      "  commonplace apply ~/library --collection bookmarks --above 0.9\n"
      "  commonplace apply ~/library --collection bookmarks --undo\n"
      "  commonplace apply ~/library --collection photos --concept airplane --first 12\n"
      "  commonplace apply ~/library --collection photos --concept airplane --above 0.9\n"
      "Your own tags are never touched, and a tag that you rejected is never written. Running it\n"
      "again replaces what the same model wrote before, and 'update' gives such tags to items "
      "that\n"
      "come. 'export --machine-tags' has them, too; --undo takes them out of the sidecars that\n"
      "'export --xmp' wrote them to, and with --in-pictures out of pictures that another program\n"
      "has put them into.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--collection", arguments->collection, "The collection to tag")->required();
  CLI::Option* above =
      command->add_option("--above", arguments->options.above, "Least confidence, 0 .. 1")
          ->capture_default_str();
  command->add_option("--model", arguments->model, "The model, if there are several");
  command
      ->add_option("--limit-per-item", arguments->options.limit_per_item,
                   "At most so many tags an item, the surest")
      ->capture_default_str();
  CLI::Option* concept_option = command->add_option(
      "--concept", arguments->concept_name,
      "Give this concept, which was taught or learned from tags, instead of suggestions");
  command
      ->add_option("--first", arguments->first,
                   "To so many items, the best, whatever their probability")
      ->needs(concept_option)
      ->excludes(above)
      ->check(CLI::Range(1, 1'000'000));
  CLI::Option* dry = command->add_flag("--dry-run", arguments->options.dry_run,
                                       "Say what would be written, and write nothing");
  CLI::Option* undo = command
                          ->add_flag("--undo", arguments->undo,
                                     "Remove the tags that the model gave to the collection")
                          ->excludes(above)
                          ->excludes(dry);
  command
      ->add_flag("--in-pictures", arguments->in_pictures,
                 "Take them out of the XMP in the picture files too; nothing else in them changes")
      ->needs(undo);
}

}  // namespace commonplace::app
