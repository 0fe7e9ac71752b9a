#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace commonplace::test {

/// What a program printed and how it ended.
struct ProgramResult {
  int status = -1;
  std::string output;
};

/// Runs `arguments` with Debian's Python, the one that has Debian's NumPy.
inline ProgramResult run_python(const std::string& arguments) {
  const std::string command = "/usr/bin/python3 " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process for " + command);
  ProgramResult result;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.output.append(buffer, got);
  }
  result.status = ::pclose(pipe);
  return result;
}

/// Runs a script of this folder with quoted arguments. CTest runs the tests in the source folder,
/// which is surer than what compilers and their caches make of __FILE__.
template <class... Arguments>
ProgramResult run_script(const std::string& script, const Arguments&... arguments) {
  const std::filesystem::path folder = "tests/io";
  std::string command = "'" + (folder / script).string() + "'";
  ((command += " '" + std::filesystem::path(arguments).string() + "'"), ...);
  return run_python(command);
}

inline bool has_python() { return run_python("-c pass").status == 0; }
inline bool has_numpy() { return run_python("-c 'import numpy'").status == 0; }

}  // namespace commonplace::test
