#pragma once

#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/search/core/shared_subspace.h"

namespace commonplace::test {

struct NaiveSharedSubspace {
  MatrixD basis;
  std::vector<MatrixD> codes;
  std::vector<double> objective;  ///< after each iteration, from the dense residual
};

/// Joint nonnegative factorisation as its equations are written, with dense data (items x terms)
/// and a loop over the blocks: the basis, then the codes, then columns of the basis to length one.
/// `solver` is "mu", or "hals" with one sweep over the columns.
NaiveSharedSubspace naive_shared_subspace(const std::vector<MatrixD>& data,
                                          const std::vector<search::TopicBlock>& blocks,
                                          MatrixD basis, std::vector<MatrixD> codes,
                                          const std::string& solver, int iterations, double epsilon,
                                          bool normalise);

/// The minimum over x >= 0 of xᵀ G x - 2 cᵀ x, by trying every set of positive coordinates. For a
/// few coordinates only.
VectorD exhaustive_nonnegative_minimum(const MatrixD& gram, const VectorD& linear);

}  // namespace commonplace::test
