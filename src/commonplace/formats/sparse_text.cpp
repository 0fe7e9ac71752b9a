#include "commonplace/formats/sparse_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/formats/reading.h"

namespace commonplace {
namespace {

std::optional<float> real_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('-')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

void add_feature(Features& features, std::string_view written, std::int64_t first,
                 std::int64_t columns) {
  const std::size_t colon = written.find(':');
  if (colon == std::string_view::npos) fail(in_quotes(written), " is not feature:value");
  const auto column = whole_number(written.substr(0, colon));
  if (!column || *column < first || *column - first >= columns)
    fail("feature ", in_quotes(written.substr(0, colon)), " is not a number from ", first, " to ",
         first + columns - 1);
  const auto value = real_number(written.substr(colon + 1));
  if (!value)
    fail("feature ", *column, " has the value ", in_quotes(written.substr(colon + 1)),
         "; expected a finite number");
  features.emplace_back(static_cast<std::int32_t>(*column - first), *value);
}

void sort_features(Features& features, std::int64_t first) {
  const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(features.begin(), features.end(), by_column))
    std::sort(features.begin(), features.end(), by_column);
  const auto twice =
      std::adjacent_find(features.begin(), features.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != features.end()) fail("feature ", twice->first + first, " appears twice");
}

std::string_view take_labels(std::string_view& line) {
  if (line.starts_with(' ') || line.starts_with('\t')) return {};
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  if (word.find(':') != std::string_view::npos) return {};
  line.remove_prefix(end);
  return word;
}

}  // namespace commonplace
