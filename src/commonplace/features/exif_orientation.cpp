#include "commonplace/features/exif_orientation.h"

#include <cstddef>
#include <cstdint>

namespace commonplace {
namespace {

constexpr std::uint32_t kOrientationTag = 0x112;
constexpr std::uint32_t kShortType = 3;

/// A number of `count` bytes at `offset`; 0 where there are none.
std::uint32_t number(std::string_view bytes, std::size_t offset, int count, bool big_endian) {
  if (offset > bytes.size() || bytes.size() - offset < static_cast<std::size_t>(count)) return 0;
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    const int at = big_endian ? i : count - 1 - i;
    value = value << 8 | static_cast<unsigned char>(bytes[offset + static_cast<std::size_t>(at)]);
  }
  return value;
}

std::string_view part(std::string_view bytes, std::size_t offset, std::size_t count) {
  return offset <= bytes.size() ? bytes.substr(offset, count) : std::string_view();
}

}  // namespace

int exif_orientation(std::string_view exif) {
  const bool big_endian = exif.starts_with("MM");
  if (!big_endian && !exif.starts_with("II")) return 1;
  if (number(exif, 2, 2, big_endian) != 42) return 1;
  const std::size_t directory = number(exif, 4, 4, big_endian);
  const std::uint32_t entries = number(exif, directory, 2, big_endian);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (entry + 12 > exif.size()) return 1;
    if (number(exif, entry, 2, big_endian) != kOrientationTag) continue;
    if (number(exif, entry + 2, 2, big_endian) != kShortType) return 1;
    const std::uint32_t value = number(exif, entry + 8, 2, big_endian);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

int jpeg_orientation(std::string_view bytes) {
  constexpr std::string_view label("Exif\0\0", 6);
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == '\xff') {
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0xda || marker == 0xd9) return 1;
    const std::size_t length = number(bytes, at + 2, 2, true);
    const std::string_view body = part(bytes, at + 4, length < 2 ? 0 : length - 2);
    if (marker == 0xe1 && body.starts_with(label)) return exif_orientation(body.substr(6));
    at += 2 + length;
  }
  return 1;
}

int webp_orientation(std::string_view bytes) {
  constexpr std::string_view label("Exif\0\0", 6);
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = number(bytes, at + 4, 4, false);
    if (part(bytes, at, 4) == "EXIF") {
      std::string_view body = part(bytes, at + 8, length);
      if (body.starts_with(label)) body.remove_prefix(label.size());
      return exif_orientation(body);
    }
    at += 8 + length + length % 2;
  }
  return 1;
}

int png_orientation(std::string_view bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t length = number(bytes, at, 4, true);
    if (part(bytes, at + 4, 4) == "eXIf") return exif_orientation(part(bytes, at + 8, length));
    at += 12 + length;
  }
  return 1;
}

}  // namespace commonplace
