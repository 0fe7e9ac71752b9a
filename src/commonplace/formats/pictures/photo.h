#pragma once

#include <filesystem>
#include <functional>
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
/// The same; a sidecar or an XMP packet that cannot be understood is told to `note` and left out.
Item read_photo(const std::filesystem::path& photo,
                const std::function<void(const std::string& message)>& note);

/// The same of a JPEG, PNG, WebP or TIFF in memory, which has no sidecars.
Item parse_photo(const std::string& content, const std::string& name);

/// The tags that the picture's own XMP marks as a machine's, whatever its sidecars say. XMP that
/// cannot be understood says nothing.
std::vector<ItemTag> machine_tags_inside(const std::filesystem::path& photo);

/// The sidecars that exist for `photo`: photo.jpg.xmp (digiKam, darktable), then photo.xmp (Adobe).
std::vector<std::filesystem::path> sidecars(const std::filesystem::path& photo);

/// What an XMP packet (a sidecar's content) says; Error if it is not XMP.
Item parse_xmp(const std::string& packet, const std::string& name);

/// The title, author, description and keywords in an SVG's RDF; Error if it is not XML.
Item parse_svg(const std::string& svg, const std::string& name);

}  // namespace commonplace
