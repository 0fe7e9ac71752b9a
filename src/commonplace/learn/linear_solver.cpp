#include "commonplace/learn/linear_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

void check_size(std::int64_t rows, std::int64_t columns) {
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<int>::max());
  require(rows < most && columns < most - 1, "liblinear takes fewer than ", most,
          " items and features; there are ", rows, " x ", columns);
}

void end_row(LinearSolverRows& rows) {
  if (rows.bias > 0) rows.nodes.push_back({static_cast<int>(rows.columns) + 1, rows.bias});
  rows.nodes.push_back({-1, 0});
}

template <class Dense>
void add_dense(const Dense& dense, LinearSolverRows& rows) {
  check_size(dense.rows(), dense.cols());
  rows.columns = dense.cols();
  rows.nodes.reserve(static_cast<std::size_t>(dense.rows() * (dense.cols() + 2)));
  for (Eigen::Index row = 0; row < dense.rows(); ++row) {
    rows.starts.push_back(rows.nodes.size());
    for (Eigen::Index column = 0; column < dense.cols(); ++column)
      if (dense(row, column) != 0)
        rows.nodes.push_back(
            {static_cast<int>(column) + 1, static_cast<double>(dense(row, column))});
    end_row(rows);
  }
}

/// What liblinear calls to print is shared by all threads, so that one sets it for all.
void silence_liblinear() {
  static const bool silent = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  static_cast<void>(silent);
}

struct FreeModel {
  void operator()(model* trained) const { free_and_destroy_model(&trained); }
};

}  // namespace

void check_linear(const LinearSolverOptions& options) {
  require(options.loss == "logistic" || options.loss == "svm", "loss is '", options.loss,
          "'; expected logistic or svm");
  require(options.cost > 0 && std::isfinite(options.cost), "cost is ", options.cost,
          "; expected more than 0");
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected more than 0");
  require(options.bias >= 0 && std::isfinite(options.bias), "bias is ", options.bias,
          "; expected 0 or more");
}

double offset_of_equal_labels(std::ptrdiff_t with, std::ptrdiff_t without, bool logistic) {
  if (logistic)
    return std::log((static_cast<double>(with) + 0.5) / (static_cast<double>(without) + 0.5));
  return with > 0 ? 1 : without > 0 ? -1 : 0;
}

LinearSolverRows::LinearSolverRows(const SparseView& rows, double bias_of_rows)
    : columns(rows.columns), bias(bias_of_rows) {
  check_size(rows.rows, rows.columns);
  std::size_t count = 0;
  for (std::int64_t row = 0; row < rows.rows; ++row) count += rows.row_indices(row).size() + 2;
  nodes.reserve(count);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    starts.push_back(nodes.size());
    const auto indices = rows.row_indices(row);
    const auto values = rows.row_values(row);
    for (std::size_t i = 0; i < indices.size(); ++i)
      nodes.push_back({indices[i] + 1, static_cast<double>(values[i])});
    end_row(*this);
  }
}

LinearSolverRows::LinearSolverRows(const Eigen::Ref<const Matrix>& rows, double bias_of_rows)
    : bias(bias_of_rows) {
  add_dense(rows, *this);
}

LinearSolverRows::LinearSolverRows(const Eigen::Ref<const MatrixD>& rows, double bias_of_rows)
    : bias(bias_of_rows) {
  add_dense(rows, *this);
}

LinearClassifier train_classifier(const LinearSolverRows& rows, std::span<const std::int8_t> labels,
                                  const LinearSolverOptions& options, double positive_weight) {
  require(labels.size() == rows.starts.size(), "there are ", labels.size(), " labels of ",
          rows.starts.size(), " rows; give one each");
  const bool logistic = options.loss == "logistic";
  std::vector<double> y;
  std::vector<feature_node*> labelled;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == 0) continue;
    y.push_back(static_cast<double>(labels[row]));
    // liblinear writes to neither the rows nor what they point to.
    labelled.push_back(const_cast<feature_node*>(rows.nodes.data()) + rows.starts[row]);
  }
  const auto with = std::count(y.begin(), y.end(), 1.0);
  LinearClassifier result;
  if (with == 0 || with == std::ssize(y)) {
    result.offset = offset_of_equal_labels(with, std::ssize(y) - with, logistic);
    return result;
  }
  const bool biased = rows.bias > 0;
  problem task{static_cast<int>(y.size()), static_cast<int>(rows.columns) + (biased ? 1 : 0),
               y.data(), labelled.data(), biased ? rows.bias : -1};
  int positive = 1;
  parameter how{logistic ? L2R_LR : L2R_L2LOSS_SVC,
                options.tolerance,
                options.cost,
                1,
                &positive,
                &positive_weight,
                0,
                nullptr};
  silence_liblinear();
  const std::unique_ptr<model, FreeModel> trained(train(&task, &how));
  require(trained != nullptr && trained->nr_class == 2, "liblinear gave no model of ", with, " of ",
          y.size(), " rows");
  const double sign = trained->label[0] > 0 ? 1 : -1;
  result.weights = sign * Eigen::Map<const VectorD>(trained->w, rows.columns);
  if (biased) result.offset = sign * trained->w[rows.columns] * rows.bias;
  return result;
}

}  // namespace commonplace
