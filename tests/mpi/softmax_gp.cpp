// Run under mpirun: `mpi_softmax_gp <ranks>` fits a classifier, each rank with its own items, and
// compares the result with that of one process and with every other rank's.
#include "commonplace/suggest/core/softmax_gp.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/mpi/mpi_comm.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"

namespace commonplace {
namespace {

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

SoftmaxGpFit fit(Comm& comm, int rank, int size) {
  const RowRange range = rows_of_rank(kItems, rank, size);
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
  options.jobs = 1;
  const Matrix mine = items(range);
  return fit_softmax_gp(whiten(basis, mine, 1), labels, kClasses, options, comm);
}

void check_same_on_all(const SoftmaxGp& model, Comm& comm) {
  MatrixD weights = model.weights;
  comm.broadcast(std::span<double>(weights.data(), static_cast<std::size_t>(weights.size())), 0);
  require(weights == model.weights, "rank ", comm.rank(), " holds other weights than rank 0");
  for (const Matrix& factor : model.factors) {
    Matrix first = factor;
    comm.broadcast(std::span<float>(first.data(), static_cast<std::size_t>(first.size())), 0);
    require(first == factor, "rank ", comm.rank(), " holds another factor than rank 0");
  }
}

int run(int argc, char** argv, Comm& comm) {
  require(argc == 2, "give the number of ranks");
  require(comm.size() == std::stoi(argv[1]), "there are ", comm.size(), " ranks");
  SelfComm self;
  const SoftmaxGpFit alone = fit(self, 0, 1);
  const SoftmaxGpFit together = fit(comm, comm.rank(), comm.size());
  check_same_on_all(together.model, comm);
  const double weights = (together.model.weights - alone.model.weights).cwiseAbs().maxCoeff();
  require(weights < 1e-4, "the weights differ by ", weights);
  const double likelihood = *together.log_likelihood - *alone.log_likelihood;
  require(std::abs(likelihood) < 1e-4, "the log likelihood differs by ", likelihood);
  const double coupled = *together.coupled_log_likelihood - *alone.coupled_log_likelihood;
  require(std::abs(coupled) < 1e-4, "the coupled log likelihood differs by ", coupled);
  return 0;
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  return commonplace::run_mpi(
      argc, argv, [&](commonplace::Comm& comm) { return commonplace::run(argc, argv, comm); },
      [](int rank, const std::string& message) {
        std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
      });
}
