#include "commonplace/search/rivals/term_scores.h"

#include <algorithm>

#include "commonplace/math/sparse_ops.h"

namespace commonplace::search {
namespace {

constexpr float kSaturation = 1.2F;
constexpr float kLengthShare = 0.75F;
constexpr std::int64_t kRidgeTerms = 4000;

}  // namespace

Scores bm25_scores(const Trial& trial) {
  const SparseView rows = trial.visible.view();
  std::vector<float> lengths;
  double total = 0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    lengths.push_back(static_cast<float>(rows.row_indices(row).size()));
    total += static_cast<double>(lengths.back());
  }
  const auto mean_length = static_cast<float>(total / static_cast<double>(rows.rows));
  Scores scores = own_scores(trial, 1);
  for (auto& each : scores)
    for (std::size_t item = 0; item < each.size(); ++item)
      each[item] *=
          (1 + kSaturation) /
          (1 + kSaturation * (1 - kLengthShare + kLengthShare * lengths[item] / mean_length));
  return scores;
}

Scores cosine_scores(const Trial& trial, std::span<const float> idf) {
  const Sparse by_term = transpose(weighted_rows(trial.visible.view(), idf).view());
  Scores scores;
  for (const std::int32_t term : trial.asked) {
    auto& each = scores.emplace_back(static_cast<std::size_t>(trial.visible.rows()));
    const auto rows = by_term.view().row_indices(term);
    for (std::size_t i = 0; i < rows.size(); ++i)
      each[static_cast<std::size_t>(rows[i])] = by_term.view().row_values(term)[i];
  }
  return scores;
}

Scores ease_scores(const Trial& trial, std::span<const Sparse> counts, double ridge, int jobs) {
  Sparse stacked;
  stacked.columns = trial.visible.columns;
  for (const Sparse& each : counts) {
    Sparse has = each;
    std::fill(has.values.begin(), has.values.end(), 1.0F);
    for (std::int64_t row = 0; row < has.rows(); ++row) stacked.push_row(has.view(), row);
  }
  AssociationOptions options;
  options.ridge = ridge;
  options.ridge_terms = kRidgeTerms;
  options.most = kRidgeTerms;
  const Sparse learned = fit_associations(stacked.view(), options, {.jobs = jobs}).ridge;
  Scores scores;
  std::vector<float> weights(static_cast<std::size_t>(learned.columns));
  for (const std::int32_t term : trial.asked) {
    std::fill(weights.begin(), weights.end(), 0.0F);
    const auto from = learned.view().row_indices(term);
    for (std::size_t i = 0; i < from.size(); ++i)
      weights[static_cast<std::size_t>(from[i])] = learned.view().row_values(term)[i];
    auto& each = scores.emplace_back();
    for (std::int64_t row = 0; row < trial.visible.rows(); ++row) {
      float sum = 0;
      for (const std::int32_t shown : trial.visible.view().row_indices(row))
        sum += weights[static_cast<std::size_t>(shown)];
      each.push_back(sum);
    }
  }
  return scores;
}

}  // namespace commonplace::search
