#include "tests/support/naive_shared_subspace.h"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace commonplace::test {
namespace {

/// Where the columns of a block are in the basis, or in the codes of collection d (-1: all blocks).
struct Place {
  int first;
  int count;
};

bool belongs(const search::TopicBlock& block, int d) {
  for (const int member : block.members)
    if (member == d) return true;
  return false;
}

Place place_in_basis(const std::vector<search::TopicBlock>& blocks, std::size_t b) {
  int first = 0;
  for (std::size_t i = 0; i < b; ++i) first += blocks[i].topics;
  return {first, blocks[b].topics};
}

Place place_in_codes(const std::vector<search::TopicBlock>& blocks, std::size_t b, int d) {
  int first = 0;
  for (std::size_t i = 0; i < b; ++i)
    if (belongs(blocks[i], d)) first += blocks[i].topics;
  return {first, blocks[b].topics};
}

MatrixD basis_of(const MatrixD& basis, const std::vector<search::TopicBlock>& blocks, int d) {
  MatrixD result(basis.rows(), 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (!belongs(blocks[b], d)) continue;
    const Place place = place_in_basis(blocks, b);
    MatrixD wider(basis.rows(), result.cols() + place.count);
    wider << result, basis.middleCols(place.first, place.count);
    result = wider;
  }
  return result;
}

void clamp_step(MatrixD& values, int k, const VectorD& linear, const VectorD& product,
                double diagonal) {
  if (diagonal > 0)
    values.col(k) = (values.col(k) + (linear - product) / diagonal).cwiseMax(0).eval();
}

}  // namespace

NaiveSharedSubspace naive_shared_subspace(const std::vector<MatrixD>& data,
                                          const std::vector<search::TopicBlock>& blocks,
                                          MatrixD basis, std::vector<MatrixD> codes,
                                          const std::string& solver, int iterations, double epsilon,
                                          bool normalise) {
  NaiveSharedSubspace result;
  std::vector<double> weight;
  for (const MatrixD& x : data) weight.push_back(data[0].squaredNorm() / x.squaredNorm());
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Place place = place_in_basis(blocks, b);
      for (int k = 0; k < (solver == "mu" ? 1 : place.count); ++k) {
        MatrixD above = MatrixD::Zero(basis.rows(), place.count);
        MatrixD below = above;
        VectorD diagonal = VectorD::Zero(place.count);
        for (const int d : blocks[b].members) {
          const auto at = static_cast<std::size_t>(d);
          const double lambda = blocks[b].members.size() == 1 ? 1 : weight[at];
          const Place own = place_in_codes(blocks, b, d);
          const MatrixD h = codes[at].middleCols(own.first, own.count);
          above += lambda * data[at].transpose() * h;
          below += lambda * basis_of(basis, blocks, d) * (codes[at].transpose() * h);
          diagonal += lambda * h.colwise().squaredNorm().transpose();
        }
        if (solver == "mu")
          basis.middleCols(place.first, place.count).array() *=
              above.array() / (below.array() + epsilon);
        else
          clamp_step(basis, place.first + k, above.col(k), below.col(k), diagonal(k));
      }
    }
    for (std::size_t d = 0; d < data.size(); ++d) {
      const MatrixD f = basis_of(basis, blocks, static_cast<int>(d));
      const MatrixD linear = data[d] * f;
      const MatrixD gram = f.transpose() * f;
      if (solver == "mu")
        codes[d].array() *= linear.array() / ((codes[d] * gram).array() + epsilon);
      else
        for (int k = 0; k < gram.cols(); ++k)
          clamp_step(codes[d], k, linear.col(k), codes[d] * gram.col(k), gram(k, k));
    }
    for (std::size_t b = 0; normalise && b < blocks.size(); ++b) {
      const Place place = place_in_basis(blocks, b);
      for (int k = 0; k < place.count; ++k) {
        const double norm = basis.col(place.first + k).norm();
        if (norm == 0) continue;
        basis.col(place.first + k) /= norm;
        for (const int d : blocks[b].members)
          codes[static_cast<std::size_t>(d)].col(place_in_codes(blocks, b, d).first + k) *= norm;
      }
    }
    double objective = 0;
    for (std::size_t d = 0; d < data.size(); ++d)
      objective += weight[d] *
                   (data[d] - codes[d] * basis_of(basis, blocks, static_cast<int>(d)).transpose())
                       .squaredNorm();
    result.objective.push_back(objective);
  }
  result.basis = std::move(basis);
  result.codes = std::move(codes);
  return result;
}

VectorD exhaustive_nonnegative_minimum(const MatrixD& gram, const VectorD& linear) {
  const auto size = static_cast<std::size_t>(linear.size());
  VectorD best = VectorD::Zero(linear.size());
  double lowest = 0;
  for (std::size_t set = 1; set < (std::size_t{1} << size); ++set) {
    std::vector<int> positive;
    for (std::size_t k = 0; k < size; ++k)
      if ((set >> k) & 1) positive.push_back(static_cast<int>(k));
    const MatrixD part = gram(positive, positive);
    const Eigen::LDLT<MatrixD> factor(part);
    if (factor.info() != Eigen::Success || factor.rcond() < 1e-14) continue;
    const VectorD solution = factor.solve(VectorD(linear(positive)));
    if (solution.minCoeff() < 0) continue;
    const double value =
        solution.dot(part * solution) - 2 * solution.dot(VectorD(linear(positive)));
    if (value >= lowest) continue;
    lowest = value;
    best.setZero();
    best(positive) = solution;
  }
  return best;
}

}  // namespace commonplace::test
