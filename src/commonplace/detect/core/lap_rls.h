#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"

namespace commonplace::detect {

/// Laplacian-regularised least squares (LapRLS; Belkin, Niyogi and Sindhwani 2006) in a basis of
/// eigenvectors: functions f = U α of the items that agree with the labels of some and are smooth
/// on the graph,
/// (Σ + Uᵀ Λ U) α = Uᵀ Λ y, with Σ the eigenvalues of the columns of U. With a bias, f = U α + b
/// for the b that fits best, so that α has the differences between labelled items to explain and
/// not that most do not have the concept: U and y are less their (weighted) means in the equation.
/// A concept of which all labels are equal is solved without one.
struct LapRlsOptions {
  double lambda = 100;  ///< weight of a label against smoothness
  bool bias = true;     ///< false is the authors' rule
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, LapRlsOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("lambda", options.lambda, "weight of a label against smoothness");
  visit("bias", options.bias, "fit a constant as well");
}

/// Penalties Σ for a representation that has no eigenvalues, such as raw features.
VectorD constant_penalty(std::int64_t columns, double value = 1);

/// What is additive in the labelled rows, for concepts that share them.
struct LapRlsStatistics {
  LapRlsStatistics() = default;
  LapRlsStatistics(std::int64_t columns, std::int64_t concepts);

  std::int64_t rows = 0;
  MatrixD gram;           ///< k x k: Uᵀ W U, W the rows' weights
  MatrixD right;          ///< k x concepts: Uᵀ W y
  double weight = 0;      ///< sum of the weights
  VectorD sum;            ///< k: Uᵀ W 1
  VectorD label_sum;      ///< concepts: yᵀ W 1
  VectorD label_squares;  ///< concepts: sum of w y²
};

/// Adds labelled rows U (l x k) with labels (l x concepts: 1 has it, -1 has it not; any number is
/// taken as it is) and weights (l, or empty for 1 each). O(l k (k + concepts)).
void add_rows(LapRlsStatistics& statistics, const Eigen::Ref<const Matrix>& rows,
              const Eigen::Ref<const MatrixD>& labels, std::span<const double> weights = {},
              int jobs = 0);
/// Takes off rows that were added before with the same labels and weights.
void remove_rows(LapRlsStatistics& statistics, const Eigen::Ref<const Matrix>& rows,
                 const Eigen::Ref<const MatrixD>& labels, std::span<const double> weights = {},
                 int jobs = 0);
/// Makes of what each rank has gathered the sum, on every rank.
void sum_over_ranks(LapRlsStatistics& statistics, Comm& comm);

/// α, k x concepts, by one Cholesky factor (another for concepts without a bias, if there are
/// both). `penalty` is Σ (k); penalties below 1e-9 count as that, so that a constant column is next
/// to free. Sets `bias` (concepts) if it is given. O(k³ + k² concepts).
MatrixD solve_lap_rls(const LapRlsStatistics& statistics, const VectorD& penalty,
                      const LapRlsOptions& options = {}, VectorD* bias = nullptr, int jobs = 0);

/// α, k x concepts, straight from the labelled rows: through their l x l kernel U Σ⁻¹ Uᵀ + Λ⁻¹ if
/// l < k (O(l² (k + l) + l k concepts), well under a millisecond for a few rows), else through
/// statistics. A label of 0 says that the row is not labelled for that concept; concepts with the
/// same labelled rows share a factor. A concept without labelled rows has α = 0.
MatrixD fit_lap_rls(const Eigen::Ref<const Matrix>& rows, const Eigen::Ref<const MatrixD>& labels,
                    const VectorD& penalty, const LapRlsOptions& options = {},
                    std::span<const double> weights = {}, VectorD* bias = nullptr, int jobs = 0);
/// The same on rows in double.
MatrixD fit_lap_rls(const Eigen::Ref<const MatrixD>& rows, const Eigen::Ref<const MatrixD>& labels,
                    const VectorD& penalty, const LapRlsOptions& options = {},
                    std::span<const double> weights = {}, VectorD* bias = nullptr, int jobs = 0);

/// f = U α, n x concepts, to which a bias may be added. The same bits for a row alone as among
/// others.
Matrix lap_rls_scores(const Eigen::Ref<const Matrix>& rows, const MatrixD& alpha, int jobs = 0);

}  // namespace commonplace::detect
