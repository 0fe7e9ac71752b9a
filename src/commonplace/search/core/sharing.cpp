#include "commonplace/search/core/sharing.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::search {
namespace {

constexpr int kOversampling = 10;
constexpr int kPowerSteps = 2;
constexpr double kNumericallyZero = 0.01;

}  // namespace

std::int64_t common_terms(const SparseView& a, const SparseView& b) {
  require(a.columns == b.columns, "collections of ", a.columns, " and ", b.columns,
          " terms cannot be compared; merge their vocabularies");
  std::vector<char> seen(static_cast<std::size_t>(a.columns));
  for (const std::int32_t term : a.indices) seen[static_cast<std::size_t>(term)] = 1;
  std::int64_t common = 0;
  for (const std::int32_t term : b.indices) {
    char& mark = seen[static_cast<std::size_t>(term)];
    if (mark == 1) ++common;
    if (mark == 1) mark = 2;
  }
  return common;
}

int sharing_by_rule(const SparseView& a, const SparseView& b, int most) {
  const double topics = std::sqrt(static_cast<double>(common_terms(a, b)) / 2);
  return std::min(most, static_cast<int>(std::lround(topics)));
}

int sharing_by_rank(const SparseView& a, const SparseView& b, int most, std::uint64_t seed,
                    int jobs) {
  const std::int64_t smaller = std::min({a.rows, b.rows, common_terms(a, b)});
  const Eigen::Index width = std::min<std::int64_t>(most + kOversampling, smaller);
  if (width == 0) return 0;
  // M = A Bᵀ is never formed: M Ω = A (Bᵀ Ω), Mᵀ Q = B (Aᵀ Q).
  MatrixD probe(b.rows, width);
  for (Eigen::Index row = 0; row < probe.rows(); ++row)
    for (Eigen::Index column = 0; column < width; ++column)
      probe(row, column) = random_uniform(seed, static_cast<std::uint64_t>(row),
                                          static_cast<std::uint64_t>(column)) -
                           0.5;
  MatrixD range = multiply(a, transposed_multiply(b, probe, jobs), jobs);
  for (int step = 0; step < kPowerSteps; ++step) {
    const MatrixD back =
        multiply(b, transposed_multiply(a, orthonormal_columns(range), jobs), jobs);
    range = multiply(a, transposed_multiply(b, orthonormal_columns(back), jobs), jobs);
  }
  const MatrixD projected =
      multiply(b, transposed_multiply(a, orthonormal_columns(range), jobs), jobs);
  const Eigen::MatrixXd small = projected.transpose() * projected;
  const Eigen::VectorXd squares = symmetric_eigen(small).values.reverse();
  const double least = kNumericallyZero * kNumericallyZero * squares[0];
  const auto rank = std::count_if(squares.data(), squares.data() + squares.size(),
                                  [&](double square) { return square > least; });
  return std::min(most, static_cast<int>(rank));
}

}  // namespace commonplace::search
