#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace commonplace::app {

/// Makes a flag of every option in a visit_options list: "stop_words" becomes --stop-words, and a
/// switch that is on by default can be turned off with --no-NAME.
struct FlagMaker {
  CLI::App* command;
  std::string group;

  template <class Value>
  void operator()(const char* name, Value& value, const char* help) const {
    command->add_option(flag(name), value, help)->capture_default_str()->group(group);
  }
  void operator()(const char* name, bool& value, const char* help) const {
    const std::string words = flag(name);
    command->add_flag(words + ",!--no-" + words.substr(2), value, help)->group(group);
  }

 private:
  static std::string flag(std::string name) {
    for (char& c : name)
      if (c == '_') c = '-';
    return "--" + name;
  }
};

}  // namespace commonplace::app
