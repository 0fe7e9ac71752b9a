#include "commonplace/encode/precompiled_map.h"

#include <array>
#include <memory>
#include <optional>

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/encode/characters.h"

namespace commonplace {
namespace {

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kDigits.find(c);
    require(digit != std::string_view::npos, "precompiled_charsmap is not in base64");
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
  }
  return bytes;
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// The ends of the clusters of a text.
std::vector<std::size_t> cluster_ends(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  static const std::unique_ptr<const icu::BreakIterator> prototype(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  require(prototype != nullptr, "ICU's data for clusters of characters are missing");
  const std::unique_ptr<icu::BreakIterator> breaks(prototype->clone());
  const std::unique_ptr<UText, decltype(&utext_close)> view(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status),
      &utext_close);
  breaks->setText(view.get(), status);
  require(U_SUCCESS(status) != 0, "a text cannot be cut into characters: ", u_errorName(status));
  std::vector<std::size_t> ends;
  for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next())
    ends.push_back(static_cast<std::size_t>(end));
  return ends;
}

constexpr std::size_t kMostClusterBytes = 5;

}  // namespace

PrecompiledMap::PrecompiledMap(std::string_view base64) {
  const std::string bytes = from_base64(base64);
  require(bytes.size() >= 4, "precompiled_charsmap is too short");
  const std::size_t size = little_endian(bytes, 0);
  require(size >= 4 && size % 4 == 0 && size <= bytes.size() - 4,
          "precompiled_charsmap is damaged: a trie of ", size, " bytes in ", bytes.size());
  units_.reserve(size / 4);
  for (std::size_t at = 4; at < 4 + size; at += 4) units_.push_back(little_endian(bytes, at));
  replacements_ = bytes.substr(4 + size);
  require(invalid_utf8(replacements_) == std::string_view::npos,
          "precompiled_charsmap is damaged: its replacements are not UTF-8");
}

bool PrecompiledMap::replace(std::string_view part, std::string& out) const {
  const auto offset = [](std::uint32_t unit) {
    return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
  };
  std::uint32_t at = offset(units_[0]);
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return false;
    at ^= byte;
    if (at >= units_.size()) return false;
    const std::uint32_t unit = units_[at];
    if ((unit & ((1U << 31U) | 0xFFU)) != byte) return false;
    at ^= offset(unit);
    if (((unit >> 8U) & 1U) == 0) continue;
    if (at >= units_.size()) return false;
    const std::uint32_t first = units_[at] & ((1U << 31U) - 1U);
    if (first > replacements_.size() ||
        (first < replacements_.size() && U8_IS_TRAIL(replacements_[first])))
      return false;
    const std::string_view replacement(replacements_.c_str() + first);
    out += replacement;
    return true;
  }
  return false;
}

std::string PrecompiledMap::normalize(std::string_view text) const {
  std::string result;
  result.reserve(text.size());
  std::size_t begin = 0;
  for (const std::size_t end : cluster_ends(text)) {
    const std::string_view cluster = text.substr(begin, end - begin);
    begin = end;
    if (cluster.size() <= kMostClusterBytes && replace(cluster, result)) continue;
    visit_characters(cluster, [&](UChar32, std::string_view bytes) {
      if (!replace(bytes, result)) result += bytes;
    });
    if (result.size() > kMostRewritten) break;
  }
  return result;
}

}  // namespace commonplace
