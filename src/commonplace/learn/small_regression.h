#pragma once

#include <cmath>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Regressions of a few inputs on a few thousand examples at most. `x` is examples x inputs, of
/// which the first is 1 for all: its weight is the constant, which is not penalised.

inline double logistic(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

/// The weights w that minimise the sum of -ln P(y|x w) plus ridge |w|² / 2, for y of 0 and 1, by
/// Newton steps that never go up. Where all y are equal only the constant is not 0; it is as if
/// half an example of either kind had been seen besides. O(steps examples inputs²).
VectorD fit_logistic(const MatrixD& x, const VectorD& y, double ridge);

/// The weights w that minimise |x w - y|² + ridge |w|². O(examples inputs²).
VectorD fit_ridge(const MatrixD& x, const VectorD& y, double ridge);

}  // namespace commonplace
