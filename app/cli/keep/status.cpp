#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/keep/json.h"
#include "app/cli/terminal.h"

namespace commonplace::app {
namespace status_cli {

struct Arguments : Common {
  std::string library;
};

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  const std::vector<KeepStep> plan = plan_upkeep(library, keep_tools());
  const bool working = is_kept_now(library);
  if (arguments.json) {
    nlohmann::ordered_json json = as_json(plan);
    json["working"] = working;
    print_json(json);
    return kSuccess;
  }
  std::vector<std::vector<std::string>> rows;
  double seconds = 0;
  bool due = false;
  for (const KeepStep& each : plan) {
    seconds += each.seconds_left;
    due = due || each.state == KeepState::due;
    rows.push_back({each.collection, each.step, keep_state_word(each.state),
                    each.state == KeepState::done ? each.said : each.why,
                    each.state == KeepState::due ? duration_words(each.seconds_left) : ""});
  }
  if (rows.empty()) {
    say(arguments, "The library is empty: commonplace add " + arguments.library + " NAME SOURCE");
    return kSuccess;
  }
  print_table({"COLLECTION", "STEP", "STATE", "WHAT", "LEFT"}, rows);
  if (!due)
    say(arguments, "Everything that can be done is done.");
  else
    say(arguments, "About " + duration_words(seconds) + " of work" +
                       (working ? ", which is being done."
                                : ". To do it: commonplace update " + arguments.library));
  return kSuccess;
}

}  // namespace status_cli

void add_status(CLI::App& app) {
  using namespace status_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "status", "Say what is up to date in a library, what is not, and what is missing",
      "  commonplace status ~/library\n"
      "  commonplace status ~/library --json\n"
      "'due' is done by: commonplace update ~/library. 'waiting' says what has to come first, "
      "such\n"
      "as more tags.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
}

}  // namespace commonplace::app
