#include "commonplace/transfer/core/base_classifiers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "commonplace/eval/tune.h"
#include "commonplace/transfer/core/logistic_regression.h"

namespace commonplace::transfer {
namespace {

constexpr int kPoolFolds = 5;
constexpr double kFewestHeldOut = 10;
constexpr double kLeastProbability = 1e-12;
constexpr std::array kNaiveBayesWeights = {0.0,  1.0,  0.7,  0.5,  0.35, 0.25,
                                           0.18, 0.12, 0.08, 0.05, 0.03};
constexpr std::array kRegressionWeights = {0.0, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0};
/// A regression of the first is flatter than a linear SVM of cost 1, of the second about as tight.
constexpr std::array kRegressionCosts = {1.0, 4.0};

/// What a classifier learned by `learn` from the other folds says of each item.
template <class Tell>
MatrixD cross_fitted(const SparseView& items, const MatrixD& classes, const Run& run, Tell&& tell) {
  const std::vector<int> fold_of = folds_of_items(items.rows, kPoolFolds, run.comm);
  MatrixD result = MatrixD::Zero(classes.rows(), classes.cols());
  for (int fold = 0; fold < kPoolFolds; ++fold) {
    MatrixD known = classes;
    for (std::size_t row = 0; row < fold_of.size(); ++row)
      if (fold_of[row] == fold) known.row(static_cast<Eigen::Index>(row)).setZero();
    if (run.comm.sum(known.sum()) <= 0) continue;
    const MatrixD told = tell(known);
    for (std::size_t row = 0; row < fold_of.size(); ++row)
      if (fold_of[row] == fold)
        result.row(static_cast<Eigen::Index>(row)) = told.row(static_cast<Eigen::Index>(row));
  }
  return result;
}

MatrixD by_words(const SparseView& teachers, const MatrixD& classes,
                 const std::vector<std::uint8_t>& used, const SparseView& items,
                 const NaiveBayesOptions& options, const Run& run) {
  return class_evidence(fit_naive_bayes(teachers, classes, used, options, run), items, options,
                        run);
}

MatrixD by_regression(const SparseView& teachers, const MatrixD& classes,
                      const std::vector<std::uint8_t>& used, const SparseView& items, double cost,
                      const Run& run) {
  LogisticRegressionOptions options;
  options.cost = cost;
  return class_evidence(fit_logistic_regression(teachers, classes, used, options, run), items, run);
}

/// How likely items are by some probabilities of their classes.
struct HeldOut {
  double likelihood = 0;  ///< the sum of its logarithms
  double right = 0;
  double confidence = 0;
  double items = 0;
};

HeldOut judge_held_out(const MatrixD& probabilities, const std::vector<std::int32_t>& labels,
                       Comm& comm) {
  std::array<double, 4> sums{};
  for (std::size_t item = 0; item < labels.size(); ++item) {
    if (labels[item] < 0) continue;
    const auto row = probabilities.row(static_cast<Eigen::Index>(item));
    Eigen::Index best = 0;
    sums[2] += row.maxCoeff(&best);
    sums[0] += std::log(std::max(row(labels[item]), kLeastProbability));
    sums[1] += best == labels[item] ? 1 : 0;
    sums[3] += 1;
  }
  comm.sum(sums);
  return {sums[0], sums[1], sums[2], sums[3]};
}

}  // namespace

std::vector<std::int32_t> most_likely(const MatrixD& classes) {
  std::vector<std::int32_t> labels;
  for (Eigen::Index row = 0; row < classes.rows(); ++row) {
    Eigen::Index best = 0;
    const double most = classes.row(row).maxCoeff(&best);
    labels.push_back(most > classes.row(row).minCoeff() ? static_cast<std::int32_t>(best) : -1);
  }
  return labels;
}

std::string told_by(const ClassifierPool& pool) {
  if (pool.regression <= 0) return "naive-bayes";
  return pool.naive_bayes <= 0 ? "logistic" : "both";
}

ClassifierPool choose_pool(const SparseView& items, const MatrixD& classes,
                           const std::vector<std::uint8_t>& used, const std::string& kind,
                           const NaiveBayesOptions& options, const Run& run) {
  const std::vector<std::int32_t> labels = most_likely(classes);
  MatrixD words = MatrixD::Zero(classes.rows(), classes.cols());
  if (kind != "logistic")
    words = cross_fitted(items, classes, run, [&](const MatrixD& known) {
      return by_words(items, known, used, items, options, run);
    });
  ClassifierPool best;
  Tuner tuner({run.comm, run.jobs}, {.one_standard_error = false});
  for (const double cost : kRegressionCosts) {
    MatrixD regression = MatrixD::Zero(classes.rows(), classes.cols());
    if (kind != "naive-bayes")
      regression = cross_fitted(items, classes, run, [&](const MatrixD& known) {
        return by_regression(items, known, used, items, cost, run);
      });
    for (const double of_words : kNaiveBayesWeights)
      for (const double of_regression : kRegressionWeights) {
        if ((kind == "logistic") != (of_words <= 0) && kind != "auto") continue;
        if ((kind == "naive-bayes") != (of_regression <= 0) && kind != "auto") continue;
        if (of_words + of_regression <= 0) continue;
        HeldOut held;
        if (tuner.attempt(told_by({of_words, of_regression}), [&] {
              held =
                  judge_held_out(class_probabilities(of_words * words + of_regression * regression),
                                 labels, run.comm);
              return std::vector{held.likelihood};
            }))
          best = {of_words,
                  of_regression,
                  cost,
                  held.right / std::max(1.0, held.items),
                  held.confidence / std::max(1.0, held.items),
                  held.items};
      }
    if (kind == "naive-bayes") break;
  }
  if (best.items < kFewestHeldOut) {
    best.naive_bayes = kind == "logistic" ? 0 : 1;
    best.regression = kind == "logistic" ? 1 : 0;
  }
  return best;
}

MatrixD pooled_evidence(const ClassifierPool& pool, const SparseView& teachers,
                        const MatrixD& classes, const std::vector<std::uint8_t>& used,
                        const SparseView& items, const NaiveBayesOptions& options, const Run& run) {
  MatrixD sum = MatrixD::Zero(items.rows, classes.cols());
  if (pool.naive_bayes > 0)
    sum += pool.naive_bayes * by_words(teachers, classes, used, items, options, run);
  if (pool.regression > 0)
    sum += pool.regression * by_regression(teachers, classes, used, items, pool.cost, run);
  return sum;
}

MatrixD cross_fitted_evidence(const ClassifierPool& pool, const SparseView& teachers,
                              const MatrixD& classes, const std::vector<std::uint8_t>& used,
                              const NaiveBayesOptions& options, const Run& run) {
  return cross_fitted(teachers, classes, run, [&](const MatrixD& known) {
    return pooled_evidence(pool, teachers, known, used, teachers, options, run);
  });
}

MatrixD self_trained(const ClassifierPool& pool, const SparseView& items, const MatrixD& start,
                     const MatrixD& classes, const std::vector<std::uint8_t>& used,
                     const std::vector<double>& shares, const NaiveBayesOptions& options,
                     const Run& run) {
  const MatrixD own = cross_fitted_evidence(pool, items, classes, used, options, run);
  return probabilities_with_shares(start.cwiseMax(kLeastStart).array().log().matrix() + own, shares,
                                   run.comm);
}

double mean_confidence(const MatrixD& probabilities, Comm& comm) {
  std::array<double, 2> sums{
      probabilities.rows() > 0 ? probabilities.rowwise().maxCoeff().sum() : 0.0,
      static_cast<double>(probabilities.rows())};
  comm.sum(sums);
  return sums[0] / std::max(1.0, sums[1]);
}

double inverse_temperature_of(const MatrixD& evidence, double confidence, Comm& comm) {
  constexpr int kHalvings = 40;
  // Of the logarithm of the inverse temperature, which the confidence grows with.
  double low = std::log(1e-3);
  double high = std::log(1e2);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const bool surer =
        mean_confidence(class_probabilities(evidence, std::exp(middle)), comm) > confidence;
    (surer ? high : low) = middle;
  }
  return std::exp(low);
}

MatrixD with_confidence(const MatrixD& probabilities, double confidence, Comm& comm) {
  const MatrixD evidence = probabilities.cwiseMax(kLeastProbability).array().log();
  return class_probabilities(evidence, inverse_temperature_of(evidence, confidence, comm));
}

}  // namespace commonplace::transfer
