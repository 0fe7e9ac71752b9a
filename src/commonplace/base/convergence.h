#pragma once

#include <vector>

namespace commonplace {

/// How a fit went. Not converging is data, not an error.
struct Convergence {
  std::vector<double> objective;  ///< one value per iteration, as the learner's header defines it
  int iterations = 0;
  bool converged = false;  ///< stopped by the tolerance, not by the limit on iterations
  double compute_seconds = 0;
  double communication_seconds = 0;  ///< inside Comm, waiting for other ranks included
};

}  // namespace commonplace
