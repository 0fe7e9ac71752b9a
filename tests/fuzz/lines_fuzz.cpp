#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/io/lines.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

namespace {

/// The lines of a text, the obvious way.
std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!lines.empty() && lines[0].starts_with("\xef\xbb\xbf")) lines[0].erase(0, 3);
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const auto source = bytes_of(fuzz::text_of(data, size));
    const std::string content = read_all(*source, std::uint64_t{64} << 20, "input");
    fuzz::check(source->consumed() <= source->total(), "more was consumed than there is");

    LineReader reader(bytes_of(fuzz::text_of(data, size)), "input");
    std::size_t number = 0;
    const std::vector<std::string> expected = split_lines(content);
    for (std::string_view line; reader.next(line); ++number) {
      fuzz::check(number < expected.size() && line == expected[number], "a line differs");
      fuzz::check(reader.where().line == number + 1, "a line number differs");
    }
    fuzz::check(number == expected.size(), "lines are missing");
  });
}
