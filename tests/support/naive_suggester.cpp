#include "tests/support/naive_suggester.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "commonplace/base/rng.h"
#include "tests/support/naive_associations.h"

namespace commonplace::test {
namespace {

double length_one(double squares) { return squares > 0 ? 1 / std::sqrt(squares) : 0; }

/// The divergence of the tags of the items in `of` from the tags of all, as if 20 more uses had
/// been like all.
double naive_telling(const MatrixD& tags, const std::vector<Eigen::Index>& of) {
  double uses = 0;
  double all = 0;
  VectorD together = VectorD::Zero(tags.cols());
  VectorD shares = VectorD::Zero(tags.cols());
  for (Eigen::Index tag = 0; tag < tags.cols(); ++tag) {
    for (const Eigen::Index item : of) together[tag] += tags(item, tag) > 0 ? 1 : 0;
    for (Eigen::Index item = 0; item < tags.rows(); ++item)
      shares[tag] += tags(item, tag) > 0 ? 1 : 0;
    uses += together[tag];
    all += shares[tag];
  }
  double divergence = 0;
  for (Eigen::Index tag = 0; tag < tags.cols(); ++tag) {
    const double q = shares[tag] / all;
    const double p = (together[tag] + 20 * q) / (uses + 20);
    if (p > 0) divergence += p * std::log(p / q);
  }
  return std::max(divergence, 1e-3);
}

}  // namespace

NaiveLatents naive_latents(const MatrixD& whitened, const MatrixD& targets, double ridge) {
  const Eigen::Index size = whitened.cols();
  const Eigen::MatrixXd gram =
      whitened.transpose() * whitened + ridge * Eigen::MatrixXd::Identity(size, size);
  const Eigen::LDLT<Eigen::MatrixXd> solver(gram);
  const Eigen::MatrixXd sums = whitened.transpose() * targets;
  return {solver.solve(Eigen::MatrixXd::Identity(size, size)), solver.solve(sums)};
}

std::vector<double> naive_feature_weights(const MatrixD& items, const MatrixD& tags,
                                          const suggest::FeatureWeighting& weighting) {
  std::vector<double> weights;
  for (Eigen::Index feature = 0; feature < items.cols(); ++feature) {
    std::vector<Eigen::Index> of;
    for (Eigen::Index item = 0; item < items.rows(); ++item)
      if (items(item, feature) != 0) of.push_back(item);
    const double rarity =
        std::log((1 + static_cast<double>(items.rows())) / (1 + static_cast<double>(of.size()))) +
        1;
    weights.push_back(std::pow(rarity, weighting.rarity) *
                      std::pow(naive_telling(tags, of), weighting.telling));
  }
  return weights;
}

MatrixD naive_weigh_rows(const MatrixD& items, const std::vector<float>& weights,
                         const std::vector<std::int64_t>& blocks) {
  MatrixD result = items;
  for (Eigen::Index row = 0; row < items.rows(); ++row) {
    for (Eigen::Index column = 0; column < items.cols(); ++column) {
      double& value = result(row, column);
      if (value > 1) value = 1 + std::log(value);
      value *= static_cast<double>(weights[static_cast<std::size_t>(column)]);
    }
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const Eigen::Index end = block + 1 < blocks.size() ? blocks[block + 1] : items.cols();
      auto part = result.row(row).segment(blocks[block], end - blocks[block]);
      part *= length_one(part.squaredNorm());
    }
    result.row(row) *= length_one(result.row(row).squaredNorm());
  }
  return result;
}

MatrixD naive_directions(const MatrixD& items, const MatrixD& groups) {
  MatrixD result = MatrixD::Zero(groups.rows(), items.cols());
  for (Eigen::Index group = 0; group < groups.rows(); ++group) {
    for (Eigen::Index item = 0; item < items.rows(); ++item)
      result.row(group) += groups(group, item) * items.row(item);
    result.row(group) *= length_one(result.row(group).squaredNorm());
  }
  return result;
}

NaiveCategories naive_categories(const MatrixD& tags, std::size_t most) {
  const auto uses = [&](std::int32_t tag) { return (tags.col(tag).array() > 0).count(); };
  NaiveCategories result;
  for (std::int32_t tag = 0; tag < tags.cols(); ++tag)
    if (uses(tag) > 0) result.tags.push_back(tag);
  std::stable_sort(result.tags.begin(), result.tags.end(),
                   [&](std::int32_t a, std::int32_t b) { return uses(a) > uses(b); });
  result.tags.resize(std::min(most, result.tags.size()));
  result.shares = MatrixD::Zero(std::ssize(result.tags), tags.cols());
  VectorD items = VectorD::Zero(std::ssize(result.tags));
  for (Eigen::Index item = 0; item < tags.rows(); ++item) {
    const auto has = [&](std::int32_t tag) { return tags(item, tag) > 0; };
    const auto found = std::find_if(result.tags.begin(), result.tags.end(), has);
    const auto category = static_cast<std::int32_t>(found - result.tags.begin());
    result.of_item.push_back(found == result.tags.end() ? -1 : category);
    if (found == result.tags.end()) continue;
    ++items[category];
    for (Eigen::Index tag = 0; tag < tags.cols(); ++tag)
      if (tags(item, tag) > 0)
        result.shares(category, tag) +=
            1 / static_cast<double>((tags.row(item).array() > 0).count());
  }
  for (Eigen::Index category = 0; category < items.size(); ++category)
    if (items[category] > 0) result.shares.row(category) /= items[category];
  return result;
}

MatrixD naive_knn_votes(const MatrixD& items, const MatrixD& known, std::int64_t count,
                        const std::vector<std::int64_t>& skip) {
  MatrixD votes = naive_nearest_rows(items, known, count, skip).array().square();
  for (Eigen::Index row = 0; row < votes.rows(); ++row)
    if (const double sum = votes.row(row).sum(); sum > 0) votes.row(row) /= sum;
  return votes;
}

Sparse random_targets(std::int64_t items, std::int64_t tags, double density, std::uint64_t seed) {
  Sparse result;
  result.columns = tags;
  for (std::int64_t item = 0; item < items; ++item) {
    for (std::int32_t tag = 0; tag < tags; ++tag) {
      const double draw =
          random_uniform(seed, static_cast<std::uint64_t>(item), static_cast<std::uint64_t>(tag));
      if (draw < density) result.push(tag, draw < 0.8 * density ? 1.F : -1.F);
    }
    result.end_row();
  }
  return result;
}

Sparse rows_between(const SparseView& matrix, RowRange range) {
  Sparse result;
  result.columns = matrix.columns;
  for (std::int64_t row = range.begin; row < range.end; ++row) result.push_row(matrix, row);
  return result;
}

}  // namespace commonplace::test
