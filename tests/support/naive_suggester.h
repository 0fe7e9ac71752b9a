#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"
#include "commonplace/suggest/core/feature_weights.h"

/// What tag suggestion learns, written once more with dense matrices in double and plain loops,
/// straight from the formulas.
namespace commonplace::test {

/// The ridge regression of every target on the whitened items, by Eigen's solver.
struct NaiveLatents {
  MatrixD inverse;  ///< (AᵀA + ridge I)⁻¹
  MatrixD weights;  ///< (AᵀA + ridge I)⁻¹ AᵀY
};
NaiveLatents naive_latents(const MatrixD& whitened, const MatrixD& targets, double ridge);

/// Rarity and telling of each feature of items x features, with the divergence summed over all
/// tags.
std::vector<double> naive_feature_weights(const MatrixD& items, const MatrixD& tags,
                                          const suggest::FeatureWeighting& weighting);
/// Values above 1 as 1 + ln, times the weights, each block and then the row of length one.
MatrixD naive_weigh_rows(const MatrixD& items, const std::vector<float>& weights,
                         const std::vector<std::int64_t>& blocks = {});

/// The sums of the items of each group (groups x items), of length one.
MatrixD naive_directions(const MatrixD& items, const MatrixD& groups);

/// Tags that are above 0, the commonest first, and P(t|c).
struct NaiveCategories {
  std::vector<std::int32_t> tags;
  MatrixD shares;
  std::vector<std::int32_t> of_item;
};
NaiveCategories naive_categories(const MatrixD& tags, std::size_t most);

/// Squares of the greatest products, each row summing to one.
MatrixD naive_knn_votes(const MatrixD& items, const MatrixD& known, std::int64_t count,
                        const std::vector<std::int64_t>& skip = {});

/// Targets of 1 and -1 in about `density` of the places.
Sparse random_targets(std::int64_t items, std::int64_t tags, double density, std::uint64_t seed);

/// The rows begin .. end-1, copied.
Sparse rows_between(const SparseView& matrix, RowRange range);

/// Runs `body` on threads as ranks, with the rows of `count` that are the rank's, and returns what
/// each gave, by rank.
template <class Result>
std::vector<Result> on_ranks(int ranks, std::int64_t count,
                             const std::function<Result(Comm&, RowRange)>& body) {
  std::vector<Result> results(static_cast<std::size_t>(ranks));
  run_as_threads(ranks, [&](Comm& comm) {
    results[static_cast<std::size_t>(comm.rank())] =
        body(comm, rows_of_rank(count, comm.rank(), comm.size()));
  });
  return results;
}

}  // namespace commonplace::test
