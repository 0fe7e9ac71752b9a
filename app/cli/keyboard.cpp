#include "app/cli/keyboard.h"

#include <array>
#include <cctype>
#include <iostream>

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "app/cli/terminal.h"
#include "commonplace/base/error.h"

namespace commonplace::app {
namespace {

constexpr int kPause = 200;  ///< milliseconds between looks at whether to stop
constexpr int kPieces = 50;  ///< milliseconds between the characters of one key
constexpr char kEscape = 27;
constexpr char kEndOfInput = 4;  ///< Ctrl-D

// What a signal's handler needs. There is one terminal.
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
termios as_found;
std::array<struct sigaction, kSignals.size()> handlers_before;

void restore_and_pass_on(int signal) {
  ::tcsetattr(STDIN_FILENO, TCSANOW, &as_found);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal || handlers_before[i].sa_handler == SIG_IGN) continue;
    if (handlers_before[i].sa_handler != SIG_DFL) {
      handlers_before[i].sa_handler(signal);
    } else {
      ::signal(signal, SIG_DFL);
      ::raise(signal);
    }
  }
}

void set_raw() {
  require(::tcgetattr(STDIN_FILENO, &as_found) == 0, "the terminal does not say how it is set");
  struct sigaction action {};
  action.sa_handler = restore_and_pass_on;
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &action, &handlers_before[i]);
  termios raw = as_found;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  // Stopping and dumping core would leave the terminal as it is now.
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;
  raw.c_cc[VQUIT] = _POSIX_VDISABLE;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

/// How many characters the key has that begins with Escape; more than there are if its end is not
/// in yet.
std::size_t escape_length(const std::string& keys) {
  if (keys.size() == 1) return 2;
  if (keys[1] == 'O') return 3;
  if (keys[1] != '[') return 1;
  std::size_t end = 2;
  while (end < keys.size() && (keys[end] < '@' || keys[end] > '~')) ++end;
  return end + 1;
}

char lower(char key) { return static_cast<char>(std::tolower(static_cast<unsigned char>(key))); }

}  // namespace

Keyboard::Keyboard() : terminal_(::isatty(STDIN_FILENO) == 1) {
  if (terminal_) set_raw();
}

Keyboard::~Keyboard() {
  if (!terminal_) return;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &as_found);
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &handlers_before[i], nullptr);
}

std::optional<char> Keyboard::next() { return terminal_ ? next_key() : next_line(); }

std::optional<char> Keyboard::next_key() {
  while (true) {
    while (pending_.empty())
      if (!read_more(kPause) || interrupted()) return std::nullopt;
    if (pending_.front() != kEscape) break;
    // What an arrow sends may come in pieces.
    while (escape_length(pending_) > pending_.size()) {
      const std::size_t before = pending_.size();
      if (!read_more(kPieces)) return std::nullopt;
      if (pending_.size() == before) break;
    }
    pending_.erase(0, escape_length(pending_));
  }
  const char key = pending_.front();
  pending_.erase(0, 1);
  return key == kEndOfInput ? std::nullopt : std::optional(lower(key));
}

bool Keyboard::read_more(int milliseconds) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, milliseconds) <= 0) return true;
  std::array<char, 64> keys{};
  const ssize_t count = ::read(STDIN_FILENO, keys.data(), keys.size());
  if (count <= 0) return count < 0 && errno == EINTR;
  pending_.append(keys.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<char> Keyboard::next_line() {
  for (std::string line; std::getline(std::cin, line);)
    if (!line.empty() && line[0] != '\r') return lower(line[0]);
  return std::nullopt;
}

}  // namespace commonplace::app
