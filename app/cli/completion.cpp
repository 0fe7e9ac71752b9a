#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/terminal.h"

namespace commonplace::app {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The long and short flags of a command.
std::string flags_of(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
    for (const std::string& name : option->get_snames()) words += "-" + name + " ";
  }
  return words;
}

/// Text in single quotes, in which `mark` stands for one.
std::string quoted(const std::string& text, const char* mark) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? mark : c == '\n' ? " " : std::string(1, c);
  return result + "'";
}

/// Flags come from the program's own definition; the second argument after LIB is completed with
/// the names of the library's collections, everything else with file names.
std::string bash_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
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

/// The same for zsh, as a file of its $fpath or to be sourced.
std::string zsh_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    commands +=
        "      " + quoted(command->get_name() + ":" + command->get_description(), "'\\''") + "\n";
    cases += "    " + command->get_name() + ") flags=(" + flags_of(*command) + ") ;;\n";
  }
  return R"(#compdef commonplace
_commonplace() {
  local -a commands flags names
  if (( CURRENT == 2 )); then
    commands=(
)" + commands +
         R"(    )
    _describe command commands
    return
  fi
  case $words[2] in
)" + cases +
         R"zsh(  esac
  if [[ $words[CURRENT] == -* ]]; then
    compadd -- $flags
    return
  fi
  if (( CURRENT == 4 )) && [[ $words[2] != link ]]; then
    names=(${(f)" $($words[1] list $ { ~words[3] } --names 2 > / dev / null) "})
             (($ #names)) &&
         compadd-- $names && return fi _files
}
if
  [[$funcstack [1] == _commonplace]]; then
  _commonplace "$@"
else
  compdef _commonplace commonplace
fi
)zsh";
}

/// The same for fish, which shows what each flag is for.
std::string fish_script(const CLI::App& app) {
  constexpr const char* kMark = "\\'";
  std::string script;
  for (const CLI::App* command : commands_of(app)) {
    script += "complete -c commonplace -n __fish_use_subcommand -f -a " + command->get_name() +
              " -d " + quoted(command->get_description(), kMark) + "\n";
    for (const CLI::Option* option : command->get_options()) {
      std::string names;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      for (const std::string& name : option->get_snames()) names += " -s " + name;
      if (!names.empty())
        script += "complete -c commonplace -n '__fish_seen_subcommand_from " + command->get_name() +
                  "'" + names + " -d " + quoted(option->get_description(), kMark) + "\n";
    }
  }
  return script;
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
      "  commonplace completion bash > ~/.local/share/bash-completion/completions/commonplace\n"
      "  commonplace completion zsh > ~/.zfunc/_commonplace\n"
      "  commonplace completion fish > ~/.config/fish/completions/commonplace.fish",
      *arguments, [arguments, &app] {
        const std::string& shell = arguments->shell;
        std::cout << (shell == "zsh"    ? zsh_script(app)
                      : shell == "fish" ? fish_script(app)
                                        : bash_script(app));
        return kSuccess;
      });
  command->add_option("SHELL", arguments->shell, "The shell")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->capture_default_str();
}

}  // namespace commonplace::app
