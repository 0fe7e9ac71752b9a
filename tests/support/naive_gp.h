#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/kernel.h"

/// Gaussian processes written once more with dense matrices in double, straight from the formulas.
namespace commonplace::test {

/// k(x, z) of every row of `a` with every row of `b`, from the features themselves.
MatrixD naive_kernel(const Kernel& kernel, const MatrixD& a, const MatrixD& b);

/// Uniform in [-1, 1), a share `density` of the entries, the others 0.
MatrixD random_features(Eigen::Index rows, Eigen::Index columns, double density,
                        std::uint64_t seed);

/// The mean of the softmax of a normal vector, by a grid of 40 Gauss-Hermite nodes a dimension.
VectorD quadrature_softmax(const VectorD& mean, const MatrixD& covariance);

/// The mode of the sparse process for classes, prototypes x classes: plain Newton steps with the
/// whole curvature, prototypes · classes squared.
struct NaiveSoftmaxGp {
  MatrixD weights;
  double objective = 0;
  MatrixD curvature;  ///< of all classes together, class by class
  double log_likelihood = 0;
  double coupled_log_likelihood = 0;
};
NaiveSoftmaxGp naive_softmax_gp(const MatrixD& whitened, const std::vector<std::int32_t>& labels,
                                Eigen::Index classes);

/// A ring of classes: items around `classes` centres on a circle, label n % classes.
struct LabelledItems {
  MatrixD features;
  std::vector<std::int32_t> labels;
};
LabelledItems ring_of_classes(Eigen::Index items, Eigen::Index classes, double spread,
                              std::uint64_t seed);

/// The numbers of a file of another program, lines of numbers separated by commas.
MatrixD read_numbers(const std::filesystem::path& path);

}  // namespace commonplace::test
