#pragma once

#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {

/// A linear map from one kind of vectors to another, learned from pairs: y ~ (x - x̄) W + ȳ.
struct RidgeMap {
  Eigen::RowVectorXf from_mean;
  Matrix weights;  ///< columns of x, times columns of y

  bool empty() const { return weights.size() == 0; }
  /// (x - x̄) W: where the pairs have ȳ, this has zero.
  Matrix apply(const Eigen::Ref<const Matrix>& rows, int jobs = 0) const;
};

/// Ridge regression at several penalties by one decomposition: min over W of
/// |Y - X W|² + penalty |W|² for the centred pairs X, Y. O(n d min(n, d)) and its cube.
class RidgePath {
 public:
  /// Rows of `from` and `to` belong together; `to` is centred here too. Error without rows.
  RidgePath(const Eigen::Ref<const Matrix>& from, const Eigen::Ref<const Matrix>& to, int jobs = 0);

  /// What the map learned from all other pairs makes of each pair's x (leave-one-out, in closed
  /// form), about zero as `apply` has it.
  Matrix left_out(double penalty) const;
  RidgeMap map(double penalty) const;

 private:
  Eigen::RowVectorXf from_mean_;
  MatrixD coordinates_;  ///< of each x along the axes
  MatrixD axes_;         ///< columns of x, times axes: what coordinates are products with
  VectorD spectrum_;     ///< squared lengths of the columns of coordinates_
  MatrixD to_;           ///< centred
  MatrixD moments_;      ///< coordinates_ᵀ to_
  int jobs_;
};

/// The same map at one penalty by Cholesky's factorisation, several times quicker.
RidgeMap ridge_map(const Eigen::Ref<const Matrix>& from, const Eigen::Ref<const Matrix>& to,
                   double penalty, int jobs = 0);

/// Puts a map into a model file under `name` and takes it out again; Error if it does not fit
/// together.
void add_ridge_map(TensorWriter& writer, const std::string& name, const RidgeMap& map);
RidgeMap read_ridge_map(const TensorFile& file, const std::string& name);

}  // namespace commonplace
