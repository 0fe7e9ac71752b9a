#include "app/cli/terminal.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/ioctl.h>
#include <unicode/uchar.h>
#include <unistd.h>

#include "commonplace/base/characters.h"
#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/io/files.h"

namespace commonplace::app {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> interrupt_wanted{false};

void note_interrupt(int) {
  // A second Ctrl-C ends the process at once; the library does not mind.
  if (interrupt_wanted.exchange(true)) ::_exit(kInterrupted);
}

int character_width(UChar32 character) {
  switch (u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH)) {
    case U_EA_WIDE:
    case U_EA_FULLWIDTH:
      return 2;
    default:
      break;
  }
  const auto type = u_charType(character);
  return type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR ? 0 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  visit_characters(
      text, [&](UChar32 character, std::string_view) { width += character_width(character); });
  return width;
}

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string progress_line(const ProgressStep& step) {
  const nlohmann::ordered_json json = {
      {"stage", step.stage}, {"done", step.done}, {"total", step.total}, {"unit", step.unit}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

struct ProgressBar::State {
  bool quiet = false;
  bool terminal = false;
  bool for_programs = false;
  Clock::time_point begun = Clock::now();
  Clock::time_point shown = begun;
  bool drawn = false;
  std::string stage;
  Clock::time_point stage_begun = begun;
  std::uint64_t first_done = 0;

  void step(const ProgressStep& step) {
    if (interrupt_wanted) throw Cancelled();
    if (quiet) return;
    const auto now = Clock::now();
    const auto pause = terminal || for_programs ? std::chrono::milliseconds(100)
                                                : std::chrono::milliseconds(10'000);
    if (now - shown < pause) return;
    shown = now;
    if (for_programs) {
      std::cerr << progress_line(step) << std::flush;
      return;
    }
    std::string line = describe(step, std::chrono::duration<double>(now - begun).count());
    line += time_left(step);
    if (terminal) {
      line = shorten(line, terminal_width() - 1);
      std::cerr << "\r\033[K" << line << std::flush;
      drawn = true;
    } else {
      std::cerr << line << "\n";
    }
  }

  static std::string describe(const ProgressStep& step, double seconds) {
    std::string line(step.stage);
    if (step.total > 0) {
      const double share =
          std::min(1.0, static_cast<double>(step.done) / static_cast<double>(step.total));
      const auto filled = static_cast<std::size_t>(share * 20);
      char percent[16];
      std::snprintf(percent, sizeof percent, "%3.0f %%", share * 100);
      line += " [" + std::string(filled, '#') + std::string(20 - filled, '.') + "] " + percent;
    }
    if (step.done > 0 && step.unit != "bytes")
      line += " " + with_commas(static_cast<std::int64_t>(step.done)) + " " +
              std::string(step.unit) + ", " +
              with_commas(static_cast<std::int64_t>(static_cast<double>(step.done) / seconds)) +
              " a second";
    return line;
  }

  /// By what was done since the stage was first shown; empty until that tells something.
  std::string time_left(const ProgressStep& step) {
    if (step.stage != stage || step.done < first_done) {
      stage = step.stage;
      stage_begun = shown;
      first_done = step.done;
    }
    const double seconds = std::chrono::duration<double>(shown - stage_begun).count();
    if (seconds < 1 || step.done == first_done || step.total <= step.done) return "";
    const auto left =
        static_cast<std::int64_t>(seconds * static_cast<double>(step.total - step.done) /
                                  static_cast<double>(step.done - first_done));
    if (left < 120) return concat(", ", left, " s left");
    if (left < 7200) return concat(", ", left / 60, " min left");
    return concat(", ", left / 3600, " h left");
  }

  void clear() {
    if (drawn) std::cerr << "\r\033[K" << std::flush;
    drawn = false;
  }
};

ProgressBar::ProgressBar(const Common& common)
    : common_(common), state_(std::make_shared<State>()) {
  const char* form = std::getenv("COMMONPLACE_PROGRESS");
  state_->for_programs = form != nullptr && std::string_view(form) == "json";
  state_->quiet = common.quiet && !state_->for_programs;
  state_->terminal = ::isatty(STDERR_FILENO) == 1;
}

ProgressBar::~ProgressBar() { state_->clear(); }

Progress ProgressBar::callback() {
  return [state = state_](const ProgressStep& step) { state->step(step); };
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_wanted; }

void print_json(const nlohmann::ordered_json& value) {
  std::cout << value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

void tell(std::string_view line) { std::cout << printable(line) << "\n"; }

void say(const Common& common, std::string_view line) {
  if (!common.quiet) tell(line);
}

void warn(std::string_view line) { std::cerr << printable(line) << "\n"; }

void write_whole(const std::string& file, std::string_view content) {
  AtomicFile whole(file);
  whole.write(content);
  whole.commit();
}

void check_writable(const std::string& file) { const AtomicFile tried(file); }

void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  print_table(header, rows, std::cout);
}

void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows, std::ostream& out) {
  std::vector<int> widths;
  widths.reserve(header.size());
  for (const std::string& cell : header) widths.push_back(display_width(cell));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(printable(row[i])));
  auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = printable(row[i]);
      line += cell;
      if (i + 1 < row.size())
        line += std::string(static_cast<std::size_t>(widths[i] - display_width(cell) + 2), ' ');
    }
    out << line << "\n";
  };
  print(header);
  for (const auto& row : rows) print(row);
}

std::string shorten(std::string_view text, int width) {
  const std::string line = tidy(printable(text));
  if (display_width(line) <= width) return line;
  std::string result;
  int used = 0;
  visit_characters(line, [&](UChar32 character, std::string_view bytes) {
    used += character_width(character);
    if (used > width - 1) return false;
    result += bytes;
    return true;
  });
  return result + "…";
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  visit_characters(text, [&](UChar32 character, std::string_view bytes) {
    if (character < 0) {
      append_character(result, 0xFFFD);
    } else if (u_iscntrl(character) != 0 && character != '\n' && character != '\t') {
      result += '?';
    } else {
      result += bytes;
    }
    return true;
  });
  return result;
}

std::string with_commas(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return with_commas(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace commonplace::app
