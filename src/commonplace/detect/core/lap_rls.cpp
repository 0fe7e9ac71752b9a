#include "commonplace/detect/core/lap_rls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::detect {
namespace {

constexpr double kLeastPenalty = 1e-9;
constexpr Eigen::Index kRowsAtOnce = 2048;
constexpr Eigen::Index kManyRows = 2048;

void check(const LapRlsOptions& options) {
  require(options.lambda > 0 && std::isfinite(options.lambda), "lambda is ", options.lambda,
          "; expected more than 0");
}

VectorD checked_penalty(const VectorD& penalty, Eigen::Index columns) {
  require(penalty.size() == columns, "there are ", penalty.size(), " penalties for ", columns,
          " columns; give one each");
  require(penalty.allFinite() && (penalty.array() >= 0).all(),
          "a penalty is negative or not a number; expected 0 or more");
  return penalty.cwiseMax(kLeastPenalty);
}

template <class Rows>
void check_finite(const Rows& rows, const Eigen::Ref<const MatrixD>& labels) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite() && labels.row(row).allFinite(), "labelled row ", row + 1,
            " has a number that is not finite; expected only finite ones");
}

template <class Rows>
void check_sizes(const Rows& rows, const Eigen::Ref<const MatrixD>& labels,
                 std::span<const double> weights) {
  require(rows.rows() == labels.rows(), "there are labels of ", labels.rows(), " rows for ",
          rows.rows(), " rows");
  require(weights.empty() || std::ssize(weights) == rows.rows(), "there are ", weights.size(),
          " weights for ", rows.rows(), " rows; give one each, or none");
  for (const double weight : weights)
    require(weight >= 0 && std::isfinite(weight), "a row has the weight ", weight,
            "; expected 0 or more");
}

double weight_of(std::span<const double> weights, Eigen::Index row) {
  return weights.empty() ? 1 : weights[static_cast<std::size_t>(row)];
}

/// Many rows in float, each of weight one: sums that are exact to about 1e-7 of the whole, in a
/// fraction of the time. All rows are looked at before any is added.
void accumulate_many(LapRlsStatistics& statistics, const Eigen::Ref<const Matrix>& rows,
                     const Eigen::Ref<const MatrixD>& labels, int jobs) {
  // A column of ones beside the labels gives the sum of the rows.
  Matrix beside(rows.rows(), labels.cols() + 1);
  beside.leftCols(labels.cols()) = labels.cast<float>();
  beside.col(labels.cols()).setOnes();
  MatrixD products = MatrixD::Zero(rows.cols(), beside.cols());
  add_transposed_product(rows, beside, products, jobs);
  // A number that is not finite makes a sum one.
  if (!products.allFinite() || !labels.allFinite()) check_finite(rows, labels);
  for (Eigen::Index first = 0; first < rows.rows(); first += kRowsAtOnce)
    add_gram(rows.middleRows(first, std::min(kRowsAtOnce, rows.rows() - first)), statistics.gram,
             jobs);
  statistics.right += products.leftCols(labels.cols());
  statistics.sum += products.col(labels.cols());
  statistics.weight += static_cast<double>(rows.rows());
  statistics.label_sum += labels.colwise().sum().transpose();
  statistics.label_squares += labels.cwiseAbs2().colwise().sum().transpose();
  statistics.rows += rows.rows();
}

template <class Rows>
void accumulate(LapRlsStatistics& statistics, const Rows& rows,
                const Eigen::Ref<const MatrixD>& labels, std::span<const double> weights,
                double sign, int jobs) {
  require(rows.cols() == statistics.gram.rows() && labels.cols() == statistics.right.cols(),
          "rows of ", rows.cols(), " columns and ", labels.cols(),
          " concepts do not fit statistics of ", statistics.gram.rows(), " and ",
          statistics.right.cols());
  check_sizes(rows, labels, weights);
  if constexpr (std::is_same_v<typename Rows::Scalar, float>) {
    if (rows.rows() >= kManyRows && weights.empty() && sign > 0) {
      accumulate_many(statistics, rows, labels, jobs);
      return;
    }
  }
  check_finite(rows, labels);
  for (Eigen::Index first = 0; first < rows.rows(); first += kRowsAtOnce) {
    const Eigen::Index count = std::min(kRowsAtOnce, rows.rows() - first);
    const MatrixD part = rows.middleRows(first, count).template cast<double>();
    MatrixD weighted = sign * part;
    for (Eigen::Index row = 0; row < count; ++row)
      weighted.row(row) *= weight_of(weights, first + row);
    const MatrixD across = weighted.transpose();
    statistics.gram += multiply(across, part, jobs);
    statistics.right += multiply(across, labels.middleRows(first, count), jobs);
    statistics.sum += weighted.colwise().sum().transpose();
    for (Eigen::Index row = first; row < first + count; ++row) {
      const double weight = sign * weight_of(weights, row);
      statistics.weight += weight;
      statistics.label_sum += weight * labels.row(row).transpose();
      statistics.label_squares += weight * labels.row(row).transpose().cwiseAbs2();
    }
  }
  statistics.rows += (sign > 0 ? 1 : -1) * rows.rows();
}

/// Whether labels differ, so that a bias leaves something to explain.
bool differ(double weight, double sum, double squares) {
  constexpr double kEqual = 1e-12;
  return weight > 0 && squares - sum * sum / weight > kEqual * squares;
}

/// Rows and concepts that are labelled on just these rows, all with a bias or all without.
struct Shared {
  std::vector<Eigen::Index> rows;
  bool bias = false;
  std::vector<Eigen::Index> concepts;
};

std::vector<Shared> group_concepts(const Eigen::Ref<const MatrixD>& labels,
                                   std::span<const double> weights, bool bias) {
  std::map<std::pair<std::vector<Eigen::Index>, bool>, std::vector<Eigen::Index>> groups;
  for (Eigen::Index which = 0; which < labels.cols(); ++which) {
    std::vector<Eigen::Index> labelled;
    double weight = 0;
    double sum = 0;
    double squares = 0;
    for (Eigen::Index row = 0; row < labels.rows(); ++row) {
      const double label = labels(row, which);
      const double here = weight_of(weights, row);
      if (label == 0 || here <= 0) continue;
      labelled.push_back(row);
      weight += here;
      sum += here * label;
      squares += here * label * label;
    }
    groups[{labelled, bias && differ(weight, sum, squares)}].push_back(which);
  }
  std::vector<Shared> result;
  for (auto& [shared, concepts] : groups) result.push_back({shared.first, shared.second, concepts});
  return result;
}

/// The rows less their weighted mean, which is returned.
Eigen::RowVectorXd centre(MatrixD& rows, const std::vector<double>& weights) {
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(rows.cols());
  double total = 0;
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const double weight = weights[static_cast<std::size_t>(row)];
    mean += weight * rows.row(row);
    total += weight;
  }
  mean /= total;
  rows.rowwise() -= mean;
  return mean;
}

/// α = Σ⁻¹ Uᵀ (U Σ⁻¹ Uᵀ + Λ⁻¹)⁻¹ y, by Woodbury's identity the solution of the k x k system.
MatrixD solve_by_kernel(const MatrixD& rows, const MatrixD& labels, const VectorD& inverse_weights,
                        const VectorD& penalty) {
  const MatrixD scaled = rows * penalty.cwiseInverse().asDiagonal();
  Eigen::MatrixXd kernel = scaled * rows.transpose();
  kernel.diagonal() += inverse_weights;
  const auto solution = solve_positive(kernel, labels);
  require(solution.has_value(), "the labelled rows cannot be solved for; give a smaller lambda");
  return scaled.transpose() * *solution;
}

/// α and bias of a few rows.
MatrixD solve_few(MatrixD& rows, MatrixD& labels, const std::vector<double>& weights,
                  const VectorD& penalty, double lambda, Eigen::RowVectorXd* bias) {
  Eigen::RowVectorXd row_mean = Eigen::RowVectorXd::Zero(rows.cols());
  Eigen::RowVectorXd label_mean = Eigen::RowVectorXd::Zero(labels.cols());
  if (bias != nullptr) {
    row_mean = centre(rows, weights);
    label_mean = centre(labels, weights);
  }
  const VectorD inverse =
      (lambda * Eigen::Map<const VectorD>(weights.data(), rows.rows())).cwiseInverse();
  const MatrixD alpha = solve_by_kernel(rows, labels, inverse, penalty);
  if (bias != nullptr) *bias = label_mean - row_mean * alpha;
  return alpha;
}

template <class Rows>
MatrixD fit(const Rows& rows, const Eigen::Ref<const MatrixD>& labels, const VectorD& penalty,
            const LapRlsOptions& options, std::span<const double> weights, VectorD* bias,
            int jobs) {
  check(options);
  check_sizes(rows, labels, weights);
  check_finite(rows, labels);
  const VectorD sigma = checked_penalty(penalty, rows.cols());
  MatrixD alpha = MatrixD::Zero(rows.cols(), labels.cols());
  VectorD constants = VectorD::Zero(labels.cols());
  for (const Shared& shared : group_concepts(labels, weights, options.bias)) {
    if (shared.rows.empty()) continue;
    const auto count = std::ssize(shared.rows);
    MatrixD own(count, rows.cols());
    MatrixD wanted(count, std::ssize(shared.concepts));
    std::vector<double> own_weights;
    for (Eigen::Index i = 0; i < count; ++i) {
      const Eigen::Index row = shared.rows[static_cast<std::size_t>(i)];
      own.row(i) = rows.row(row).template cast<double>();
      wanted.row(i) = labels(row, shared.concepts);
      own_weights.push_back(weight_of(weights, row));
    }
    if (count < rows.cols()) {
      Eigen::RowVectorXd found = Eigen::RowVectorXd::Zero(wanted.cols());
      alpha(Eigen::all, shared.concepts) = solve_few(
          own, wanted, own_weights, sigma, options.lambda, shared.bias ? &found : nullptr);
      constants(shared.concepts) = found.transpose();
    } else {
      LapRlsStatistics statistics(rows.cols(), wanted.cols());
      accumulate(statistics, own, wanted, own_weights, 1, jobs);
      VectorD found;
      alpha(Eigen::all, shared.concepts) = solve_lap_rls(statistics, sigma, options, &found, jobs);
      constants(shared.concepts) = found;
    }
  }
  if (bias != nullptr) *bias = constants;
  return alpha;
}

/// (Σ + λ G) α = λ R, in place of `gram` and `right`.
void solve_in_place(MatrixD& gram, MatrixD& right, const VectorD& penalty,
                    const LapRlsOptions& options, int jobs) {
  gram *= options.lambda;
  right *= options.lambda;
  gram.diagonal() += penalty;
  require(factorise(gram, jobs), "the labelled rows cannot be solved for; give a smaller lambda");
  gram.triangularView<Eigen::Lower>().solveInPlace(right);
  gram.transpose().triangularView<Eigen::Upper>().solveInPlace(right);
}

}  // namespace

VectorD constant_penalty(std::int64_t columns, double value) {
  require(value > 0 && std::isfinite(value), "the penalty is ", value, "; expected more than 0");
  return VectorD::Constant(columns, value);
}

LapRlsStatistics::LapRlsStatistics(std::int64_t columns, std::int64_t concepts)
    : gram(MatrixD::Zero(columns, columns)),
      right(MatrixD::Zero(columns, concepts)),
      sum(VectorD::Zero(columns)),
      label_sum(VectorD::Zero(concepts)),
      label_squares(VectorD::Zero(concepts)) {}

void add_rows(LapRlsStatistics& statistics, const Eigen::Ref<const Matrix>& rows,
              const Eigen::Ref<const MatrixD>& labels, std::span<const double> weights, int jobs) {
  accumulate(statistics, rows, labels, weights, 1, jobs);
}

void remove_rows(LapRlsStatistics& statistics, const Eigen::Ref<const Matrix>& rows,
                 const Eigen::Ref<const MatrixD>& labels, std::span<const double> weights,
                 int jobs) {
  require(rows.rows() <= statistics.rows, rows.rows(), " rows cannot be taken off ",
          statistics.rows, "; only rows that were added can");
  accumulate(statistics, rows, labels, weights, -1, jobs);
}

void sum_over_ranks(LapRlsStatistics& statistics, Comm& comm) {
  const auto sum = [&](VectorD& values) {
    comm.sum(std::span<double>(values.data(), static_cast<std::size_t>(values.size())));
  };
  comm.sum(std::span<std::int64_t>(&statistics.rows, 1));
  comm.sum(statistics.gram);
  comm.sum(statistics.right);
  statistics.weight = comm.sum(statistics.weight);
  sum(statistics.sum);
  sum(statistics.label_sum);
  sum(statistics.label_squares);
}

MatrixD solve_lap_rls(const LapRlsStatistics& statistics, const VectorD& penalty,
                      const LapRlsOptions& options, VectorD* bias, int jobs) {
  check(options);
  const VectorD sigma = checked_penalty(penalty, statistics.gram.rows());
  const Eigen::Index concepts = statistics.right.cols();
  std::vector<Eigen::Index> with;
  std::vector<Eigen::Index> without;
  for (Eigen::Index i = 0; i < concepts; ++i)
    (options.bias && differ(statistics.weight, statistics.label_sum(i), statistics.label_squares(i))
         ? with
         : without)
        .push_back(i);
  MatrixD alpha(statistics.gram.rows(), concepts);
  VectorD constants = VectorD::Zero(concepts);
  if (!without.empty()) {
    MatrixD gram = statistics.gram;
    MatrixD right = statistics.right(Eigen::all, without);
    solve_in_place(gram, right, sigma, options, jobs);
    alpha(Eigen::all, without) = right;
  }
  if (!with.empty()) {
    const VectorD mean = statistics.sum / statistics.weight;
    const VectorD labels = statistics.label_sum(with);
    MatrixD gram = statistics.gram - statistics.weight * mean * mean.transpose();
    MatrixD right = statistics.right(Eigen::all, with) - mean * labels.transpose();
    solve_in_place(gram, right, sigma, options, jobs);
    alpha(Eigen::all, with) = right;
    constants(with) = labels / statistics.weight - right.transpose() * mean;
  }
  if (bias != nullptr) *bias = constants;
  return alpha;
}

MatrixD fit_lap_rls(const Eigen::Ref<const Matrix>& rows, const Eigen::Ref<const MatrixD>& labels,
                    const VectorD& penalty, const LapRlsOptions& options,
                    std::span<const double> weights, VectorD* bias, int jobs) {
  return fit(rows, labels, penalty, options, weights, bias, jobs);
}

MatrixD fit_lap_rls(const Eigen::Ref<const MatrixD>& rows, const Eigen::Ref<const MatrixD>& labels,
                    const VectorD& penalty, const LapRlsOptions& options,
                    std::span<const double> weights, VectorD* bias, int jobs) {
  return fit(rows, labels, penalty, options, weights, bias, jobs);
}

Matrix lap_rls_scores(const Eigen::Ref<const Matrix>& rows, const MatrixD& alpha, int jobs) {
  const Matrix weights = alpha.cast<float>();
  return multiply(rows, weights, jobs);
}

}  // namespace commonplace::detect
