#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/detect/model.h"
#include "commonplace/library/library.h"

namespace commonplace::detect {

/// Items whose concepts are all known, to try detecting on.
struct Trial {
  std::vector<Matrix> features;  ///< each items x columns
  std::vector<std::string> concepts;
  MatrixD labels;  ///< items x concepts: 1 shows it, -1 does not

  bool one_each() const;  ///< every item shows exactly one concept, so it can be classified
};

/// From files: each of the `features` a .npy matrix, and `labels` a .npy of a class number
/// an item, or of items x concepts of 0 and 1.
Trial read_trial(const std::vector<std::filesystem::path>& features,
                 const std::filesystem::path& labels);
/// From a library: the tagged or labelled items of a collection.
Trial collection_trial(const Library& library, const std::string& collection,
                       const ModelOptions& options);

}  // namespace commonplace::detect
