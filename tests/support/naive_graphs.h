#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"

/// Graphs of items, what spreads over them, and linear classifiers, written once more with dense
/// matrices in double, straight from the formulas.
namespace commonplace::test {

/// n x n: exp(-distance² / 2h²) between items of which either is among the nearest of the other, by
/// a sort of all distances. A `bandwidth` of 0 is set to the mean distance from the farthest of the
/// nearest.
MatrixD naive_neighbour_graph(MatrixD rows, std::int64_t neighbours, bool cosine,
                              double& bandwidth);

/// D^-½ W D^-½.
MatrixD naive_normalised(const MatrixD& weights);

/// (1 - a) (I - a S)⁻¹ Y by an inverse.
MatrixD naive_propagation(const MatrixD& weights, const MatrixD& labels, double alpha);

/// For each row and concept: the nearest labelled rows of positive cosine by a sort, their labels
/// weighted with it.
MatrixD naive_knn_labels(MatrixD rows, MatrixD labelled, const MatrixD& labels,
                         std::int64_t neighbours);

/// What a linear classifier minimises: cost · (sum of losses) + wᵀ A w + c b², for labels of 1, -1
/// and 0 (left out).
struct LinearObjective {
  MatrixD rows;
  VectorD labels;
  std::string loss = "svm";
  double cost = 1;
  double positive_weight = 1;
  MatrixD penalty;          ///< A
  double bias_penalty = 0;  ///< c
};
/// Of the weights and then the offset.
VectorD gradient(const LinearObjective& objective, const VectorD& weights, double offset);

/// Two circles around one middle, of radius 1 and 2; item i is on circle i % 2.
MatrixD two_rings(Eigen::Index items, double noise, std::uint64_t seed);

/// items x 1: of label 0 or 1 of item i being i % 2, as -1 and 1, those of the first `count` items;
/// 0 for the others.
MatrixD first_labels(Eigen::Index items, Eigen::Index count);

/// The share of items whose score has the sign of i % 2.
double share_of_signs(const Matrix& scores);

/// Row i is row order[i].
Matrix dense_in_order(const Matrix& rows, const std::vector<std::int64_t>& order);

}  // namespace commonplace::test
