#include "app/cli/command.h"

#include "app/cli/terminal.h"
#include "commonplace/base/error.h"

namespace commonplace::app {
namespace {

Program& program_above(CLI::App& app) {
  CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  auto* const program = dynamic_cast<Program*>(root);
  require(program != nullptr, "a command was added to something that is not a Program");
  return *program;
}

std::string name_below_root(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  if (parent == nullptr) return "";
  const std::string above = name_below_root(*parent);
  return above.empty() ? app.get_name() : above + " " + app.get_name();
}

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples, Common& common, std::function<int()> run,
                      Ranks ranks) {
  Program& program = program_above(app);
  common.comm = &program.comm();
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Examples:\n" + examples);
  command->add_flag("--json", common.json, "Print JSON instead of text");
  command->add_flag("-q,--quiet", common.quiet,
                    "Print the result and errors, and nothing beside them");
  command
      ->add_option("-j,--jobs", common.jobs,
                   ranks == Ranks::one
                       ? "Threads to use (0: as many as there are processors)"
                       : "Threads to use in each process (0: its share of the processors)")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  if (ranks == Ranks::many)
    command->add_option("--profile", common.profile,
                        "Write a timeline of computing and communication to this file, for "
                        "Perfetto or Chrome's about:tracing");
  command->callback([&program, &common, command, ranks, run = std::move(run)] {
    if (common.jobs == 0 && common.comm->size() > 1) common.jobs = common.comm->processors();
    program.choose({name_below_root(*command), ranks, &common, run});
  });
  return command;
}

}  // namespace commonplace::app
