#pragma once

#include <span>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"

// Each learns on all ranks and alone, and requires that both agree.
namespace commonplace::shared_subspace_on_ranks {
void compare(Comm& comm);
}
namespace commonplace::tag_latents_on_ranks {
void compare(Comm& comm);
}
namespace commonplace::softmax_gp_on_ranks {
void compare(Comm& comm);
}
namespace commonplace::eigenmaps_on_ranks {
void compare(Comm& comm);
}
namespace commonplace::guided_projection_on_ranks {
void compare(Comm& comm);
}
namespace commonplace::transitive_transfer_on_ranks {
void compare(Comm& comm);
}

namespace commonplace::test {

/// Requires that a matrix or a text has the same bits on all ranks.
template <class Values>
void require_same_on_all(const std::string& what, const Values& values, Comm& comm) {
  Values first = values;
  comm.broadcast(std::span(first.data(), static_cast<std::size_t>(first.size())), 0);
  require(first == values, what, ": rank ", comm.rank(), " holds others than rank 0");
}

/// Requires that no entry is off by `tolerance` or more, relative to the largest expected.
template <class Values>
void require_near(const std::string& what, const Values& found, const Values& expected,
                  double tolerance) {
  require(found.rows() == expected.rows() && found.cols() == expected.cols(), what, " are ",
          found.rows(), " x ", found.cols());
  const auto difference = static_cast<double>((found - expected).cwiseAbs().maxCoeff() /
                                              expected.cwiseAbs().maxCoeff());
  require(difference < tolerance, what, " differ by ", difference);
}

inline void require_near(const std::string& what, double found, double expected, double tolerance) {
  require_near(what, MatrixD::Constant(1, 1, found).eval(),
               MatrixD::Constant(1, 1, expected).eval(), tolerance);
}

/// Requires that all ranks hold the same bits, and about what one process finds.
template <class Values>
void require_agreement(const std::string& what, const Values& together, const Values& alone,
                       double tolerance, Comm& comm) {
  require_same_on_all(what, together, comm);
  require_near(what, together, alone, tolerance);
}

}  // namespace commonplace::test
