#include "commonplace/transfer/core/view_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace commonplace {
namespace {

constexpr std::size_t kBlocks = 20;

/// Sums over items of the entries of three matrices, and of their products.
struct Sums {
  double items = 0;
  std::array<std::vector<double>, 3> of_class;
  std::array<double, 3> products{};  ///< first second, first answer, second answer

  explicit Sums(std::size_t classes) {
    for (std::vector<double>& each : of_class) each.assign(classes, 0);
  }
  void add(const Sums& other, double weight) {
    items += weight * other.items;
    for (std::size_t i = 0; i < 3; ++i) {
      products[i] += weight * other.products[i];
      for (std::size_t k = 0; k < of_class[i].size(); ++k)
        of_class[i][k] += weight * other.of_class[i][k];
    }
  }
  /// The covariance of two of the matrices, summed over the classes.
  double covariance(std::size_t a, std::size_t b) const {
    double means = 0;
    for (std::size_t k = 0; k < of_class[a].size(); ++k) means += of_class[a][k] * of_class[b][k];
    return products[a + b - 1] / items - means / (items * items);
  }
  /// The chance that two items have the same class, as the answer has them.
  double chance() const {
    double sum = 0;
    for (const double count : of_class[2]) sum += count * count;
    return sum / (items * items);
  }
};

/// How far above chance the answer is; below 0 if nothing tells.
double above_chance(const Sums& sums) {
  const double views = sums.covariance(0, 1);
  const double spread = 1 - sums.chance();
  if (views <= 0 || spread <= 0) return -1;
  const double product =
      std::max(0.0, sums.covariance(0, 2)) * std::max(0.0, sums.covariance(1, 2));
  return std::sqrt(product / (views * spread));
}

}  // namespace

SupportedAccuracy accuracy_by_agreement(const MatrixD& first, const MatrixD& second,
                                        const MatrixD& answer, Comm& comm) {
  const auto classes = static_cast<std::size_t>(answer.cols());
  std::vector<Sums> blocks(kBlocks, Sums(classes));
  for (Eigen::Index row = 0; row < answer.rows(); ++row) {
    Sums& block = blocks[static_cast<std::size_t>(row) % kBlocks];
    Eigen::Index best = 0;
    answer.row(row).maxCoeff(&best);
    block.items += 1;
    for (Eigen::Index k = 0; k < answer.cols(); ++k) {
      const std::array<double, 3> entries = {first(row, k), second(row, k), k == best ? 1.0 : 0.0};
      for (std::size_t i = 0; i < 3; ++i)
        block.of_class[i][static_cast<std::size_t>(k)] += entries[i];
      block.products[0] += entries[0] * entries[1];
      block.products[1] += entries[0] * entries[2];
      block.products[2] += entries[1] * entries[2];
    }
  }
  Sums all(classes);
  for (Sums& block : blocks) {
    block.items = comm.sum(block.items);
    for (std::vector<double>& each : block.of_class) comm.sum(each);
    comm.sum(block.products);
    all.add(block, 1);
  }
  const double found = all.items > 0 ? above_chance(all) : -1;
  if (found < 0) return {};
  double squares = 0;
  for (const Sums& block : blocks) {
    Sums rest = all;
    rest.add(block, -1);
    const double without = rest.items > 0 ? above_chance(rest) : -1;
    if (without < 0) return {};
    squares += (without - found) * (without - found);
  }
  const double error = std::sqrt(squares * (kBlocks - 1) / kBlocks);
  const double chance = all.chance();
  return {std::min(1.0, chance + (1 - chance) * found), std::min(1.0, (1 - chance) * error)};
}

}  // namespace commonplace
