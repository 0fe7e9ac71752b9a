#include "app/command.h"

#include "app/terminal.h"

namespace commonplace::app {
namespace {

int ended_with = kSuccess;

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples, Common& common, std::function<int()> run) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  command->add_flag("--json", common.json, "Print JSON instead of text");
  command->add_flag("-q,--quiet", common.quiet, "Print results and errors only");
  command
      ->add_option("-j,--jobs", common.jobs, "Threads to use (0: as many as there are processors)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->callback([run = std::move(run)] { ended_with = run(); });
  return command;
}

int exit_code() { return ended_with; }

}  // namespace commonplace::app
