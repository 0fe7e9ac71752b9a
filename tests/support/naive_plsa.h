#pragma once

#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace::test {

struct NaivePlsa {
  MatrixD term_topics;
  MatrixD document_topics;
  VectorD topic_probability;
  std::vector<double> objective;
};

/// Probabilistic latent semantic analysis as its equations are written: dense counts, the whole
/// posterior P(z|d,w) in memory, even P(z|d) and the given P(w|z) (terms x topics) at the start.
NaivePlsa naive_plsa(const MatrixD& counts, MatrixD start, int iterations, double beta);

}  // namespace commonplace::test
