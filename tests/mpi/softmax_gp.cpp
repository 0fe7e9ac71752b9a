// Fits a classifier, each rank with its own items, and
// compares the result with that of one process and with every other rank's.
#include "commonplace/suggest/core/softmax_gp.h"

#include <string>

#include "commonplace/base/rng.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "tests/mpi/frame.h"

namespace commonplace {
namespace softmax_gp_on_ranks {

using namespace suggest;

constexpr std::int64_t kItems = 151;
constexpr std::int64_t kClasses = 3;

double draw(std::int64_t row, std::uint64_t column) {
  return random_uniform(1, static_cast<std::uint64_t>(row), column);
}

/// Items of three classes, around three points of the plane.
Matrix items(RowRange range) {
  Matrix result(range.end - range.begin, 2);
  for (std::int64_t row = range.begin; row < range.end; ++row)
    for (int f = 0; f < 2; ++f)
      result(row - range.begin, f) = static_cast<float>((row % kClasses == f ? 1.0 : 0.0) +
                                                        draw(row, static_cast<std::uint64_t>(f)));
  return result;
}

SoftmaxGpFit fit(Comm& comm) {
  const RowRange range = rows_of_rank(kItems, comm.rank(), comm.size());
  std::vector<std::int32_t> labels;
  for (std::int64_t row = range.begin; row < range.end; ++row)
    labels.push_back(static_cast<std::int32_t>(row % kClasses));
  StoredRows prototypes;
  prototypes.dense = items({0, 12});
  const SparseGpBasis basis = make_basis({KernelKind::rbf, 0.5, 4}, prototypes, 1e-6, 1);
  SoftmaxGpOptions options;
  options.variances = "class";
  options.likelihood = true;
  options.tolerance = 1e-10;
  const Matrix mine = items(range);
  return fit_softmax_gp(whiten(basis, mine, 1), labels, kClasses, options, {comm, 1});
}

void compare(Comm& comm) {
  SelfComm self;
  const SoftmaxGpFit alone = fit(self);
  const SoftmaxGpFit together = fit(comm);
  test::require_agreement("the weights", together.model.weights, alone.model.weights, 1e-4, comm);
  for (const Matrix& factor : together.model.factors)
    test::require_same_on_all("the factors", factor, comm);
  test::require_near("the log likelihoods", *together.log_likelihood, *alone.log_likelihood, 1e-5);
  test::require_near("the coupled log likelihoods", *together.coupled_log_likelihood,
                     *alone.coupled_log_likelihood, 1e-5);
}

}  // namespace softmax_gp_on_ranks
}  // namespace commonplace
