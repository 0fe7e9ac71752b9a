#include "commonplace/transfer/core/naive_bayes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::transfer {
namespace {

constexpr int kFolds = 5;
constexpr std::uint64_t kFoldSeed = 5;
constexpr double kLeastLikely = 1e-12;
constexpr std::int64_t kFewestLabelled = 10;

void check_options(const NaiveBayesOptions& options) {
  require(options.words > 0, "the words of an item must be above 0, not ", options.words);
  require(options.smoothing > 0, "the smoothing must be above 0, not ", options.smoothing);
  require(options.iterations >= 0, "the number of refinements must be 0 or more, not ",
          options.iterations);
  require(options.tolerance >= 0, "the tolerance must be 0 or more, not ", options.tolerance);
}

/// What the used features of items are multiplied with, so that they are `words` on average.
double scale_of_words(const SparseView& items, const std::vector<std::uint8_t>& used,
                      const NaiveBayesOptions& options, Comm& comm) {
  std::array<double, 2> sums{0, static_cast<double>(items.rows)};
  for (std::int64_t row = 0; row < items.rows; ++row) {
    const auto columns = items.row_indices(row);
    const auto values = items.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (used[static_cast<std::size_t>(columns[i])] != 0)
        sums[0] += static_cast<double>(values[i]);
  }
  comm.sum(sums);
  return sums[0] > 0 ? options.words * sums[1] / sums[0] : 0;
}

/// Sums over ranks of the items of classes, features x classes, to ln of probabilities.
NaiveBayes model_of(MatrixD masses, std::vector<std::uint8_t> used, double scale,
                    const NaiveBayesOptions& options) {
  masses = masses.array() * scale + options.smoothing;
  for (Eigen::Index feature = 0; feature < masses.rows(); ++feature)
    if (used[static_cast<std::size_t>(feature)] == 0) masses.row(feature).setZero();
  const Eigen::RowVectorXd totals = masses.colwise().sum();
  for (Eigen::Index feature = 0; feature < masses.rows(); ++feature)
    if (used[static_cast<std::size_t>(feature)] != 0)
      masses.row(feature) = (masses.row(feature).array() / totals.array()).log();
  return {std::move(masses), std::move(used)};
}

MatrixD evidence_of(const NaiveBayes& model, const SparseView& items, double scale, int jobs) {
  return multiply(items, model.log_probability, jobs) * scale;
}

void require_classes(const SparseView& items, const MatrixD& classes) {
  require(classes.rows() == items.rows && classes.cols() >= 1, "there are ", items.rows,
          " items but classes of ", classes.rows());
}

}  // namespace

MatrixD class_indicators(std::span<const std::int32_t> labels, std::int64_t classes) {
  require(classes >= 1, "there are ", classes, " classes; expected 1 or more");
  MatrixD result = MatrixD::Zero(std::ssize(labels), classes);
  for (std::size_t item = 0; item < labels.size(); ++item) {
    require(labels[item] >= -1 && labels[item] < classes, "item ", item, " has the label ",
            labels[item], "; expected 0 .. ", classes - 1, ", or -1 for none");
    if (labels[item] >= 0) result(static_cast<Eigen::Index>(item), labels[item]) = 1;
  }
  return result;
}

std::vector<std::uint8_t> features_in_use(const SparseView& items, Comm& comm) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(items.columns), 0);
  for (std::int64_t row = 0; row < items.rows; ++row) {
    const auto columns = items.row_indices(row);
    const auto values = items.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (values[i] > 0) ++counts[static_cast<std::size_t>(columns[i])];
  }
  comm.sum(std::span<std::int64_t>(counts));
  std::vector<std::uint8_t> used(counts.size());
  std::transform(counts.begin(), counts.end(), used.begin(),
                 [](std::int64_t count) { return static_cast<std::uint8_t>(count > 0); });
  return used;
}

Sparse only_features(const SparseView& items, std::span<const std::uint8_t> used) {
  Sparse result;
  result.columns = items.columns;
  for (std::int64_t row = 0; row < items.rows; ++row) {
    const auto columns = items.row_indices(row);
    const auto values = items.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (used[static_cast<std::size_t>(columns[i])] != 0) result.push(columns[i], values[i]);
    result.end_row();
  }
  return result;
}

NaiveBayes fit_naive_bayes(const SparseView& items, const MatrixD& classes,
                           std::vector<std::uint8_t> used, const NaiveBayesOptions& options,
                           const Run& run) {
  check_options(options);
  require_classes(items, classes);
  require(std::ssize(used) == items.columns, "there are ", items.columns, " features but ",
          used.size(), " marks");
  const double scale = scale_of_words(items, used, options, run.comm);
  MatrixD masses = transposed_multiply(items, classes, run.jobs);
  run.comm.sum(masses);
  return model_of(std::move(masses), std::move(used), scale, options);
}

MatrixD class_evidence(const NaiveBayes& model, const SparseView& items,
                       const NaiveBayesOptions& options, const Run& run) {
  require(std::ssize(model.used) == items.columns, "there are ", items.columns,
          " features but words of ", model.used.size());
  return evidence_of(model, items, scale_of_words(items, model.used, options, run.comm), run.jobs);
}

MatrixD class_probabilities(const MatrixD& evidence, double inverse_temperature) {
  MatrixD result = evidence * inverse_temperature;
  for (Eigen::Index row = 0; row < result.rows(); ++row) {
    result.row(row) = (result.row(row).array() - result.row(row).maxCoeff()).exp();
    result.row(row) /= result.row(row).sum();
  }
  return result;
}

MatrixD probabilities_with_shares(const MatrixD& evidence, const std::vector<double>& shares,
                                  Comm& comm) {
  constexpr int kRounds = 100;
  constexpr double kClose = 1e-6;
  const Eigen::Index classes = evidence.cols();
  Eigen::RowVectorXd offset = Eigen::RowVectorXd::Zero(classes);
  MatrixD result;
  for (int round = 0; round < kRounds; ++round) {
    result = class_probabilities(evidence.rowwise() + offset);
    std::vector<double> sums(static_cast<std::size_t>(classes) + 1);
    for (Eigen::Index k = 0; k < classes; ++k)
      sums[static_cast<std::size_t>(k)] = result.col(k).sum();
    sums.back() = static_cast<double>(result.rows());
    comm.sum(sums);
    double farthest = 0;
    for (Eigen::Index k = 0; k < classes; ++k) {
      const auto label = static_cast<std::size_t>(k);
      const double share = std::max(sums[label], 1e-9) / sums.back();
      const double step = std::log(share / shares[label]) / 2;
      offset(k) -= step;
      farthest = std::max(farthest, std::abs(step));
    }
    if (farthest < kClose) break;
  }
  return result;
}

MatrixD balanced_probabilities(const MatrixD& evidence, double inverse_temperature, Comm& comm) {
  const auto classes = static_cast<std::size_t>(evidence.cols());
  return probabilities_with_shares(evidence * inverse_temperature,
                                   std::vector<double>(classes, 1 / static_cast<double>(classes)),
                                   comm);
}

RefinedClasses refine_classes(const SparseView& items, MatrixD classes,
                              std::span<const std::uint8_t> given, const NaiveBayesOptions& options,
                              const Run& run) {
  check_options(options);
  require_classes(items, classes);
  const std::vector<std::uint8_t> used = features_in_use(items, run.comm);
  const double scale = scale_of_words(items, used, options, run.comm);
  const Sparse transposed = transpose(items);
  RefinedClasses refined{std::move(classes), {}, {}};
  const auto learn_evidence = [&] {
    MatrixD masses = multiply(transposed.view(), refined.classes, run.jobs);
    run.comm.sum(masses);
    refined.evidence =
        evidence_of(model_of(std::move(masses), used, scale, options), items, scale, run.jobs);
  };
  while (refined.report.iterations < options.iterations && !refined.report.converged) {
    learn_evidence();
    MatrixD next = class_probabilities(refined.evidence);
    for (std::size_t item = 0; item < given.size(); ++item)
      if (given[item] != 0)
        next.row(static_cast<Eigen::Index>(item)) =
            refined.classes.row(static_cast<Eigen::Index>(item));
    std::array<double, 2> moved{(next - refined.classes).cwiseAbs().sum(),
                                static_cast<double>(items.rows)};
    run.comm.sum(moved);
    refined.classes = std::move(next);
    refined.report.objective.push_back(moved[0] / std::max(1.0, moved[1]));
    refined.report.converged = refined.report.objective.back() < options.tolerance;
    ++refined.report.iterations;
  }
  if (refined.evidence.size() == 0) learn_evidence();
  return refined;
}

std::int64_t rows_before(std::int64_t rows, Comm& comm) {
  std::vector<std::int64_t> rows_of(static_cast<std::size_t>(comm.size()), 0);
  rows_of[static_cast<std::size_t>(comm.rank())] = rows;
  comm.sum(std::span<std::int64_t>(rows_of));
  return std::accumulate(rows_of.begin(), rows_of.begin() + comm.rank(), std::int64_t{0});
}

std::vector<int> folds_of_items(std::int64_t items, int folds, Comm& comm) {
  const std::int64_t before = rows_before(items, comm);
  std::vector<int> result;
  for (std::int64_t row = 0; row < items; ++row)
    result.push_back(
        static_cast<int>(random_bits(kFoldSeed, static_cast<std::uint64_t>(before + row), 0) %
                         static_cast<std::uint64_t>(folds)));
  return result;
}

TemperatureScaling fit_temperature(const SparseView& items, std::span<const std::int32_t> labels,
                                   std::int64_t classes, const std::vector<std::uint8_t>& used,
                                   const NaiveBayesOptions& options, const Run& run) {
  require(std::ssize(labels) == items.rows, "there are ", items.rows, " items but ", labels.size(),
          " labels");
  const std::vector<int> fold_of = folds_of_items(items.rows, kFolds, run.comm);
  constexpr std::array kInverseTemperatures = {1.0,  0.7,  0.5,  0.35, 0.25,
                                               0.18, 0.12, 0.08, 0.05, 0.03};
  std::array<double, kInverseTemperatures.size() + 1>
      likelihood{};  // and the number of labelled items
  for (int fold = 0; fold < kFolds; ++fold) {
    MatrixD known = class_indicators(labels, classes);
    for (std::size_t row = 0; row < labels.size(); ++row)
      if (fold_of[row] == fold) known.row(static_cast<Eigen::Index>(row)).setZero();
    const MatrixD evidence =
        class_evidence(fit_naive_bayes(items, known, used, options, run), items, options, run);
    for (std::size_t s = 0; s < kInverseTemperatures.size(); ++s) {
      const MatrixD probabilities = class_probabilities(evidence, kInverseTemperatures[s]);
      for (std::size_t row = 0; row < labels.size(); ++row) {
        if (labels[row] < 0 || fold_of[row] != fold) continue;
        likelihood[s] += std::log(
            std::max(probabilities(static_cast<Eigen::Index>(row), labels[row]), kLeastLikely));
        if (s == 0) likelihood.back() += 1;
      }
    }
  }
  run.comm.sum(likelihood);
  const auto best = likelihood.back() < static_cast<double>(kFewestLabelled)
                        ? likelihood.begin()
                        : std::max_element(likelihood.begin(), likelihood.end() - 1);
  return {kInverseTemperatures[static_cast<std::size_t>(best - likelihood.begin())],
          *best / std::max(1.0, likelihood.back()), likelihood.back()};
}

}  // namespace commonplace::transfer
