#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/item.h"

namespace commonplace {

/// Whether a file's name ends like that of a picture that read_photo reads.
bool is_picture(const std::filesystem::path& path);

/// Metadata of one picture, merged from the file and its sidecars: tags, title, text (description),
/// place, time; camera, creator and rights as metadata. `id` and `image` are left empty.
/// Tags come from digiKam:TagsList, lr:hierarchicalSubject, dc:subject and IPTC keywords; a plain
/// keyword that is only a level of a hierarchical tag already there is not repeated.
/// A sidecar has more weight than the file, XMP more than IPTC and EXIF. SVG drawings too.
/// Error if the file is no picture or is broken, or if XMP in it or beside it is malformed. Reads
/// the metadata and a few kilobytes besides, not the pixels.
Item read_photo(const std::filesystem::path& photo);

/// The same of a JPEG, PNG, WebP or TIFF in memory, which has no sidecars.
Item parse_photo(const std::string& content, const std::string& name);

/// The sidecars that exist for `photo`: photo.jpg.xmp (digiKam, darktable), then photo.xmp (Adobe).
std::vector<std::filesystem::path> sidecars(const std::filesystem::path& photo);

/// What an XMP packet (a sidecar's content) says; Error if it is not XMP.
Item parse_xmp(const std::string& packet, const std::string& name);

/// The title, author, description and keywords in an SVG's RDF; Error if it is not XML.
Item parse_svg(const std::string& svg, const std::string& name);

/// One sidecar as write-back would leave it.
struct XmpChange {
  std::filesystem::path sidecar;
  bool creates = false;           ///< there was none
  std::vector<std::string> adds;  ///< tags that are new to the photo and its sidecars
  std::string packet;             ///< the new content; empty when nothing changes
  std::string before;             ///< the content that was planned on
};

/// What adding `tags` to the photo's sidecar would change; nothing where the photo or its sidecars
/// have them all. The sidecar that exists is merged into, everything in it is kept; without one,
/// photo.jpg.xmp is made. All tags go to digiKam:TagsList, hierarchical ones to
/// lr:hierarchicalSubject too, and their leaves (and plain tags) to dc:subject; tags that only the
/// photo itself had are carried along, but for the `unwanted` ones. Error if the photo or a sidecar
/// cannot be understood.
XmpChange plan_xmp(const std::filesystem::path& photo, const std::vector<std::string>& tags,
                   const std::vector<std::string>& unwanted = {});

/// Writes the planned sidecar beside and renames it. The photo itself is never opened for writing.
/// A sidecar keeps its permissions, and stays a link if it is one.
/// Error if the sidecar changed since it was planned.
void apply_xmp(const XmpChange& change);

}  // namespace commonplace
