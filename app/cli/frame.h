#pragma once

#include <functional>
#include <string>

#include "app/cli/command.h"
#include "app/cli/terminal.h"

namespace commonplace::app {

/// Does work(run) while a bar shows how far it is, and returns what it found.
template <class Work>
auto with_progress(const Common& common, const Work& work) {
  ProgressBar bar(common);
  return work(bar.run());
}

/// Prints a JSON text with --json, and otherwise what `show` says for people.
int print_answer(const Common& common, const std::string& json, const std::function<void()>& show);

}  // namespace commonplace::app
