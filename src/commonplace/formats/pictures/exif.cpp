#include <array>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/pictures/embedded.h"

namespace commonplace {
namespace {

enum Tag : std::uint64_t {
  gps_latitude_reference = 0x0001,
  gps_latitude = 0x0002,
  gps_longitude_reference = 0x0003,
  gps_longitude = 0x0004,
  image_width = 0x0100,
  image_height = 0x0101,
  image_description = 0x010e,
  camera_make = 0x010f,
  camera_model = 0x0110,
  image_orientation = 0x0112,
  artist = 0x013b,
  xmp_packet = 0x02bc,
  windows_rating = 0x4746,
  copyright = 0x8298,
  iptc_datasets = 0x83bb,
  photoshop_resources = 0x8649,
  exif_directory = 0x8769,
  gps_directory = 0x8825,
  date_time_original = 0x9003,
  date_time_digitised = 0x9004,
  offset_time_original = 0x9011,
  user_comment = 0x9286,
  windows_title = 0x9c9b,
  windows_comment = 0x9c9c,
  windows_author = 0x9c9d,
  windows_keywords = 0x9c9e,
};

/// One entry of a directory: `count` values of `type`, which lie at `offset`.
struct ExifEntry {
  std::uint64_t tag = 0;
  std::uint64_t type = 0;
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
};

std::uint64_t size_of_type(std::uint64_t type) {
  constexpr std::array<std::uint64_t, 14> sizes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
  return type < sizes.size() ? sizes[type] : 0;
}

/// UTF-16 to UTF-8; lone surrogates become U+FFFD.
std::string utf8_of_units(std::string_view bytes, bool big) {
  auto unit = [&](std::size_t at) -> std::uint32_t {
    const std::string_view pair = bytes.substr(at, 2);
    return static_cast<std::uint32_t>(big ? big_endian(pair) : little_endian(pair));
  };
  std::string text;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code == 0) break;
    if (code >= 0xd800 && code < 0xe000) {
      const std::uint32_t low = code < 0xdc00 && at + 4 <= bytes.size() ? unit(at + 2) : 0;
      const bool paired = low >= 0xdc00 && low < 0xe000;
      code = paired ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
      if (paired) at += 2;
    }
    if (code < 0x80) {
      text += static_cast<char>(code);
      continue;
    }
    const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    text += static_cast<char>((0xff00U >> (tail + 1) & 0xff) | code >> (6 * tail));
    for (int shift = 6 * (tail - 1); shift >= 0; shift -= 6)
      text += static_cast<char>(0x80 | (code >> shift & 0x3f));
  }
  return text;
}

/// A TIFF structure: a file, or the block of EXIF inside another one. Every read is bounded by
/// PictureBytes, which throws Error beyond the end.
class TiffReader {
 public:
  explicit TiffReader(PictureBytes& bytes) : bytes_(bytes) {
    const std::string_view order = bytes_.read(0, 4);
    big_ = order[0] == 'M';
    require(order.substr(0, 2) == (big_ ? "MM" : "II") &&
                (big_ ? big_endian(order.substr(2)) : little_endian(order.substr(2))) == 42,
            bytes_.name(), ": is not a TIFF structure");
  }

  std::uint64_t number(std::uint64_t offset, std::uint64_t size) {
    const std::string_view field = bytes_.read(offset, size);
    return big_ ? big_endian(field) : little_endian(field);
  }

  std::vector<ExifEntry> directory(std::uint64_t offset) {
    const std::uint64_t count = number(offset, 2);
    std::vector<ExifEntry> entries;
    for (std::uint64_t at = offset + 2; entries.size() < count; at += 12) {
      ExifEntry entry{number(at, 2), number(at + 2, 2), number(at + 4, 4), at + 8};
      if (size_of_type(entry.type) * entry.count > 4) entry.offset = number(at + 8, 4);
      entries.push_back(entry);
    }
    return entries;
  }

  std::string bytes(const ExifEntry& entry) {
    return std::string(bytes_.read(entry.offset, size_of_type(entry.type) * entry.count));
  }

  /// The first value of a whole-number type; 0 for other types.
  std::uint64_t integer(const ExifEntry& entry) {
    const bool whole = entry.type == 1 || entry.type == 3 || entry.type == 4 || entry.type == 13;
    return whole && entry.count > 0 ? number(entry.offset, size_of_type(entry.type)) : 0;
  }

  std::string text(const ExifEntry& entry) {
    const std::string value = bytes(entry);
    return assume_utf8(value.substr(0, value.find('\0')));
  }

  /// Windows' own tags are UTF-16, little-endian whatever the order of the rest.
  std::string windows_text(const ExifEntry& entry) { return utf8_of_units(bytes(entry), false); }

  /// EXIF's comment begins with the name of its character set in eight bytes.
  std::string comment(const ExifEntry& entry) {
    const std::string value = bytes(entry);
    if (value.size() < 8) return {};
    const std::string body = value.substr(8);
    if (value.starts_with("UNICODE")) return utf8_of_units(body, big_);
    if (value.starts_with("JIS")) return {};
    return assume_utf8(body.substr(0, body.find('\0')));
  }

  /// Degrees, minutes and seconds as fractions; not a number where one is missing or divided by 0.
  double degrees(const ExifEntry& entry) {
    if (entry.type != 5 || entry.count < 1) return std::nan("");
    double result = 0;
    double unit = 1;
    for (std::uint64_t part = 0; part < std::min<std::uint64_t>(3, entry.count); ++part) {
      const auto above = static_cast<double>(number(entry.offset + 8 * part, 4));
      const auto below = static_cast<double>(number(entry.offset + 8 * part + 4, 4));
      // Cameras leave seconds as 0/0 when the minutes carry the fraction.
      if (part == 0 || above != 0 || below != 0) result += unit * above / below;
      unit /= 60;
    }
    return result;
  }

 private:
  PictureBytes& bytes_;
  bool big_ = false;
};

/// Calls `take` for each entry; an entry that cannot be read is passed over.
template <class Take>
void for_each_entry(TiffReader& tiff, std::uint64_t offset, const Take& take) {
  for (const ExifEntry& entry : tiff.directory(offset)) {
    try {
      take(entry);
    } catch (const Error&) {
    }
  }
}

std::optional<int> small_number(std::uint64_t value, std::uint64_t largest) {
  if (value == 0 || value > largest) return {};
  return static_cast<int>(value);
}

void read_gps(TiffReader& tiff, std::uint64_t offset, PhotoFacts& facts) {
  double latitude = std::nan("");
  double longitude = std::nan("");
  std::string latitude_letter;
  std::string longitude_letter;
  for_each_entry(tiff, offset, [&](const ExifEntry& entry) {
    if (entry.tag == gps_latitude_reference) latitude_letter = tiff.text(entry);
    if (entry.tag == gps_latitude) latitude = tiff.degrees(entry);
    if (entry.tag == gps_longitude_reference) longitude_letter = tiff.text(entry);
    if (entry.tag == gps_longitude) longitude = tiff.degrees(entry);
  });
  if (!(latitude <= 90) || !(longitude <= 180)) return;
  if (latitude_letter.starts_with('S')) latitude = -latitude;
  if (longitude_letter.starts_with('W')) longitude = -longitude;
  facts.place = Place{latitude, longitude};
}

void read_exif_directory(TiffReader& tiff, std::uint64_t offset, PhotoFacts& facts) {
  std::string zone;
  for_each_entry(tiff, offset, [&](const ExifEntry& entry) {
    if (entry.tag == date_time_original) facts.taken = tiff.text(entry);
    if (entry.tag == date_time_digitised) facts.digitised = tiff.text(entry);
    if (entry.tag == offset_time_original) zone = tiff.text(entry);
    if (entry.tag == user_comment) facts.comment = tiff.comment(entry);
  });
  if (!facts.taken.empty()) facts.taken += zone;
}

void take_entry(TiffReader& tiff, const ExifEntry& entry, Embedded& embedded) {
  PhotoFacts& facts = embedded.facts;
  switch (entry.tag) {
    case image_description:
      facts.description = tiff.text(entry);
      break;
    case camera_make:
      facts.make = tiff.text(entry);
      break;
    case camera_model:
      facts.model = tiff.text(entry);
      break;
    case image_orientation:
      facts.orientation = small_number(tiff.integer(entry), 8);
      break;
    case artist:
      facts.creator = tiff.text(entry);
      break;
    case copyright:
      facts.rights = tiff.text(entry);
      break;
    case windows_rating:
      facts.rating = small_number(tiff.integer(entry), 5);
      break;
    case windows_title:
      facts.title = tiff.windows_text(entry);
      break;
    case windows_comment:
      facts.comment = tiff.windows_text(entry);
      break;
    case windows_author:
      facts.creator = tiff.windows_text(entry);
      break;
    case windows_keywords:
      add_keywords(facts, tiff.windows_text(entry), ";");
      break;
    case exif_directory:
      read_exif_directory(tiff, tiff.integer(entry), facts);
      break;
    case gps_directory:
      read_gps(tiff, tiff.integer(entry), facts);
      break;
    default:
      break;
  }
}

}  // namespace

void read_exif(std::string_view block, Embedded& embedded) {
  if (block.starts_with("Exif")) block.remove_prefix(std::min<std::size_t>(6, block.size()));
  try {
    PictureBytes bytes(block, "EXIF");
    TiffReader tiff(bytes);
    for_each_entry(tiff, tiff.number(4, 4),
                   [&](const ExifEntry& entry) { take_entry(tiff, entry, embedded); });
  } catch (const Error&) {
  }
}

Embedded read_tiff(PictureBytes& bytes) {
  Embedded embedded;
  TiffReader tiff(bytes);
  for (const ExifEntry& entry : tiff.directory(tiff.number(4, 4))) {
    constexpr std::uint64_t largest_side = 1 << 30;
    if (entry.tag == image_width)
      embedded.facts.width = small_number(tiff.integer(entry), largest_side);
    if (entry.tag == image_height)
      embedded.facts.height = small_number(tiff.integer(entry), largest_side);
    if (entry.tag == xmp_packet) add_xmp(embedded, tiff.bytes(entry));
    if (entry.tag == iptc_datasets) embedded.iptc = tiff.bytes(entry);
    if (entry.tag == photoshop_resources && embedded.iptc.empty())
      embedded.iptc = iptc_of_photoshop(tiff.bytes(entry));
  }
  for_each_entry(tiff, tiff.number(4, 4),
                 [&](const ExifEntry& entry) { take_entry(tiff, entry, embedded); });
  return embedded;
}

}  // namespace commonplace
