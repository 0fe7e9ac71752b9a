#include "commonplace/formats/pictures/xmp_write.h"

#include <algorithm>
#include <set>

#include <zlib.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/pictures/embedded.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/formats/pictures/picture_bytes.h"
#include "commonplace/formats/pictures/xmp.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/files.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

bool is_hierarchical(const std::string& tag) { return tag_leaf(tag).size() != tag.size(); }

/// The keys of tags that a photo has. A plain tag that is a level of a hierarchical one counts as
/// there, as it does for the reader.
class PresentTags {
 public:
  void add(const std::string& tag) {
    keys_.insert(tag_key(tag));
    if (!is_hierarchical(tag)) return;
    for (const std::string& path : tag_path(tag)) levels_.insert(tag_key(tag_leaf(path)));
  }
  bool has(const std::string& tag) const {
    const std::string key = tag_key(tag);
    return keys_.count(key) != 0 || (!is_hierarchical(tag) && levels_.count(key) != 0);
  }

 private:
  std::set<std::string> keys_;
  std::set<std::string> levels_;
};

/// Those of `wanted` that are not yet in the list `name`, as told by their keys.
std::vector<std::string> missing(const XmpPacket& packet, const XmpName& name,
                                 const std::vector<std::string>& wanted) {
  std::set<std::string> keys;
  for (const std::string& value : packet.list(name)) keys.insert(tag_key(value));
  std::vector<std::string> result;
  for (const std::string& value : wanted)
    if (keys.insert(tag_key(value)).second) result.push_back(value);
  return result;
}

/// Every list gets those of the photo's tags that it lacks, not the new ones alone: readers that
/// trust one list, or the sidecar more than the photo, must not lose the tags that were there.
void append_tags(XmpPacket& packet, const std::vector<std::string>& tags) {
  std::vector<std::string> paths;
  std::vector<std::string> leaves;
  for (const std::string& tag : tags) {
    leaves.emplace_back(tag_leaf(tag));
    // A '|' inside a level would be read back as another level.
    if (!is_hierarchical(tag) || tag.find('|') != std::string::npos) continue;
    paths.push_back(tag);
    std::replace(paths.back().begin(), paths.back().end(), '/', '|');
  }
  packet.append(xmp::tags_list, "Seq", missing(packet, xmp::tags_list, tags));
  packet.append(xmp::hierarchical_subject, "Bag",
                missing(packet, xmp::hierarchical_subject, paths));
  packet.append(xmp::subject, "Bag", missing(packet, xmp::subject, leaves));
}

/// Tags by their keys.
std::set<std::string> keys_of(const std::vector<std::string>& tags) {
  std::set<std::string> keys;
  for (const std::string& tag : tags) keys.insert(tag_key(tag_name(tag)));
  return keys;
}

/// Takes tags out of all lists; the last level of one stays where another tag has it as a level.
void remove_tags(XmpPacket& packet, const std::vector<std::string>& tags) {
  const std::set<std::string> keys = keys_of(tags);
  const auto is_gone = [&](std::string value) {
    std::replace(value.begin(), value.end(), '|', '/');
    return keys.count(tag_key(tag_name(value))) != 0;
  };
  packet.remove(xmp::hierarchical_subject, is_gone);
  packet.remove(xmp::tags_list, [&](const std::string& value) {
    return keys.count(tag_key(tag_name(value))) != 0;
  });
  std::set<std::string> others;
  std::vector<std::string> left = packet.list(xmp::hierarchical_subject);
  for (std::string& path : left) std::replace(path.begin(), path.end(), '|', '/');
  for (std::string& path : packet.list(xmp::tags_list)) left.push_back(std::move(path));
  for (const std::string& tag : left)
    for (const std::string& path : tag_path(tag_name(tag))) others.insert(tag_key(tag_leaf(path)));
  std::set<std::string> leaves;
  for (const std::string& tag : tags) leaves.insert(tag_key(tag_leaf(tag)));
  packet.remove(xmp::subject, [&](const std::string& value) {
    const std::string key = tag_key(tag_name(value));
    return leaves.count(key) != 0 && others.count(key) == 0;
  });
}

/// Brings the marks of a packet in line with what people and the library say.
void settle_marks(XmpPacket& packet, const SidecarTags& wanted, XmpChange& change) {
  const std::set<std::string> given = keys_of(wanted.given);
  const std::set<std::string> rejected = keys_of(wanted.rejected);
  for (MachineMark& mark : machine_marks(packet)) {
    const std::string key = tag_key(mark.tag.name);
    if (given.count(key) != 0) {
      change.accepts.push_back(mark.tag.name);
    } else if (rejected.count(key) != 0 || (wanted.withdrawn && wanted.withdrawn(mark.tag))) {
      change.removes.push_back(mark.tag.name);
    } else {
      change.marks.push_back(std::move(mark));
    }
  }
  if (!change.removes.empty()) remove_tags(packet, change.removes);
}

/// A sidecar in UTF-16 will be written in UTF-8.
XmpPacket read_packet(XmpChange& change) {
  change.before = read_file(change.sidecar, metadata_limit);
  return {utf8_of_utf16(change.before), change.sidecar.string()};
}

void finish(XmpChange& change, XmpPacket& packet) {
  if (machine_marks(packet) != change.marks) set_machine_marks(packet, change.marks);
  change.deletes = !change.creates && packet.is_bare();
  change.packet = packet.serialise();
  // A character that XML cannot hold would make the sidecar unreadable, for others too.
  parse_xmp(change.packet, change.sidecar.string() + " with the tags added");
}

/// Larger pictures are not rewritten.
constexpr std::uint64_t kLargestPicture = std::uint64_t{1} << 30;

/// The packet filled up with blanks to so many bytes, before the mark of its end if it has one.
std::string filled_up(std::string packet, std::size_t size) {
  const std::size_t end = std::min(packet.rfind("<?xpacket end"), packet.size());
  return packet.insert(end, size - packet.size(), ' ');
}

/// Makes the checksum of the chunk at `place` of a PNG right again.
void mend_png_checksum(std::string& picture, std::size_t place) {
  constexpr std::size_t frame = 12;  // length, kind and checksum
  for (std::size_t at = 8; at + frame <= picture.size();) {
    const std::size_t length = big_endian(std::string_view(picture).substr(at, 4));
    if (place < at + frame + length) {
      const auto* kind = reinterpret_cast<const Bytef*>(picture.data() + at + 4);
      const uLong checksum = crc32_z(0, kind, length + 4);
      for (std::size_t i = 0; i < 4; ++i)
        picture[at + 8 + length + i] = static_cast<char>(checksum >> (24 - 8 * i) & 0xff);
      return;
    }
    at += frame + length;
  }
}

/// Puts a packet that is not longer in the place of the one packet `old` of a picture.
void replace_packet(std::string& picture, const std::string& old, std::string packet,
                    const std::string& name) {
  const std::size_t place = picture.find(old);
  require(place != std::string::npos && picture.find(old, place + 1) == std::string::npos, name,
          ": the XMP in it is compressed or in several parts, so it is left as it is");
  require(packet.size() <= old.size(), name,
          ": the XMP in it would need more room, so it is left as it is");
  picture.replace(place, old.size(), filled_up(std::move(packet), old.size()));
  if (picture.starts_with("\x89PNG")) mend_png_checksum(picture, place);
}

/// Makes sure that a changed picture says what it did but for the tags that were to go.
void require_only_gone(const XmpChange& change) {
  const std::string name = change.sidecar.string();
  const std::set<std::string> gone = keys_of(change.removes);
  std::set<std::string> expected;
  std::set<std::string> found;
  for (const ItemTag& tag : parse_photo(change.before, name).tags)
    if (const std::string key = tag_key(tag.name); gone.count(key) == 0) expected.insert(key);
  for (const ItemTag& tag : parse_photo(change.packet, name).tags) found.insert(tag_key(tag.name));
  require(found == expected, name,
          ": has tags of the machine outside of its XMP too (IPTC or EXIF), where they would be "
          "taken for a person's; it is left as it is");
}

/// The mark on a tag, if it has one.
MachineMark* find_mark(std::vector<MachineMark>& marks, const std::string& tag) {
  const std::string key = tag_key(tag);
  const auto found = std::find_if(marks.begin(), marks.end(), [&](const MachineMark& mark) {
    return tag_key(mark.tag.name) == key;
  });
  return found == marks.end() ? nullptr : &*found;
}

}  // namespace

XmpChange plan_xmp(const fs::path& photo, const std::vector<std::string>& tags,
                   const std::vector<std::string>& unwanted) {
  return plan_xmp(photo, SidecarTags{.given = tags, .rejected = unwanted});
}

XmpChange plan_marks(const fs::path& sidecar, const SidecarTags& wanted) {
  XmpChange change;
  change.sidecar = sidecar;
  XmpPacket packet = read_packet(change);
  settle_marks(packet, wanted, change);
  if (!change.accepts.empty() || !change.removes.empty()) finish(change, packet);
  return change;
}

XmpChange plan_marks_inside(const fs::path& photo, const SidecarTags& wanted) {
  XmpChange change;
  change.sidecar = photo;
  change.before = read_file(photo, kLargestPicture);
  PictureBytes bytes(change.before, photo.string());
  std::string picture = change.before;
  for (const std::string& old : read_embedded(bytes).xmp) {
    XmpPacket packet(old, photo.string() + " (the XMP in it)");
    XmpChange of_packet;
    settle_marks(packet, wanted, of_packet);
    if (of_packet.removes.empty()) continue;
    set_machine_marks(packet, of_packet.marks);
    replace_packet(picture, old, packet.serialise(), photo.string());
    for (std::string& tag : of_packet.removes) change.removes.push_back(std::move(tag));
    for (MachineMark& mark : of_packet.marks) change.marks.push_back(std::move(mark));
  }
  if (change.removes.empty()) return change;
  change.packet = std::move(picture);
  require_only_gone(change);
  return change;
}

XmpChange plan_xmp(const fs::path& photo, const SidecarTags& wanted) {
  XmpChange change;
  const std::vector<fs::path> existing = sidecars(photo);
  change.creates = existing.empty();
  change.sidecar = photo;
  change.sidecar += ".xmp";
  XmpPacket packet;
  if (!change.creates) {
    change.sidecar = existing.front();
    packet = read_packet(change);
  }
  settle_marks(packet, wanted, change);

  const std::set<std::string> accepted = keys_of(change.accepts);
  const std::set<std::string> removed = keys_of(change.removes);
  const std::set<std::string> rejected = keys_of(wanted.rejected);
  PresentTags people;
  PresentTags machines;
  std::vector<std::string> all;
  std::vector<MachineMark> elsewhere;  // what other files of the photo mark as a machine's
  for (ItemTag& tag : read_photo(photo).tags) {
    const std::string key = tag_key(tag.name);
    if (tag.by != GivenBy::machine || accepted.count(key) != 0) {
      people.add(tag.name);
      if (rejected.count(key) == 0) all.push_back(std::move(tag.name));
    } else if (!people.has(tag.name) && removed.count(key) == 0 && rejected.count(key) == 0 &&
               !(wanted.withdrawn && wanted.withdrawn(tag))) {
      machines.add(tag.name);
      all.push_back(tag.name);
      if (find_mark(change.marks, tag.name) == nullptr) elsewhere.push_back({std::move(tag)});
    }
  }
  for (const std::string& written : wanted.given) {
    std::string tag = tag_name(written);
    if (tag.empty() || people.has(tag)) continue;
    people.add(tag);
    all.push_back(tag);
    change.adds.push_back(std::move(tag));
  }
  bool remarked = false;
  for (MachineMark each : wanted.machine) {
    each.tag.name = tag_name(each.tag.name);
    const std::string& name = each.tag.name;
    if (name.empty() || people.has(name)) continue;
    if (MachineMark* mark = find_mark(change.marks, name)) {
      if (mark->tag.model == each.tag.model && mark->tag.score == each.tag.score) continue;
      remarked = true;
      *mark = each;
      continue;
    }
    if (machines.has(name)) continue;
    machines.add(name);
    all.push_back(name);
    change.adds.push_back(name);
    change.marks.push_back(std::move(each));
  }
  if (!change.adds.empty()) {
    change.marks.insert(change.marks.end(), elsewhere.begin(), elsewhere.end());
    append_tags(packet, all);
  }
  if (remarked || !change.adds.empty() || !change.accepts.empty() || !change.removes.empty())
    finish(change, packet);
  return change;
}

void apply_xmp(const XmpChange& change) {
  if (change.packet.empty()) return;
  const std::string name = change.sidecar.string();
  std::error_code ignored;
  if (change.creates) {
    require(!fs::exists(fs::symlink_status(change.sidecar, ignored)), name,
            ": was made meanwhile, or is a link to nothing; export again");
  } else {
    const std::uint64_t most = std::max<std::uint64_t>(metadata_limit, change.before.size());
    require(read_file(change.sidecar, most) == change.before, name,
            ": was changed meanwhile; export again");
  }
  if (change.deletes && !fs::is_symlink(change.sidecar, ignored)) {
    std::error_code error;
    fs::remove(change.sidecar, error);
    require(!error, name, ": cannot be removed: ", error.message());
    return;
  }
  AtomicFile file(change.sidecar);
  file.write(change.packet);
  file.commit();
}

}  // namespace commonplace
