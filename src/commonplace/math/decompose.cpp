#include "commonplace/math/decompose.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "commonplace/base/error.h"

namespace commonplace {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& symmetric) {
  if (symmetric.rows() == 0) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  require(solver.info() == Eigen::Success, "the eigenvectors of a matrix of ", symmetric.rows(),
          " rows were not found; look for numbers that are very large or not finite");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

MatrixD orthonormal_columns(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(columns);
  return factors.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

std::optional<Eigen::MatrixXd> solve_positive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Eigen::LLT<Eigen::MatrixXd> factor(a);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return factor.solve(b);
}

std::optional<Eigen::MatrixXd> inverse_of_positive(const Eigen::MatrixXd& a) {
  return solve_positive(a, Eigen::MatrixXd::Identity(a.rows(), a.cols()));
}

}  // namespace commonplace
