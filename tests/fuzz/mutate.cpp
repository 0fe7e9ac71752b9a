#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace commonplace::fuzz {
namespace {

constexpr std::size_t kLongestPart = 64;
constexpr std::size_t kLongestInput = 1 << 16;

struct Part {
  std::size_t begin;
  std::size_t size;
};

/// A place to insert at: 0 to the size of the text.
std::size_t place_in(const std::string& text, Rng& rng) { return rng.below(text.size() + 1); }

Part part_of(const std::string& text, Rng& rng) {
  const std::size_t begin = place_in(text, rng);
  return {begin, rng.below(std::min(text.size() - begin, kLongestPart) + 1)};
}

template <std::size_t count>
std::string_view pick(const std::array<std::string_view, count>& choices, Rng& rng) {
  return choices[rng.below(count)];
}

void flip_bit(std::string& text, Rng& rng) {
  if (text.empty()) return;
  char& byte = text[rng.below(text.size())];
  byte = static_cast<char>(byte ^ 1 << rng.below(8));
}

void overwrite_byte(std::string& text, Rng& rng) {
  if (!text.empty()) text[rng.below(text.size())] = static_cast<char>(rng());
}

void truncate(std::string& text, Rng& rng) { text.resize(place_in(text, rng)); }

void erase_part(std::string& text, Rng& rng) {
  const Part part = part_of(text, rng);
  text.erase(part.begin, part.size);
}

void double_part(std::string& text, Rng& rng) {
  const Part part = part_of(text, rng);
  const std::string copy = text.substr(part.begin, part.size);
  const std::uint64_t times = rng.below(8) == 0 ? 100 : 1;
  const std::size_t place = place_in(text, rng);
  for (std::uint64_t i = 0; i < times; ++i) text.insert(place, copy);
}

void insert_bytes(std::string& text, Rng& rng) {
  std::string bytes(1 + rng.below(8), '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng());
  text.insert(place_in(text, rng), bytes);
}

void insert_mark(std::string& text, Rng& rng) {
  using namespace std::literals;
  static constexpr std::array<std::string_view, 28> marks{
      "\0"sv, "\n"sv, "\r\n"sv, "\""sv, "'"sv,  "{"sv,       "}"sv,
      "["sv,  "]"sv,  "("sv,    ")"sv,  "<"sv,  ">"sv,       "</"sv,
      "&"sv,  ";"sv,  ","sv,    ":"sv,  "\\"sv, "\\u0000"sv, "\xff"sv,
      "@"sv,  "#"sv,  "%"sv,    "="sv,  "\t"sv, "null"sv,    "\xef\xbb\xbf"sv};
  const std::string_view mark = pick(marks, rng);
  const std::uint64_t times = rng.below(16) == 0 ? 2000 : 1;
  const std::size_t place = place_in(text, rng);
  for (std::uint64_t i = 0; i < times; ++i) text.insert(place, mark);
}

/// Replaces a number that is written in digits.
void edit_decimal(std::string& text, Rng& rng) {
  static constexpr std::array<std::string_view, 14> numbers{"0",           "1",
                                                            "-1",          "255",
                                                            "65536",       "2147483648",
                                                            "-2147483648", "4294967295",
                                                            "1000000000",  "9223372036854775807",
                                                            "1e400",       "0.5",
                                                            "nan",         "18446744073709551616"};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(place_in(text, rng));
  const auto begin = std::find_if(from, text.end(), is_digit);
  const auto end = std::find_if_not(begin, text.end(), is_digit);
  text.replace(begin, end, pick(numbers, rng));
}

/// Overwrites a little-endian integer of 1, 2, 4 or 8 bytes.
void edit_binary(std::string& text, Rng& rng) {
  static constexpr std::array<std::uint64_t, 8> numbers{
      0, 1, 0x7f, 0xff, 0x7fff, 0x7fffffff, 0x7fffffffffffffff, 0xffffffffffffffff};
  const std::size_t width = std::size_t{1} << rng.below(4);
  if (text.size() < width) return;
  const std::size_t place = rng.below(text.size() - width + 1);
  const std::uint64_t number = numbers[rng.below(numbers.size())];
  for (std::size_t i = 0; i < width; ++i) text[place + i] = static_cast<char>(number >> (8 * i));
}

/// The front of `text` followed by the back of another seed.
void splice(std::string& text, const std::string& other, Rng& rng) {
  text.resize(place_in(text, rng));
  text.append(other, place_in(other, rng), std::string::npos);
}

}  // namespace

std::string mutate(const std::vector<std::string>& seeds, Rng& rng) {
  using Change = void (*)(std::string&, Rng&);
  static constexpr std::array<Change, 9> changes{flip_bit,    overwrite_byte, truncate,
                                                 erase_part,  double_part,    insert_bytes,
                                                 insert_mark, edit_decimal,   edit_binary};
  std::string text = seeds[rng.below(seeds.size())];
  const std::uint64_t count = 1 + rng.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t choice = rng.below(changes.size() + 1);
    if (choice < changes.size()) {
      changes[choice](text, rng);
    } else {
      splice(text, seeds[rng.below(seeds.size())], rng);
    }
  }
  if (text.size() > kLongestInput) text.resize(kLongestInput);
  return text;
}

}  // namespace commonplace::fuzz
