#pragma once

#include <string>

namespace commonplace::test {

/// Whether a program of that name can be run.
bool has_program(const std::string& name);

/// What a shell command prints to its output. Throws std::runtime_error if it fails.
std::string output_of(const std::string& command);

/// `text` as one word for the shell.
std::string shell_quoted(const std::string& text);

}  // namespace commonplace::test
