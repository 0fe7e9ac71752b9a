#include "commonplace/suggest/core/gp_hyperparameters.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/comm.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace gp_hyperparameters_test {

using namespace suggest;

using test::LabelledItems;
using test::ring_of_classes;

HyperparameterOptions options_for_test() {
  HyperparameterOptions options;
  options.items = 150;
  options.prototypes = 15;
  return options;
}

TEST(TypicalLength, IsTheMedianDistance) {
  Matrix two(2, 1);
  two << 0, 3;
  EXPECT_NEAR(typical_length_scale(two), 3, 1e-6);
  const Matrix same = Matrix::Ones(5, 2);
  EXPECT_EQ(typical_length_scale(same), 1);
  const MatrixD features = test::random_features(50, 8, 0.6, 1);
  const Matrix dense = features.cast<float>();
  const Sparse sparse = test::to_sparse(features);
  EXPECT_NEAR(typical_length_scale(dense), typical_length_scale(sparse), 1e-4);
}

TEST(TuneKernel, BeatsTheKernelsAround) {
  const LabelledItems data = ring_of_classes(150, 3, 0.9, 1);
  const Matrix items = data.features.cast<float>();
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::nn}) {
    const TunedKernel tuned = tune_kernel(kind, items, data.labels, 3, options_for_test());
    EXPECT_EQ(tuned.kernel.kind, kind);
    EXPECT_LE(tuned.evaluations, 40);
    const double l = tuned.kernel.length_scale;
    const double s = tuned.kernel.variance;
    const std::vector<double> length_scales = {l / 3, l, l * 3};
    const std::vector<double> variances = {s / 5, s, s * 5};
    const MatrixD surface = likelihood_surface(kind, items, data.labels, 3, length_scales,
                                               variances, options_for_test());
    EXPECT_NEAR(surface(1, 1), tuned.log_likelihood, 1e-3);
    EXPECT_GT(tuned.log_likelihood, surface.maxCoeff() - 0.2);
    EXPECT_GT(tuned.log_likelihood, surface(0, 1));
    EXPECT_LT(surface.minCoeff(), tuned.log_likelihood - 1);
  }
}

TEST(TuneKernel, FindsTheScaleOfTheFeatures) {
  const LabelledItems data = ring_of_classes(150, 3, 0.9, 1);
  const Matrix items = data.features.cast<float>();
  const Matrix large = 100 * items;
  const TunedKernel a = tune_kernel(KernelKind::rbf, items, data.labels, 3, options_for_test());
  const TunedKernel b = tune_kernel(KernelKind::rbf, large, data.labels, 3, options_for_test());
  EXPECT_NEAR(b.kernel.length_scale / a.kernel.length_scale, 100, 5);
  EXPECT_NEAR(b.log_likelihood, a.log_likelihood, 0.1);
}

TEST(TuneKernel, RefusesBadOptions) {
  const LabelledItems data = ring_of_classes(30, 3, 0.9, 1);
  const Matrix items = data.features.cast<float>();
  const auto refused = [&](const std::string& part, auto spoil) {
    HyperparameterOptions options = options_for_test();
    spoil(options);
    const std::string message =
        test::message_of([&] { tune_kernel(KernelKind::rbf, items, data.labels, 3, options); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused("tuning_items is 0", [](auto& options) { options.items = 0; });
  refused("tuning_prototypes is 0", [](auto& options) { options.prototypes = 0; });
  refused("tuning_evaluations is 2", [](auto& options) { options.evaluations = 2; });
  EXPECT_THROW(
      tune_kernel(KernelKind::rbf, items, std::vector<std::int32_t>{0}, 3, options_for_test()),
      Error);
}

}  // namespace gp_hyperparameters_test
}  // namespace commonplace
