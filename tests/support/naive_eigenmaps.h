#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"

/// Eigenmaps and smooth functions written once more with loops in double, straight from the
/// formulas, all items in memory.
namespace commonplace::test {

struct NaiveAxisEigenmaps {
  MatrixD centres;          ///< bins x axes
  MatrixD densities;        ///< bins x axes
  MatrixD clips;            ///< 2 x axes
  MatrixD all_eigenvalues;  ///< bins x axes, ascending
  std::vector<std::int64_t> axis;
  VectorD eigenvalues;
  MatrixD functions;  ///< chosen x bins
  VectorD norms;
  MatrixD encoded;  ///< items x chosen
};
/// Of items that are on their axes already. A sort, a histogram and an eigenproblem an axis.
NaiveAxisEigenmaps naive_axis_eigenmaps(const MatrixD& items, std::int64_t bins,
                                        const VectorD& bandwidths, double smoothing, double clip,
                                        std::int64_t count);

/// The principal axes, widest first, a row each.
MatrixD naive_principal_axes(const MatrixD& items);

/// (Σ + Uᵀ Λ U) α = Uᵀ Λ y by elimination.
MatrixD naive_lap_rls(const MatrixD& rows, const MatrixD& labels, const VectorD& penalty,
                      double lambda);

/// Z by Gaussian weights: each row's `nearest` anchors by a sort of all distances.
MatrixD naive_anchor_weights(const MatrixD& rows, const MatrixD& anchors, std::int64_t nearest,
                             double bandwidth);

/// All eigenvalues, descending, and eigenvectors (columns) of W = Z Λ⁻¹ Zᵀ, n x n.
struct NaiveGraph {
  VectorD eigenvalues;
  MatrixD eigenvectors;
};
NaiveGraph naive_anchor_graph(const MatrixD& weights);

/// Columns that may have either sign: each of `a` turned to point as that of `b` does.
MatrixD signs_of(const MatrixD& a, const MatrixD& b);

/// Two half circles that reach into each other; label 0 or 1 of item i is i % 2.
MatrixD two_moons(Eigen::Index items, double noise, std::uint64_t seed);

/// A standard normal number, a function of its arguments.
double random_normal(std::uint64_t seed, std::uint64_t row, std::uint64_t column);
MatrixD normal_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed);

}  // namespace commonplace::test
