#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/fields.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/io/files.h"
#include "commonplace/library/tags/decision_log.h"

namespace commonplace::app {
namespace decisions_cli {

constexpr std::uint64_t kMostBytes = 1U << 30U;
constexpr std::size_t kShown = 20;

struct Arguments : Common {
  std::string library;
  std::string file;
  std::string collection;
};

int run_export(const Arguments& arguments) {
  const Library library(arguments.library);
  const std::vector<LoggedDecision> log = decision_log(library, arguments.collection);
  const std::string text = write_decision_log(log);
  if (arguments.file.empty() || arguments.file == "-") {
    std::cout << text << std::flush;
    return kSuccess;
  }
  AtomicFile file(arguments.file);
  file.write(text);
  file.commit();
  if (arguments.json)
    print_json({{"written", log.size()}, {"file", arguments.file}});
  else
    say(arguments, "Wrote " + counted(std::ssize(log), "decision") + " to " + arguments.file + ".");
  return kSuccess;
}

void show_conflicts(const Arguments& arguments, const std::vector<DecisionConflict>& conflicts) {
  std::vector<std::vector<std::string>> rows;
  for (const DecisionConflict& each : conflicts) {
    if (rows.size() == kShown) break;
    std::string said;
    for (const DecisionConflict::Word& word : each.said)
      said += (said.empty() ? "" : ", ") + (word.who.empty() ? "somebody" : word.who) + " " +
              word_of(word.verdict);
    rows.push_back(
        {each.collection, shorten(each.item, 40), each.tag, word_of(each.in_force), said});
  }
  if (!rows.empty()) print_table({"COLLECTION", "ITEM", "TAG", "IN FORCE", "SAID"}, rows);
  if (conflicts.size() > rows.size())
    say(arguments, "and " + counted(std::ssize(conflicts) - std::ssize(rows), "other") +
                       "; --json lists all.");
}

nlohmann::ordered_json list_of(const std::vector<DecisionConflict>& conflicts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DecisionConflict& each : conflicts) list.push_back(as_json(each));
  return list;
}

int run_merge(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const MergedLog merged =
      merge_decisions(library, read_decision_log(read_file(arguments.file, kMostBytes)));
  const std::vector<DecisionConflict> conflicts = decision_conflicts(library);
  if (arguments.json) {
    nlohmann::ordered_json json = as_json(merged);
    json["conflicts"] = list_of(conflicts);
    print_json(json);
    return kSuccess;
  }
  say(arguments, "Read " + counted(merged.read, "decision") + "; " + with_commas(merged.fresh) +
                     " were new. " + counted(std::ssize(conflicts), "conflict") +
                     " between persons: the newest of their last words is in force.");
  show_conflicts(arguments, conflicts);
  return kSuccess;
}

int run_conflicts(const Arguments& arguments) {
  const Library library(arguments.library);
  const std::vector<DecisionConflict> conflicts = decision_conflicts(library, arguments.collection);
  if (arguments.json)
    print_json({{"conflicts", list_of(conflicts)}});
  else if (conflicts.empty())
    say(arguments, "Nobody contradicts anybody.");
  else
    show_conflicts(arguments, conflicts);
  return kSuccess;
}

}  // namespace decisions_cli

void add_decisions(CLI::App& app) {
  using namespace decisions_cli;
  CLI::App* group = app.add_subcommand(
      "decisions", "Carry what was decided from one library to another, and back");
  group->footer(
      "Examples:\n"
      "  commonplace decisions export ~/library ann.jsonl\n"
      "  commonplace decisions merge ~/library bob.jsonl\n"
      "  commonplace decisions conflicts ~/library");
  group->require_subcommand(1);
  const auto library = [](CLI::App* command, Arguments& arguments) {
    command->add_option("LIB", arguments.library, "The library")->required();
  };
  auto out = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(*group, "export", "Write the log: who decided what, and when",
                  "  commonplace decisions export ~/library ann.jsonl\n"
                  "  commonplace decisions export ~/library --collection photos | gzip > log.gz",
                  *out, [out] { return run_export(*out); });
  library(command, *out);
  command->add_option("FILE", out->file, "Where to (standard output)");
  command->add_option("--collection", out->collection, "Only of this collection");

  auto in = std::make_shared<Arguments>();
  command = add_command(
      *group, "merge", "Add the decisions of another library's log",
      "  commonplace decisions merge ~/library bob.jsonl\n"
      "Merging twice, or in another order, leads to the same. Of each person the last word "
      "counts;\n"
      "between persons the newest of their last words, and of two of one second the rejection.\n"
      "Items are known by the names of their collection and their own.",
      *in, [in] { return run_merge(*in); });
  library(command, *in);
  command->add_option("FILE", in->file, "What 'decisions export' wrote")->required();

  auto apart = std::make_shared<Arguments>();
  command = add_command(*group, "conflicts", "List what persons say differently",
                        "  commonplace decisions conflicts ~/library --collection photos", *apart,
                        [apart] { return run_conflicts(*apart); });
  library(command, *apart);
  command->add_option("--collection", apart->collection, "Only of this collection");
}

}  // namespace commonplace::app
