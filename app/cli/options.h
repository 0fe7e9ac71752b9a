#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "commonplace/base/spelling.h"
#include "commonplace/learn/checkpoint.h"

namespace commonplace::app {

/// Makes a flag of every option in a visit_options list: "stop_words" becomes --stop-words, and a
/// switch that is on by default can be turned off with --no-NAME. Former spellings work and are not
/// shown.
struct FlagMaker {
  CLI::App* command;
  std::string group;

  template <class Value>
  void operator()(const char* names, Value& value, const char* help) const {
    for (const std::string& name : spellings(names)) {
      CLI::Option* option = command->add_option(flag(name), value, help);
      option->capture_default_str()->group(group_of(name, names));
      if constexpr (std::is_same_v<Value, std::string>)
        option->transform([names](const std::string& text) { return current_value(names, text); });
    }
  }
  void operator()(const char* names, bool& value, const char* help) const {
    for (const std::string& name : spellings(names)) {
      const std::string words = flag(name);
      command->add_flag(words + ",!--no-" + words.substr(2), value, help)
          ->group(group_of(name, names));
    }
  }

 private:
  /// None for a spelling of before, which --help does not show.
  std::string group_of(const std::string& name, const char* names) const {
    return name == current_spelling(names) ? group : "";
  }
  static std::string flag(std::string name) {
    for (char& c : name)
      if (c == '_') c = '-';
    return "--" + name;
  }
};

/// --checkpoint, which is returned, and how often.
inline CLI::Option* add_checkpoint(CLI::App& command, CheckpointOptions& options) {
  constexpr const char* kGroup = "Going on after an end";
  CLI::Option* folder = command.add_option_function<std::string>(
      "--checkpoint", [&options](const std::string& path) { options.folder = path; },
      "Keep in this folder how far it is; with the same folder it goes on from there");
  folder->group(kGroup)->type_name("FOLDER");
  command
      .add_option("--checkpoint-seconds", options.seconds,
                  "So long between one time and the next; 0: after every iteration")
      ->capture_default_str()
      ->needs(folder)
      ->group(kGroup);
  return folder;
}

}  // namespace commonplace::app
