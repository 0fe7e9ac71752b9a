#include "commonplace/detect/core/heads.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::detect {
namespace {

/// What the middle of all items counts as a counterexample, where an example counts 1; chosen on
/// tags of old photographs, with 5 and with 20 examples of each side.
constexpr double kWeightOfMiddle = 20;

ConceptHeads fit_lap_rls_heads(const Eigen::Ref<const Matrix>& coordinates, const MatrixD& labels,
                               double lambda, int jobs) {
  LapRlsOptions options;
  options.lambda = lambda;
  ConceptHeads heads;
  heads.weights = fit_lap_rls(coordinates, labels, constant_penalty(coordinates.cols()), options,
                              {}, &heads.offsets, jobs);
  return heads;
}

}  // namespace

bool has_both(const MatrixD& labels, Eigen::Index concept_number) {
  return (labels.col(concept_number).array() > 0).any() &&
         (labels.col(concept_number).array() < 0).any();
}

ConceptHeads fit_heads(const Eigen::Ref<const Matrix>& coordinates, const MatrixD& labels,
                       const HeadSetting& setting, int jobs) {
  if (!setting.svm) return fit_lap_rls_heads(coordinates, labels, setting.lambda, jobs);
  OneVsRestLinearOptions options;
  options.cost = setting.cost;
  const OneVsRestLinear linear = fit_one_vs_rest(coordinates, labels, options, {.jobs = jobs});
  ConceptHeads heads{linear.weights.cast<double>(), VectorD::Zero(labels.cols())};
  for (Eigen::Index c = 0; c < labels.cols(); ++c) {
    heads.offsets(c) = static_cast<double>(linear.offset[static_cast<std::size_t>(c)]);
    if (has_both(labels, c)) continue;
    // A margin needs two sides.
    const ConceptHeads one_sided = fit_lap_rls_heads(coordinates, labels.col(c), 1, jobs);
    heads.weights.col(c) = one_sided.weights;
    heads.offsets(c) = one_sided.offsets(0);
  }
  return heads;
}

ConceptHeads fit_examples(const Eigen::Ref<const Matrix>& coordinates, const MatrixD& labels,
                          const Eigen::RowVectorXf& middle, double lambda, int jobs) {
  if (!(labels.array() > 0).any()) return fit_lap_rls_heads(coordinates, labels, lambda, jobs);
  Matrix rows(coordinates.rows() + 1, coordinates.cols());
  rows << coordinates, middle;
  MatrixD all(rows.rows(), 1);
  all << labels, -1;
  std::vector<double> weights(static_cast<std::size_t>(rows.rows()), 1);
  weights.back() = kWeightOfMiddle;
  ConceptHeads heads;
  LapRlsOptions options;
  options.lambda = lambda;
  heads.weights =
      fit_lap_rls(rows, all, constant_penalty(rows.cols()), options, weights, &heads.offsets, jobs);
  // Where examples and counterexamples lie now, on average.
  const VectorD scores = rows.cast<double>() * heads.weights;
  double yes = 0;
  double no = 0;
  const auto shown = static_cast<double>((labels.array() > 0).count());
  const auto not_shown = static_cast<double>((labels.array() < 0).count());
  for (Eigen::Index row = 0; row < labels.rows(); ++row)
    (labels(row, 0) > 0 ? yes : no) += scores(row) / (labels(row, 0) > 0 ? shown : not_shown);
  if (not_shown == 0) no = scores(scores.size() - 1);
  const double low = not_shown > 0 ? -1 : 0;
  const double scale = yes > no ? (1 - low) / (yes - no) : 1;
  heads.weights *= scale;
  heads.offsets(0) = (1 + low) / 2 - scale * (yes + no) / 2;
  return heads;
}

ConceptHeads solve_heads(const LapRlsStatistics& statistics, double lambda, int jobs) {
  LapRlsOptions options;
  options.lambda = lambda;
  ConceptHeads heads;
  heads.weights = solve_lap_rls(statistics, constant_penalty(statistics.gram.rows()), options,
                                &heads.offsets, jobs);
  return heads;
}

LabelledItems sample_labelled(std::span<const std::int64_t> rows, std::int64_t most,
                              std::uint64_t seed) {
  LabelledItems result;
  result.rows.assign(rows.begin(), rows.end());
  if (std::ssize(rows) <= most) return result;
  const auto bits = [&](std::int64_t row) {
    return random_bits(seed, static_cast<std::uint64_t>(row), 0x7361U);
  };
  std::sort(result.rows.begin(), result.rows.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair{bits(a), a} < std::pair{bits(b), b};
  });
  result.rows.resize(static_cast<std::size_t>(most));
  std::sort(result.rows.begin(), result.rows.end());
  return result;
}

Matrix score(const ConceptHeads& heads, const Eigen::Ref<const Matrix>& coordinates, int jobs) {
  Matrix result = multiply(coordinates, Matrix(heads.weights.cast<float>()), jobs);
  const Eigen::RowVectorXf offsets = heads.offsets.transpose().cast<float>();
  for (Eigen::Index i = 0; i < result.rows(); ++i) result.row(i) += offsets;
  return result;
}

double mean_interpolated_precision(const Matrix& scores, const MatrixD& labels) {
  double sum = 0;
  std::int64_t concepts = 0;
  for (Eigen::Index c = 0; c < labels.cols(); ++c) {
    if (!has_both(labels, c)) continue;
    std::vector<double> of_concept;
    std::vector<std::uint8_t> relevant;
    for (Eigen::Index row = 0; row < labels.rows(); ++row) {
      if (labels(row, c) == 0) continue;
      of_concept.push_back(static_cast<double>(scores(row, c)));
      relevant.push_back(labels(row, c) > 0 ? 1 : 0);
    }
    const auto positives =
        static_cast<std::size_t>(std::count(relevant.begin(), relevant.end(), std::uint8_t{1}));
    sum += interpolated_average_precision(rank_by_score(of_concept, relevant), positives);
    ++concepts;
  }
  return concepts == 0 ? 0 : sum / static_cast<double>(concepts);
}

}  // namespace commonplace::detect
