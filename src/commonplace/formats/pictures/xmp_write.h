#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "commonplace/formats/item.h"

namespace commonplace {

/// A tag in a sidecar that is marked as a machine's.
struct MachineMark {
  ItemTag tag;
  std::string run{};  ///< when the model gave it; empty where that is not known

  bool operator==(const MachineMark&) const = default;
};

/// What the sidecar of a photo is to say.
struct SidecarTags {
  std::vector<std::string> given{};    ///< by people; a machine's mark on one of them goes
  std::vector<MachineMark> machine{};  ///< by machines: put among the others, and marked
  /// Not carried along from the photo, and taken out where a machine wrote them.
  std::vector<std::string> rejected{};
  /// Whether a tag that is marked as a machine's is to be taken out.
  std::function<bool(const ItemTag& mark)> withdrawn{};
};

/// One sidecar, or one picture with XMP inside, as write-back would leave it.
struct XmpChange {
  std::filesystem::path sidecar;
  bool creates = false;              ///< there was none
  bool deletes = false;              ///< it was ours, and nothing is left in it
  std::vector<std::string> adds;     ///< tags that are new to the photo and its sidecars
  std::vector<std::string> accepts;  ///< tags of a machine that are people's now
  std::vector<std::string> removes;  ///< tags of a machine that are taken out
  std::vector<MachineMark> marks;    ///< what is marked as a machine's after it
  std::string packet;                ///< the new content; empty when nothing changes
  std::string before;                ///< the content that was planned on
};

/// What writing `tags` to the photo's sidecar would change; nothing where the photo and its
/// sidecars say it all. The sidecar that exists is merged into; what people wrote in it is kept;
/// without one, photo.jpg.xmp is made. All tags go to digiKam:TagsList, hierarchical ones to
/// lr:hierarchicalSubject too, and their leaves (and plain tags) to dc:subject; tags that only the
/// photo itself had are carried along. A machine's are marked in commonplace:MachineTags with
/// model, run and score, and one that someone took out of the lists is not put there again. Error
/// if the photo or a sidecar cannot be understood.
XmpChange plan_xmp(const std::filesystem::path& photo, const SidecarTags& tags);
/// The same of people's tags only.
XmpChange plan_xmp(const std::filesystem::path& photo, const std::vector<std::string>& tags,
                   const std::vector<std::string>& unwanted = {});

/// What settling a machine's marks would change in a sidecar that exists, with nothing added: those
/// on people's tags go, those on rejected and withdrawn ones go with their tags.
XmpChange plan_marks(const std::filesystem::path& sidecar, const SidecarTags& tags);

/// What taking withdrawn marks with their tags out of the picture's own XMP would change. The new
/// XMP takes the place of the old one and is filled up with blanks to its length, so that no other
/// byte of the picture moves or changes (but the checksum that PNG has of it). Error if that cannot
/// be: the XMP is compressed or in several parts, or the picture would still say the tags elsewhere
/// (IPTC), then without a mark.
XmpChange plan_marks_inside(const std::filesystem::path& photo, const SidecarTags& tags);

/// Writes the planned file beside and renames it. A photo is written only by plan_marks_inside.
/// A file keeps its permissions, and stays a link if it is one.
/// Error if the file changed since it was planned.
void apply_xmp(const XmpChange& change);

}  // namespace commonplace
