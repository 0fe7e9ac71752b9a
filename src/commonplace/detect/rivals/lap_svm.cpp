#include "commonplace/detect/rivals/lap_svm.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/learn/labelled_rows.h"
#include "commonplace/learn/neighbour_graph.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::detect {
namespace {

constexpr std::int64_t kColumnsAtOnce = 64;

void check(const LapSvmOptions& options) {
  require(options.ambient > 0 && std::isfinite(options.ambient), "ambient is ", options.ambient,
          "; expected more than 0");
  require(options.intrinsic >= 0 && std::isfinite(options.intrinsic), "intrinsic is ",
          options.intrinsic, "; expected 0 or more");
  require(options.bias >= 0 && std::isfinite(options.bias), "bias is ", options.bias,
          "; expected 0 or more");
}

/// L X for some columns X.
MatrixD times_laplacian(const NormalisedGraph& graph, const SparseView& weights, const MatrixD& x,
                        const LapSvmOptions& options, int jobs) {
  if (options.normalised) return x - graph.multiply(x, jobs);
  return graph.degrees().asDiagonal() * x - multiply(weights, x, jobs);
}

}  // namespace

MatrixD lap_svm_penalty(const Eigen::Ref<const Matrix>& rows, const SparseView& weights,
                        const LapSvmOptions& options, int jobs) {
  check(options);
  check_dense_rows(rows);
  require(weights.rows == rows.rows(), "there is a graph of ", weights.rows,
          " items and features of ", rows.rows(), "; give both of the same items");
  const NormalisedGraph graph(weights);
  MatrixD result = MatrixD::Zero(rows.cols(), rows.cols());
  if (options.intrinsic > 0)
    for (Eigen::Index first = 0; first < rows.cols(); first += kColumnsAtOnce) {
      const Eigen::Index count = std::min(kColumnsAtOnce, rows.cols() - first);
      const Matrix rough =
          times_laplacian(graph, weights, rows.middleCols(first, count).cast<double>(), options,
                          jobs)
              .cast<float>();
      MatrixD part = MatrixD::Zero(rows.cols(), count);
      add_transposed_product(rows, rough, part, jobs);
      result.middleCols(first, count) = part;
    }
  const double scale = options.intrinsic / static_cast<double>(rows.rows());
  result = (0.5 * scale * (result + result.transpose())).eval();
  result.diagonal().array() += options.ambient;
  return result;
}

OneVsRestLinear fit_lap_svm(const Eigen::Ref<const Matrix>& rows, const SparseView& weights,
                            std::span<const std::int64_t> labelled,
                            const Eigen::Ref<const MatrixD>& labels, const LapSvmOptions& options,
                            const Run& run) {
  check(options);
  check_items(labelled, rows.rows());
  check_labels(labels, std::ssize(labelled));
  MatrixD factor = lap_svm_penalty(rows, weights, options, run.jobs);
  require(factorise(factor, run.jobs), "ambient is ", options.ambient,
          ", too little beside an intrinsic of ", options.intrinsic,
          " to tell the features apart; expected more");
  const MatrixD inverse = inverse_of_lower(factor, run.jobs);
  MatrixD known(std::ssize(labelled), rows.cols());
  for (Eigen::Index row = 0; row < known.rows(); ++row)
    known.row(row) = rows.row(labelled[static_cast<std::size_t>(row)]).cast<double>();
  const MatrixD turned = multiply(known, MatrixD(inverse.transpose()), run.jobs);
  OneVsRestLinearOptions linear;
  linear.cost = 0.5;
  linear.bias = options.bias / std::sqrt(options.ambient);
  linear.tolerance = options.tolerance;
  linear.balanced = options.balanced;
  OneVsRestLinear result = fit_one_vs_rest(turned, labels, linear, run);
  // w = R⁻ᵀ v
  result.weights =
      multiply(MatrixD(inverse.transpose()), MatrixD(result.weights.cast<double>()), run.jobs)
          .cast<float>();
  return result;
}

}  // namespace commonplace::detect
