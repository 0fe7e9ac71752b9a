#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/library/items/import_items.h"

namespace commonplace::app {
namespace add_cli {

constexpr std::size_t kProblemsShown = 10;

struct Arguments : Common {
  std::string library;
  std::string name;
  std::string source;
  std::string map;
  std::string root;
  std::string tag_separator;
  ImportOptions options;
};

void warn_of(const std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < std::min(kProblemsShown, problems.size()); ++i)
    warn(to_string(problems[i].where) + ": " + problems[i].message);
}

void print_summary(const Arguments& arguments, const ImportSummary& summary) {
  warn_of(summary.notes);
  if (summary.noted > static_cast<std::int64_t>(kProblemsShown))
    warn("and " + with_commas(summary.noted - static_cast<std::int64_t>(kProblemsShown)) +
         " more such notes");
  warn_of(summary.problems);
  if (summary.bad > 0)
    warn(counted(summary.bad, "record") + " skipped" +
         (summary.bad > static_cast<std::int64_t>(kProblemsShown) ? "; the first are above" : ""));
  std::string line = "Collection '" + arguments.name + "' (" + summary.format +
                     "): " + with_commas(summary.added) + " added, " +
                     with_commas(summary.updated) + " updated, " + with_commas(summary.unchanged) +
                     " unchanged";
  if (summary.removed > 0) line += ", " + with_commas(summary.removed) + " removed";
  say(arguments, line + ".");
  if (summary.missing > 0)
    say(arguments, counted(summary.missing, "item") + " no longer in the source kept" +
                       (arguments.options.prune ? ", as some records could not be read."
                                                : "; --prune removes such items."));
}

nlohmann::ordered_json as_json(const std::vector<Problem>& problems) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Problem& problem : problems)
    list.push_back(
        {{"file", problem.where.file}, {"line", problem.where.line}, {"message", problem.message}});
  return list;
}

nlohmann::ordered_json as_json(const Arguments& arguments, const ImportSummary& summary) {
  return {{"collection", arguments.name},
          {"format", summary.format},
          {"added", summary.added},
          {"updated", summary.updated},
          {"unchanged", summary.unchanged},
          {"removed", summary.removed},
          {"missing", summary.missing},
          {"skipped", summary.bad},
          {"problems", as_json(summary.problems)},
          {"noted", summary.noted},
          {"notes", as_json(summary.notes)}};
}

int run(Arguments& arguments) {
  arguments.options.read.jobs = arguments.jobs;
  arguments.options.prune = arguments.options.prune || arguments.options.prune_all;
  arguments.options.read.map = parse_field_map(arguments.map);
  if (!arguments.tag_separator.empty()) {
    require(arguments.tag_separator.size() == 1, "--tag-separator takes one character, not '",
            arguments.tag_separator, "'");
    arguments.options.read.tag_separator = arguments.tag_separator.front();
  }
  if (!arguments.root.empty())
    arguments.options.read.root = std::filesystem::absolute(arguments.root);
  Library library(arguments.library, Library::Access::write);
  ImportSummary summary;
  {
    ProgressBar bar(arguments);
    summary = import_collection(library, arguments.name, arguments.source, arguments.options,
                                bar.callback());
  }
  if (arguments.json) {
    print_json(as_json(arguments, summary));
  } else {
    print_summary(arguments, summary);
  }
  return summary.bad > 0 ? kSomeSkipped : kSuccess;
}

}  // namespace add_cli

void add_add(CLI::App& app) {
  using namespace add_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "add", "Add a source of tagged things as a collection, or bring one up to date",
      "  commonplace add ~/library photos ~/Pictures --labels-from-folders\n"
      "  commonplace add ~/library bookmarks bookmarks.html\n"
      "  commonplace add ~/library films films.csv.gz --map text=overview,tags=keywords\n"
      "  commonplace add ~/library scans list.tsv --columns image,tags --tag-separator ' '\n"
      "  commonplace add ~/library papers references.bib --strict\n"
      "  commonplace add ~/library crawl parts/          (with part-000.jsonl.gz, part-001 ...)\n"
      "Adding again updates what changed and keeps every decision.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->name, "The collection's name")->required();
  command
      ->add_option("SOURCE", arguments->source,
                   "A file, or a folder of files; .gz is read directly")
      ->required();
  command
      ->add_option("--format", arguments->options.format,
                   "The source's format, where it is not recognised")
      ->check(CLI::IsMember(import_formats()));
  command->add_option("--map", arguments->map,
                      "Other names for our fields: text=overview,tags=keywords,labels=group");
  command
      ->add_option("--columns", arguments->options.read.columns,
                   "The columns of a CSV that has no header: id,title,tags")
      ->delimiter(',');
  command->add_option("--tag-separator", arguments->tag_separator,
                      "The character between the tags in a cell of a CSV (default: guessed)");
  command->add_option("--root", arguments->root,
                      "The folder that relative image paths start from (default: the source's)");
  command->add_flag("--labels-from-folders", arguments->options.read.labels_from_folders,
                    "The folder of a picture becomes its label");
  command->add_flag("--strict", arguments->options.strict,
                    "Stop at the first bad record, with nothing added");
  command->add_flag("--prune", arguments->options.prune,
                    "Remove items that the source no longer has, unless that is nearly all");
  command->add_flag("--prune-all", arguments->options.prune_all,
                    "The same, even if the source has hardly any left");
}

}  // namespace commonplace::app
