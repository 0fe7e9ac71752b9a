#include "tests/support/programs.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace commonplace::test {

bool has_program(const std::string& name) {
  return std::system(("command -v " + shell_quoted(name) + " >/dev/null 2>&1").c_str()) == 0;
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;)
    output.append(block, got);
  if (const int status = ::pclose(pipe); status != 0)
    throw std::runtime_error(command + " failed: " + output);
  return output;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace commonplace::test
