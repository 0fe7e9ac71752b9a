#include "commonplace/rows/image_sources.h"

#include <filesystem>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/items.h"

namespace commonplace {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

}  // namespace

std::vector<ImageSource> image_sources(const Library& library, const Collection& collection) {
  std::vector<ImageSource> sources;
  ItemReader reader(library, collection);
  for (Item item; reader.next(item);)
    sources.push_back({item.id, image_location(collection, item)});
  return sources;
}

ImageBytes read_image(const ImageSource& source) {
  require(!source.location.empty(), "the item has no image");
  require(source.location.find("://") == std::string::npos, "the image is at ", source.location,
          "; only files are read");
  std::error_code error;
  require(std::filesystem::is_regular_file(source.location, error), "there is no file ",
          source.location);
  ImageBytes image;
  image.bytes = read_file(source.location, kMostBytes);
  Xxh64 hash;
  hash.update(std::as_bytes(std::span<const char>(image.bytes)));
  image.fingerprint = hash.digest();
  return image;
}

}  // namespace commonplace
