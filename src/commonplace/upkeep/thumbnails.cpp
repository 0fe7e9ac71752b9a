#include "commonplace/upkeep/thumbnails.h"

#include <cstdio>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/features/encode_jpeg.h"
#include "commonplace/features/picture.h"
#include "commonplace/io/files.h"
#include "commonplace/io/paths.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items.h"
#include "commonplace/rows/image_sources.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr int kQuality = 82;
/// A larger drawing or animation is not sent in place of a small picture.
constexpr std::uintmax_t kMostAsItIs = 4U << 20U;

/// By its first bytes; empty for what is no picture that a browser shows.
std::string type_of(const fs::path& path) {
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

std::optional<PictureFile> picture_file(const Library& library, const std::string& collection_name,
                                        const std::string& id) {
  const Collection chosen = collection(library, collection_name);
  const Item found = item(library, chosen, id);
  const std::string location = image_location(chosen, found);
  if (location.empty() || location.find("://") != std::string::npos || chosen.root.empty())
    return std::nullopt;
  std::error_code error;
  const fs::path path = fs::canonical(location, error);
  if (error) return std::nullopt;
  const fs::path root = fs::canonical(chosen.root, error);
  if (error || path == root || !is_within(path, root) || !fs::is_regular_file(path, error))
    return std::nullopt;
  std::string type = type_of(path);
  if (type.empty()) return std::nullopt;
  return PictureFile{path, std::move(type)};
}

std::optional<Thumbnail> thumbnail(const fs::path& library, const PictureFile& picture, int side) {
  if (picture.type == "image/svg+xml" || picture.type == "image/gif") {
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
