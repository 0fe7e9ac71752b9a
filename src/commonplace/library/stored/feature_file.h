#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/io/scratch.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Numbers from somebody's file on their way to become features, held on disk.
struct FeatureFile {
  explicit FeatureFile(const std::filesystem::path& scratch) : values(scratch) {}
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Scratch<float> values;         ///< rows x columns
  std::vector<std::string> ids;  ///< of the rows, or empty
};

/// Reads a .npy matrix or a CSV/TSV of numbers, or a folder of such files as parts of one matrix,
/// in the order of their names; Error names the line of the first bad number.
FeatureFile read_feature_file(const Library& library, const std::filesystem::path& file,
                              const std::filesystem::path& ids, const Progress& progress);

/// For each item of the collection, in row order, the row of the file that is its own. Error if an
/// item has none or two, or if a row is nobody's.
std::vector<std::int64_t> rows_in_item_order(const Library& library, const Collection& collection,
                                             const FeatureFile& content,
                                             const std::filesystem::path& file);

}  // namespace commonplace
