#include "commonplace/upkeep/duplicates.h"

#include <memory>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/frame.h"
#include "app/cli/terminal.h"
#include "commonplace/base/join.h"

namespace commonplace::app {
namespace duplicates_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::int64_t limit = 50;
  DuplicateOptions options;
};

std::string size_of(const Duplicate& each) {
  if (each.width == 0) return "";
  return with_commas(each.width) + " x " + with_commas(each.height);
}

std::string bytes_of(std::int64_t bytes) {
  if (bytes < 10'000) return with_commas(bytes) + " B";
  if (bytes < 10'000'000) return with_commas(bytes / 1000) + " kB";
  return with_commas(bytes / 1'000'000) + " MB";
}

std::string kind_of(const DuplicateGroup& group) {
  const std::string kind = group.by == "pictures" ? "picture"
                           : group.by == "texts"  ? "text"
                                                  : "address";
  return "the same " + kind +
         (group.differs.empty() ? ", alike in all" : "; " + join(group.differs) + " differ");
}

void show_group(const DuplicateGroup& group, std::size_t number, bool several) {
  tell("Group " + std::to_string(number) + ": " + counted(std::ssize(group.items), "item") + ", " +
       kind_of(group));
  std::vector<std::vector<std::string>> rows;
  const bool pictures = group.by == "pictures";
  for (const Duplicate& each : group.items) {
    const std::string name = (several ? each.collection + ": " : "") + each.id;
    std::vector<std::string> row = {each.best ? "best" : each.is, shorten(name, 60)};
    if (pictures) {
      row.push_back(each.format);
      row.push_back(size_of(each));
    }
    row.push_back(bytes_of(each.bytes));
    row.push_back(each.time.substr(0, 10));
    row.push_back(shorten(join(each.tags), 40));
    rows.push_back(std::move(row));
  }
  if (pictures)
    print_table({"", "ITEM", "FORMAT", "SIZE", "BYTES", "DATE", "TAGS"}, rows);
  else
    print_table({"", "ITEM", "BYTES", "DATE", "TAGS"}, rows);
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  std::vector<Collection> chosen;
  if (arguments.collection.empty())
    chosen = collections(library);
  else
    chosen.push_back(collection(library, arguments.collection));
  const DuplicateReport report = with_progress(arguments, [&](const Run& run) {
    return find_duplicates(library, chosen, arguments.options, run);
  });
  const int code = print_answer(arguments, to_json(report), [&] {
    std::size_t number = 0;
    std::int64_t copies = 0;
    for (const DuplicateGroup& group : report.groups) {
      copies += std::ssize(group.items) - 1;
      if (static_cast<std::int64_t>(number) < arguments.limit)
        show_group(group, ++number, chosen.size() > 1);
    }
    if (report.groups.size() > number)
      say(arguments,
          "... and " +
              counted(std::ssize(report.groups) - static_cast<std::int64_t>(number), "more group") +
              " (--limit)");
    tell("Compared " + counted(report.pictures, "picture") + ", " + counted(report.texts, "text") +
         " and " + counted(report.links, "link") + ": " +
         counted(std::ssize(report.groups), "group") + ", " + counted(copies, "item") +
         " more than needed. Nothing was changed.");
  });
  for (const DuplicateReport::Skipped& each : report.skipped)
    warn("skipped " + each.collection + ": " + each.id + ": " + each.reason);
  return report.skipped.empty() ? code : kSomeSkipped;
}

}  // namespace duplicates_cli

void add_duplicates(CLI::App& app) {
  using namespace duplicates_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "duplicates", "Group items that are copies of each other",
      "  commonplace duplicates ~/library photos\n"
      "  commonplace duplicates ~/library --by pictures --json\n"
      "  commonplace duplicates ~/library notes --by texts --likeness 0.6\n"
      "Pictures in other sizes, crops, formats or slightly changed; texts of nearly the same "
      "words;\n"
      "spellings of one web address. The best of each group comes first. Nothing is changed.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("COLLECTION,--collection", arguments->collection,
                      "Its items alone; else those of all collections, also with each other");
  command
      ->add_option("--by", arguments->options.by,
                   "pictures, texts, links; by default pictures and links, and texts of items "
                   "without a picture")
      ->delimiter(',');
  command
      ->add_option("--likeness", arguments->options.likeness,
                   "Texts that have so much of their phrases in common")
      ->capture_default_str();
  command->add_option("-l,--limit", arguments->limit, "Show so many groups (--json: all)")
      ->capture_default_str();
}

}  // namespace commonplace::app
