#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace commonplace::server {

/// How a process ended.
struct ChildEnd {
  int exit_code = -1;  ///< -1: by a signal
  std::string output;  ///< what it wrote to standard output, at most `most_output` bytes
  bool cut = false;    ///< there was more
};

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;                ///< "NAME=value", beside what there is
  std::function<void(const std::string&)> error_line;  ///< for each line of standard error
  std::function<bool()> cancelled;                     ///< asked several times a second
  std::size_t most_output = 64U << 20U;
};

/// Runs a program to its end. When `cancelled` says so it is asked to stop (SIGTERM), and killed if
/// it has not after ten seconds. It also ends if this process does. Error if it cannot be started.
ChildEnd run_child(const ChildOptions& options);

}  // namespace commonplace::server
