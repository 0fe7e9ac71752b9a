#include "commonplace/formats/pictures/photo.h"

#include <algorithm>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/pictures/embedded.h"
#include "commonplace/formats/pictures/svg.h"
#include "commonplace/formats/pictures/xmp.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/files.h"
#include "commonplace/io/lines.h"

namespace commonplace {
namespace {

/// Whether the bytes begin like XML, or like gzip as in .svgz.
bool may_be_svg(PictureBytes& bytes) {
  const std::string_view head = bytes.read(0, std::min<std::uint64_t>(3, bytes.size()));
  if (head.empty()) return false;
  return std::string_view("< \t\r\n").find(head[0]) != std::string_view::npos ||
         head == "\xef\xbb\xbf" || head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff") ||
         head.starts_with("\x1f\x8b");
}

PhotoFacts facts_in_svg(const std::filesystem::path& photo) {
  constexpr std::uint64_t svg_limit = 64 << 20;
  return facts_of_svg(read_all(*open_bytes(photo), svg_limit, photo.string()), photo.string());
}

using Note = std::function<void(const std::string& message)>;

/// To read, unlike to write, a guess at the character set is good enough.
PhotoFacts facts_of_packet(const std::string& packet, const std::string& name) {
  return facts_of_xmp(XmpPacket(assume_utf8(utf8_of_utf16(packet)), name));
}

/// Adds what a packet says. One that cannot be understood is told to `note`, if there is one.
void merge_packet(PhotoFacts& facts, const std::string& packet, const std::string& name,
                  const Note& note) {
  try {
    merge(facts, facts_of_packet(packet, name));
  } catch (const Error& error) {
    if (!note) throw;
    note(concat(error.what(), "; the picture is taken without it"));
  }
}

/// Leaves out keywords that repeat a machine's tags: programs that put XMP into a picture write its
/// keywords as IPTC and EXIF too, which have no marks.
void leave_out_repeated(PhotoFacts& facts, const std::vector<ItemTag>& machine) {
  std::set<std::string> repeated;
  for (const ItemTag& tag : machine)
    for (const std::string& path : tag_path(tag.name)) {
      repeated.insert(tag_key(path));
      repeated.insert(tag_key(tag_leaf(path)));
    }
  std::erase_if(facts.keywords, [&](const std::string& keyword) {
    return repeated.contains(tag_key(tag_name(keyword)));
  });
}

/// XMP comes first: it is what photo managers keep, the rest is what they leave alone.
PhotoFacts facts_of_embedded(Embedded&& embedded, const std::string& name, const Note& note = {}) {
  PhotoFacts facts;
  for (const std::string& packet : embedded.xmp)
    merge_packet(facts, packet, name + " (the XMP in it)", note);
  PhotoFacts others = facts_of_iptc(embedded.iptc);
  merge(others, std::move(embedded.facts));
  leave_out_repeated(others, facts.machine);
  merge(facts, std::move(others));
  return facts;
}

PhotoFacts facts_in_file(const std::filesystem::path& photo, const Note& note) {
  PictureBytes bytes(photo);
  if (may_be_svg(bytes)) return facts_in_svg(photo);
  return facts_of_embedded(read_embedded(bytes), bytes.name(), note);
}

}  // namespace

Item read_photo(const std::filesystem::path& photo) { return read_photo(photo, {}); }

Item read_photo(const std::filesystem::path& photo, const Note& note) {
  PhotoFacts facts;
  for (const std::filesystem::path& sidecar : sidecars(photo)) {
    std::string packet;
    try {
      packet = read_file(sidecar, metadata_limit);
    } catch (const Error& error) {
      if (!note) throw;
      note(concat(error.what(), "; the picture is taken without it"));
      continue;
    }
    merge_packet(facts, packet, sidecar.string(), note);
  }
  merge(facts, facts_in_file(photo, note));
  return item_of(facts);
}

Item parse_photo(const std::string& content, const std::string& name) {
  PictureBytes bytes(content, name);
  return item_of(facts_of_embedded(read_embedded(bytes), name));
}

std::vector<ItemTag> machine_tags_inside(const std::filesystem::path& photo) {
  return facts_in_file(photo, [](const std::string&) {}).machine;
}

std::vector<std::filesystem::path> sidecars(const std::filesystem::path& photo) {
  std::filesystem::path appended = photo;
  appended += ".xmp";
  std::filesystem::path replaced = photo;
  replaced.replace_extension(".xmp");
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto* path : {&appended, &replaced})
    if (std::filesystem::is_regular_file(*path, ignored)) found.push_back(*path);
  return found;
}

Item parse_xmp(const std::string& packet, const std::string& name) {
  return item_of(facts_of_packet(packet, name));
}

Item parse_svg(const std::string& svg, const std::string& name) {
  return item_of(facts_of_svg(svg, name));
}

}  // namespace commonplace
