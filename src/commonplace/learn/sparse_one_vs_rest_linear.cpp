#include "commonplace/learn/sparse_one_vs_rest_linear.h"

#include <cmath>
#include <mutex>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/linear_solver.h"
#include "commonplace/learn/tagged_rows.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

/// Bytes of a weight with its tag.
constexpr std::int64_t kSparseBytes = 8;

LinearSolverOptions solver_options(const SparseOneVsRestLinearOptions& options) {
  return {options.loss, options.cost, options.tolerance, options.bias};
}

void check(const SparseOneVsRestLinearOptions& options) {
  check_linear(solver_options(options));
  require(options.negligible >= 0 && std::isfinite(options.negligible), "negligible is ",
          options.negligible, "; expected 0 or more");
}

struct Weight {
  std::int32_t feature;
  float value;
};

struct OneTag {
  std::vector<Weight> weights;
  float offset = 0;
};

OneTag train_tag(const LinearSolverRows& rows, const std::vector<std::int32_t>& with,
                 const SparseOneVsRestLinearOptions& options) {
  std::vector<std::int8_t> labels(rows.starts.size(), -1);
  for (const std::int32_t item : with) labels[static_cast<std::size_t>(item)] = 1;
  const LinearClassifier trained = train_classifier(rows, labels, solver_options(options));
  OneTag result;
  result.offset = static_cast<float>(trained.offset);
  for (Eigen::Index feature = 0; feature < trained.weights.size(); ++feature) {
    const double weight = trained.weights(feature);
    if (static_cast<float>(weight) != 0 && std::abs(weight) > options.negligible)
      result.weights.push_back({static_cast<std::int32_t>(feature), static_cast<float>(weight)});
  }
  return result;
}

std::vector<std::vector<std::int32_t>> items_of_tags(const SparseView& tags) {
  std::vector<std::vector<std::int32_t>> result(static_cast<std::size_t>(tags.columns));
  for (std::int64_t item = 0; item < tags.rows; ++item) {
    const auto of_item = tags.row_indices(item);
    const auto values = tags.row_values(item);
    for (std::size_t i = 0; i < of_item.size(); ++i)
      if (values[i] > 0)
        result[static_cast<std::size_t>(of_item[i])].push_back(static_cast<std::int32_t>(item));
  }
  return result;
}

/// features x tags, columns ascending.
Sparse sparse_weights(const std::vector<OneTag>& tags, std::int64_t features) {
  std::vector<std::vector<Weight>> rows(static_cast<std::size_t>(features));
  for (std::size_t tag = 0; tag < tags.size(); ++tag)
    for (const Weight& weight : tags[tag].weights)
      rows[static_cast<std::size_t>(weight.feature)].push_back(
          {static_cast<std::int32_t>(tag), weight.value});
  Sparse result;
  result.columns = std::ssize(tags);
  for (const auto& row : rows) {
    for (const Weight& weight : row) result.push(weight.feature, weight.value);
    result.end_row();
  }
  return result;
}

void store_weights(const std::vector<OneTag>& tags, SparseOneVsRestLinear& model) {
  std::int64_t nonzeros = 0;
  for (const OneTag& tag : tags) {
    nonzeros += std::ssize(tag.weights);
    model.offset.push_back(tag.offset);
  }
  const std::int64_t all = model.features * std::ssize(tags);
  if (nonzeros * kSparseBytes < all * static_cast<std::int64_t>(sizeof(float)) || all == 0) {
    model.sparse = sparse_weights(tags, model.features);
    return;
  }
  model.dense = Matrix::Zero(model.features, std::ssize(tags));
  for (std::size_t tag = 0; tag < tags.size(); ++tag)
    for (const Weight& weight : tags[tag].weights)
      model.dense(weight.feature, static_cast<Eigen::Index>(tag)) = weight.value;
}

/// `row` += the items's features times sparse weights.
void add_sparse_product(const SparseView& rows, std::int64_t item, const SparseView& weights,
                        float* row) {
  const auto columns = rows.row_indices(item);
  const auto values = rows.row_values(item);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto tags = weights.row_indices(columns[i]);
    const auto of_tags = weights.row_values(columns[i]);
    for (std::size_t j = 0; j < tags.size(); ++j) row[tags[j]] += values[i] * of_tags[j];
  }
}

}  // namespace

SparseOneVsRestLinear fit_sparse_one_vs_rest(const SparseView& features, const SparseView& tags,
                                             const SparseOneVsRestLinearOptions& options,
                                             const Run& run) {
  check(options);
  check_tagged(features, tags);
  const LinearSolverRows rows(features, options.bias);
  const auto items_of = items_of_tags(tags);
  std::vector<OneTag> trained(items_of.size());
  std::mutex mutex;
  std::uint64_t done = 0;
  parallel_for(
      trained.size(), run.jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t tag = begin; tag < end; ++tag)
          trained[tag] = train_tag(rows, items_of[tag], options);
        const std::lock_guard lock(mutex);
        done += end - begin;
        run.progress({"learning a classifier for each tag", done, trained.size(), "tags"});
      },
      1);
  SparseOneVsRestLinear model;
  model.features = features.columns;
  model.probabilities = options.loss == "logistic";
  store_weights(trained, model);
  return model;
}

Matrix score(const SparseOneVsRestLinear& model, const SparseView& rows, int jobs) {
  check_features(rows, model.features);
  const Eigen::Map<const Eigen::RowVectorXf> offset(model.offset.data(),
                                                    static_cast<Eigen::Index>(model.offset.size()));
  Matrix result = model.is_sparse() ? Matrix(Matrix::Zero(rows.rows, offset.size()))
                                    : multiply(rows, model.dense, jobs);
  const SparseView weights = model.sparse.view();
  parallel_for(static_cast<std::size_t>(rows.rows), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto item = static_cast<std::int64_t>(begin); item < static_cast<std::int64_t>(end);
         ++item) {
      auto row = result.row(item);
      if (model.is_sparse()) add_sparse_product(rows, item, weights, row.data());
      row += offset;
      if (model.probabilities) row = (1 / (1 + (-row.array()).exp())).matrix();
    }
  });
  return result;
}

}  // namespace commonplace
