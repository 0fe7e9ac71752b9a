#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/detect/model.h"
#include "commonplace/library/library.h"

namespace commonplace::detect {

/// What the tags or labels of a collection say: its concepts, and of each item which it shows and
/// whether anything is known of it.
struct ConceptTable {
  std::vector<std::string> concepts;
  Sparse known;
  std::vector<std::uint8_t> shown;
};
/// Those used by `min_uses` items or more; with `concepts`, those and no others.
ConceptTable read_concepts(const Library& library, const Collection& collection,
                           const ModelOptions& options, std::int64_t rows,
                           const std::vector<std::string>* concepts = nullptr);

/// The items of which `shown` says that they are labelled.
std::vector<std::int64_t> labelled_rows(const std::vector<std::uint8_t>& shown);

/// 1 for the concepts that an item shows, -1 for the others.
MatrixD labels_of(const Sparse& known, std::span<const std::int64_t> rows);

/// Learns the concepts of a model from its labelled items in its space, each rank reading its part
/// of them in blocks. Above 50,000 labelled items an SVM becomes LapRLS.
void learn_concepts(Model& model, ManyFeatures features, const Run& run);

}  // namespace commonplace::detect
