#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

/// What search learns from terms that go together, written once more with dense matrices and plain
/// loops straight from the formulas, and small matrices to compare on.
namespace commonplace::test {

MatrixD to_dense(const SparseView& matrix);
/// The entries that are not 0.
Sparse to_sparse(const MatrixD& matrix);

/// Counts of 1 .. 4 in about `density` of the places. Row 3 and column 2 have none.
Sparse random_counts(std::int64_t items, std::int64_t terms, double density, std::uint64_t seed);

/// 0 .. count-1, shuffled.
std::vector<std::int64_t> random_order(std::int64_t count, std::uint64_t seed);
/// Row i of the result is row order[i].
Sparse rows_in_order(const SparseView& matrix, std::span<const std::int64_t> order);

/// At (w, v): ln((C_vw + a p_w) / ((d_v + a) p_w)) for C = YᵀY, d_v the sum and p_w the mean of a
/// column of Y. A term says of itself, and of a term that nothing has, what it says of one it was
/// never seen with.
MatrixD naive_lift(const MatrixD& items, double smoothing);

/// Column w: the ridge regression of column w of Y on all other columns.
MatrixD naive_ridge(const MatrixD& items, double penalty);
/// |Y - Y B|² + penalty |B|².
double ridge_objective(const MatrixD& items, const MatrixD& weights, double penalty);

/// For each row of `a` the products with the `count` rows of `b` that have the greatest ones above
/// 0, ties to the lower row, other places 0. Row i must not get row skip[i].
MatrixD naive_nearest_rows(const MatrixD& a, const MatrixD& b, std::int64_t count,
                           const std::vector<std::int64_t>& skip = {});

/// Items x lenders: the squares of the greatest cosines between rows weighed by `idf`, divided by
/// their sum and 0.2.
MatrixD naive_votes(const MatrixD& items, const MatrixD& lenders, const std::vector<float>& idf,
                    std::int64_t neighbours, const std::vector<std::int64_t>& same_lender = {});

}  // namespace commonplace::test
