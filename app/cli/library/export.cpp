#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/upkeep/export_collection.h"
#include "commonplace/upkeep/write_back.h"

namespace commonplace::app {
namespace export_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string format = "jsonl";
  std::string out;
  std::string features = "given";
  bool xmp = false;
  bool dry_run = false;
  bool machine = false;
  double threshold = 0.5;

  TagView tags() const { return {.machine = machine, .threshold = threshold}; }
};

int write_xmp(const Arguments& arguments, Library& library, const Collection& chosen) {
  nlohmann::ordered_json changes = nlohmann::ordered_json::array();
  WriteBackSummary summary;
  {
    ProgressBar bar(arguments);
    summary = write_back(
        library, chosen, {arguments.tags(), arguments.dry_run},
        [&](const XmpChange& change) {
          changes.push_back({{"sidecar", change.sidecar.string()},
                             {"creates", change.creates},
                             {"deletes", change.deletes},
                             {"adds", change.adds},
                             {"accepts", change.accepts},
                             {"removes", change.removes}});
          if (!arguments.dry_run || arguments.json) return;
          std::string line = change.sidecar.string() + (change.creates   ? " (new)"
                                                        : change.deletes ? " (nothing is left)"
                                                                         : "");
          if (!change.adds.empty()) line += ": + " + join(change.adds);
          if (!change.accepts.empty()) line += ": yours now " + join(change.accepts);
          if (!change.removes.empty()) line += ": - " + join(change.removes);
          tell(line);
        },
        bar.callback());
  }
  for (const Problem& problem : summary.problems)
    warn(to_string(problem.where) + ": " + problem.message);
  if (arguments.json) {
    print_json({{"dry_run", arguments.dry_run},
                {"changed", summary.changed},
                {"unchanged", summary.unchanged},
                {"without_file", summary.without_file},
                {"failed", summary.problems.size()},
                {"changes", changes}});
  } else {
    std::string line = counted(summary.changed, "sidecar") +
                       (arguments.dry_run ? " would be written, " : " written, ") +
                       with_commas(summary.unchanged) + " up to date";
    if (summary.without_file > 0)
      line += ", " + counted(summary.without_file, "item") + " without a picture here";
    if (!summary.problems.empty())
      line += ", " + with_commas(static_cast<std::int64_t>(summary.problems.size())) + " failed";
    say(arguments, line + ".");
  }
  return summary.problems.empty() ? kSuccess : kSomeSkipped;
}

int write_items(const Arguments& arguments, const Library& library, const Collection& chosen) {
  ExportSummary summary;
  {
    ProgressBar bar(arguments);
    summary = arguments.out.empty()
                  ? export_collection(
                        library, chosen, arguments.format, arguments.tags(),
                        [](std::string_view bytes) {
                          std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
                          require(std::cout.good(), "the output cannot be written");
                        },
                        bar.callback())
                  : export_collection(library, chosen, arguments.format, arguments.tags(),
                                      arguments.out, arguments.features, bar.callback());
  }
  if (summary.left_out > 0)
    warn(counted(summary.left_out, "item") + " without a web address left out");
  if (summary.partly > 0)
    warn(counted(summary.partly, "item") + " with more than " + arguments.format +
         " has a place for" +
         (arguments.format == "xc"
              ? " (ids other than the number of the row, titles, texts, times, metadata ...)"
              : " (a picture, a place, labels, counts of tags or metadata of several values)") +
         "; jsonl has all of it");
  if (arguments.out.empty()) return kSuccess;
  if (arguments.json) {
    print_json({{"file", arguments.out},
                {"format", arguments.format},
                {"items", summary.items},
                {"left_out", summary.left_out},
                {"partly", summary.partly}});
  } else {
    say(arguments, "Wrote " + counted(summary.items, "item") + " to " + arguments.out + ".");
  }
  return kSuccess;
}

int run(const Arguments& arguments) {
  require(!arguments.dry_run || arguments.xmp, "--dry-run goes with --xmp");
  Library library(arguments.library, arguments.xmp && !arguments.dry_run ? Library::Access::write
                                                                         : Library::Access::read);
  const Collection chosen = collection(library, arguments.collection);
  return arguments.xmp ? write_xmp(arguments, library, chosen)
                       : write_items(arguments, library, chosen);
}

}  // namespace export_cli

void add_export(CLI::App& app) {
  using namespace export_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "export", "Write a collection to a file, or its tags to XMP sidecars",
      "  commonplace export ~/library photos > photos.jsonl\n"
      "  commonplace export ~/library bookmarks --format bookmarks --out bookmarks.html\n"
      "  commonplace export ~/library papers --format xc --features text --out papers-xc\n"
      "  commonplace export ~/library photos --xmp --dry-run\n"
      "  commonplace export ~/library photos --xmp --machine-tags --threshold 0.9\n"
      "A sidecar (photo.jpg.xmp) gets tags added and keeps all that people wrote; the photograph\n"
      "is not touched. Machine tags are left out unless --machine-tags is given; wherever they "
      "go,\n"
      "they are marked, so that adding the files again knows them as a machine's.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection")->required();
  CLI::Option* format = command->add_option("--format", arguments->format, "The format")
                            ->check(CLI::IsMember(export_formats()))
                            ->capture_default_str();
  CLI::Option* out = command->add_option(
      "-o,--out", arguments->out, "The file, or the folder for xc (default: standard output)");
  command->add_option("--features", arguments->features, "The sparse features that xc writes")
      ->capture_default_str();
  command->add_flag("--xmp", arguments->xmp, "Add the tags to XMP sidecars beside the pictures")
      ->excludes(format, out);
  command->add_flag("--dry-run", arguments->dry_run, "With --xmp: show each change, write nothing");
  CLI::Option* machine = command->add_flag("--machine-tags", arguments->machine,
                                           "Machine tags too, from --threshold upwards");
  command->add_option("-t,--threshold", arguments->threshold, "The least score of a machine tag")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->needs(machine);
}

}  // namespace commonplace::app
