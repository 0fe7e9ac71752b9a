#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace::transfer {

/// Pools naive Bayes and logistic regression log-linearly: the evidence of either times its weight.
/// The weights are inverse temperatures, chosen with the likelihood of held-out items.
struct ClassifierPool {
  double naive_bayes = 1;
  double regression = 0;
  double cost = 1;        ///< of the regression (logistic_regression.h), chosen with them
  double accuracy = 0;    ///< on held-out items
  double confidence = 0;  ///< the mean probability of the class it says, on the same
  double items = 0;       ///< that were held out, over all ranks
};

/// "naive-bayes", "logistic", or "both".
std::string told_by(const ClassifierPool& pool);

/// The pool that makes items of known classes the likeliest, in five folds, over the features
/// marked in `used`. Rows of `classes` that are all alike are left out. `kind` is "naive-bayes",
/// "logistic" (which take either alone) or "auto". With fewer than ten items nothing is chosen:
/// naive Bayes at a temperature of 1, unless the kind says otherwise.
ClassifierPool choose_pool(const SparseView& items, const MatrixD& classes,
                           const std::vector<std::uint8_t>& used, const std::string& kind,
                           const NaiveBayesOptions& options, const Run& run);

/// What the pool, learned from `teachers` of known classes, says of items: items x classes, as
/// logarithms.
MatrixD pooled_evidence(const ClassifierPool& pool, const SparseView& teachers,
                        const MatrixD& classes, const std::vector<std::uint8_t>& used,
                        const SparseView& items, const NaiveBayesOptions& options, const Run& run);

/// The same of the teachers themselves, each told by those of the other four of five folds.
MatrixD cross_fitted_evidence(const ClassifierPool& pool, const SparseView& teachers,
                              const MatrixD& classes, const std::vector<std::uint8_t>& used,
                              const NaiveBayesOptions& options, const Run& run);

/// Start probabilities are not taken for surer than this, so that every class can still grow.
constexpr double kLeastStart = 0.01;

/// One step of self-training: what the features of the items themselves say, cross-fitted from what
/// `classes` has of the others, is added to their start, and the classes get these shares.
MatrixD self_trained(const ClassifierPool& pool, const SparseView& items, const MatrixD& start,
                     const MatrixD& classes, const std::vector<std::uint8_t>& used,
                     const std::vector<double>& shares, const NaiveBayesOptions& options,
                     const Run& run);

/// The class that each item is most of; -1 for rows of zeros and those that are of all alike.
std::vector<std::int32_t> most_likely(const MatrixD& classes);

/// The mean over all ranks of the greatest entry of a row.
double mean_confidence(const MatrixD& probabilities, Comm& comm);

/// The inverse temperature at which the mean confidence is `confidence`, between 0.001 and 100.
double inverse_temperature_of(const MatrixD& evidence, double confidence, Comm& comm);

/// Scales the temperature so that the mean confidence becomes `confidence`; which class is the
/// likeliest stays.
MatrixD with_confidence(const MatrixD& probabilities, double confidence, Comm& comm);

}  // namespace commonplace::transfer
