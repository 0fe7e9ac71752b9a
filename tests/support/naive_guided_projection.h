#pragma once

#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "commonplace/base/matrix.h"

/// A guided projection written once more with plain matrices in double, straight from the formulas:
/// W, D, Z and B are made whole.
namespace commonplace::test {

struct NaiveModality {
  MatrixD features;  ///< items x features; the identity for items without
  double gamma = 0.1;
};

struct NaiveGuidance {
  std::size_t from = 0;
  std::size_t to = 0;
  MatrixD links;
  double weight = 1;
};

struct NaiveProjection {
  Eigen::MatrixXd w;                   ///< of all items
  Eigen::MatrixXd a, b;                ///< features of all modalities
  VectorD values;                      ///< all, ascending
  Eigen::MatrixXd vectors;             ///< a column each, pᵀ B p = 1
  VectorD strength;                    ///< of all
  std::vector<Eigen::MatrixXd> place;  ///< of each modality, items x all
};

/// t − (row sums)(column sums)ᵀ / sum for the numbers of `t` above 0; those below stay.
inline Eigen::MatrixXd naive_balanced(const Eigen::MatrixXd& t) {
  const Eigen::MatrixXd positive = t.cwiseMax(0);
  if (positive.sum() == 0) return t;
  const VectorD rows = positive.rowwise().sum();
  const Eigen::RowVectorXd columns = positive.colwise().sum();
  return t - rows * columns / positive.sum();
}

inline NaiveProjection naive_guided_projection(const std::vector<NaiveModality>& modalities,
                                               const std::vector<NaiveGuidance>& guidance,
                                               const std::string& constraint, bool balanced,
                                               bool centre) {
  std::vector<Eigen::Index> first_item{0}, first_feature{0};
  for (const NaiveModality& modality : modalities) {
    first_item.push_back(first_item.back() + modality.features.rows());
    first_feature.push_back(first_feature.back() + modality.features.cols());
  }
  const Eigen::Index items = first_item.back();
  const Eigen::Index features = first_feature.back();
  NaiveProjection result;
  result.w = Eigen::MatrixXd::Zero(items, items);
  Eigen::MatrixXd given = result.w;
  for (const NaiveGuidance& g : guidance) {
    const auto add = [&](const Eigen::MatrixXd& links, Eigen::MatrixXd& into) {
      into.block(first_item[g.from], first_item[g.to], links.rows(), links.cols()) +=
          g.weight * links;
      if (g.from != g.to)
        into.block(first_item[g.to], first_item[g.from], links.cols(), links.rows()) +=
            g.weight * links.transpose();
    };
    Eigen::MatrixXd links = g.links;
    if (g.from == g.to) {
      // Links above and below 0 of the same pair in both directions count apart.
      const Eigen::MatrixXd above = g.links.cwiseMax(0);
      const Eigen::MatrixXd below = g.links.cwiseMin(0);
      links = above + above.transpose();
      if (balanced) links = naive_balanced(links);
      links += below + below.transpose();
      add(g.links + g.links.transpose(), given);
    } else {
      if (balanced) links = naive_balanced(links);
      add(g.links, given);
    }
    add(links, result.w);
  }
  VectorD absolute = VectorD::Zero(items);
  for (const NaiveGuidance& g : guidance) {
    absolute.segment(first_item[g.from], g.links.rows()) +=
        g.weight * g.links.cwiseAbs().rowwise().sum();
    absolute.segment(first_item[g.to], g.links.cols()) +=
        g.weight * g.links.cwiseAbs().colwise().sum().transpose();
  }
  VectorD held = absolute;
  VectorD averaged = absolute;
  if (constraint == "signed" || constraint == "first") held = given.rowwise().sum();
  if (constraint == "identity") held = averaged = VectorD::Ones(items);
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(features, items);
  for (std::size_t k = 0; k < modalities.size(); ++k) {
    MatrixD x = modalities[k].features;
    const VectorD weights = averaged.segment(first_item[k], x.rows());
    if (centre) x.rowwise() -= (weights.transpose() * x / weights.sum()).eval();
    z.block(first_feature[k], first_item[k], x.cols(), x.rows()) = x.transpose();
  }
  const VectorD d = result.w.rowwise().sum();
  result.a = z * (Eigen::MatrixXd(d.asDiagonal()) - result.w) * z.transpose();
  result.b = z * held.asDiagonal() * z.transpose();
  Eigen::MatrixXd solved = result.a;
  for (std::size_t k = 0; k < modalities.size(); ++k) {
    const Eigen::Index size = modalities[k].features.cols();
    auto block = result.b.block(first_feature[k], first_feature[k], size, size);
    const double ridge = modalities[k].gamma * block.diagonal().cwiseAbs().mean();
    if (constraint == "first" && k > 0) {
      block.setZero();
      solved.diagonal().segment(first_feature[k], size).array() += ridge;
    } else {
      block.diagonal().array() += ridge;
    }
  }
  if (constraint == "first") {
    const Eigen::Index own = first_feature[1];
    const Eigen::Index others = features - own;
    const Eigen::MatrixXd follow = -solved.bottomRightCorner(others, others)
                                        .fullPivLu()
                                        .solve(solved.bottomLeftCorner(others, own));
    const Eigen::MatrixXd reduced =
        solved.topLeftCorner(own, own) + solved.topRightCorner(own, others) * follow;
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        (reduced + reduced.transpose()) / 2, result.b.topLeftCorner(own, own));
    result.values = solver.eigenvalues();
    result.vectors.resize(features, own);
    result.vectors << solver.eigenvectors(), follow * solver.eigenvectors();
  } else {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(result.a, result.b);
    result.values = solver.eigenvalues();
    result.vectors = solver.eigenvectors();
  }
  const Eigen::MatrixXd places = z.transpose() * result.vectors;
  result.strength = (places.transpose() * result.w * places).diagonal();
  for (std::size_t k = 0; k < modalities.size(); ++k)
    result.place.push_back(places.middleRows(first_item[k], modalities[k].features.rows()));
  return result;
}

}  // namespace commonplace::test
