// Symbols as in the paper (Mantziou et al. 2015, section 3.2):
//   p       density of the bins, P = diag(p)
//   W̃       Gaussian between bin centres
//   D̃       diag of the column sums of P W̃ P; as W̃ is symmetric it equals P D̂, D̂ those of P W̃
//   σ, g    eigenvalues and eigenfunctions
#include "commonplace/detect/core/axis_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/decompose.h"

namespace commonplace::detect {
namespace {

constexpr double kConstant = 1e-10;     ///< below it a function is the constant
constexpr double kRounding = 1 - 1e-9;  ///< above it there is nothing but rounding

double bin_width(const AxisEigenmaps& model, std::int64_t axis, std::int64_t bins) {
  return (model.high(axis) - model.low(axis)) / static_cast<double>(bins);
}

/// The last value is positive.
void settle_signs(MatrixD& functions) {
  for (Eigen::Index i = 0; i < functions.rows(); ++i)
    if (functions(i, functions.cols() - 1) < 0) functions.row(i) *= -1;
}

struct Candidate {
  double eigenvalue;
  std::int64_t axis;
  std::int64_t place;  ///< among the axis' eigenvalues
};

std::vector<Candidate> smoothest(const MatrixD& eigenvalues, std::int64_t count) {
  std::vector<Candidate> all;
  for (Eigen::Index axis = 0; axis < eigenvalues.rows(); ++axis)
    for (Eigen::Index place = 0; place < eigenvalues.cols(); ++place) {
      const double value = eigenvalues(axis, place);
      if (value >= kConstant && value <= kRounding) all.push_back({value, axis, place});
    }
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    if (a.eigenvalue != b.eigenvalue) return a.eigenvalue < b.eigenvalue;
    return a.axis != b.axis ? a.axis < b.axis : a.place < b.place;
  });
  if (std::ssize(all) > count) all.resize(static_cast<std::size_t>(count));
  return all;
}

/// Over the clipped items: between two centres a function is a line, so three sums tell.
double norm_over_items(const Eigen::Ref<const Eigen::RowVectorXd>& function,
                       const AxisStatistics& statistics, std::int64_t axis) {
  double squares = 0;
  for (Eigen::Index i = 0; i + 1 < function.size(); ++i) {
    const double slope = function(i + 1) - function(i);
    squares += function(i) * function(i) * statistics.between(axis, i) +
               2 * function(i) * slope * statistics.moment(axis, i) +
               slope * slope * statistics.second(axis, i);
  }
  return squares > 0 ? std::sqrt(squares) : 1;
}

}  // namespace

VectorD smoothed_density(const VectorD& histogram, double smoothing) {
  VectorD density = histogram / histogram.sum();
  density.array() += smoothing;
  return density / density.sum();
}

DensityFunctions density_functions(const VectorD& density, double width, double bandwidth,
                                   bool with_functions) {
  const Eigen::Index bins = density.size();
  Eigen::MatrixXd pwp(bins, bins);
  for (Eigen::Index i = 0; i < bins; ++i)
    for (Eigen::Index j = 0; j < bins; ++j) {
      const double apart = static_cast<double>(i - j) * width / bandwidth;
      pwp(i, j) = density(i) * density(j) * std::exp(-apart * apart / 2);
    }
  const VectorD degree = pwp.colwise().sum();
  const VectorD scale = degree.cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd laplacian = -pwp;
  laplacian.diagonal() += degree;
  laplacian = scale.asDiagonal() * laplacian * scale.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(laplacian, with_functions);
  DensityFunctions result{eigen.values, {}};
  if (with_functions) {
    result.functions = (scale.asDiagonal() * eigen.vectors).transpose();
    settle_signs(result.functions);
  }
  return result;
}

void choose_functions(AxisEigenmaps& model, const AxisStatistics& statistics, int jobs) {
  const std::int64_t bins = statistics.histogram.cols();
  const auto axes = static_cast<std::size_t>(model.axes());
  auto solve = [&](std::int64_t axis, bool with_functions) {
    return density_functions(
        smoothed_density(statistics.histogram.row(axis), model.options.smoothing),
        bin_width(model, axis, bins), model.bandwidths(axis), with_functions);
  };
  MatrixD eigenvalues = MatrixD::Zero(model.axes(), bins);
  parallel_for(axes, jobs, [&](std::size_t begin, std::size_t end) {
    for (auto axis = static_cast<std::int64_t>(begin); axis < static_cast<std::int64_t>(end);
         ++axis)
      if (model.high(axis) > model.low(axis))
        eigenvalues.row(axis) = solve(axis, false).eigenvalues;
  });
  const std::vector<Candidate> chosen = smoothest(eigenvalues, model.options.count);
  const auto count = std::ssize(chosen);
  std::vector<std::vector<std::int64_t>> of_axis(axes);
  model.axis.clear();
  model.eigenvalues.resize(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const Candidate& candidate = chosen[static_cast<std::size_t>(i)];
    model.axis.push_back(candidate.axis);
    model.eigenvalues(i) = candidate.eigenvalue;
    of_axis[static_cast<std::size_t>(candidate.axis)].push_back(i);
  }
  model.functions.resize(count, bins);
  model.norms.resize(count);
  parallel_for(axes, jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t axis = begin; axis < end; ++axis) {
      if (of_axis[axis].empty()) continue;
      const auto here = static_cast<std::int64_t>(axis);
      const DensityFunctions found = solve(here, true);
      for (const std::int64_t i : of_axis[axis]) {
        model.functions.row(i) = found.functions.row(chosen[static_cast<std::size_t>(i)].place);
        model.norms(i) = norm_over_items(model.functions.row(i), statistics, here);
      }
    }
  });
  model.items = statistics.items;
}

}  // namespace commonplace::detect
