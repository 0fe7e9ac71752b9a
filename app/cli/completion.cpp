#include <iostream>
#include <memory>
#include <string>

#include "app/cli/command.h"
#include "app/cli/terminal.h"

namespace commonplace::app {
namespace {

/// The long and short flags of a command.
std::string flags_of(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
    for (const std::string& name : option->get_snames()) words += "-" + name + " ";
  }
  return words;
}

/// Flags come from the program's own definition; the second argument after LIB is completed with
/// the names of the library's collections, everything else with file names.
std::string bash_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands += command->get_name() + " ";
    cases += "    " + command->get_name() + ") flags='" + flags_of(*command) + "' ;;\n";
  }
  return R"(_commonplace() {
  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} flags= library names
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ')" +
         commands + R"(--help --version' -- "$current")
    return
  fi
  case "$command" in
)" + cases +
         R"(  esac
  if [[ "$current" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    return
  fi
  if [ "$COMP_CWORD" -eq 3 ] && [ "$command" != link ]; then
    library=${COMP_WORDS[2]/#\~/$HOME}
    names=$("${COMP_WORDS[0]}" list "$library" --names 2>/dev/null)
    local IFS=$'\n'
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
    [ ${#COMPREPLY[@]} -gt 0 ] && return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
complete -F _commonplace commonplace
)";
}

}  // namespace

void add_completion(CLI::App& app) {
  struct Arguments : Common {
    std::string shell = "bash";
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "completion", "Print a script that completes commands and flags in the shell",
      "  source <(commonplace completion bash)\n"
      "  commonplace completion bash > ~/.local/share/bash-completion/completions/commonplace",
      *arguments, [&app] {
        std::cout << bash_script(app);
        return kSuccess;
      });
  command->add_option("SHELL", arguments->shell, "The shell")
      ->check(CLI::IsMember({"bash"}))
      ->capture_default_str();
}

}  // namespace commonplace::app
