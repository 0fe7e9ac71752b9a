#include "commonplace/suggest/core/suggester_fitting.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/rng.h"
#include "commonplace/learn/rank_parts.h"
#include "commonplace/suggest/core/tag_prototypes.h"

namespace commonplace::suggest {
namespace {

/// By what neighbours compare features.
constexpr FeatureWeighting kOfNeighbours{.rarity = 0.5, .telling = 0};

/// To a linear classifier a rejected tag is one that the item has not, as all others are.
Sparse given_tags(const SparseView& targets) {
  Sparse given;
  given.columns = targets.columns;
  for (std::int64_t row = 0; row < targets.rows; ++row) {
    const auto tags = targets.row_indices(row);
    const auto values = targets.row_values(row);
    for (std::size_t i = 0; i < tags.size(); ++i)
      if (values[i] > 0) given.push(tags[i], values[i]);
    given.end_row();
  }
  return given;
}

}  // namespace

SparseOneVsRestLinear fit_linear(const SparseView& rows, const SparseView& targets,
                                 const LinearChoice& choice, int jobs) {
  const Sparse given = given_tags(targets);
  SparseOneVsRestLinear linear = fit_sparse_one_vs_rest(
      rows, given.view(), {.loss = choice.loss, .cost = choice.cost}, {.jobs = jobs});
  if (!linear.is_sparse()) {
    linear.sparse.columns = linear.dense.cols();
    for (Eigen::Index feature = 0; feature < linear.dense.rows(); ++feature) {
      for (Eigen::Index tag = 0; tag < linear.dense.cols(); ++tag)
        if (linear.dense(feature, tag) != 0)
          linear.sparse.push(static_cast<std::int32_t>(tag), linear.dense(feature, tag));
      linear.sparse.end_row();
    }
    linear.dense.resize(0, 0);
  }
  if (!linear.probabilities) {
    for (float& weight : linear.sparse.values) weight /= 2;
    for (float& offset : linear.offset) offset = (offset + 1) / 2;
  }
  return linear;
}

SuggesterFitting::SuggesterFitting(const FeatureRows& raw, std::vector<std::int64_t> blocks,
                                   const SparseView& targets, const SuggesterOptions& options,
                                   const Run& run)
    : raw_(raw), blocks_(std::move(blocks)), targets_(targets), options_(options), run_(run) {
  if (!is_alone()) own_targets_ = own_part(targets, run.comm);
  said_ = share_say(own_targets());
}

void SuggesterFitting::weigh(const FeatureWeighting& weighting) {
  if (raw_.is_sparse()) {
    const Sparse own = is_alone() ? Sparse() : own_part(raw_.sparse(), run_.comm);
    const SparseView rows = is_alone() ? raw_.sparse() : own.view();
    suggester_.feature_weights = feature_weights(rows, own_targets(), weighting, run_.comm);
    suggester_.neighbour_weights = feature_weights(rows, own_targets(), kOfNeighbours, run_.comm);
    for (std::size_t i = 0; i < suggester_.neighbour_weights.size(); ++i)
      suggester_.neighbour_weights[i] /= suggester_.feature_weights[i];
  }
  suggester_.blocks = blocks_;
  suggester_.known = prepare(suggester_, raw_, run_.jobs);
  if (!is_alone()) own_known_ = own_part(suggester_.known.view(), run_.comm);
  suggester_.known_tags = copy(targets_);
  suggester_.neighbours = options_.neighbours;
}

void SuggesterFitting::choose_prototypes(std::int64_t count, int rounds) {
  TagPrototypeOptions options;
  options.count = count;
  options.iterations = rounds;
  options.seed = options_.seed;
  prototypes_ = tag_prototypes(own_known(), own_targets(), options, run_);
}

void SuggesterFitting::gather(double length_scale) {
  suggester_.basis =
      make_basis({kernel_kind(options_.kernel), length_scale, 1}, prototypes_, 1e-6, run_.jobs);
  statistics_ = gather_statistics(suggester_.basis, own_known(), said_.view(), run_);
}

void SuggesterFitting::solve(double noise_variance) {
  suggester_.tag_gp = solve_sparse_gp(statistics_, noise_variance, run_.jobs);
}

void SuggesterFitting::add_linear(const LinearChoice& choice) {
  // All ranks know all items and find the same, but for rounding on other processors.
  const Sparse rows = linear_rows(suggester_, suggester_.known.view(), run_.jobs);
  SparseOneVsRestLinear& linear = suggester_.linear;
  linear = fit_linear(rows.view(), targets_, choice, run_.jobs);
  if (is_alone()) return;
  take_first(run_.comm, linear.sparse.starts);
  take_first(run_.comm, linear.sparse.indices);
  take_first(run_.comm, linear.sparse.values);
  take_first(run_.comm, linear.offset);
}

void SuggesterFitting::add_names(const NamedTags& named) {
  TagNames& names = suggester_.names;
  names = learn_tag_names(named, suggester_.known.view(), targets_, run_.jobs);
  if (!is_alone() && !names.map.empty())
    run_.comm.broadcast(
        std::span(names.map.weights.data(), static_cast<std::size_t>(names.map.weights.size())), 0);
}

bool SuggesterFitting::classify(std::int64_t most) {
  suggester_.categories = make_categories(own_targets(), options_.categories, run_.comm);
  if (suggester_.categories.tags.size() < 2) return false;
  const std::vector<std::int32_t> categories = item_categories(targets_, suggester_.categories);
  std::vector<std::int64_t> rows;
  for (std::size_t item = 0; item < categories.size(); ++item)
    if (categories[item] >= 0) rows.push_back(static_cast<std::int64_t>(item));
  if (std::ssize(rows) > most) {
    std::sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
      return random_bits(options_.seed, static_cast<std::uint64_t>(a), 1) <
             random_bits(options_.seed, static_cast<std::uint64_t>(b), 1);
    });
    rows.resize(static_cast<std::size_t>(most));
    std::sort(rows.begin(), rows.end());
  }
  // All ranks know which items these are; each takes its share of them.
  const RowRange own = own_rows(std::ssize(rows), run_.comm);
  rows = {rows.begin() + own.begin, rows.begin() + own.end};
  std::vector<std::int32_t> labels;
  for (const std::int64_t row : rows) labels.push_back(categories[static_cast<std::size_t>(row)]);
  SoftmaxGpOptions options;
  // More exact modes give no better tags; one voice of several may be rougher still.
  options.tolerance = most < kMostClassified ? 1e-2 : 1e-3;
  options.variances = "none";
  options.iterations = 15;
  const StoredRows items = take_rows(suggester_.known.view(), rows);
  const Matrix scaled = static_cast<float>(std::sqrt(kClassVariance)) *
                        whiten(suggester_.basis, items.view(), run_.jobs);
  suggester_.classifier =
      fit_softmax_gp(scaled, labels, std::ssize(suggester_.categories.tags), options, run_).model;
  return true;
}

}  // namespace commonplace::suggest
