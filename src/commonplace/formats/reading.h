#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/import.h"

namespace commonplace {

/// `text` without ASCII white space at its ends.
std::string_view trim(std::string_view text);

/// The non-empty trimmed parts of `text` between `separators`.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);

/// ASCII capitals made small.
std::string lower_case(std::string_view text);

/// `text` in quotes for a message, cut after 60 bytes at a character's end.
std::string in_quotes(std::string_view text);

/// Throws Error unless `text` is UTF-8.
void require_utf8(std::string_view text);

/// Tells the sink of a record that could not be understood, if it wants to know.
void report_bad(const Sink& sink, const Where& where, const std::string& message);

/// Tells the sink what was not taken although no record is lost by it, if it wants to know.
void report_note(const Sink& sink, const Where& where, const std::string& message);

/// Runs `work`, which understands one record and must not call the sink. False if it threw Error,
/// which is then reported.
template <class Work>
bool understand(const Sink& sink, const Where& where, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& problem) {
    report_bad(sink, where, problem.what());
    return false;
  }
}

/// Tells the sink's progress how much of a source has been read, now and then.
class ReadingProgress {
 public:
  ReadingProgress(const Sink& sink, const std::string& name);
  /// Call it once a record.
  void step(const ByteSource& source);

 private:
  const Sink& sink_;
  std::string stage_;
  unsigned calls_ = 0;
};

}  // namespace commonplace
