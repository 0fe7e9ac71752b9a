// Symbols (n the size of the problem, m the vectors of the space):
//   V     m x n, the space; a row is a vector, so that products are of whole rows   V B Vᵀ = I
//   AV, BV  m x n, what A and B make of its vectors        H   m x m, V A Vᵀ
//   θ, Y  eigenvalues and eigenvectors of H; the vectors Yᵀ V are the best of the space
//   W     b x n, a block of vectors to widen the space by  C   m x b, what W has of V
#include "commonplace/math/lowest_eigenpairs.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"

namespace commonplace {
namespace {

constexpr std::int64_t kSmallestBlock = 8;
constexpr std::int64_t kLargestBlock = 32;
/// Problems of this size are always made dense.
constexpr std::int64_t kSmallSize = 150;
constexpr std::int64_t kColumnsAtOnce = 256;
/// Times that the space is widened before its best pairs are found anew.
constexpr int kChain = 4;
/// A vector of which the space leaves less than this share (of its length) is of the space.
constexpr double kNothingNew = 1e-10;
/// Directions of a block with less than this share (of squared length) are dependent.
constexpr double kDependent = 1e-9;
/// The residual of the pairs beyond the wanted ones that is good enough.
constexpr double kGuardTolerance = 1e-2;
constexpr std::int64_t kGuardsChecked = 2;
/// Residuals are checked once more at the end, with A and B applied afresh; this leaves room.
constexpr double kMargin = 0.7;

/// The numbers of random vectors that do not stand in the first block begin here.
constexpr std::uint64_t kOtherDraws = 1'000'000;

constexpr const char* kNotPositive =
    "B is not positive definite; add more to its diagonal (a ridge)";

void check(const EigenProblem& problem, const MatrixD& start, const EigenOptions& options) {
  require(problem.size >= 1, "the eigenproblem has size ", problem.size, "; expected 1 or more");
  require(problem.multiply_a && problem.multiply_b && problem.precondition,
          "the eigenproblem lacks a function; give multiply_a, multiply_b and precondition");
  require(options.count >= 1, "count is ", options.count, "; expected 1 or more");
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected more than 0");
  require(options.max_rounds >= 1, "max_rounds is ", options.max_rounds, "; expected 1 or more");
  require(start.cols() == 0 || start.rows() == problem.size, "the start has vectors of ",
          start.rows(), " numbers; expected ", problem.size);
  require(start.allFinite(), "the start has a number that is not finite");
}

MatrixD apply(const EigenProblem::Apply& function, const MatrixD& vectors, const char* what) {
  MatrixD result = function(vectors);
  require(result.rows() == vectors.rows() && result.cols() == vectors.cols(), what, " made ",
          result.rows(), " x ", result.cols(), " of ", vectors.rows(), " x ", vectors.cols(),
          "; expected the same shape");
  require(result.allFinite(), what, " of the eigenproblem gave a number that is not finite; check ",
          "the numbers that went in");
  return result;
}

/// |A p − λ B p| / (|A p| + largest |B p|), rows are vectors.
double residual(const Eigen::RowVectorXd& ap, const Eigen::RowVectorXd& bp, double value,
                double largest) {
  const double size = ap.norm() + largest * bp.norm();
  return size > 0 ? (ap - value * bp).norm() / size : 0;
}

/// The vectors that make of a block with this Gram matrix an orthonormal one, a row each; dependent
/// directions are left out. `before` has the squared lengths before something was taken away.
MatrixD orthonormal_combinations(const MatrixD& gram, const VectorD& before) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < gram.rows(); ++i)
    if (gram(i, i) > kNothingNew * kNothingNew * before(i)) kept.push_back(i);
  const auto count = std::ssize(kept);
  if (count == 0) return MatrixD(0, gram.rows());
  const VectorD scale = gram.diagonal()(kept).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * gram(kept, kept) * scale.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  require(eigen.values(0) > -1e-6, kNotPositive);
  Eigen::Index dropped = 0;
  while (eigen.values(dropped) < kDependent) ++dropped;
  MatrixD result = MatrixD::Zero(count - dropped, gram.rows());
  for (Eigen::Index row = 0; row < result.rows(); ++row) {
    const Eigen::Index from = dropped + row;
    const double length = std::sqrt(eigen.values(from));
    for (Eigen::Index i = 0; i < count; ++i)
      result(row, kept[static_cast<std::size_t>(i)]) = eigen.vectors(i, from) * scale(i) / length;
  }
  return result;
}

/// Pairs of a space, best first: `coefficients` has a column each.
struct RitzPairs {
  VectorD values;
  MatrixD coefficients;
};

class Space {
 public:
  Space(const EigenProblem& problem, std::int64_t capacity, int jobs)
      : problem_(problem),
        jobs_(jobs),
        v_(capacity, problem.size),
        av_(capacity, problem.size),
        bv_(capacity, problem.size),
        h_(MatrixD::Zero(capacity, capacity)) {}

  std::int64_t size() const { return size_; }
  std::int64_t room() const { return v_.rows() - size_; }

  /// Widens the space by what is new in the rows of `w`, of which there must be no more than
  /// room(). Applies A and B once. Returns the number of new vectors.
  std::int64_t widen(MatrixD w) {
    MatrixD bw;
    const std::int64_t added = orthonormalise(w, bw);
    if (added == 0) return 0;
    const MatrixD aw_columns = apply(problem_.multiply_a, w.transpose(), "A");
    v_.middleRows(size_, added) = w;
    bv_.middleRows(size_, added) = bw;
    av_.middleRows(size_, added) = aw_columns.transpose();
    const std::int64_t all = size_ + added;
    const MatrixD h = multiply(v_.topRows(all), aw_columns, jobs_);
    h_.block(0, size_, all, added) = h;
    h_.block(size_, 0, added, all) = h.transpose();
    const MatrixD own = h.bottomRows(added);
    h_.block(size_, size_, added, added) = (own + own.transpose()) / 2;
    size_ = all;
    return added;
  }

  RitzPairs best() const {
    SymmetricEigen eigen = symmetric_eigen(h_.topLeftCorner(size_, size_));
    return {std::move(eigen.values), std::move(eigen.vectors)};
  }

  /// (A − shift B) of the `count` vectors that came last, a row each.
  MatrixD last_shifted(std::int64_t count, double shift) const {
    return av_.middleRows(size_ - count, count) - shift * bv_.middleRows(size_ - count, count);
  }

  /// The vectors of the first `count` pairs, and what A and B make of them; rows are vectors.
  MatrixD vectors(const RitzPairs& pairs, std::int64_t count) const {
    return combined(v_, pairs, count);
  }
  MatrixD a_vectors(const RitzPairs& pairs, std::int64_t count) const {
    return combined(av_, pairs, count);
  }
  MatrixD b_vectors(const RitzPairs& pairs, std::int64_t count) const {
    return combined(bv_, pairs, count);
  }

  /// Shrinks the space to the first `count` pairs.
  void shrink(const RitzPairs& pairs, std::int64_t count) {
    for (MatrixD* rows : {&v_, &av_, &bv_}) rows->topRows(count) = combined(*rows, pairs, count);
    size_ = count;
    h_.topLeftCorner(count, count) = pairs.values.head(count).asDiagonal();
  }

 private:
  MatrixD combined(const MatrixD& rows, const RitzPairs& pairs, std::int64_t count) const {
    const MatrixD weights = pairs.coefficients.leftCols(count).transpose();
    return multiply(weights, rows.topRows(size_), jobs_);
  }

  /// Takes away what `w` has of the space, twice, and makes the rest orthonormal, with bw = w B.
  std::int64_t orthonormalise(MatrixD& w, MatrixD& bw) const {
    const auto v = v_.topRows(size_);
    const auto bv = bv_.topRows(size_);
    MatrixD c = multiply(bv, w.transpose(), jobs_);
    w -= multiply(MatrixD(c.transpose()), v, jobs_);
    const MatrixD bw_columns = apply(problem_.multiply_b, w.transpose(), "B");
    bw = bw_columns.transpose();
    MatrixD gram = multiply(w, bw_columns, jobs_);
    for (Eigen::Index i = 0; i < gram.rows(); ++i)
      require(gram(i, i) >= -1e-10 * w.row(i).norm() * bw.row(i).norm(), kNotPositive);
    const VectorD taken = c.colwise().squaredNorm().transpose();
    MatrixD combinations = orthonormal_combinations((gram + gram.transpose()) / 2,
                                                    taken + gram.diagonal().cwiseMax(0));
    w = multiply(combinations, w, jobs_);
    bw = multiply(combinations, bw, jobs_);
    if (w.rows() == 0) return 0;
    c = multiply(v, bw.transpose(), jobs_);
    const MatrixD more = c.transpose();
    w -= multiply(more, v, jobs_);
    bw -= multiply(more, bv, jobs_);
    gram = multiply(w, bw.transpose(), jobs_);
    combinations =
        orthonormal_combinations((gram + gram.transpose()) / 2, VectorD::Ones(gram.rows()));
    w = multiply(combinations, w, jobs_);
    bw = multiply(combinations, bw, jobs_);
    return w.rows();
  }

  const EigenProblem& problem_;
  int jobs_;
  MatrixD v_, av_, bv_;
  MatrixD h_;
  std::int64_t size_ = 0;
};

/// How large things are for a number of wanted pairs.
struct Plan {
  std::int64_t block;     ///< vectors a round
  std::int64_t kept;      ///< vectors of the space after it is shrunk, and at the start
  std::int64_t capacity;  ///< and before
};

Plan plan(std::int64_t size, const MatrixD& start, const EigenOptions& options) {
  Plan result{};
  result.block = std::clamp(options.count / 2, kSmallestBlock, kLargestBlock);
  result.kept = options.count + std::max(result.block, options.count / 4);
  result.capacity =
      std::max({3 * options.count, options.count + 100, result.kept + 3 * result.block});
  result.capacity =
      std::min(size, std::max(result.capacity, start.cols() + result.kept + result.block));
  return result;
}

/// `rows` x n, uniform in (-1/2, 1/2).
MatrixD random_rows(std::int64_t rows, std::int64_t size, std::uint64_t seed, std::uint64_t first) {
  MatrixD result(rows, size);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < size; ++i)
      result(row, i) = random_uniform(seed, first + static_cast<std::uint64_t>(row),
                                      static_cast<std::uint64_t>(i)) -
                       0.5;
  return result;
}

MatrixD first_block(const EigenProblem& problem, const MatrixD& start, const EigenOptions& options,
                    const Plan& sizes) {
  const std::int64_t given = std::min<std::int64_t>(start.cols(), sizes.capacity);
  const std::int64_t random =
      std::min(sizes.capacity - given, std::max<std::int64_t>(kSmallestBlock, sizes.kept - given));
  MatrixD result(given + random, problem.size);
  result.topRows(given) = start.leftCols(given).transpose();
  result.bottomRows(random) = random_rows(random, problem.size, options.seed, 0);
  return result;
}

/// What is still to be done for the best pairs of a space.
struct Progressed {
  std::vector<Eigen::Index> poor;  ///< pairs that are not good enough, best first
  MatrixD residuals;               ///< A p − λ B p of these, a row each
  std::int64_t found = 0;          ///< wanted pairs that are good enough
  bool done = false;
};

Progressed look_at(const Space& space, const RitzPairs& pairs, double largest,
                   const EigenOptions& options, const Plan& sizes) {
  const std::int64_t looked = std::min(space.size(), options.count + kSmallestBlock);
  const MatrixD a = space.a_vectors(pairs, looked);
  const MatrixD b = space.b_vectors(pairs, looked);
  Progressed result;
  bool guards = true;
  for (std::int64_t i = 0; i < looked; ++i) {
    const bool wanted = i < options.count;
    const double found = residual(a.row(i), b.row(i), pairs.values(i), largest);
    const bool good = found <= (wanted ? kMargin * options.tolerance : kGuardTolerance);
    if (wanted && good) ++result.found;
    if (!wanted && !good && i < options.count + kGuardsChecked) guards = false;
    if (!good && std::ssize(result.poor) < sizes.block) result.poor.push_back(i);
  }
  result.done = result.found == options.count && guards;
  result.residuals.resize(std::ssize(result.poor), a.cols());
  for (std::size_t k = 0; k < result.poor.size(); ++k) {
    const Eigen::Index i = result.poor[k];
    result.residuals.row(static_cast<Eigen::Index>(k)) = a.row(i) - pairs.values(i) * b.row(i);
  }
  return result;
}

/// Scales to length one in B and to a positive greatest number, and measures.
Eigenpairs finish(const EigenProblem& problem, const VectorD& values, MatrixD vectors,
                  double largest, double tolerance) {
  MatrixD a = apply(problem.multiply_a, vectors, "A");
  MatrixD b = apply(problem.multiply_b, vectors, "B");
  Eigenpairs result;
  result.values = values;
  result.residuals.resize(values.size());
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    result.residuals(k) = residual(a.col(k).transpose(), b.col(k).transpose(), values(k), largest);
    const double squared = vectors.col(k).dot(b.col(k));
    require(squared > 0, kNotPositive);
    Eigen::Index greatest = 0;
    vectors.col(k).cwiseAbs().maxCoeff(&greatest);
    vectors.col(k) *= (vectors(greatest, k) < 0 ? -1 : 1) / std::sqrt(squared);
  }
  result.vectors = std::move(vectors);
  result.converged = result.residuals.maxCoeff() <= tolerance;
  return result;
}

/// The whole matrix of a function, symmetric.
Eigen::MatrixXd matrix_of(const EigenProblem::Apply& function, std::int64_t size,
                          const char* what) {
  Eigen::MatrixXd result(size, size);
  for (std::int64_t first = 0; first < size; first += kColumnsAtOnce) {
    const std::int64_t count = std::min(kColumnsAtOnce, size - first);
    MatrixD units = MatrixD::Zero(size, count);
    for (std::int64_t i = 0; i < count; ++i) units(first + i, i) = 1;
    result.middleCols(first, count) = apply(function, units, what);
  }
  return (result + result.transpose()) / 2;
}

Eigenpairs solve_directly(const EigenProblem& problem, const EigenOptions& options) {
  Eigen::MatrixXd a = matrix_of(problem.multiply_a, problem.size, "A");
  const Eigen::LLT<Eigen::MatrixXd> factor(matrix_of(problem.multiply_b, problem.size, "B"));
  require(factor.info() == Eigen::Success, kNotPositive);
  factor.matrixL().solveInPlace(a);
  factor.matrixU().solveInPlace<Eigen::OnTheRight>(a);
  const SymmetricEigen eigen = symmetric_eigen(a);
  const std::int64_t count = std::min(options.count, problem.size);
  const Eigen::MatrixXd vectors = factor.matrixU().solve(eigen.vectors.leftCols(count).eval());
  Eigenpairs result = finish(problem, eigen.values.head(count), vectors,
                             eigen.values.cwiseAbs().maxCoeff(), options.tolerance);
  result.rounds = 1;
  return result;
}

}  // namespace

Eigenpairs lowest_eigenpairs(const EigenProblem& problem, const MatrixD& start,
                             const EigenOptions& options, const Progress& progress) {
  check(problem, start, options);
  if (problem.size <= std::max(kSmallSize, 3 * options.count + 60))
    return solve_directly(problem, options);
  const Plan sizes = plan(problem.size, start, options);
  Space space(problem, sizes.capacity, options.jobs);
  space.widen(first_block(problem, start, options, sizes));
  if (space.size() < sizes.kept)  // the start had vectors that depend on each other
    space.widen(random_rows(sizes.kept - space.size(), problem.size, options.seed, kOtherDraws));
  require(space.size() >= sizes.kept, kNotPositive);
  RitzPairs pairs;
  double largest = 0;
  int rounds = 1;
  for (std::uint64_t drawn = 2 * kOtherDraws;; ++rounds) {
    pairs = space.best();
    largest = std::max(largest, pairs.values.cwiseAbs().maxCoeff());
    Progressed state = look_at(space, pairs, largest, options, sizes);
    progress({"finding eigenvectors", static_cast<std::uint64_t>(state.found),
              static_cast<std::uint64_t>(options.count), "pairs"});
    if (state.done || rounds >= options.max_rounds) break;
    if (space.room() < std::ssize(state.poor)) space.shrink(pairs, sizes.kept);
    std::int64_t added = 0;
    // Finding the best pairs costs more than widening where the problem is small, so the space is
    // widened several times before: each time by what (A − θ B) makes of the block before.
    const double shift = pairs.values(state.poor.front());
    MatrixD block = std::move(state.residuals);
    for (int link = 0; link < kChain && space.room() >= block.rows() && block.rows() > 0; ++link) {
      const MatrixD columns = apply(problem.precondition, block.transpose(), "the preconditioner");
      const std::int64_t more = space.widen(columns.transpose());
      added += more;
      if (link > 0) ++rounds;
      if (more == 0 || rounds + 1 >= options.max_rounds) break;
      block = space.last_shifted(more, shift);
    }
    if (added == 0) {  // the residuals are rounding errors: look elsewhere
      added = space.widen(
          random_rows(std::min(space.room(), kSmallestBlock), problem.size, options.seed, drawn));
      drawn += static_cast<std::uint64_t>(kSmallestBlock);
    }
    if (added == 0) {
      pairs = space.best();
      break;
    }
  }
  Eigenpairs result =
      finish(problem, pairs.values.head(options.count),
             space.vectors(pairs, options.count).transpose(), largest, options.tolerance);
  result.rounds = rounds;
  return result;
}

}  // namespace commonplace
