#include "commonplace/keep/update.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "app/cli/command.h"
#include "app/cli/keep/json.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"

namespace commonplace::app {
namespace update_cli {

/// Of the priorities from 0 to 19: whoever works at the machine comes first.
constexpr int kBackgroundPriority = 10;

struct Arguments : Common {
  std::string library;
  bool background = false;
};

void show(const Arguments& arguments, const KeptStep& step) {
  say(arguments, step.collection + ": " + step.step + " (" + step.why + "): " +
                     (step.problem.empty() ? step.said + ", in " + fixed(step.seconds, 1) + " s."
                                           : "not done: " + step.problem));
}

int run(const Arguments& arguments) {
  if (arguments.background) ::setpriority(PRIO_PROCESS, 0, kBackgroundPriority);
  Library library(arguments.library, Library::Access::write);
  const std::optional<KeepLock> lock = KeepLock::take(library);
  require(lock.has_value(), arguments.library,
          ": another process is bringing it up to date; see: commonplace status ",
          arguments.library);
  const KeepTools tools = keep_tools();
  std::vector<KeptStep> done;
  {
    ProgressBar bar(arguments);
    done = bring_up_to_date(
        library, tools,
        [&](const KeptStep& step) {
          if (!arguments.json) show(arguments, step);
        },
        bar.run());
  }
  const bool failed = std::any_of(done.begin(), done.end(),
                                  [](const KeptStep& each) { return !each.problem.empty(); });
  const std::vector<KeepStep> plan = plan_upkeep(library, tools);
  if (arguments.json) {
    print_json(as_json(plan, done));
    return failed ? kSomeSkipped : kSuccess;
  }
  if (done.empty()) say(arguments, "Everything is up to date.");
  for (const KeepStep& each : plan)
    if (each.state == KeepState::waiting || each.state == KeepState::away)
      say(arguments, each.collection + ": " + each.step + ": " + each.why + ".");
  return failed ? kSomeSkipped : kSuccess;
}

}  // namespace update_cli

void add_update(CLI::App& app) {
  using namespace update_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "update", "Do whatever is out of date in a library, and nothing else",
      "  commonplace update ~/library\n"
      "  commonplace update ~/library --background     (gives way to other work)\n"
      "Changed and new files are read; a file that was moved stays the item that it was, and a\n"
      "folder that is away keeps its items. Then thumbnails, features, the index of words,\n"
      "suggestions, concepts, relations and tags that 'apply' gave follow. A model is learned "
      "anew\n"
      "where more than a quarter of what it was learned from has changed, or there are other\n"
      "features; otherwise it is brought up to date. It can be stopped at any moment and goes on\n"
      "from there.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_flag("--background", arguments->background, "Give way to other work");
}

}  // namespace commonplace::app
