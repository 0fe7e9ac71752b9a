#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/relate/core/guided_projection.h"

// The items' side of a guided projection: one modality's features X, centred to Y = X − 1 meanᵀ
// without being changed. `p` is columns x vectors, `g` items x vectors.

namespace commonplace::relate {

/// One modality as all ranks see it, and this rank's items of it.
struct GuidedItems {
  const FeatureRows* features = nullptr;  ///< nothing: item i of all ranks is the unit vector i
  std::int64_t items = 0;                 ///< this rank's
  std::int64_t first_item = 0;            ///< the first of them among those of all ranks
  std::int64_t all_items = 0;
  std::int64_t columns = 0;          ///< features
  std::int64_t first_column = 0;     ///< the first of them among those of all modalities
  double numbers = 0;                ///< that the features of all ranks' items consist of
  VectorD mean;                      ///< columns; none if not centred
  std::vector<std::int64_t> starts;  ///< of sparse features, counted from 0 even if they are a part

  bool identity() const { return features == nullptr; }
  bool sparse() const { return features != nullptr && features->is_sparse(); }
  SparseView sparse_rows() const;
};

/// Checks a modality on all ranks; `number` is what errors call it. Without its mean.
GuidedItems guided_items(const GuidedModality& modality, std::size_t number, Comm& comm);

/// A view whose arrays begin with its first row; `starts` is where its offsets are kept.
SparseView rebased(const SparseView& rows, std::vector<std::int64_t>& starts);

/// The mean of the features, each item of all ranks weighted.
VectorD weighted_mean(const GuidedItems& modality, const VectorD& weights, const Run& run);

/// Y p, this rank's items x vectors. O(numbers · vectors).
MatrixD project(const GuidedItems& modality, const MatrixD& p, int jobs);
/// Y p of all ranks' items, of which `own` are this rank's (not needed for an identity).
MatrixD project_all(const GuidedItems& modality, const MatrixD& p, const MatrixD& own, Comm& comm);
/// The columns first .. first + count - 1 of Y, this rank's items x count.
MatrixD feature_columns(const GuidedItems& modality, std::int64_t first, std::int64_t count);

/// Yᵀ g of this rank's items, columns x vectors; the ranks' are to be added up.
MatrixD project_back(const GuidedItems& modality, const MatrixD& g, int jobs);
/// The same for g of all ranks' items of an identity.
MatrixD project_back_all(const GuidedItems& modality, const MatrixD& g);

/// A value of each of this rank's items, to all ranks: all items.
VectorD gather_values(const GuidedItems& modality, const VectorD& own, Comm& comm);

}  // namespace commonplace::relate
