#include "commonplace/formats/xmp_write.h"

#include <algorithm>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/formats/photo.h"
#include "commonplace/formats/picture_bytes.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/formats/xmp.h"
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

}  // namespace

XmpChange plan_xmp(const fs::path& photo, const std::vector<std::string>& tags,
                   const std::vector<std::string>& unwanted) {
  XmpChange change;
  const std::vector<fs::path> existing = sidecars(photo);
  change.creates = existing.empty();
  change.sidecar = photo;
  change.sidecar += ".xmp";
  XmpPacket packet;
  if (!change.creates) {
    change.sidecar = existing.front();
    change.before = read_file(change.sidecar, metadata_limit);
    packet = XmpPacket(change.before, change.sidecar.string());
  }

  std::set<std::string> unwanted_keys;
  for (const std::string& tag : unwanted) unwanted_keys.insert(tag_key(tag));
  PresentTags present;
  std::vector<std::string> all;
  for (ItemTag& tag : read_photo(photo).tags) {
    present.add(tag.name);
    if (unwanted_keys.count(tag_key(tag.name)) == 0) all.push_back(std::move(tag.name));
  }
  for (const std::string& written : tags) {
    std::string tag = tag_name(written);
    if (tag.empty() || present.has(tag)) continue;
    present.add(tag);
    all.push_back(tag);
    change.adds.push_back(std::move(tag));
  }
  if (change.adds.empty()) return change;

  append_tags(packet, all);
  change.packet = packet.serialise();
  // A character that XML cannot hold would make the sidecar unreadable, for others too.
  parse_xmp(change.packet, change.sidecar.string() + " with the tags added");
  return change;
}

void apply_xmp(const XmpChange& change) {
  if (change.packet.empty()) return;
  const std::string name = change.sidecar.string();
  if (change.creates) {
    std::error_code ignored;
    require(!fs::exists(fs::symlink_status(change.sidecar, ignored)), name,
            ": was made meanwhile, or is a link to nothing; export again");
  } else {
    require(read_file(change.sidecar, metadata_limit) == change.before, name,
            ": was changed meanwhile; export again");
  }
  AtomicFile file(change.sidecar);
  file.write(change.packet);
  file.commit();
}

}  // namespace commonplace
