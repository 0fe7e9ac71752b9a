// Symbols: d weights of the items, s their sum, m the mean, Y = X − 1 mᵀ, u = Xᵀ d.
//   Yᵀ diag(d) Y = Xᵀ diag(d) X − u mᵀ − m uᵀ + s m mᵀ;  for unit vectors X = I and u = d.
#include "commonplace/relate/core/guided_projection_gram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::relate {
namespace {

constexpr std::int64_t kGramRows = 2048;
constexpr std::int64_t kGramParts = 32;
/// A block that is not formed is solved to this share of the error, in at most so many steps.
constexpr double kSolveTolerance = 0.1;
constexpr int kMostSolveSteps = 20;
/// A pivot of Cholesky's below this share of its diagonal entry is a rounding error.
constexpr double kLeastPivot = 1e-13;

/// Calls use(centred rows, weights) for blocks of the items that count.
template <class Use>
void for_each_block(const GuidedItems& modality, const VectorD& weights, const Use& use) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i <= weights.size(); ++i) {
    if (i < weights.size() && weights(i) != 0) rows.push_back(i);
    if (rows.empty() || (i < weights.size() && std::ssize(rows) < kGramRows)) continue;
    MatrixD block = modality.features->dense()(rows, Eigen::all).template cast<double>();
    if (modality.mean.size() > 0) block.rowwise() -= modality.mean.transpose();
    use(block, VectorD(weights(rows)));
    rows.clear();
  }
}

/// The sum over the items of this rank.
MatrixD dense_gram(const GuidedItems& modality, const VectorD& weights, int jobs) {
  MatrixD result = MatrixD::Zero(modality.columns, modality.columns);
  for_each_block(modality, weights, [&](const MatrixD& block, const VectorD& d) {
    result += multiply(MatrixD(block.transpose()), MatrixD(d.asDiagonal() * block), jobs);
  });
  return (result + result.transpose()) / 2;
}

MatrixD dense_gram_in_float(const GuidedItems& modality, const VectorD& weights, int jobs) {
  MatrixD result = MatrixD::Zero(modality.columns, modality.columns);
  for (const double sign : {-1.0, 1.0}) {
    const VectorD part = (sign * weights).cwiseMax(0);
    for_each_block(modality, part, [&](const MatrixD& block, const VectorD& d) {
      add_gram(Matrix((d.cwiseSqrt().asDiagonal() * block).cast<float>()), result, jobs);
    });
    if (sign < 0) result = -result;
  }
  return result;
}

/// Not centred. A thread takes some rows of the result at a time.
MatrixD sparse_gram(const GuidedItems& modality, const VectorD& weights, int jobs) {
  MatrixD result = MatrixD::Zero(modality.columns, modality.columns);
  if (modality.items == 0) return result;
  const SparseView rows = modality.sparse_rows();
  const auto bounds = balanced_columns(rows, kGramParts);
  parallel_for(
      bounds.size() - 1, jobs,
      [&](std::size_t first, std::size_t last) {
        for (std::int64_t row = 0; row < modality.items; ++row) {
          const auto columns = rows.row_indices(row);
          const auto values = rows.row_values(row);
          const auto begin = std::lower_bound(columns.begin(), columns.end(), bounds[first]);
          for (auto at = begin; at != columns.end() && *at < bounds[last]; ++at) {
            const double scale =
                weights(row) *
                static_cast<double>(values[static_cast<std::size_t>(at - columns.begin())]);
            double* into = result.data() + *at * modality.columns;
            for (std::size_t j = 0; j < columns.size(); ++j)
              into[columns[j]] += scale * static_cast<double>(values[j]);
          }
        }
      },
      1);
  return result;
}

/// Xᵀ d of all ranks.
VectorD weighted_sums(const GuidedItems& modality, const VectorD& weights, const Run& run) {
  GuidedItems plain = modality;
  plain.mean.resize(0);
  MatrixD sums = project_back(plain, MatrixD(weights), run.jobs);
  run.comm.sum(sums);
  return sums.col(0);
}

MatrixD formed_gram(const GuidedItems& modality, const VectorD& weights, double total,
                    bool in_float, const Run& run) {
  MatrixD result = modality.sparse() ? sparse_gram(modality, weights, run.jobs)
                   : in_float        ? dense_gram_in_float(modality, weights, run.jobs)
                                     : dense_gram(modality, weights, run.jobs);
  run.comm.sum(result);
  if (!modality.sparse() || modality.mean.size() == 0) return result;
  const VectorD& m = modality.mean;
  const VectorD shift = weighted_sums(modality, weights, run) - total / 2 * m;
  result -= shift * m.transpose() + m * shift.transpose();
  return result;
}

/// The diagonal of what is not formed, over all ranks.
VectorD diagonal_of(const GuidedItems& modality, const VectorD& weights, double total,
                    const Run& run) {
  MatrixD squares = MatrixD::Zero(modality.columns, 1);
  for (std::int64_t i = 0; i < modality.items; ++i) {
    if (modality.sparse()) {
      const auto columns = modality.sparse_rows().row_indices(i);
      const auto values = modality.sparse_rows().row_values(i);
      for (std::size_t j = 0; j < columns.size(); ++j)
        squares(columns[j], 0) +=
            weights(i) * static_cast<double>(values[j]) * static_cast<double>(values[j]);
    } else {
      squares.col(0) +=
          weights(i) * modality.features->dense().row(i).cast<double>().cwiseAbs2().transpose();
    }
  }
  run.comm.sum(squares);
  if (modality.mean.size() == 0) return squares.col(0);
  const VectorD u = weighted_sums(modality, weights, run);
  return squares.col(0) - 2 * u.cwiseProduct(modality.mean) + total * modality.mean.cwiseAbs2();
}

[[noreturn]] void not_positive(std::size_t number) {
  fail("what is held fixed of kind ", number,
       " is not positive definite: its features depend on each other, some of its items have no "
       "links, or links below 0 outweigh the others; raise its gamma");
}

}  // namespace

WeightedGram::WeightedGram(const GuidedItems& modality, VectorD weights, bool formed,
                           const Run& run, double most_in_double)
    : modality_(&modality), comm_(&run.comm), jobs_(run.jobs), weights_(std::move(weights)) {
  total_ = run.comm.sum(weights_.sum());
  if (modality.identity()) {
    all_weights_ = gather_values(modality, weights_, run.comm);
    diagonal_ = all_weights_;
    if (modality.mean.size() > 0)
      diagonal_ +=
          total_ * modality.mean.cwiseAbs2() - 2 * all_weights_.cwiseProduct(modality.mean);
  } else if (formed) {
    const auto columns = static_cast<double>(modality.columns);
    const bool in_float =
        static_cast<double>(modality.all_items) * columns * columns > most_in_double;
    matrix_ = formed_gram(modality, weights_, total_, in_float, run);
    diagonal_ = matrix_.diagonal();
  } else {
    diagonal_ = diagonal_of(modality, weights_, total_, run);
  }
}

MatrixD WeightedGram::multiply(const MatrixD& p) const {
  if (formed()) return commonplace::multiply(matrix_, p, jobs_);
  if (modality_->identity()) {
    MatrixD result = all_weights_.asDiagonal() * p;
    if (modality_->mean.size() == 0) return result;
    const VectorD& m = modality_->mean;
    const Eigen::RowVectorXd along_mean = m.transpose() * p;
    const Eigen::RowVectorXd along_weights = all_weights_.transpose() * p;
    result -= all_weights_ * along_mean;
    result += m * (total_ * along_mean - along_weights);
    return result;
  }
  MatrixD result =
      project_back(*modality_, weights_.asDiagonal() * project(*modality_, p, jobs_), jobs_);
  comm_->sum(result);
  return result;
}

MetricBlock::MetricBlock(const GuidedItems& modality, const WeightedGram& gram, double gamma,
                         std::size_t number, int jobs)
    : modality_(&modality),
      gram_(&gram),
      jobs_(jobs),
      ridge_(gamma * gram.diagonal().cwiseAbs().mean()) {
  if (modality.identity())
    factorise_identity(number);
  else if (gram.formed())
    factorise_matrix(number);
  else
    factorise_diagonal(number);
}

void MetricBlock::factorise_diagonal(std::size_t number) {
  const VectorD entries = gram_->diagonal().array() + ridge_;
  if (!(entries.minCoeff() > 0)) not_positive(number);
  inverse_diagonal_ = entries.cwiseInverse();
}

/// With E = diag(d) + ridge, B = E + U C Uᵀ for U = [d m], C = [0 −1; −1 s]; Woodbury's formula.
void MetricBlock::factorise_identity(std::size_t number) {
  const VectorD entries = gram_->all_weights().array() + ridge_;
  if (!(entries.minCoeff() > 0)) not_positive(number);
  inverse_diagonal_ = entries.cwiseInverse();
  if (modality_->mean.size() == 0) return;
  MatrixD u(modality_->columns, 2);
  u.col(0) = gram_->all_weights();
  u.col(1) = modality_->mean;
  Eigen::Matrix2d c;
  c << 0, -1, -1, gram_->total();
  left_ = inverse_diagonal_.asDiagonal() * u;
  const Eigen::Matrix2d inner = Eigen::Matrix2d::Identity() + c * (u.transpose() * left_);
  // det B = det E · det inner; the part with C has one eigenvalue below 0 at most.
  if (!(inner.determinant() > kLeastPivot)) not_positive(number);
  right_ = left_ * (inner.inverse() * c).transpose();
}

void MetricBlock::factorise_matrix(std::size_t number) {
  MatrixD lower = gram_->matrix();
  lower.diagonal().array() += ridge_;
  const VectorD entries = lower.diagonal();
  if (!factorise(lower, jobs_)) not_positive(number);
  if ((lower.diagonal().cwiseAbs2().array() < kLeastPivot * entries.array()).any())
    not_positive(number);
  inverse_factor_ = inverse_of_lower(lower, jobs_);
}

MatrixD MetricBlock::multiply(const MatrixD& p) const { return gram_->multiply(p) + ridge_ * p; }

/// Conjugate gradients, preconditioned by the diagonal, for each vector by itself.
MatrixD MetricBlock::solve_roughly(const MatrixD& p) const {
  const auto products = [](const MatrixD& a, const MatrixD& b) {
    return Eigen::RowVectorXd(a.cwiseProduct(b).colwise().sum());
  };
  MatrixD result = MatrixD::Zero(p.rows(), p.cols());
  MatrixD left = p;
  MatrixD step = inverse_diagonal_.asDiagonal() * left;
  Eigen::RowVectorXd size = products(left, step);
  const Eigen::RowVectorXd enough = kSolveTolerance * kSolveTolerance * size;
  for (int i = 0; i < kMostSolveSteps && (size.array() > enough.array()).any(); ++i) {
    const MatrixD image = multiply(step);
    const Eigen::RowVectorXd length = products(step, image);
    const Eigen::RowVectorXd share = (length.array() > 0).select(size.array() / length.array(), 0);
    result += step * share.asDiagonal();
    left -= image * share.asDiagonal();
    const MatrixD scaled = inverse_diagonal_.asDiagonal() * left;
    const Eigen::RowVectorXd next = products(left, scaled);
    const Eigen::RowVectorXd kept = (size.array() > 0).select(next.array() / size.array(), 0);
    step = scaled + step * kept.asDiagonal();
    size = next;
  }
  return result;
}

MatrixD MetricBlock::solve(const MatrixD& p) const {
  if (inverse_factor_.size() > 0) {
    const MatrixD half = commonplace::multiply(inverse_factor_, p, jobs_);
    return commonplace::multiply(MatrixD(half.transpose()), inverse_factor_, jobs_).transpose();
  }
  if (!modality_->identity()) return solve_roughly(p);
  MatrixD result = inverse_diagonal_.asDiagonal() * p;
  if (left_.size() > 0) result -= left_ * (right_.transpose() * p);
  return result;
}

}  // namespace commonplace::relate
