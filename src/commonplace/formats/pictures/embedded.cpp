#include "commonplace/formats/pictures/embedded.h"

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

void set_size(Embedded& embedded, std::uint64_t width, std::uint64_t height) {
  embedded.facts.width = static_cast<int>(width);
  embedded.facts.height = static_cast<int>(height);
}

/// Extended XMP is one packet cut into segments of (GUID, full length, offset, part).
class ExtendedXmp {
 public:
  void add(std::string_view segment) {
    constexpr std::size_t guid_size = 32;
    constexpr std::size_t header_size = guid_size + 8;
    if (segment.size() < header_size) return;
    const std::string_view part = segment.substr(header_size);
    if (packet_.empty()) guid_ = segment.substr(0, guid_size);
    if (guid_ != segment.substr(0, guid_size)) return;
    length_ = big_endian(segment.substr(guid_size, 4));
    const bool in_order = big_endian(segment.substr(guid_size + 4, 4)) == packet_.size();
    if (in_order && packet_.size() + part.size() <= metadata_limit) packet_ += part;
  }
  bool complete() const { return !packet_.empty() && packet_.size() == length_; }
  const std::string& packet() const { return packet_; }

 private:
  std::string guid_;
  std::string packet_;
  std::uint64_t length_ = 0;
};

bool is_frame(std::uint64_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

bool stands_alone(std::uint64_t marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::uint64_t riff_number(std::string_view bytes) { return little_endian(bytes); }

}  // namespace

void add_xmp(Embedded& embedded, std::string_view packet) {
  constexpr std::size_t most_packets = 8;
  if (!packet.empty() && embedded.xmp.size() < most_packets) embedded.xmp.emplace_back(packet);
}

Embedded read_jpeg(PictureBytes& bytes) {
  using namespace std::string_view_literals;
  constexpr std::uint64_t start_of_scan = 0xda;
  constexpr std::uint64_t end_of_image = 0xd9;
  Embedded embedded;
  std::string photoshop;
  ExtendedXmp extended;
  std::uint64_t at = 2;
  for (;;) {
    const std::string_view head = bytes.read(at, 2);
    require(head[0] == '\xff', bytes.name(),
            ": is not a sound JPEG: a marker was expected at byte ", at);
    const std::uint64_t marker = big_endian(head.substr(1));
    if (marker == start_of_scan || marker == end_of_image) break;
    if (marker == 0xff || stands_alone(marker)) {  // 0xff fills, before a marker
      at += marker == 0xff ? 1 : 2;
      continue;
    }
    const std::uint64_t length = big_endian(bytes.read(at + 2, 2));
    require(length >= 2, bytes.name(), ": is not a sound JPEG: the segment at byte ", at,
            " has a length of ", length);
    std::string_view segment = bytes.read(at + 4, length - 2);
    at += 2 + length;
    if (is_frame(marker) && segment.size() >= 5 && !embedded.facts.width)
      set_size(embedded, big_endian(segment.substr(3, 2)), big_endian(segment.substr(1, 2)));
    if (marker == 0xe1 && segment.starts_with("Exif\0"sv)) read_exif(segment, embedded);
    if (marker == 0xe1 && take_prefix(segment, "http://ns.adobe.com/xap/1.0/\0"sv))
      add_xmp(embedded, segment);
    if (marker == 0xe1 && take_prefix(segment, "http://ns.adobe.com/xmp/extension/\0"sv))
      extended.add(segment);
    if (marker == 0xed && take_prefix(segment, "Photoshop 3.0\0"sv) &&
        photoshop.size() < metadata_limit)
      photoshop += segment;
  }
  if (extended.complete()) add_xmp(embedded, extended.packet());
  embedded.iptc = iptc_of_photoshop(photoshop);
  return embedded;
}

Embedded read_webp(PictureBytes& bytes) {
  Embedded embedded;
  const std::uint64_t end = 8 + riff_number(bytes.read(4, 4));
  require(end <= bytes.size(), bytes.name(), ": is cut short: its header promises ", end,
          " bytes but the file has ", bytes.size());
  for (std::uint64_t at = 12; at + 8 <= end;) {
    const std::string_view head = bytes.read(at, 8);
    const std::string kind(head.substr(0, 4));
    const std::uint64_t length = riff_number(head.substr(4));
    const std::uint64_t body = at + 8;
    require(length <= end - body, bytes.name(), ": is not a sound WebP: the chunk ", kind,
            " at byte ", at, " goes beyond the end");
    if (kind == "EXIF") read_exif(bytes.read(body, length), embedded);
    if (kind == "XMP ") add_xmp(embedded, bytes.read(body, length));
    if (kind == "VP8X" && length >= 10) {
      const std::string_view size = bytes.read(body + 4, 6);
      set_size(embedded, 1 + riff_number(size.substr(0, 3)), 1 + riff_number(size.substr(3, 3)));
    }
    if (kind == "VP8 " && length >= 10 && !embedded.facts.width) {
      const std::string_view size = bytes.read(body + 6, 4);
      set_size(embedded, riff_number(size.substr(0, 2)) & 0x3fff,
               riff_number(size.substr(2, 2)) & 0x3fff);
    }
    if (kind == "VP8L" && length >= 5 && !embedded.facts.width) {
      const std::uint64_t bits = riff_number(bytes.read(body + 1, 4));
      set_size(embedded, 1 + (bits & 0x3fff), 1 + (bits >> 14 & 0x3fff));
    }
    at = body + length + length % 2;
  }
  return embedded;
}

Embedded read_embedded(PictureBytes& bytes) {
  using namespace std::string_view_literals;
  const std::string head(bytes.read(0, std::min<std::uint64_t>(16, bytes.size())));
  if (head.starts_with("\xff\xd8\xff")) return read_jpeg(bytes);
  if (head.starts_with("\x89PNG\r\n\x1a\n")) return read_png(bytes);
  if (head.starts_with("RIFF") && head.find("WEBP") == 8) return read_webp(bytes);
  if (head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv)) return read_tiff(bytes);
  fail(bytes.name(), ": is not a JPEG, PNG, WebP or TIFF picture",
       head.empty() ? ": it is empty" : "");
}

}  // namespace commonplace
