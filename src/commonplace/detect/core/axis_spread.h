#pragma once

#include <cstdint>
#include <functional>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

/// Means and covariances of rows, read in order, in blocks. `Scalar` is float or double, what rows
/// are made of and what is computed with them.
namespace commonplace::detect {

template <class Scalar>
using RowsOf =
    Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class Scalar>
using BlockOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of a block.
inline constexpr std::int64_t kRowsOfBlock = 2048;

/// Called after each block with the rows done since the call before.
using RowsDone = std::function<void(std::int64_t rows)>;

/// Items, sum and scatter (around their own mean) of all ranks' rows; without `scatter` only its
/// diagonal, as a column. Error for a number that is not finite, naming the row of all ranks.
struct Spread {
  std::int64_t items = 0;
  VectorD sum;
  MatrixD scatter;  ///< d x d, or d x 1
};
template <class Scalar>
Spread measure_spread(const RowsOf<Scalar>& rows, bool scatter, const Run& run,
                      const RowsDone& done);

/// `spread` of both; the items must not be the same.
void add(Spread& spread, const Spread& others);

/// into := the rows less `mean`.
template <class Scalar>
void centre_rows(const RowsOf<Scalar>& rows, const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>& mean,
                 BlockOf<Scalar>& into, int jobs);

}  // namespace commonplace::detect
