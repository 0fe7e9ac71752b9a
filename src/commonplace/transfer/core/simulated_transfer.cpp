#include "commonplace/transfer/core/simulated_transfer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace::transfer {
namespace {

constexpr std::uint64_t kHalfSeed = 6;
constexpr std::uint64_t kFeatureSeed = 7;
constexpr int kHalvings = 6;

/// Some rows with their labels.
struct LabelledRows {
  Sparse rows;
  std::vector<std::int32_t> labels;

  void add(const SparseView& from, std::int64_t row, std::int32_t label) {
    rows.push_row(from, row);
    labels.push_back(label);
  }
  /// 1 for each row whose class is its label.
  std::vector<double> right(const MatrixD& classes) const {
    std::vector<double> result(labels.size());
    for (std::size_t row = 0; row < labels.size(); ++row) {
      Eigen::Index best = 0;
      classes.row(static_cast<Eigen::Index>(row)).maxCoeff(&best);
      result[row] = best == labels[row] ? 1 : 0;
    }
    return result;
  }
  double share_right(const MatrixD& classes, Comm& comm) const {
    std::array<double, 2> sums{0, static_cast<double>(labels.size())};
    for (const double each : right(classes)) sums[0] += each;
    comm.sum(sums);
    return sums[0] / std::max(1.0, sums[1]);
  }
};

/// What `known` tells of `asked`, by as few features as make it right as often as `accuracy`.
MatrixD poor_start(const LabelledRows& known, const LabelledRows& asked,
                   const std::vector<double>& shares, double accuracy,
                   const NaiveBayesOptions& options, const Run& run) {
  const std::vector<std::uint8_t> used = features_in_use(known.rows.view(), run.comm);
  const MatrixD classes = class_indicators(known.labels, std::ssize(shares));
  const auto tell = [&](double share) {
    std::vector<std::uint8_t> drawn = used;
    for (std::size_t feature = 0; feature < drawn.size(); ++feature)
      if (random_uniform(kFeatureSeed, feature, 0) >= share) drawn[feature] = 0;
    const NaiveBayes model =
        fit_naive_bayes(known.rows.view(), classes, std::move(drawn), options, run);
    return probabilities_with_shares(class_evidence(model, asked.rows.view(), options, run), shares,
                                     run.comm);
  };
  MatrixD told = tell(1);
  if (asked.share_right(told, run.comm) <= accuracy) return told;
  double low = 0;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    MatrixD fewer = tell(middle);
    if (asked.share_right(fewer, run.comm) > accuracy) {
      high = middle;
      told = std::move(fewer);
    } else {
      low = middle;
    }
  }
  return told;
}

}  // namespace

SimulatedTransfer simulate_transfer(const SparseView& items, std::span<const std::int32_t> labels,
                                    const std::vector<double>& shares, double accuracy,
                                    const ClassifierPool& pool, const NaiveBayesOptions& options,
                                    const Run& run) {
  require(std::ssize(labels) == items.rows, "there are ", items.rows, " items but ", labels.size(),
          " labels");
  const std::int64_t before = rows_before(items.rows, run.comm);
  std::array<LabelledRows, 2> halves;
  for (LabelledRows& half : halves) half.rows.columns = items.columns;
  for (std::int64_t row = 0; row < items.rows; ++row)
    if (const std::int32_t label = labels[static_cast<std::size_t>(row)]; label >= 0)
      halves[random_bits(kHalfSeed, static_cast<std::uint64_t>(before + row), 0) % 2].add(
          items, row, label);
  // Right at the start, self-trained, and refined; the difference of the last two, and squared;
  // all.
  std::array<double, 6> sums{};
  for (const std::size_t which : {0, 1}) {
    const LabelledRows& asked = halves[which];
    const SparseView rows = asked.rows.view();
    const MatrixD told = poor_start(halves[1 - which], asked, shares, accuracy, options, run);
    const MatrixD start =
        with_confidence(told, asked.share_right(told, run.comm), run.comm).cwiseMax(kLeastStart);
    const MatrixD classes = start.array().colwise() / start.rowwise().sum().array();
    const std::vector<double> self_trained_right = asked.right(self_trained(
        pool, rows, start, classes, features_in_use(rows, run.comm), shares, options, run));
    const std::vector<double> refined_right =
        asked.right(refine_classes(rows, classes, {}, options, run).classes);
    const std::vector<double> start_right = asked.right(told);
    for (std::size_t row = 0; row < start_right.size(); ++row) {
      const double lost = self_trained_right[row] - refined_right[row];
      const std::array<double, 6> of_row{
          start_right[row], self_trained_right[row], refined_right[row], lost, lost * lost, 1};
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += of_row[i];
    }
  }
  run.comm.sum(sums);
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) sums[i] /= std::max(1.0, sums.back());
  return {sums[0], sums[1], sums[2],
          std::sqrt(std::max(0.0, sums[4] - sums[3] * sums[3]) / std::max(1.0, sums[5])), sums[5]};
}

}  // namespace commonplace::transfer
