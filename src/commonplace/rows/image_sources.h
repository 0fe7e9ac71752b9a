#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// Where the pixels of an item are.
struct ImageSource {
  std::string id;
  std::string location;  ///< a path; empty if it has none
};

/// Those of all items, in the order of their rows.
std::vector<ImageSource> image_sources(const Library& library, const Collection& collection);

/// The bytes of a picture file, and a number that differs for files that differ.
struct ImageBytes {
  std::string bytes;
  std::uint64_t fingerprint = 0;
};

/// Error, saying why, if there is no such file or it cannot be read.
ImageBytes read_image(const ImageSource& source);

}  // namespace commonplace
