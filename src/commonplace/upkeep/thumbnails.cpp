#include "commonplace/upkeep/thumbnails.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/features/encode_jpeg.h"
#include "commonplace/features/exif_orientation.h"
#include "commonplace/features/picture.h"
#include "commonplace/formats/pictures/picture_bytes.h"
#include "commonplace/io/files.h"
#include "commonplace/io/paths.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/items.h"
#include "commonplace/rows/image_sources.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr int kQuality = 82;
/// A larger drawing or animation is not sent in place of a small picture.
constexpr std::uintmax_t kMostAsItIs = 4U << 20U;

using Sides = PictureSides;

Sides turned(Sides sides, int orientation) {
  return orientation >= 5 ? Sides{sides.height, sides.width} : sides;
}

std::string head_of(PictureBytes& bytes, std::uint64_t most) {
  return std::string(bytes.read(0, std::min(bytes.size(), most)));
}

Sides jpeg_sides(PictureBytes& bytes) {
  int orientation = 1;
  for (std::uint64_t at = 2; bytes.holds(at, 9);) {
    const std::string_view head = bytes.read(at, 9);
    if (head[0] != '\xFF') return {};
    const auto marker = static_cast<unsigned char>(head[1]);
    const std::uint64_t length = big_endian(head.substr(2, 2));
    const bool frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame)
      return turned({static_cast<double>(big_endian(head.substr(7, 2))),
                     static_cast<double>(big_endian(head.substr(5, 2)))},
                    orientation);
    if (length < 2) return {};
    if (marker == 0xE1 && bytes.holds(at + 4, length - 2)) {
      const std::string_view body = bytes.read(at + 4, length - 2);
      if (body.starts_with(std::string_view("Exif\0\0", 6)))
        orientation = exif_orientation(body.substr(6));
    }
    at += 2 + length;
  }
  return {};
}

Sides png_sides(PictureBytes& bytes) {
  const std::string_view head = bytes.read(16, 8);
  return {static_cast<double>(big_endian(head.substr(0, 4))),
          static_cast<double>(big_endian(head.substr(4, 4)))};
}

Sides gif_sides(PictureBytes& bytes) {
  const std::string_view head = bytes.read(6, 4);
  return {static_cast<double>(little_endian(head.substr(0, 2))),
          static_cast<double>(little_endian(head.substr(2, 2)))};
}

Sides webp_sides(PictureBytes& bytes) {
  const std::string_view head = bytes.read(12, 18);
  const auto at = [&](std::size_t from, std::size_t count) {
    return static_cast<double>(little_endian(head.substr(from, count)) &
                               (count == 2 ? 0x3FFFU : 0xFFFFFFU));
  };
  if (head.starts_with("VP8X")) return {at(12, 3) + 1, at(15, 3) + 1};
  if (head.starts_with("VP8 ")) return {at(14, 2), at(16, 2)};
  if (!head.starts_with("VP8L")) return {};
  const std::uint64_t bits = little_endian(head.substr(9, 4));
  return {static_cast<double>((bits & 0x3FFFU) + 1),
          static_cast<double>(((bits >> 14U) & 0x3FFFU) + 1)};
}

/// By the box that is drawn, or else by width and height.
Sides svg_sides(PictureBytes& bytes) {
  const std::string text = head_of(bytes, 4096);
  const auto after = [&](std::string_view name) {
    const std::size_t found = text.find(name);
    return found == std::string::npos ? std::string() : text.substr(found + name.size(), 80);
  };
  double x = 0;
  double y = 0;
  Sides sides;
  if (std::sscanf(after("viewBox=\"").c_str(), "%lf%*[ ,]%lf%*[ ,]%lf%*[ ,]%lf", &x, &y,
                  &sides.width, &sides.height) == 4)
    return sides;
  sides = {};
  std::sscanf(after(" width=\"").c_str(), "%lf", &sides.width);
  std::sscanf(after(" height=\"").c_str(), "%lf", &sides.height);
  return sides;
}

/// Browsers show no drawing whose root lacks its namespaces, which old ones do. Nothing if it has
/// them, or no root that can be found.
std::optional<std::string> with_namespaces(std::string drawing) {
  std::size_t root = 0;
  for (;;) {
    root = drawing.find('<', root);
    if (root == std::string::npos) return std::nullopt;
    if (drawing.compare(root, 4, "<!--") == 0) {
      root = drawing.find("-->", root);
      if (root == std::string::npos) return std::nullopt;
    } else if (drawing.compare(root, 4, "<svg") == 0) {
      break;
    } else {
      ++root;
    }
  }
  const std::size_t end = drawing.find('>', root);
  // A root such as svg:svg has its namespace by a prefix.
  if (end == std::string::npos || drawing[root + 4] == ':') return std::nullopt;
  const std::string_view tag = std::string_view(drawing).substr(root, end - root);
  std::string missing;
  if (tag.find("xmlns=") == std::string_view::npos)
    missing += " xmlns=\"http://www.w3.org/2000/svg\"";
  if (drawing.find("xlink:") != std::string::npos &&
      drawing.find("xmlns:xlink") == std::string::npos)
    missing += " xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  if (missing.empty()) return std::nullopt;
  return std::move(drawing.insert(root + 4, missing));
}

/// The file itself, or a drawing with the namespaces that it lacks; nothing if it is too large.
std::optional<Thumbnail> as_it_is(const PictureFile& picture) {
  std::error_code error;
  const auto size = fs::file_size(picture.path, error);
  if (error || size > kMostAsItIs) return std::nullopt;
  if (picture.type != "image/svg+xml") return Thumbnail{picture.type, picture.path, {}};
  try {
    std::optional<std::string> mended = with_namespaces(read_file(picture.path, kMostAsItIs));
    if (mended) return Thumbnail{picture.type, {}, std::move(*mended)};
  } catch (const Error&) {
    return std::nullopt;
  }
  return Thumbnail{picture.type, picture.path, {}};
}

/// Of the picture as it is now: another file, size or time gives another name.
std::string name_of(const fs::path& path, int side) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  const std::string what = concat(path.string(), '\n', size, '\n', time);
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(what)));
  char name[48];
  std::snprintf(name, sizeof name, "%016llx-%d.jpg", static_cast<unsigned long long>(hash.digest()),
                side);
  return name;
}

}  // namespace

std::string picture_type(const fs::path& path) {
  std::string head(512, '\0');
  try {
    const ReadableFile file(path);
    head.resize(file.read(head.data(), head.size(), 0));
  } catch (const Error&) {
    return {};
  }
  if (head.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (head.starts_with("\x89PNG\r\n\x1A\n")) return "image/png";
  if (head.starts_with("RIFF") && head.substr(8, 4) == "WEBP") return "image/webp";
  if (head.starts_with("GIF87a") || head.starts_with("GIF89a")) return "image/gif";
  const bool marked_up =
      head.find("<?xml") != std::string::npos || head.find("<svg") != std::string::npos;
  if (marked_up && path.extension() == ".svg") return "image/svg+xml";
  return {};
}

std::optional<PictureFile> picture_file(const Library& library, const std::string& collection_name,
                                        const std::string& id) {
  const Collection chosen = collection(library, collection_name);
  return picture_file(chosen, item(library, chosen, id));
}

std::optional<PictureFile> picture_file(const Collection& chosen, const Item& found) {
  const std::string location = image_location(chosen, found);
  if (location.empty() || location.find("://") != std::string::npos || chosen.root.empty())
    return std::nullopt;
  std::error_code error;
  const fs::path path = fs::canonical(location, error);
  if (error) return std::nullopt;
  const fs::path root = fs::canonical(chosen.root, error);
  if (error || path == root || !is_within(path, root) || !fs::is_regular_file(path, error))
    return std::nullopt;
  std::string type = picture_type(path);
  if (type.empty()) return std::nullopt;
  return PictureFile{path, std::move(type)};
}

std::optional<PictureSides> picture_sides(const PictureFile& picture) {
  try {
    PictureBytes bytes(picture.path);
    const Sides sides = picture.type == "image/jpeg"   ? jpeg_sides(bytes)
                        : picture.type == "image/png"  ? png_sides(bytes)
                        : picture.type == "image/gif"  ? gif_sides(bytes)
                        : picture.type == "image/webp" ? webp_sides(bytes)
                                                       : svg_sides(bytes);
    if (!(sides.width > 0) || !(sides.height > 0)) return std::nullopt;
    return sides;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Thumbnail> thumbnail(const fs::path& library, const PictureFile& picture, int side) {
  if (picture.type == "image/gif") return as_it_is(picture);
  const std::string name = name_of(picture.path, side);
  // A folder for each first byte, since a folder of a million files is slow.
  const fs::path folder = library / "thumbnails" / name.substr(0, 2);
  const fs::path file = folder / name;
  std::error_code error;
  if (fs::is_regular_file(file, error)) return Thumbnail{"image/jpeg", file, {}};
  Thumbnail made{"image/jpeg", {}, {}};
  try {
    PictureOptions options;
    options.side = side;
    const ImageBytes read = read_image({"", picture.path.string()});
    made.bytes = encode_jpeg(decode_picture(read.bytes, picture.path.string(), options), kQuality);
  } catch (const Error&) {
    // A drawing that is not drawn here may be one that browsers draw.
    if (picture.type == "image/svg+xml") return as_it_is(picture);
    return std::nullopt;
  }
  try {
    fs::create_directories(folder, error);
    AtomicFile whole(file);
    whole.write(made.bytes);
    whole.commit();
  } catch (const Error&) {
    return made;  // read-only or full: it is made again the next time
  }
  return made;
}

}  // namespace commonplace
