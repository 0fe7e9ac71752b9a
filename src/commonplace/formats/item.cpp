#include "commonplace/formats/item.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::int64_t kDay = 86'400;

/// A time as precise as it was written: zeros stand for what was left out.
struct Parts {
  int year = 0;
  int month = 0;
  int day = 0;
  bool has_clock = false;
  std::int64_t seconds_of_day = 0;  ///< less the offset from UTC, so it may be outside the day
};

/// Reads from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  void skip_blanks() {
    while (take(' ')) continue;
  }
  std::size_t digits() const {
    return std::min(rest_.find_first_not_of("0123456789"), rest_.size());
  }
  /// A number of `least` to `most` digits.
  std::optional<int> number(std::size_t least, std::size_t most) {
    const std::size_t length = std::min(digits(), most);
    if (length < least) return std::nullopt;
    int value = 0;
    std::from_chars(rest_.data(), rest_.data() + length, value);
    rest_.remove_prefix(length);
    return value;
  }

 private:
  std::string_view rest_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::chrono::year_month_day calendar_day(int year, int month, int day) {
  return {std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
          std::chrono::day(static_cast<unsigned>(day))};
}

std::int64_t days_of(const Parts& parts) {
  const auto day = calendar_day(parts.year, std::max(parts.month, 1), std::max(parts.day, 1));
  return std::chrono::sys_days(day).time_since_epoch().count();
}

bool valid_date(const Parts& parts) {
  if (parts.year < 1 || parts.year > 9999) return false;
  if (parts.month == 0) return parts.day == 0;
  return calendar_day(parts.year, parts.month, std::max(parts.day, 1)).ok();
}

std::string format(const char* pattern, int a, int b = 0, int c = 0) {
  std::array<char, 48> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), pattern, a, b, c);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::optional<std::string> format_seconds(std::int64_t seconds) {
  const std::int64_t days = seconds / kDay - (seconds % kDay < 0 ? 1 : 0);
  constexpr std::int64_t kFirstDay = -719'162;  // 0001-01-01
  constexpr std::int64_t kLastDay = 2'932'896;  // 9999-12-31
  if (days < kFirstDay || days > kLastDay) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int clock = static_cast<int>(seconds - days * kDay);
  return format("%04d-%02d-%02d", static_cast<int>(date.year()),
                static_cast<int>(static_cast<unsigned>(date.month())),
                static_cast<int>(static_cast<unsigned>(date.day()))) +
         format("T%02d:%02d:%02dZ", clock / 3600, clock / 60 % 60, clock % 60);
}

/// "Z", "+02:00", "-0530", "+01", "UTC" or nothing, which is taken for UTC.
std::optional<int> parse_offset(Cursor& at) {
  at.skip_blanks();
  if (at.done() || at.take('Z') || at.take('z') || at.take("UTC") || at.take("GMT")) return 0;
  const bool west = at.peek() == '-';
  if (!at.take('+') && !at.take('-')) return std::nullopt;
  const auto hours = at.number(2, 2);
  at.take(':');
  const auto minutes = at.done() ? std::optional<int>(0) : at.number(2, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const int offset = *hours * 3600 + *minutes * 60;
  return west ? -offset : offset;
}

bool parse_clock(Cursor& at, Parts& parts) {
  const auto hours = at.number(1, 2);
  if (!hours || !at.take(':')) return false;
  const auto minutes = at.number(2, 2);
  if (!minutes) return false;
  int seconds = 0;
  if (at.take(':')) {
    const auto written = at.number(2, 2);
    if (!written) return false;
    seconds = *written;
    if (at.take('.') || at.take(',')) {
      if (at.digits() == 0) return false;
      while (at.number(1, 1)) continue;
    }
  }
  const bool midnight_at_the_end = *hours == 24 && *minutes == 0 && seconds == 0;
  const bool leap_second = seconds == 60 && *minutes == 59;
  if ((*hours > 23 && !midnight_at_the_end) || *minutes > 59 || (seconds > 59 && !leap_second))
    return false;
  const auto offset = parse_offset(at);
  if (!offset) return false;
  parts.has_clock = true;
  parts.seconds_of_day = *hours * 3600 + *minutes * 60 + seconds - *offset;
  return true;
}

/// "1904", "1904-05", "1904-05-03", also separated by ':' or '/', and 19040503. Zeros for the month
/// or the day say that it is not known.
bool parse_date(Cursor& at, Parts& parts) {
  const bool compact = at.digits() == 8;
  const auto year = at.number(4, 4);
  if (!year) return false;
  parts.year = *year;
  const char separator = at.peek();
  if (!compact && separator != '-' && separator != ':' && separator != '/') return at.done();
  if (!compact) at.take(separator);
  const std::size_t least = compact ? 2 : 1;
  const auto month = at.number(least, 2);
  if (!month) return false;
  parts.month = *month;
  if (at.done()) return true;
  if (!compact && !at.take(separator)) return false;
  const auto day = at.number(least, 2);
  if (!day) return false;
  parts.day = *day;
  return true;
}

std::optional<Parts> parse_calendar(std::string_view text) {
  Cursor at(text);
  Parts parts;
  if (!parse_date(at, parts) || !valid_date(parts)) return std::nullopt;
  if (at.done()) return parts;
  if (!at.take('T') && !at.take('t') && at.peek() != ' ') return std::nullopt;
  at.skip_blanks();
  if (!parse_clock(at, parts) || !at.done() || parts.day == 0) return std::nullopt;
  return parts;
}

/// Seconds since 1970 in five digits or more; thousandths, millionths and billionths are told by
/// their length. Fewer digits are hardly a time.
std::optional<std::int64_t> parse_epoch(std::string_view text) {
  std::string_view whole = text.substr(0, text.find('.'));
  const std::string_view fraction = text.substr(std::min(whole.size() + 1, text.size()));
  if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (problem != std::errc{} || end != whole.data() + whole.size()) return std::nullopt;
  const std::size_t digits = whole.size() - (whole.starts_with('-') ? 1 : 0);
  if (digits < 5) return std::nullopt;
  if (digits > 17) return value / 1'000'000'000;
  if (digits > 14) return value / 1'000'000;
  if (digits > 11) return value / 1'000;
  return value;
}

}  // namespace

std::optional<std::string> parse_time(const std::string& text) {
  const std::string_view written = trimmed(text);
  if (const auto parts = parse_calendar(written)) {
    if (parts->month == 0) return format("%04d", parts->year);
    if (parts->day == 0) return format("%04d-%02d", parts->year, parts->month);
    if (!parts->has_clock) return format("%04d-%02d-%02d", parts->year, parts->month, parts->day);
    return format_seconds(days_of(*parts) * kDay + parts->seconds_of_day);
  }
  const auto seconds = parse_epoch(written);
  return seconds ? format_seconds(*seconds) : std::nullopt;
}

std::int64_t epoch_seconds(const std::string& time) {
  const auto parts = parse_calendar(time);
  require(parts.has_value(), "'", time.substr(0, 60),
          "' is not a time; expected 1904, 1904-05, 1904-05-03 or 1904-05-03T10:11:12Z");
  return days_of(*parts) * kDay + parts->seconds_of_day;
}

std::string time_of_epoch(std::int64_t seconds) {
  const auto time = format_seconds(seconds);
  require(time.has_value(), seconds, " seconds since 1970 are outside the years 1 to 9999");
  return *time;
}

}  // namespace commonplace
