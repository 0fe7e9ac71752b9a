#include "commonplace/relate/rivals/kernel_regression.h"

#include <cmath>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/squared_differences.h"

namespace commonplace::relate {
namespace {

constexpr Eigen::Index kColumns = 3;
/// Widths beyond which an item has no weight.
constexpr double kReach = 40;

void check_places(const Matrix& places) {
  require(places.cols() == kColumns, "places have ", places.cols(), " coordinates; expected ",
          kColumns, ", on the sphere");
  for (Eigen::Index row = 0; row < places.rows(); ++row)
    require(places.row(row).allFinite(), "place ", row + 1,
            " has a coordinate that is not a number; give finite ones");
}

/// Adds the targets of all items, weighted by the kernel, for one place.
void add_weighted_targets(const KernelRegression& model, const MatrixD& columns, const float* place,
                          std::vector<double>& squared, Eigen::RowVectorXd& into) {
  const SparseView targets = model.targets.view();
  std::fill(squared.begin(), squared.end(), 0.0);
  for (Eigen::Index c = 0; c < kColumns; ++c)
    add_squared_differences(static_cast<double>(place[c]), columns.row(c).data(), squared.data(),
                            std::ssize(squared));
  const double width = model.options.width;
  const double farthest = kReach * width * kReach * width;
  for (std::size_t item = 0; item < squared.size(); ++item) {
    if (squared[item] > farthest) continue;
    const double weight = std::exp(-std::sqrt(squared[item]) / width);
    const auto which = targets.row_indices(static_cast<std::int64_t>(item));
    const auto has = targets.row_values(static_cast<std::int64_t>(item));
    for (std::size_t i = 0; i < which.size(); ++i)
      into[which[i]] += weight * static_cast<double>(has[i]);
  }
}

}  // namespace

KernelRegression fit_kernel_regression(const Matrix& places, const SparseView& targets,
                                       const KernelRegressionOptions& options) {
  require(options.width >= 1e-9 && options.width <= 1e9, "width is ", options.width,
          "; expected degrees above 0");
  require(options.common >= 0 && std::isfinite(options.common), "common is ", options.common,
          "; expected 0 or more");
  require(places.rows() == targets.rows && targets.rows >= 1, "there are ", places.rows(),
          " places and targets of ", targets.rows, " items; give both of the same, 1 or more");
  check_places(places);
  KernelRegression model{options, places, {}, Eigen::RowVectorXd::Zero(targets.columns)};
  model.targets.columns = targets.columns;
  for (std::int64_t row = 0; row < targets.rows; ++row) model.targets.push_row(targets, row);
  for (std::size_t i = 0; i < model.targets.values.size(); ++i) {
    require(std::isfinite(model.targets.values[i]), "a target is ", model.targets.values[i],
            "; expected a finite number");
    model.share[model.targets.indices[i]] += static_cast<double>(model.targets.values[i]);
  }
  model.share /= static_cast<double>(targets.rows);
  return model;
}

Matrix score(const KernelRegression& model, const Matrix& places, int jobs) {
  check_places(places);
  const MatrixD columns = model.places.cast<double>().transpose();
  Matrix result(places.rows(), model.share.size());
  parallel_for(static_cast<std::size_t>(places.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 std::vector<double> squared(static_cast<std::size_t>(columns.cols()));
                 Eigen::RowVectorXd sum(model.share.size());
                 for (auto row = static_cast<Eigen::Index>(begin);
                      row < static_cast<Eigen::Index>(end); ++row) {
                   sum = model.options.common * model.share;
                   add_weighted_targets(model, columns, places.row(row).data(), squared, sum);
                   result.row(row) = sum.cast<float>();
                 }
               });
  return result;
}

}  // namespace commonplace::relate
