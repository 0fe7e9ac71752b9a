#include "commonplace/baseline/linear_tags.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include <linear.h>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/baseline/tagged_rows.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

/// Bytes of a weight with its tag.
constexpr std::int64_t kSparseBytes = 8;

void check(const LinearTagOptions& options) {
  require(options.loss == "logistic" || options.loss == "svm", "loss is '", options.loss,
          "'; expected logistic or svm");
  require(options.cost > 0 && std::isfinite(options.cost), "cost is ", options.cost,
          "; expected more than 0");
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected more than 0");
  require(options.bias >= 0 && std::isfinite(options.bias), "bias is ", options.bias,
          "; expected 0 or more");
  require(options.negligible >= 0 && std::isfinite(options.negligible), "negligible is ",
          options.negligible, "; expected 0 or more");
}

/// The items as liblinear wants them: features from 1 on, the bias, and a mark of the end.
struct Nodes {
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
};

Nodes make_nodes(const SparseView& features, double bias) {
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<int>::max());
  require(features.rows < most && features.columns < most - 1, "liblinear takes fewer than ", most,
          " items and features; there are ", features.rows, " x ", features.columns);
  Nodes result;
  std::size_t count = 0;
  for (std::int64_t item = 0; item < features.rows; ++item)
    count += features.row_indices(item).size() + 2;
  result.nodes.reserve(count);
  for (std::int64_t item = 0; item < features.rows; ++item) {
    result.rows.push_back(result.nodes.data() + result.nodes.size());
    const auto columns = features.row_indices(item);
    const auto values = features.row_values(item);
    for (std::size_t i = 0; i < columns.size(); ++i)
      result.nodes.push_back({columns[i] + 1, static_cast<double>(values[i])});
    if (bias > 0) result.nodes.push_back({static_cast<int>(features.columns) + 1, bias});
    result.nodes.push_back({-1, 0});
  }
  return result;
}

struct FreeModel {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

struct Weight {
  std::int32_t feature;
  float value;
};

struct OneTag {
  std::vector<Weight> weights;
  float offset = 0;
};

/// Where all items say the same there is nothing to separate.
float offset_without_weights(std::size_t with, std::int64_t items, bool probabilities) {
  if (!probabilities) return with > 0 ? 1.F : -1.F;
  return static_cast<float>(
      std::log((static_cast<double>(with) + 0.5) /
               (static_cast<double>(items) - static_cast<double>(with) + 0.5)));
}

OneTag train_tag(const Nodes& nodes, const SparseView& features,
                 const std::vector<std::int32_t>& with, const LinearTagOptions& options) {
  OneTag result;
  const bool logistic = options.loss == "logistic";
  if (with.empty() || std::ssize(with) == features.rows) {
    result.offset = offset_without_weights(with.size(), features.rows, logistic);
    return result;
  }
  std::vector<double> y(static_cast<std::size_t>(features.rows), -1.0);
  for (const std::int32_t item : with) y[static_cast<std::size_t>(item)] = 1;
  // liblinear writes to neither the rows nor what they point to.
  problem task{static_cast<int>(features.rows),
               static_cast<int>(features.columns) + (options.bias > 0 ? 1 : 0), y.data(),
               const_cast<feature_node**>(nodes.rows.data()), options.bias > 0 ? options.bias : -1};
  parameter how{logistic ? L2R_LR : L2R_L2LOSS_SVC,
                options.tolerance,
                options.cost,
                0,
                nullptr,
                nullptr,
                0,
                nullptr};
  const std::unique_ptr<model, FreeModel> trained(train(&task, &how));
  require(trained != nullptr && trained->nr_class == 2, "liblinear gave no model of a tag of ",
          with.size(), " items");
  const double sign = trained->label[0] > 0 ? 1 : -1;
  for (std::int64_t feature = 0; feature < features.columns; ++feature) {
    const double weight = sign * trained->w[feature];
    if (static_cast<float>(weight) != 0 && std::abs(weight) > options.negligible)
      result.weights.push_back({static_cast<std::int32_t>(feature), static_cast<float>(weight)});
  }
  if (options.bias > 0)
    result.offset = static_cast<float>(sign * trained->w[features.columns] * options.bias);
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

void store_weights(const std::vector<OneTag>& tags, LinearTags& model) {
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

LinearTags fit_linear_tags(const SparseView& features, const SparseView& tags,
                           const LinearTagOptions& options, const Progress& progress) {
  check(options);
  check_tagged(features, tags);
  set_print_string_function([](const char*) {});
  const Nodes nodes = make_nodes(features, options.bias);
  const auto items_of = items_of_tags(tags);
  std::vector<OneTag> trained(items_of.size());
  std::mutex mutex;
  std::uint64_t done = 0;
  parallel_for(
      trained.size(), options.jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t tag = begin; tag < end; ++tag)
          trained[tag] = train_tag(nodes, features, items_of[tag], options);
        const std::lock_guard lock(mutex);
        done += end - begin;
        progress({"learning a classifier for each tag", done, trained.size(), "tags"});
      },
      1);
  LinearTags model;
  model.features = features.columns;
  model.probabilities = options.loss == "logistic";
  store_weights(trained, model);
  return model;
}

Matrix score(const LinearTags& model, const SparseView& rows, int jobs) {
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
