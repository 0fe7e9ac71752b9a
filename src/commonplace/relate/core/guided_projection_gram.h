#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/relate/core/guided_projection_items.h"

namespace commonplace::relate {

/// Yᵀ diag(weights) Y of one modality over all ranks' items, columns x columns. Of an identity it
/// is a diagonal and two vectors, else a matrix or nothing but the items. The modality and the Comm
/// must outlive it.
class WeightedGram {
 public:
  /// Multiplications of dense features that are done in double, which takes some seconds. Of more
  /// items the products are in float and the sums in double: four times as quick, and the error of
  /// 1e-7 is far less than so many items leave uncertain. It is the same B everywhere it is used.
  static constexpr double kMostInDouble = 2e9;

  /// `weights` of this rank's items. `formed`: as a matrix, O(items · columns²) once; not of an
  /// identity.
  WeightedGram(const GuidedItems& modality, VectorD weights, bool formed, const Run& run,
               double most_in_double = kMostInDouble);

  /// Times p, columns x vectors, the same on all ranks.
  MatrixD multiply(const MatrixD& p) const;
  const VectorD& diagonal() const { return diagonal_; }
  bool formed() const { return matrix_.size() > 0; }
  const MatrixD& matrix() const { return matrix_; }  ///< if formed

  /// Of an identity: the weights of all items and their sum.
  const VectorD& all_weights() const { return all_weights_; }
  double total() const { return total_; }

 private:
  const GuidedItems* modality_;
  Comm* comm_;
  int jobs_;
  VectorD weights_;
  VectorD diagonal_;
  MatrixD matrix_;
  VectorD all_weights_;
  double total_ = 0;
};

/// One modality's block of B: its gram plus a ridge of gamma times the mean size of the diagonal.
class MetricBlock {
 public:
  /// Error unless it is positive definite, which is only found out by the solver where it is not
  /// formed. `number` is what errors call the modality. The gram must outlive it.
  MetricBlock(const GuidedItems& modality, const WeightedGram& gram, double gamma,
              std::size_t number, int jobs);

  MatrixD multiply(const MatrixD& p) const;
  /// B⁻¹ p; of a block that is not formed only roughly, by some products with it.
  MatrixD solve(const MatrixD& p) const;

 private:
  void factorise_diagonal(std::size_t number);
  void factorise_identity(std::size_t number);
  void factorise_matrix(std::size_t number);

  MatrixD solve_roughly(const MatrixD& p) const;

  const GuidedItems* modality_;
  const WeightedGram* gram_;
  int jobs_;
  double ridge_;
  MatrixD inverse_factor_;    ///< L⁻¹ of a formed block
  VectorD inverse_diagonal_;  ///< of the others, for an identity before it is centred
  MatrixD left_, right_;  ///< columns x 2: B⁻¹ = diag − left rightᵀ of a centred identity
};

}  // namespace commonplace::relate
