#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/keep/json.h"
#include "app/cli/terminal.h"

namespace commonplace::app {
namespace runs_cli {

struct Arguments : Common {
  std::string library;
  std::int64_t undo = 0;
  std::int64_t restore = 0;
};

int run_change(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const bool undo = arguments.undo != 0;
  const std::int64_t id = undo ? arguments.undo : arguments.restore;
  const std::int64_t changed = undo ? undo_run(library, id) : restore_run(library, id);
  if (arguments.json) {
    nlohmann::ordered_json json = as_json(machine_run(library, id));
    json["changed"] = changed;
    print_json(json);
  } else {
    say(arguments, (undo ? "Took run " : "Put run ") + std::to_string(id) +
                       (undo ? " back: " : " in force again: ") + with_commas(changed) +
                       " of its tags" + " changed. Your own tags are as they were.");
  }
  return kSuccess;
}

int run(const Arguments& arguments) {
  if (arguments.undo != 0 || arguments.restore != 0) return run_change(arguments);
  const Library library(arguments.library);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const MachineRun& each : machine_runs(library)) {
    json.push_back(as_json(each));
    rows.push_back({std::to_string(each.id), each.time, each.command, each.collection,
                    each.version.empty() ? each.model : each.version, with_commas(each.wrote),
                    each.undone.empty() ? with_commas(each.shown) : "undone",
                    shorten(each.reason, 50)});
  }
  if (arguments.json)
    print_json({{"runs", json}});
  else if (rows.empty())
    say(arguments, "No machine has written anything.");
  else
    print_table({"RUN", "TIME", "BY", "COLLECTION", "MODEL", "WROTE", "SHOWN", "WHY"}, rows);
  return kSuccess;
}

}  // namespace runs_cli

void add_runs(CLI::App& app) {
  using namespace runs_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "runs", "List what machines wrote, by which model and why, and take it back",
                  "  commonplace runs ~/library\n"
                  "  commonplace runs ~/library --undo 7\n"
                  "  commonplace runs ~/library --restore 7\n"
                  "A run can be taken back at any time, also after later ones: what it wrote goes, "
                  "what it had\n"
                  "replaced comes back, and what later runs said stays.",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  CLI::Option* undo = command->add_option("--undo", arguments->undo, "The run to take back");
  command->add_option("--restore", arguments->restore, "The run to put in force again")
      ->excludes(undo);
}

}  // namespace commonplace::app
