#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/error.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/checkpoint.h"
#include "commonplace/math/nonnegative.h"
#include "commonplace/search/core/shared_subspace.h"

namespace commonplace::search {

/// The factorisation behind fit_shared_subspace, from a given start and in float or double: for
/// comparisons with other programs, and for callers that have a start.

template <class Scalar>
struct Factors {
  Dense<Scalar> basis;               ///< terms x topics of all blocks
  std::vector<Dense<Scalar>> codes;  ///< per collection: this rank's items x its topics
};

struct FactoriseOptions {
  bool multiplicative = false;  ///< one multiplicative step a turn, else coordinate descent
  int iterations = 200;         ///< at most
  double tolerance = 0;         ///< stop when an iteration gains no more than this share; 0: never
  int sweeps = 2;               ///< of coordinate descent a turn
  double epsilon = 1e-9;        ///< added to what a multiplicative step divides by
  bool normalise = true;        ///< scale the columns of the basis to length one
  CheckpointOptions checkpoint{};
};

template <class Scalar>
struct Factorisation {
  Factors<Scalar> factors;
  Convergence report;
};

/// An iteration updates the basis, then the codes. Without `start.codes` (an empty vector) the
/// codes begin as what `start.basis` explains of each item: nonnegative least squares, or for
/// multiplicative steps, which cannot leave zero, one step from the products with the topics.
/// At the end a topic that no item uses is a column of zeros, and a column of zeros has zeros as
/// codes. Blocks, data and shapes are checked. With a checkpoint of the same fit it goes on from
/// there: to the same bits by coordinate descent, and up to rounding by multiplicative steps.
template <class Scalar>
Factorisation<Scalar> factorise(std::span<const BasicSparseView<Scalar>> collections,
                                const std::vector<TopicBlock>& blocks, Factors<Scalar> start,
                                const FactoriseOptions& options, const Run& run);

extern template Factorisation<float> factorise(std::span<const BasicSparseView<float>>,
                                               const std::vector<TopicBlock>&, Factors<float>,
                                               const FactoriseOptions&, const Run& run);
extern template Factorisation<double> factorise(std::span<const BasicSparseView<double>>,
                                                const std::vector<TopicBlock>&, Factors<double>,
                                                const FactoriseOptions&, const Run& run);

/// Error, naming `what` and the item, for a weight that is negative or not finite.
template <class Scalar>
void check_items(const BasicSparseView<Scalar>& items, const std::string& what) {
  for (std::int64_t row = 0; row < items.rows; ++row)
    for (const Scalar value : items.row_values(row))
      if (!std::isfinite(value) || value < 0)
        fail("item ", row + 1, " of ", what, " has a weight of ", value, "; expected 0 or more");
}

}  // namespace commonplace::search
