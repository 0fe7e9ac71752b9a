#include "commonplace/math/neighbour_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/top_k.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/principal_axes.h"

namespace commonplace {
namespace {

constexpr int kPushes = 5;          // a pull is followed by so many pushes
constexpr double kFirstStep = 1;    // falls to 0
constexpr double kFarthest = 4;     // of one move
constexpr double kStartWidth = 10;  // of the drawing at the start

/// n x neighbours: the rows of the greatest product with each.
std::vector<std::int32_t> nearest(const Eigen::Ref<const Matrix>& rows, std::int64_t count,
                                  int jobs) {
  constexpr Eigen::Index kBlock = 512;
  std::vector<std::int32_t> result;
  for (Eigen::Index begin = 0; begin < rows.rows(); begin += kBlock) {
    const Eigen::Index some = std::min(kBlock, rows.rows() - begin);
    Matrix products = multiply_transposed(rows.middleRows(begin, some), rows, jobs);
    for (Eigen::Index i = 0; i < some; ++i) {
      products(i, begin + i) = -2;
      const std::vector<std::int32_t> order = top_k<std::int32_t>(
          rows.rows(), count, [&](std::int32_t row) { return products(i, row); });
      result.insert(result.end(), order.begin(), order.end());
    }
  }
  return result;
}

/// The first two principal axes, `kStartWidth` wide.
MatrixD start(const Eigen::Ref<const Matrix>& rows, const NeighbourLayoutOptions& options) {
  MatrixD at = MatrixD::Zero(rows.rows(), 2);
  const PrincipalAxes axes = principal_axes(rows, {2, options.seed, options.jobs});
  const Matrix projected = project(rows, axes.mean, axes.axes, options.jobs);
  at.leftCols(projected.cols()) = projected.cast<double>();
  const double width = std::max(1e-12, at.cwiseAbs().maxCoeff());
  at *= kStartWidth / width;
  // Equal rows must be able to part.
  for (Eigen::Index i = 0; i < at.rows(); ++i)
    for (Eigen::Index c = 0; c < 2; ++c)
      at(i, c) += 1e-3 * (random_uniform(options.seed, static_cast<std::uint64_t>(i),
                                         static_cast<std::uint64_t>(c)) -
                          0.5);
  return at;
}

void move(MatrixD& at, Eigen::Index i, Eigen::Index j, double factor, bool both) {
  for (Eigen::Index c = 0; c < 2; ++c) {
    const double step = std::clamp(factor * (at(i, c) - at(j, c)), -kFarthest, kFarthest);
    at(i, c) += step;
    if (both) at(j, c) -= step;
  }
}

}  // namespace

Matrix neighbour_layout(const Eigen::Ref<const Matrix>& rows,
                        const NeighbourLayoutOptions& options) {
  require(rows.allFinite(), "a row to be drawn has a number that is not finite");
  require(options.neighbours >= 1 && options.rounds >= 0,
          "a drawing needs 1 neighbour or more and 0 rounds or more");
  const Eigen::Index n = rows.rows();
  if (n < 3) return n == 0 ? Matrix(0, 2) : Matrix(Matrix::Constant(n, 2, 0.5F));
  const std::int64_t count = std::min<std::int64_t>(options.neighbours, n - 1);
  const std::vector<std::int32_t> neighbours = nearest(rows, count, options.jobs);
  MatrixD at = start(rows, options);
  Rng rng(options.seed);
  for (int round = 0; round < options.rounds; ++round) {
    const double step = kFirstStep * (1 - static_cast<double>(round) / options.rounds);
    for (Eigen::Index i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < count; ++k) {
        const Eigen::Index j = neighbours[static_cast<std::size_t>(i * count + k)];
        move(at, i, j, -0.5 * step / (1 + (at.row(i) - at.row(j)).squaredNorm()), true);
        for (int push = 0; push < kPushes; ++push) {
          const auto other = static_cast<Eigen::Index>(rng.below(static_cast<std::uint64_t>(n)));
          if (other == i) continue;
          const double away = (at.row(i) - at.row(other)).squaredNorm();
          move(at, i, other, 0.5 * step / ((0.1 + away) * (1 + away)), false);
        }
      }
  }
  Matrix result(n, 2);
  for (Eigen::Index c = 0; c < 2; ++c) {
    const double low = at.col(c).minCoeff();
    const double width = std::max(1e-12, at.col(c).maxCoeff() - low);
    result.col(c) = ((at.col(c).array() - low) / width).cast<float>();
  }
  return result;
}

}  // namespace commonplace
