#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/detect/core/space.h"
#include "commonplace/io/npy.h"
#include "commonplace/library/library.h"

namespace commonplace::detect {

/// The names in `asked`, separated by commas, or all dense features if it is empty; Error if there
/// are none.
std::vector<std::string> detect_features(const Library& library, const Collection& collection,
                                         const std::string& asked);

/// The dense features of those names, mapped. Items that have been added since they were made have
/// no rows in them.
class MappedFeatures {
 public:
  MappedFeatures(const Library& library, const Collection& collection,
                 const std::vector<std::string>& names);
  ManyFeatures views() const { return views_; }
  std::int64_t rows() const { return views_.front().rows(); }  ///< that all of them have

 private:
  std::vector<NpyMatrix> files_;
  std::vector<MatrixView> views_;
};

}  // namespace commonplace::detect
