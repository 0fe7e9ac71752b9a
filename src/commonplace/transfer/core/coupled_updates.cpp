#include "commonplace/transfer/core/coupled_updates.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"

namespace commonplace::transfer {
namespace {

constexpr std::int64_t kRegister = 4;     ///< doubles
constexpr std::int64_t kBlockRows = 512;  ///< that are added up by one thread at a time

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

MatrixD padded(const MatrixD& matrix) {
  const Eigen::Index width = (matrix.cols() + kRegister - 1) / kRegister * kRegister;
  MatrixD result = MatrixD::Zero(matrix.rows(), width);
  result.leftCols(matrix.cols()) = matrix;
  return result;
}

void multiply_out(ClusterFactor& factor, std::int64_t row) {
  const std::int64_t width = factor.features.cols();
  const std::int64_t classes = factor.weights.rows();
  multiply_row(factor.features.data() + row * width, factor.weights.data(), width, classes,
               factor.product.data() + row * classes);
}

/// Sums over the features of a block: what the weights of one factor need.
struct WeightSums {
  MatrixD up;
  MatrixD down;
};

/// An end that a factor explains together with another one.
struct Side {
  EndEvidence known;
  const MatrixD* rest;  ///< the product of the other factor
};

/// Steps rows of one factor, which explains one end or both.
class FactorStep {
 public:
  FactorStep(ClusterFactor& factor, std::span<const Side> sides, WeightSums& sums)
      : factor_(factor),
        sides_(sides),
        sums_(sums),
        width_(factor.features.cols()),
        classes_(factor.weights.rows()),
        room_(2 * classes_ + 2 * width_) {
    sums_.up = MatrixD::Zero(classes_, width_);
    sums_.down = MatrixD::Zero(classes_, width_);
  }

  void step(std::int64_t row) {
    double* f = factor_.features.data() + row * width_;
    double* wanted = room_.data();
    double* there = wanted + classes_;
    double* scratch = there + classes_;
    std::fill_n(wanted, classes_, 0.0);
    for (const Side& side : sides_) {
      const double* evidence = side.known.evidence->data() + row * classes_;
      for (std::int64_t k = 0; k < classes_; ++k) wanted[k] += evidence[k];
    }
    explain(row, there);
    step_row(f, factor_.weights.data(), wanted, there, width_, classes_, scratch, scratch + width_);
    multiply_out(factor_, row);
    explain(row, there);
    add_row(f, wanted, there, width_, classes_, sums_.up.data(), sums_.down.data());
  }

 private:
  /// there[k] = the sum over the sides of (product + rest) gram.
  void explain(std::int64_t row, double* there) const {
    const double* product = factor_.product.data() + row * classes_;
    std::fill_n(there, classes_, 0.0);
    for (const Side& side : sides_) {
      const double* rest = side.rest->data() + row * classes_;
      for (std::int64_t l = 0; l < classes_; ++l) {
        const double explained = product[l] + rest[l];
        const double* gram = side.known.gram->data() + l * classes_;
        for (std::int64_t k = 0; k < classes_; ++k) there[k] += explained * gram[k];
      }
    }
  }

  ClusterFactor& factor_;
  std::span<const Side> sides_;
  WeightSums& sums_;
  std::int64_t width_;
  std::int64_t classes_;
  VectorD room_;
};

std::size_t blocks_of(std::int64_t rows) {
  return static_cast<std::size_t>((rows + kBlockRows - 1) / kBlockRows);
}

/// Calls body(which, block, begin, end) for blocks of the rows of `count` matrices of as many rows.
template <class Body>
void for_blocks(std::size_t count, std::int64_t rows, int jobs, const Body& body) {
  const std::size_t blocks = blocks_of(rows);
  parallel_for(
      count * blocks, jobs,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t task = first; task < last; ++task) {
          const auto begin = static_cast<std::int64_t>(task % blocks) * kBlockRows;
          body(task / blocks, task % blocks, begin, std::min(rows, begin + kBlockRows));
        }
      },
      1);
}

/// The step of the weights, from the sums of all blocks in their order.
void step_weights(ClusterFactor& factor, std::span<WeightSums> of_blocks) {
  WeightSums& sum = of_blocks.front();
  for (const WeightSums& each : of_blocks.subspan(1)) {
    sum.up += each.up;
    sum.down += each.down;
  }
  factor.weights.array() *= (sum.up.array() / (sum.down.array() + kSmallestDivisor)).sqrt();
}

/// out[k] += the entries times the rows of `b` that their columns name. A number of classes that is
/// known when it is compiled is kept in registers.
template <int Classes>
void gather(std::span<const std::int32_t> columns, std::span<const float> values, const double* b,
            std::int64_t classes, double* out) {
  const std::int64_t count = Classes > 0 ? Classes : classes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double value = static_cast<double>(values[i]);
    const double* from = b + columns[i] * count;
    for (std::int64_t k = 0; k < count; ++k) out[k] += value * from[k];
  }
}

void gather_row(const SparseView& items, std::int64_t item, const MatrixD& b, double* out) {
  const std::int64_t classes = b.cols();
  std::fill_n(out, classes, 0.0);
  const auto columns = items.row_indices(item);
  const auto values = items.row_values(item);
  if (classes == 2)
    gather<2>(columns, values, b.data(), classes, out);
  else
    gather<0>(columns, values, b.data(), classes, out);
}

/// The step of one item's classes; returns by how much they move.
double step_classes(double* g, const double* wanted, double scale, const MatrixD& gram,
                    double* next) {
  const std::int64_t classes = gram.cols();
  double sum = 0;
  for (std::int64_t k = 0; k < classes; ++k) {
    double there = kSmallestDivisor;
    for (std::int64_t l = 0; l < classes; ++l) there += g[l] * gram(l, k);
    next[k] = g[k] * std::sqrt(scale * wanted[k] / there);
    sum += next[k];
  }
  double moved = 0;
  for (std::int64_t k = 0; k < classes; ++k) {
    const double share = sum > 0 ? next[k] / sum : 1 / static_cast<double>(classes);
    moved += std::abs(share - g[k]);
    g[k] = share;
  }
  return moved;
}

}  // namespace

ClusterFactor::ClusterFactor(const MatrixD& features_of, const MatrixD& weights_of)
    : clusters(features_of.cols()),
      features(padded(features_of)),
      weights(padded(weights_of)),
      product(features_of.rows(), weights_of.rows()) {
  for (std::int64_t row = 0; row < features.rows(); ++row) multiply_out(*this, row);
}

void update_clusters(std::span<PairFactors> pairs,
                     std::span<const std::array<EndEvidence, 2>> evidence, int jobs) {
  const std::int64_t rows = pairs.front().common.features.rows();
  const std::size_t blocks = blocks_of(rows);
  std::vector<WeightSums> sums(pairs.size() * blocks);
  for_blocks(pairs.size(), rows, jobs,
             [&](std::size_t which, std::size_t block, std::int64_t begin, std::int64_t end) {
               PairFactors& pair = pairs[which];
               const std::array sides = {Side{evidence[which][0], &pair.own[0].product},
                                         Side{evidence[which][1], &pair.own[1].product}};
               FactorStep common(pair.common, sides, sums[which * blocks + block]);
               for (std::int64_t row = begin; row < end; ++row) common.step(row);
             });
  for (std::size_t which = 0; which < pairs.size(); ++which)
    step_weights(pairs[which].common, std::span(sums).subspan(which * blocks, blocks));

  std::array<std::vector<WeightSums>, 2> own_sums = {sums, sums};
  for_blocks(pairs.size(), rows, jobs,
             [&](std::size_t which, std::size_t block, std::int64_t begin, std::int64_t end) {
               PairFactors& pair = pairs[which];
               for (std::int64_t row = begin; row < end; ++row) multiply_out(pair.common, row);
               for (const std::size_t of : {0, 1}) {
                 const std::array side = {Side{evidence[which][of], &pair.common.product}};
                 FactorStep own(pair.own[of], side, own_sums[of][which * blocks + block]);
                 for (std::int64_t row = begin; row < end; ++row) own.step(row);
               }
             });
  for (std::size_t which = 0; which < pairs.size(); ++which)
    for (const std::size_t of : {0, 1})
      step_weights(pairs[which].own[of], std::span(own_sums[of]).subspan(which * blocks, blocks));
  for_blocks(pairs.size(), rows, jobs,
             [&](std::size_t which, std::size_t, std::int64_t begin, std::int64_t end) {
               for (ClusterFactor& own : pairs[which].own)
                 for (std::int64_t row = begin; row < end; ++row) multiply_out(own, row);
             });
}

void normalise_clusters(std::span<PairFactors> pairs, int jobs) {
  const std::int64_t rows = pairs.front().common.features.rows();
  const std::size_t blocks = blocks_of(rows);
  const auto factors_of = [](PairFactors& pair) {
    return std::array{&pair.common, &pair.own[0], &pair.own[1]};
  };
  std::vector<std::array<Eigen::RowVectorXd, 3>> sums(pairs.size() * blocks);
  for_blocks(pairs.size(), rows, jobs,
             [&](std::size_t which, std::size_t block, std::int64_t begin, std::int64_t end) {
               const auto factors = factors_of(pairs[which]);
               for (std::size_t part = 0; part < factors.size(); ++part)
                 sums[which * blocks + block][part] =
                     factors[part]->features.middleRows(begin, end - begin).colwise().sum();
             });
  for (std::size_t which = 0; which < pairs.size(); ++which)
    for (auto& scale : sums[which * blocks]) {
      const auto part = static_cast<std::size_t>(&scale - sums[which * blocks].data());
      for (std::size_t block = 1; block < blocks; ++block)
        scale += sums[which * blocks + block][part];
      for (double& sum : scale) sum = sum > 0 ? 1 / sum : 0;
    }
  for_blocks(pairs.size(), rows, jobs,
             [&](std::size_t which, std::size_t, std::int64_t begin, std::int64_t end) {
               const auto factors = factors_of(pairs[which]);
               for (std::size_t part = 0; part < factors.size(); ++part) {
                 factors[part]->features.middleRows(begin, end - begin).array().rowwise() *=
                     sums[which * blocks][part].array();
                 for (std::int64_t row = begin; row < end; ++row) multiply_out(*factors[part], row);
               }
             });
}

double update_item_classes(const SparseView& items, double scale, const MatrixD& explained,
                           const MatrixD& gram, const std::vector<std::uint8_t>& given,
                           MatrixD& classes, int jobs) {
  std::vector<double> moved(blocks_of(items.rows), 0);
  for_blocks(1, items.rows, jobs,
             [&](std::size_t, std::size_t block, std::int64_t begin, std::int64_t end) {
               VectorD room(2 * classes.cols());
               double* wanted = room.data();
               for (std::int64_t item = begin; item < end; ++item) {
                 if (!given.empty() && given[static_cast<std::size_t>(item)] != 0) continue;
                 gather_row(items, item, explained, wanted);
                 moved[block] += step_classes(classes.data() + item * classes.cols(), wanted, scale,
                                              gram, wanted + classes.cols());
               }
             });
  return std::accumulate(moved.begin(), moved.end(), 0.0);
}

}  // namespace commonplace::transfer
