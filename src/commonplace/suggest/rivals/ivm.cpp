#include "commonplace/suggest/rivals/ivm.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "commonplace/base/error.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/suggest/core/prototype_gain.h"

namespace commonplace::suggest {
namespace {

/// From what was observed at the active items, K their kernel and T the diagonal precisions:
/// mean k_xᵀ (K + T⁻¹)⁻¹ m, variance k(x, x) - k_xᵀ (K + T⁻¹)⁻¹ k_x.
Ivm::Machine machine_of(const Kernel& kernel, const FeatureRows& items,
                        const InformativeItems& seen, int jobs) {
  Ivm::Machine machine;
  machine.active = take_rows(items, seen.items);
  const VectorD root = seen.precisions.cwiseSqrt();
  MatrixD b =
      root.asDiagonal() * kernel_gram(kernel, machine.active.view(), jobs) * root.asDiagonal();
  b.diagonal().array() += 1;
  require(factorise(b, jobs), "the kernel matrix is not positive definite; take another kernel");
  machine.factor = inverse_of_lower(b, jobs) * root.asDiagonal();
  machine.weights = machine.factor.transpose() * (machine.factor * seen.means.col(0));
  return machine;
}

}  // namespace

Ivm fit_ivm(const Kernel& kernel, const FeatureRows& items, std::span<const std::int32_t> labels,
            std::int64_t classes, const IvmOptions& options, const Run& run) {
  check(kernel);
  require(options.active >= 1, "active is ", options.active, "; expected 1 or more");
  require(items.rows() >= 1, "there are no items to learn from");
  require(items.rows() == std::ssize(labels), items.rows(), " items do not fit ", labels.size(),
          " labels");
  require(classes >= 2, "there are ", classes, " classes; expected 2 or more");
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels[i] >= 0 && labels[i] < classes, "item ", i + 1, " has the class ", labels[i],
            "; expected 0 .. ", classes - 1);
  Ivm model{kernel, {}};
  std::vector<std::int32_t> sides(labels.size());
  for (std::int64_t c = 0; c < classes; ++c) {
    run.progress({"training machines", static_cast<std::uint64_t>(c),
                  static_cast<std::uint64_t>(classes), "classes"});
    for (std::size_t i = 0; i < labels.size(); ++i) sides[i] = labels[i] == c ? 0 : 1;
    const InformativeItems seen =
        choose_informative(items, sides, 1, kernel, std::min(options.active, items.rows()),
                           options.seed + static_cast<std::uint64_t>(c), {.jobs = run.jobs});
    model.machines.push_back(machine_of(kernel, items, seen, run.jobs));
  }
  return model;
}

Matrix predict(const Ivm& model, const FeatureRows& items, int jobs) {
  Matrix result(items.rows(), std::ssize(model.machines));
  const VectorD diagonal = kernel_diagonal(model.kernel, items);
  for (std::size_t c = 0; c < model.machines.size(); ++c) {
    const Ivm::Machine& machine = model.machines[c];
    const MatrixD k =
        kernel_matrix(model.kernel, items, machine.active.view(), jobs).cast<double>();
    const VectorD means = k * machine.weights;
    const VectorD explained =
        multiply(k, MatrixD(machine.factor.transpose()), jobs).rowwise().squaredNorm();
    for (Eigen::Index n = 0; n < result.rows(); ++n) {
      const double variance = std::max(0.0, diagonal[n] - explained[n]);
      const double z = means[n] / std::sqrt(1 + variance);
      result(n, static_cast<Eigen::Index>(c)) =
          static_cast<float>(std::max(1e-12, 0.5 * std::erfc(-z / std::numbers::sqrt2)));
    }
  }
  for (Eigen::Index n = 0; n < result.rows(); ++n) result.row(n) /= result.row(n).sum();
  return result;
}

}  // namespace commonplace::suggest
