#include "tests/support/tiny_images.h"

#include <cstdint>

#include <zlib.h>

namespace commonplace::test {
namespace {

std::string big_endian(std::uint32_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    text += static_cast<char>(value >> shift & 0xff);
  return text;
}

std::string little_endian(std::uint32_t value, int bytes) {
  const std::string text = big_endian(value, bytes);
  return {text.rbegin(), text.rend()};
}

std::string tiff_entry(std::uint32_t tag, std::uint32_t type, std::uint32_t value) {
  return little_endian(tag, 2) + little_endian(type, 2) + little_endian(1, 4) +
         little_endian(value, 4);
}

}  // namespace

std::string jpeg_segment(unsigned char marker, const std::string& body) {
  return std::string("\xff") + static_cast<char>(marker) +
         big_endian(static_cast<std::uint32_t>(body.size() + 2), 2) + body;
}

std::string png_chunk(const std::string& kind, const std::string& body) {
  const std::string checked = kind + body;
  const uLong checksum =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(body.size()), 4) + checked +
         big_endian(static_cast<std::uint32_t>(checksum), 4);
}

std::string webp_chunk(const std::string& kind, const std::string& body) {
  return kind + little_endian(static_cast<std::uint32_t>(body.size()), 4) + body +
         std::string(body.size() % 2, '\0');
}

std::string jpeg_with(const std::string& segments) {
  const std::string table = jpeg_segment(0xdb, std::string(1, '\0') + std::string(64, '\1'));
  const std::string frame = jpeg_segment(0xc0, std::string("\x08\0\x08\0\x08\1\1\x11\0", 9));
  // One code of one bit each: "no difference" for DC, "end of block" for AC.
  const std::string lengths = std::string(1, '\1') + std::string(15, '\0');
  const std::string codes =
      jpeg_segment(0xc4, std::string(1, '\0') + lengths + std::string(1, '\0')) +
      jpeg_segment(0xc4, "\x10" + lengths + std::string(1, '\0'));
  const std::string scan = jpeg_segment(0xda, std::string("\1\1\0\0\x3f\0", 6)) + "\x3f";
  return "\xff\xd8" + segments + table + frame + codes + scan + "\xff\xd9";
}

std::string png_with(const std::string& chunks) {
  const std::string header("\0\0\0\1\0\0\0\1\x08\0\0\0\0", 13);
  const std::string pixels("\x78\x9c\x63\x60\0\0\0\2\0\1", 10);
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + chunks + png_chunk("IDAT", pixels) +
         png_chunk("IEND", "");
}

std::string webp_with(const std::string& chunks) {
  const std::string picture("\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\7", 13);
  // EXIF and XMP are flagged so that readers look for them.
  const std::string header =
      chunks.empty() ? std::string() : webp_chunk("VP8X", "\x0c" + std::string(9, '\0'));
  const std::string body = "WEBP" + header + webp_chunk("VP8L", picture) + chunks;
  return "RIFF" + little_endian(static_cast<std::uint32_t>(body.size()), 4) + body;
}

std::string tiny_jpeg() { return jpeg_with(""); }
std::string tiny_png() { return png_with(""); }
std::string tiny_webp() { return webp_with(""); }

std::string tiny_tiff() {
  constexpr std::uint32_t entries = 9;
  constexpr std::uint32_t pixel = 8 + 2 + 12 * entries + 4;
  std::string directory = little_endian(entries, 2);
  directory += tiff_entry(256, 4, 1) + tiff_entry(257, 4, 1) + tiff_entry(258, 3, 8);
  directory += tiff_entry(259, 3, 1) + tiff_entry(262, 3, 1) + tiff_entry(273, 4, pixel);
  directory += tiff_entry(277, 3, 1) + tiff_entry(278, 4, 1) + tiff_entry(279, 4, 1);
  return std::string("II*\0\x08\0\0\0", 8) + directory + std::string(4, '\0') + "\x80";
}

}  // namespace commonplace::test
