#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace::suggest {

/// Items of known classes.
struct ClassifiedItems {
  Matrix features;                   ///< items x features
  std::vector<std::int32_t> labels;  ///< 0 .. classes-1, one an item
  std::vector<std::string> classes;  ///< names, ascending
};

/// From a CSV file, plain or gzip: numbers, and the class in the last column. A first line that
/// does not begin with a number is a header. Error, with the line, for a cell that is not a number
/// or a line of another length.
ClassifiedItems read_classified(const std::filesystem::path& path);

}  // namespace commonplace::suggest
