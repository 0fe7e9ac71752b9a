#include "commonplace/suggest/apply.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/upkeep/write_back.h"

namespace commonplace::app {
namespace apply_cli {

using namespace suggest;

constexpr std::size_t kShownTags = 10;

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string model;
  bool undo = false;
  ApplyOptions options;
};

int run_undo(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const std::string model = suggest::model_for(library, arguments.model, arguments.collection);
  const std::int64_t removed = remove_suggestions(library, model, arguments.collection);
  TakenBack taken;
  {
    ProgressBar bar(arguments);
    taken = take_back(library, collection(library, arguments.collection), model, bar.callback());
  }
  for (const Problem& problem : taken.problems)
    warn(to_string(problem.where) + ": " + problem.message);
  if (arguments.json) {
    print_json({{"model", model},
                {"collection", arguments.collection},
                {"removed", removed},
                {"sidecars", taken.sidecars},
                {"removed_from_sidecars", taken.tags},
                {"sidecars_away", taken.away},
                {"inside_pictures", taken.inside},
                {"failed", taken.problems.size()}});
  } else {
    say(arguments, "Removed " + counted(removed, "tag") + " that '" + model + "' gave to '" +
                       arguments.collection + "'. Your own tags are as they were.");
    if (taken.sidecars > 0)
      say(arguments, "Took " + counted(taken.tags, "tag") + " of it out of " +
                         counted(taken.sidecars, "sidecar") + ".");
    if (taken.away > 0)
      say(arguments, counted(taken.away, "picture") +
                         " cannot be reached now; when they are back, 'export --xmp' takes its "
                         "tags out of their sidecars.");
  }
  if (!taken.inside.empty()) {
    warn(counted(std::ssize(taken.inside), "picture") + " " +
         (taken.inside.size() == 1 ? "has" : "have") +
         " tags of it in the file itself, where another program put them. Pictures are not "
         "changed; this library does not take these tags in again, others would read them as the "
         "machine's:");
    for (std::size_t i = 0; i < std::min(taken.inside.size(), kShownTags); ++i)
      warn("  " + taken.inside[i]);
    if (taken.inside.size() > kShownTags)
      warn("  and " + with_commas(static_cast<std::int64_t>(taken.inside.size() - kShownTags)) +
           " more");
  }
  return taken.problems.empty() ? kSuccess : kSomeSkipped;
}

nlohmann::ordered_json as_json(const Arguments& arguments, const std::string& model,
                               const suggest::Applied& summary) {
  nlohmann::ordered_json uses = nlohmann::ordered_json::array();
  for (const TagUse& use : summary.uses) uses.push_back({{"tag", use.name}, {"items", use.items}});
  return {{"model", model},
          {"collection", arguments.collection},
          {"above", arguments.options.above},
          {"dry_run", arguments.options.dry_run},
          {"items", summary.items},
          {"tagged_items", summary.tagged_items},
          {"tags", summary.tags},
          {"replaced", summary.before},
          {"uses", uses}};
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

int run(const Arguments& arguments) {
  if (arguments.undo) return run_undo(arguments);
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
    print_json(as_json(arguments, model, summary));
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
      "Your own tags are never touched, and a tag that you rejected is never written. Running it\n"
      "again replaces what the same model wrote before. 'export --machine-tags' has them, too;\n"
      "--undo takes them out of the sidecars that 'export --xmp' wrote them to.",
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
  CLI::Option* dry = command->add_flag("--dry-run", arguments->options.dry_run,
                                       "Say what would be written, and write nothing");
  command
      ->add_flag("--undo", arguments->undo, "Remove the tags that the model gave to the collection")
      ->excludes(above)
      ->excludes(dry);
}

}  // namespace commonplace::app
