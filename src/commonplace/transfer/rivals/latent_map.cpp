// X  entries of a collection, items x features     A  items x rank     B  features x rank
// Y  X with A Bᵀ in the columns that it lacks      Q  orthonormal columns that come to span the
// axes
#include "commonplace/transfer/rivals/latent_map.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::transfer {
namespace {

/// More axes than asked for are iterated, so that the last ones are good too.
constexpr std::int64_t kSpareAxes = 20;
constexpr int kSubspaceSteps = 6;
/// Axes of less than this part of the longest are rounding.
constexpr double kNothing = 1e-7;
/// How far products of orthonormal columns may be off.
constexpr double kRounding = 1e-12;

void check(const LatentMapOptions& options) {
  require(options.rank >= 1, "rank is ", options.rank, "; expected 1 or more");
  require(options.rounds >= 1, "rounds is ", options.rounds, "; expected 1 or more");
  require(options.ridge > 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected more than 0");
}

/// A collection with what is filled in.
struct Part {
  SparseView rows;
  std::vector<char> has;  ///< per feature
  MatrixD a;              ///< items x rank, nothing before the first round
};

std::vector<Part> parts_of(std::span<const SparseView> collections) {
  require(!collections.empty(), "there are no collections; give 1 or more");
  std::vector<Part> result;
  for (std::size_t which = 0; which < collections.size(); ++which) {
    const SparseView& rows = collections[which];
    require(rows.columns == collections[0].columns, "collection ", which, " has ", rows.columns,
            " features and collection 0 has ", collections[0].columns,
            "; expected the same features, with zeros where a collection lacks them");
    Part part{rows, std::vector<char>(static_cast<std::size_t>(rows.columns)), MatrixD()};
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      const auto columns = rows.row_indices(row);
      const auto values = rows.row_values(row);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        require(std::isfinite(values[i]), "row ", row, " of collection ", which,
                " has a feature that is not a finite number; expected only finite ones");
        if (values[i] != 0) part.has[static_cast<std::size_t>(columns[i])] = 1;
      }
    }
    result.push_back(std::move(part));
  }
  return result;
}

/// B with zeros where the collection has (or has not) the feature.
MatrixD chosen_rows(const MatrixD& b, const std::vector<char>& has, bool present) {
  MatrixD result = b;
  for (std::size_t column = 0; column < has.size(); ++column)
    if ((has[column] != 0) != present) result.row(static_cast<Eigen::Index>(column)).setZero();
  return result;
}

/// (system + penalty I)⁻¹.
MatrixD ridge_inverse(const MatrixD& system, double penalty) {
  Eigen::MatrixXd penalised = system;
  penalised.diagonal().array() += penalty;
  const auto inverse = inverse_of_positive(penalised);
  require(inverse.has_value(), "the regressions cannot be solved with a penalty of ", penalty,
          "; give a greater ridge");
  return *inverse;
}

/// The filled rows Y of all collections, as an operator.
class FilledRows {
 public:
  FilledRows(const std::vector<Part>& parts, const MatrixD& b, int jobs)
      : parts_(parts), jobs_(jobs) {
    for (const Part& part : parts)
      lacking_.push_back(part.a.size() > 0 ? chosen_rows(b, part.has, false) : MatrixD());
  }

  /// Y Q of one collection.
  MatrixD times(std::size_t which, const MatrixD& q) const {
    const Part& part = parts_[which];
    MatrixD result = multiply(part.rows, q, jobs_);
    if (part.a.size() > 0)
      result += multiply(part.a, multiply(MatrixD(lacking_[which].transpose()), q, jobs_), jobs_);
    return result;
  }

  /// Yᵀ Y Q.
  MatrixD gram_times(const MatrixD& q) const {
    MatrixD result = MatrixD::Zero(q.rows(), q.cols());
    for (std::size_t which = 0; which < parts_.size(); ++which) {
      const Part& part = parts_[which];
      const MatrixD along = times(which, q);
      result += transposed_multiply(part.rows, along, jobs_);
      if (part.a.size() > 0)
        result +=
            multiply(lacking_[which], multiply(MatrixD(part.a.transpose()), along, jobs_), jobs_);
    }
    return result;
  }

 private:
  const std::vector<Part>& parts_;
  int jobs_;
  std::vector<MatrixD> lacking_;  ///< B where the collection lacks the feature
};

/// Orthonormal columns that span the given ones: by Cholesky factorisations of the columns'
/// products, one more for what rounding left, or by reflections if the columns hardly differ.
MatrixD orthonormal(const MatrixD& columns, int jobs) {
  MatrixD result = columns;
  for (int pass = 0; pass < 2; ++pass) {
    MatrixD factor = gram(result, jobs);
    if (!factorise(factor, jobs)) return orthonormal_columns(columns);
    result = multiply(result, MatrixD(inverse_of_lower(factor, jobs).transpose()), jobs);
  }
  const MatrixD products = gram(result, jobs);
  const MatrixD identity = MatrixD::Identity(products.rows(), products.cols());
  return (products - identity).cwiseAbs().maxCoeff() < kRounding ? result
                                                                 : orthonormal_columns(columns);
}

struct Axes {
  MatrixD directions;  ///< features x k, orthonormal columns
  VectorD lengths;     ///< k singular values, descending
};

/// The leading right singular vectors of Y from a start, at most `count`. Their signs make the
/// largest number of each positive.
Axes leading_axes(const FilledRows& filled, const MatrixD& start, std::int64_t count, int jobs) {
  MatrixD q = orthonormal(start, jobs);
  for (int step = 0; step < kSubspaceSteps; ++step) q = orthonormal(filled.gram_times(q), jobs);
  const MatrixD small = multiply(MatrixD(q.transpose()), filled.gram_times(q), jobs);
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (small + small.transpose()));
  const VectorD lengths = eigen.values.reverse().cwiseMax(0.0).cwiseSqrt();
  std::int64_t kept = 0;
  while (kept < std::min<std::int64_t>(count, lengths.size()) &&
         lengths(kept) > kNothing * lengths(0))
    ++kept;
  const MatrixD turn = eigen.vectors.rowwise().reverse().leftCols(kept);
  Axes result{multiply(q, turn, jobs), lengths.head(kept)};
  for (Eigen::Index axis = 0; axis < kept; ++axis) {
    Eigen::Index largest = 0;
    result.directions.col(axis).cwiseAbs().maxCoeff(&largest);
    if (result.directions(largest, axis) < 0) result.directions.col(axis) *= -1;
  }
  return result;
}

MatrixD random_start(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  MatrixD start(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      start(i, j) =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
  return start;
}

/// A of each collection; returns the objective but for the penalty of B.
double regress_items(std::vector<Part>& parts, const MatrixD& b, double penalty, int jobs) {
  double objective = 0;
  for (Part& part : parts) {
    const MatrixD system = gram(chosen_rows(b, part.has, true), jobs);
    const MatrixD right = multiply(part.rows, b, jobs);
    part.a = multiply(right, ridge_inverse(system, penalty), jobs);
    objective += squared_norm(part.rows) - 2 * part.a.cwiseProduct(right).sum() +
                 gram(part.a, jobs).cwiseProduct(system).sum() + penalty * part.a.squaredNorm();
  }
  return objective;
}

/// B of all features; those that the same collections have are solved for with the same system.
MatrixD regress_features(const std::vector<Part>& parts, double penalty, int jobs) {
  const auto features = static_cast<Eigen::Index>(parts[0].has.size());
  const Eigen::Index rank = parts[0].a.cols();
  MatrixD right = MatrixD::Zero(features, rank);
  std::vector<MatrixD> grams;
  for (const Part& part : parts) {
    right += transposed_multiply(part.rows, part.a, jobs);
    grams.push_back(gram(part.a, jobs));
  }
  std::map<std::vector<char>, MatrixD> inverses;
  MatrixD b = MatrixD::Zero(features, rank);
  for (Eigen::Index feature = 0; feature < features; ++feature) {
    std::vector<char> owners;
    for (const Part& part : parts) owners.push_back(part.has[static_cast<std::size_t>(feature)]);
    auto known = inverses.find(owners);
    if (known == inverses.end()) {
      MatrixD system = MatrixD::Zero(rank, rank);
      for (std::size_t which = 0; which < parts.size(); ++which)
        if (owners[which] != 0) system += grams[which];
      known = inverses.emplace(owners, ridge_inverse(system, penalty)).first;
    }
    b.row(feature).noalias() = right.row(feature) * known->second;
  }
  return b;
}

/// A and B by turns, from the B given; A comes last.
Convergence fill_in(std::vector<Part>& parts, MatrixD& b, double penalty,
                    const LatentMapOptions& options, const Run& run) {
  Convergence report;
  for (int round = 0; round < options.rounds; ++round) {
    if (round > 0) b = regress_features(parts, penalty, run.jobs);
    const double objective = regress_items(parts, b, penalty, run.jobs);
    report.objective.push_back(objective + penalty * b.squaredNorm());
    ++report.iterations;
    run.progress({"filling in features", static_cast<std::uint64_t>(round + 1),
                  static_cast<std::uint64_t>(options.rounds), "rounds"});
  }
  return report;
}

}  // namespace

LatentMap fit_latent_map(std::span<const SparseView> collections, const LatentMapOptions& options,
                         const Run& run) {
  const auto begin = Clock::now();
  check(options);
  std::vector<Part> parts = parts_of(collections);
  const std::int64_t features = collections[0].columns;
  double squares = 0;
  for (const Part& part : parts) squares += squared_norm(part.rows);
  require(squares > 0, "the collections have no entries; give items that have features");
  const int jobs = run.jobs;
  const double penalty = options.ridge * std::sqrt(squares / static_cast<double>(options.rank));

  const MatrixD start =
      random_start(features, std::min(features, options.rank + kSpareAxes), options.seed);
  const Axes unfilled = leading_axes(FilledRows(parts, MatrixD(), jobs), start, options.rank, jobs);
  MatrixD b = unfilled.directions * unfilled.lengths.cwiseSqrt().asDiagonal();
  LatentMap result;
  result.report = fill_in(parts, b, penalty, options, run);

  const FilledRows filled(parts, b, jobs);
  MatrixD warm = start;
  warm.leftCols(b.cols()) = b;
  Axes axes = leading_axes(filled, warm, options.rank, jobs);
  for (std::size_t which = 0; which < parts.size(); ++which)
    result.coordinates.push_back(filled.times(which, axes.directions).cast<float>());
  result.axes = std::move(axes.directions);
  result.lengths = std::move(axes.lengths);
  result.report.compute_seconds = seconds_since(begin);
  return result;
}

}  // namespace commonplace::transfer
