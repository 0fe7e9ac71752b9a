#pragma once

#include <optional>
#include <string>

namespace commonplace::app {

/// Answers of one letter: single keys, unseen and without Enter, if the standard input is a
/// terminal, else the first character of each line. However the process ends short of a SIGKILL,
/// the terminal is left as it was found.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  bool is_terminal() const { return terminal_; }
  /// The next key in lower case; nothing at the end of input or after Ctrl-C. Keys that send more
  /// than one character, such as arrows, and empty lines are passed over.
  std::optional<char> next();

 private:
  std::optional<char> next_key();
  /// Waits so long for keys; false at the end of input.
  bool read_more(int milliseconds);
  static std::optional<char> next_line();

  bool terminal_;
  std::string pending_;  ///< keys read but not yet returned
};

}  // namespace commonplace::app
