#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/command.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/fields_json.h"

namespace commonplace::app {

/// Progress on standard error: a bar on a terminal, a plain line every ten seconds otherwise,
/// nothing with --quiet; with COMMONPLACE_PROGRESS=json in the environment, lines of JSON for the
/// program that reads them. It throws Cancelled after Ctrl-C.
class ProgressBar {
 public:
  explicit ProgressBar(const Common& common);
  ~ProgressBar();  ///< clears the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  Progress callback();
  /// What the command is run by, with this bar to watch it.
  Run run() { return {*common_.comm, common_.jobs, callback()}; }

 private:
  struct State;
  const Common& common_;
  std::shared_ptr<State> state_;
};

/// From now on Ctrl-C and SIGTERM stop long work at its next step of progress.
void catch_interrupts();
bool interrupted();

/// One JSON value on a line of its own.
void print_json(const nlohmann::ordered_json& value);
void print_line(const std::string& json);
template <HasFields Answer>
void print_json(const Answer& answer) {
  print_line(to_json(answer));
}
/// A line of the result, always: what was asked for, measured, or said by a machine.
void tell(std::string_view line);
/// A line beside the result, unless --quiet: headings, explanations, what to do next, and that what
/// was wanted was done.
void say(const Common& common, std::string_view line);
/// A line on standard error, always.
void warn(std::string_view line);

/// A file that appears whole or not at all.
void write_whole(const std::string& file, std::string_view content);
/// Error if no such file can be written, so that this is known before what it is for is computed.
void check_writable(const std::string& file);

/// A table is part of the result: rows under a header, columns aligned by what a terminal shows
/// (wide characters count twice). Control characters in cells are shown as '?', so that data cannot
/// steer the terminal.
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows, std::ostream& out);

/// `text` on one line, at most `width` columns, with an ellipsis where it was cut.
std::string shorten(std::string_view text, int width);
/// `text` with control characters (but for line ends) made harmless.
std::string printable(std::string_view text);

/// 1234567 -> "1,234,567".
std::string with_commas(std::int64_t number);
/// 0.12345 -> "0.123".
std::string fixed(double number, int digits = 3);
/// "1 item", "3 items".
std::string counted(std::int64_t number, std::string_view noun);

}  // namespace commonplace::app
