#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/transfer/core/coupled_factors.h"

/// The coupled factorisation written once more with whole matrices, straight from the formulas.
namespace commonplace::test {

struct NaiveCollection {
  MatrixD x;  ///< items x features, of sum one
  MatrixD g;  ///< items x classes
  std::vector<std::uint8_t> given;
};

struct NaiveCoupled {
  std::vector<NaiveCollection> collections;
  std::vector<transfer::CoupledPair>
      pairs;  ///< weights are classes x clusters, as the learner has them

  Eigen::MatrixXd explained(const transfer::CoupledPair& pair, std::size_t end) const {
    return pair.common.features * pair.common.weights.transpose() +
           pair.own[end].features * pair.own[end].weights.transpose();
  }
  const NaiveCollection& at(const transfer::CoupledPair& pair, std::size_t end) const {
    return collections[static_cast<std::size_t>(pair.ends[end])];
  }

  double objective() const {
    double sum = 0;
    for (const transfer::CoupledPair& pair : pairs)
      for (const std::size_t end : {0, 1})
        sum += (at(pair, end).x - at(pair, end).g * explained(pair, end).transpose()).squaredNorm();
    return sum;
  }

  void step() {
    for (transfer::CoupledPair& pair : pairs) {
      update(pair, pair.common, {0, 1});
      update(pair, pair.own[0], {0});
      update(pair, pair.own[1], {1});
    }
    for (std::size_t which = 0; which < collections.size(); ++which) update_classes(which);
    for (transfer::CoupledPair& pair : pairs)
      for (transfer::FeatureClusters* part : {&pair.common, &pair.own[0], &pair.own[1]})
        for (Eigen::Index k = 0; k < part->features.cols(); ++k)
          part->features.col(k) /= part->features.col(k).sum();
    for (NaiveCollection& collection : collections)
      for (Eigen::Index item = 0; item < collection.g.rows(); ++item)
        if (!is_given(collection, item)) collection.g.row(item) /= collection.g.row(item).sum();
  }

 private:
  static bool is_given(const NaiveCollection& collection, Eigen::Index item) {
    return !collection.given.empty() && collection.given[static_cast<std::size_t>(item)] != 0;
  }
  static void times_root(MatrixD& values, const Eigen::MatrixXd& up, const Eigen::MatrixXd& down) {
    values.array() *= (up.array() / (down.array() + 1e-12)).sqrt();
  }

  /// Features first, with the weights as they are, then the weights.
  void update(const transfer::CoupledPair& pair, transfer::FeatureClusters& part,
              const std::vector<std::size_t>& ends) {
    for (const bool features : {true, false}) {
      Eigen::MatrixXd wanted = 0 * explained(pair, 0);
      Eigen::MatrixXd there = wanted;
      for (const std::size_t end : ends) {
        const NaiveCollection& collection = at(pair, end);
        wanted += collection.x.transpose() * collection.g;
        there += explained(pair, end) * collection.g.transpose() * collection.g;
      }
      if (features)
        times_root(part.features, wanted * part.weights, there * part.weights);
      else
        times_root(part.weights, wanted.transpose() * part.features,
                   there.transpose() * part.features);
    }
  }

  void update_classes(std::size_t which) {
    NaiveCollection& collection = collections[which];
    Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(collection.g.rows(), collection.g.cols());
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(collection.g.cols(), collection.g.cols());
    for (const transfer::CoupledPair& pair : pairs)
      for (const std::size_t end : {0, 1})
        if (static_cast<std::size_t>(pair.ends[end]) == which) {
          wanted += collection.x * explained(pair, end);
          gram += explained(pair, end).transpose() * explained(pair, end);
        }
    MatrixD next = collection.g;
    times_root(next, wanted, collection.g * gram);
    for (Eigen::Index item = 0; item < next.rows(); ++item)
      if (!is_given(collection, item)) collection.g.row(item) = next.row(item);
  }
};

}  // namespace commonplace::test
