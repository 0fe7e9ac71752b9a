#pragma once

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"

namespace commonplace {

/// An accuracy that is known without labels, with its standard error.
struct SupportedAccuracy {
  double accuracy = 0;
  double error = 1;  ///< 1: nothing is known
};

/// How often an answer is right, by how it and two views of the same items agree. Where the three
/// err independently each covaries with another by the product of how far they are above chance,
/// and three products give all three factors. All are this rank's items x classes with rows of sum
/// one; of the answer only the likeliest class counts. Views that err together make it too low, an
/// answer that errs with them makes it too high. The error is a jackknife's. Collective.
SupportedAccuracy accuracy_by_agreement(const MatrixD& first, const MatrixD& second,
                                        const MatrixD& answer, Comm& comm);

}  // namespace commonplace
