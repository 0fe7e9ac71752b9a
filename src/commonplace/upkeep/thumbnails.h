#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// A picture's file, checked: it lies below the folder of its collection, links followed, and is a
/// picture by its first bytes, so that an item that names another file shows nothing.
struct PictureFile {
  std::filesystem::path path;
  std::string type;  ///< image/jpeg, image/png, image/webp, image/gif or image/svg+xml
};

/// That of an item; nothing if it has none that can be shown. Error if there is no such item.
std::optional<PictureFile> picture_file(const Library& library, const std::string& collection,
                                        const std::string& id);

/// The same for an item that is at hand.
std::optional<PictureFile> picture_file(const Collection& collection, const Item& item);

/// Its width and height as it is shown, from the first bytes of the file; nothing where they do not
/// say.
struct PictureSides {
  double width = 0;
  double height = 0;
};
std::optional<PictureSides> picture_sides(const PictureFile& picture);

/// The type of a file by its first bytes; empty for what is no picture that a browser shows.
std::string picture_type(const std::filesystem::path& path);

/// A JPEG of the picture whose longer side is at most `side`, kept below the library's thumbnails/
/// until the picture changes; not kept where the library cannot be written. Drawings (SVG) are
/// drawn on white; one that cannot be drawn, and animations (GIF), are shown as they are: the file
/// itself, or a drawing's bytes with the namespaces that it lacks. Nothing if the picture is
/// broken.
struct Thumbnail {
  std::string type;
  std::filesystem::path file;  ///< where it is, or
  std::string bytes;           ///< what it is, if there is no such file
};
std::optional<Thumbnail> thumbnail(const std::filesystem::path& library, const PictureFile& picture,
                                   int side);

}  // namespace commonplace
