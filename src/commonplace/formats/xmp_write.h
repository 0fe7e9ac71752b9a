#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace commonplace {

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
