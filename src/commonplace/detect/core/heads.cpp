#include "commonplace/detect/core/heads.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::detect {
namespace {

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
