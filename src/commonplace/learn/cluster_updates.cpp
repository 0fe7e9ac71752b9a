#include "commonplace/learn/cluster_updates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"

namespace commonplace {
namespace {

constexpr std::int64_t kRegister = 4;     ///< doubles
constexpr std::int64_t kBlockRows = 512;  ///< features that are added up by one thread at a time

// f: a row of clusters (width). a: weights (classes x width). wanted, there: a row each (classes).

/// product[k] = f · a[k].
COMMONPLACE_CLONES void multiply_row(const double* __restrict f, const double* __restrict a,
                                     std::int64_t width, std::int64_t classes,
                                     double* __restrict product) {
  for (std::int64_t k = 0; k < classes; ++k) {
    double sums[kRegister] = {};
    for (std::int64_t j = 0; j < width; j += kRegister)
      for (std::int64_t lane = 0; lane < kRegister; ++lane)
        sums[lane] += f[j + lane] * a[k * width + j + lane];
    product[k] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

/// The step of one row of clusters; `up` and `down` are room for a row.
COMMONPLACE_CLONES void step_row(double* __restrict f, const double* __restrict a,
                                 const double* __restrict wanted, const double* __restrict there,
                                 std::int64_t width, std::int64_t classes, double* __restrict up,
                                 double* __restrict down) {
  for (std::int64_t j = 0; j < width; ++j) up[j] = 0;
  for (std::int64_t j = 0; j < width; ++j) down[j] = kSmallestDivisor;
  for (std::int64_t k = 0; k < classes; ++k)
    for (std::int64_t j = 0; j < width; ++j) {
      up[j] += wanted[k] * a[k * width + j];
      down[j] += there[k] * a[k * width + j];
    }
  for (std::int64_t j = 0; j < width; ++j) f[j] *= std::sqrt(up[j] / down[j]);
}

/// What the weights need: sums over rows of wanted[k] f and there[k] f.
COMMONPLACE_CLONES void add_row(const double* __restrict f, const double* __restrict wanted,
                                const double* __restrict there, std::int64_t width,
                                std::int64_t classes, double* __restrict up,
                                double* __restrict down) {
  for (std::int64_t k = 0; k < classes; ++k)
    for (std::int64_t j = 0; j < width; ++j) {
      up[k * width + j] += wanted[k] * f[j];
      down[k * width + j] += there[k] * f[j];
    }
}

/// there[k] = the sum over the sides of (product + rest) gram, for one feature.
void explain_row(const double* product, std::span<const ClusterSide> sides, Eigen::Index feature,
                 std::int64_t classes, double* there) {
  std::fill_n(there, classes, 0.0);
  for (const ClusterSide& side : sides) {
    const double* rest = side.rest->data() + feature * classes;
    for (std::int64_t l = 0; l < classes; ++l) {
      const double explained = product[l] + rest[l];
      const double* gram = side.gram->data() + l * classes;
      for (std::int64_t k = 0; k < classes; ++k) there[k] += explained * gram[k];
    }
  }
}

MatrixD padded(const MatrixD& matrix) {
  const Eigen::Index width = (matrix.cols() + kRegister - 1) / kRegister * kRegister;
  MatrixD result = MatrixD::Zero(matrix.rows(), width);
  result.leftCols(matrix.cols()) = matrix;
  return result;
}

/// Calls body(block, begin, end) for blocks of features.
template <class Body>
void for_blocks(std::int64_t features, int jobs, const Body& body) {
  const std::int64_t blocks = (features + kBlockRows - 1) / kBlockRows;
  parallel_for(
      static_cast<std::size_t>(blocks), jobs,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t block = first; block < last; ++block) {
          const auto begin = static_cast<std::int64_t>(block) * kBlockRows;
          body(block, begin, std::min(features, begin + kBlockRows));
        }
      },
      1);
}

void multiply_out(ClusterFactor& factor, int jobs) {
  const std::int64_t width = factor.features.cols();
  const std::int64_t classes = factor.weights.rows();
  for_blocks(factor.features.rows(), jobs, [&](std::size_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      multiply_row(factor.features.data() + row * width, factor.weights.data(), width, classes,
                   factor.product.data() + row * classes);
  });
}

}  // namespace

ClusterFactor::ClusterFactor(const MatrixD& features_of, const MatrixD& weights_of)
    : clusters(features_of.cols()),
      features(padded(features_of)),
      weights(padded(weights_of)),
      product(features_of.rows(), weights_of.rows()) {
  multiply_out(*this, 1);
}

void update_clusters(ClusterFactor& factor, std::span<const ClusterSide> sides, int jobs) {
  const std::int64_t width = factor.features.cols();
  const std::int64_t classes = factor.weights.rows();
  const std::int64_t rows = factor.features.rows();
  const auto blocks = static_cast<std::size_t>((rows + kBlockRows - 1) / kBlockRows);
  std::vector<MatrixD> up(blocks);
  std::vector<MatrixD> down(blocks);
  for_blocks(rows, jobs, [&](std::size_t block, std::int64_t begin, std::int64_t end) {
    up[block] = MatrixD::Zero(classes, width);
    down[block] = MatrixD::Zero(classes, width);
    VectorD room(2 * classes + 2 * width);
    double* wanted = room.data();
    double* there = wanted + classes;
    double* scratch = there + classes;
    for (std::int64_t row = begin; row < end; ++row) {
      double* f = factor.features.data() + row * width;
      double* product = factor.product.data() + row * classes;
      std::fill_n(wanted, classes, 0.0);
      for (const ClusterSide& side : sides)
        for (std::int64_t k = 0; k < classes; ++k) wanted[k] += (*side.evidence)(row, k);
      explain_row(product, sides, row, classes, there);
      step_row(f, factor.weights.data(), wanted, there, width, classes, scratch, scratch + width);
      multiply_row(f, factor.weights.data(), width, classes, product);
      explain_row(product, sides, row, classes, there);
      add_row(f, wanted, there, width, classes, up[block].data(), down[block].data());
    }
  });
  for (std::size_t block = 1; block < blocks; ++block) {
    up[0] += up[block];
    down[0] += down[block];
  }
  factor.weights.array() *= (up[0].array() / (down[0].array() + kSmallestDivisor)).sqrt();
  multiply_out(factor, jobs);
}

void normalise_clusters(ClusterFactor& factor, int jobs) {
  Eigen::RowVectorXd scale = factor.features.colwise().sum();
  for (double& sum : scale) sum = sum > 0 ? 1 / sum : 0;
  factor.features.array().rowwise() *= scale.array();
  multiply_out(factor, jobs);
}

}  // namespace commonplace
