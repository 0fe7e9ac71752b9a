#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/io/scratch.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Collects the sparse features that come with the records of an import, on disk, in any order of
/// rows, and stores them as the features "given" of the collection.
class ImportedFeatures {
 public:
  explicit ImportedFeatures(const Library& library);

  void set_names(std::vector<std::string>&& names);
  void add(std::int64_t row, std::span<const std::pair<std::int32_t, float>> features);
  /// Rows moved: new_rows[old] is the new number, or -1 for one that is gone.
  void renumber(const std::vector<std::int64_t>& new_rows);
  /// Does nothing if there were no features. Rows that did not come again keep what they had.
  void store(Library& library, const Collection& collection, const std::string& source);

 private:
  struct Span {
    std::int64_t row;
    std::int64_t begin;
    std::int64_t end;
  };
  std::vector<std::string> names_;
  std::vector<Span> spans_;
  Scratch<std::int32_t> columns_;
  Scratch<float> values_;
  std::int64_t nonzeros_ = 0;
  std::int32_t width_ = 0;
};

}  // namespace commonplace
