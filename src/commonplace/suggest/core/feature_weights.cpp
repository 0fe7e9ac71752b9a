#include "commonplace/suggest/core/feature_weights.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kSlabValues = 1 << 20;
constexpr double kLikeAll = 20;
/// A feature that says nothing is not quite left out.
constexpr double kLeastTelling = 1e-3;

std::vector<double> tag_shares(const SparseView& tags, Comm& comm) {
  std::vector<double> shares(static_cast<std::size_t>(tags.columns));
  for (std::size_t i = 0; i < tags.indices.size(); ++i)
    if (tags.values[i] > 0) ++shares[static_cast<std::size_t>(tags.indices[i])];
  comm.sum(std::span(shares));
  double sum = 0;
  for (const double share : shares) sum += share;
  for (double& share : shares) share /= std::max(sum, 1.0);
  return shares;
}

/// The divergence of the tags counted in `together` from `shares`. Tags that were never seen with
/// the feature have a share smaller by the same factor, so that only the seen ones are visited.
double telling(std::span<const double> together, const std::vector<double>& shares) {
  double uses = 0;
  double seen = 0;
  for (std::size_t tag = 0; tag < shares.size(); ++tag) {
    uses += together[tag];
    if (together[tag] > 0) seen += shares[tag];
  }
  const double faded = kLikeAll / (uses + kLikeAll);
  double sum = (1 - seen) * faded * std::log(faded);
  for (std::size_t tag = 0; tag < shares.size(); ++tag)
    if (together[tag] > 0) {
      const double share = (together[tag] + kLikeAll * shares[tag]) / (uses + kLikeAll);
      sum += share * std::log(share / shares[tag]);
    }
  return std::max(sum, kLeastTelling);
}

std::vector<double> tellings(const SparseView& items, const SparseView& tags, Comm& comm) {
  const std::vector<double> shares = tag_shares(tags, comm);
  const Sparse items_of = transpose(items);
  std::vector<double> result;
  const std::int64_t slab =
      std::max<std::int64_t>(1, kSlabValues / std::max<std::int64_t>(tags.columns, 1));
  for (std::int64_t begin = 0; begin < items.columns; begin += slab) {
    const std::int64_t end = std::min(items.columns, begin + slab);
    MatrixD together = MatrixD::Zero(end - begin, tags.columns);
    for (std::int64_t feature = begin; feature < end; ++feature)
      for (const std::int32_t item : items_of.view().row_indices(feature)) {
        const auto of_item = tags.row_indices(item);
        const auto values = tags.row_values(item);
        for (std::size_t i = 0; i < of_item.size(); ++i)
          if (values[i] > 0) together(feature - begin, of_item[i]) += 1;
      }
    comm.sum(together);
    for (Eigen::Index row = 0; row < together.rows(); ++row)
      result.push_back(telling({together.row(row).data(), shares.size()}, shares));
  }
  return result;
}

/// Scales the part of each row within a block to length one.
void level_blocks(Sparse& rows, std::span<const std::int64_t> blocks) {
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    auto begin = static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(row)]);
    const auto last = static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(row) + 1]);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      std::size_t end = begin;
      double squares = 0;
      for (; end < last && (block + 1 == blocks.size() || rows.indices[end] < blocks[block + 1]);
           ++end)
        squares += static_cast<double>(rows.values[end]) * static_cast<double>(rows.values[end]);
      const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
      for (; begin < end; ++begin)
        rows.values[begin] = static_cast<float>(scale * static_cast<double>(rows.values[begin]));
    }
  }
}

}  // namespace

std::vector<float> feature_weights(const SparseView& items, const SparseView& tags,
                                   const FeatureWeighting& weighting, Comm& comm) {
  require(items.rows == tags.rows, "tags of ", tags.rows, " items do not fit ", items.rows,
          " rows of features");
  std::vector<std::int64_t> uses(static_cast<std::size_t>(items.columns) + 1);
  for (const std::int32_t feature : items.indices) ++uses[static_cast<std::size_t>(feature)];
  uses.back() = items.rows;
  comm.sum(std::span(uses));
  const auto count = static_cast<double>(uses.back());
  const std::vector<double> tells =
      weighting.telling == 0 ? std::vector<double>() : tellings(items, tags, comm);
  std::vector<float> weights;
  for (std::size_t feature = 0; feature + 1 < uses.size(); ++feature) {
    const double rarity = std::log((1 + count) / (1 + static_cast<double>(uses[feature]))) + 1;
    weights.push_back(
        static_cast<float>(std::pow(rarity, weighting.rarity) *
                           (tells.empty() ? 1 : std::pow(tells[feature], weighting.telling))));
  }
  return weights;
}

Sparse weigh_rows(const SparseView& items, const std::vector<float>& weights,
                  std::span<const std::int64_t> blocks, int jobs) {
  require(static_cast<std::int64_t>(weights.size()) == items.columns, "there are ", weights.size(),
          " weights for ", items.columns, " features");
  // Row by row: of a slice the arrays hold all rows.
  Sparse rows;
  rows.columns = items.columns;
  for (std::int64_t row = 0; row < items.rows; ++row) rows.push_row(items, row);
  for (std::size_t i = 0; i < rows.indices.size(); ++i) {
    float& value = rows.values[i];
    if (value > 1) value = 1 + std::log(value);
    value *= weights[static_cast<std::size_t>(rows.indices[i])];
  }
  if (blocks.size() > 1) level_blocks(rows, blocks);
  normalise_rows(rows, jobs);
  return rows;
}

}  // namespace commonplace::suggest
