#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/kernel.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::suggest {

/// The prototypes (inducing points) of a sparse Gaussian process and their kernel, whitened:
/// K_M = L Lᵀ, and an item x becomes a = L⁻¹ k_x, its Nyström features. In them every latent
/// function is linear, aᵀ v with v ~ N(0, I), and k(x, z) is approximated by aₓᵀ a_z =
/// k_xᵀ K_M⁻¹ k_z, as in DTC.
struct SparseGpBasis {
  Kernel kernel;
  StoredRows prototypes;  ///< M x features
  Matrix whitener;        ///< L⁻¹, M x M

  std::int64_t size() const { return whitener.rows(); }
};

/// Factorises the prototypes' kernel matrix, the Nyström approximation's, with `jitter` x its mean
/// diagonal added to the diagonal, ten times as much again while it is not positive definite. O(M²
/// nonzeros + M³).
SparseGpBasis make_basis(const Kernel& kernel, StoredRows prototypes, double jitter = 1e-6,
                         int jobs = 0);

/// A, items x M: each row is L⁻¹ k_x. O(items · M²). The same bits for an item alone as among
/// others.
Matrix whiten(const SparseGpBasis& basis, const FeatureRows& items, int jobs = 0);

/// A basis for items that come one by one: what `whiten` would make of it each time is made once.
/// As large as the basis, which must outlive it; several threads may use it at once.
class ReadyBasis {
 public:
  explicit ReadyBasis(const SparseGpBasis& basis, int jobs = 0);

  /// whiten(basis, items), to the bit.
  Matrix whiten(const FeatureRows& items, int jobs = 0) const;

 private:
  const SparseGpBasis& basis_;
  ComparedRows prototypes_;
  std::vector<PackedFactor> panels_;  ///< of the whitener, without the zeros beside them
};

/// Puts the basis into a model file and takes it out again; Error if its parts do not fit together.
void add_basis(TensorWriter& writer, const SparseGpBasis& basis);
SparseGpBasis read_basis(const TensorFile& file);

}  // namespace commonplace::suggest
