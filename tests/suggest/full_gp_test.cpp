#include "commonplace/suggest/rivals/full_gp.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace full_gp_test {

using namespace suggest;

using test::LabelledItems;
using test::ring_of_classes;

constexpr Kernel kKernel{KernelKind::rbf, 0.5, 4};

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(FullGpOracle, AgreesWithTwoOtherPrograms) {
  if (test::oracle_directory().empty())
    GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
  const auto numbers = [](const std::string& name) {
    return test::read_numbers(test::oracle_directory() / "gp_laplace" / (name + ".csv"));
  };
  const Matrix items = numbers("a_X").cast<float>();
  const Matrix fresh = numbers("a_Xt").cast<float>();
  std::vector<std::int32_t> labels;
  const MatrixD classes = numbers("a_y");
  for (const double label : classes.reshaped()) labels.push_back(static_cast<std::int32_t>(label));
  const FullGpFit fit = fit_full_gp(kKernel, items, labels, 3);
  EXPECT_TRUE(fit.report.converged);
  // The features are rounded to float, by 3e-8 and less.
  EXPECT_LT(worst(fit.model.latents, numbers("a_fhat")), 1e-6);
  EXPECT_LT(worst(fit.model.latents, numbers("a_fhat_mcgpc_full")), 1e-6);
  EXPECT_NEAR(fit.model.log_likelihood, numbers("a_logZ")(0, 0), 1e-6);
  const Latents found = predict_latents(fit.model, fresh);
  EXPECT_LT(worst(found.mean.cast<double>(), numbers("a_pred_Ef")), 1e-6);
  EXPECT_LT(worst(found.covariance.cast<double>(), numbers("a_pred_Covf")), 1e-6);
  const MatrixD expected = numbers("a_pred_probs_gh40");
  for (Eigen::Index n = 0; n < fresh.rows(); ++n) {
    const MatrixD covariance =
        Eigen::Map<const Matrix>(found.covariance.row(n).data(), 3, 3).cast<double>();
    const VectorD mean = found.mean.row(n).transpose().cast<double>();
    EXPECT_LT(worst(test::quadrature_softmax(mean, covariance), expected.row(n).transpose()), 1e-6);
  }
}

/// With every item a prototype nothing is left out.
TEST(FullGp, IsTheSparseOneWithAllItemsAsPrototypes) {
  const LabelledItems data = ring_of_classes(60, 3, 1, 4);
  const Matrix items = data.features.cast<float>();
  const Matrix fresh = ring_of_classes(20, 3, 1, 5).features.cast<float>();
  const Kernel kernel{KernelKind::rbf, 0.15, 4};
  const FullGpFit full = fit_full_gp(kernel, items, data.labels, 3);
  StoredRows prototypes;
  prototypes.dense = items;
  const SparseGpBasis basis = make_basis(kernel, prototypes, 0);
  SoftmaxGpOptions options;
  options.variances = "coupled";
  options.likelihood = true;
  options.tolerance = 1e-12;
  const SoftmaxGpFit sparse = fit_softmax_gp(whiten(basis, items), data.labels, 3, options, {});
  EXPECT_NEAR(full.model.log_likelihood, *sparse.coupled_log_likelihood, 1e-3);
  const Latents a = predict_latents(full.model, fresh);
  const Latents b =
      predict_latents(sparse.model, whiten(basis, fresh), kernel_diagonal(kernel, fresh));
  EXPECT_LT(worst(a.mean.cast<double>(), b.mean.cast<double>()), 1e-3);
  EXPECT_LT(worst(a.covariance.cast<double>(), b.covariance.cast<double>()), 1e-3);
}

TEST(FullGp, TheObjectiveFallsAndTheModeIsStationary) {
  for (const double variance : {1.0, 400.0}) {
    const LabelledItems data = ring_of_classes(90, 4, 0.9, 6);
    const Matrix items = data.features.cast<float>();
    const Kernel kernel{KernelKind::rbf, 0.4, variance};
    const FullGpFit fit = fit_full_gp(kernel, items, data.labels, 4);
    for (std::size_t i = 1; i < fit.report.objective.size(); ++i)
      EXPECT_LE(fit.report.objective[i], fit.report.objective[i - 1]);
    // At the mode f = K (y - pi).
    EXPECT_LT(worst(kernel_gram(kernel, items) * fit.model.residuals, fit.model.latents),
              1e-4 * variance);
  }
}

TEST(FullGp, SparseAndDenseFeaturesAreTheSame) {
  const LabelledItems data = ring_of_classes(40, 3, 1, 7);
  const Matrix dense = data.features.cast<float>();
  const Sparse sparse = test::to_sparse(data.features);
  const FullGpFit a = fit_full_gp(kKernel, dense, data.labels, 3);
  const FullGpFit b = fit_full_gp(kKernel, sparse, data.labels, 3);
  EXPECT_LT(worst(a.model.latents, b.model.latents), 1e-9);
  EXPECT_LT(worst(predict_latents(a.model, dense).mean.cast<double>(),
                  predict_latents(b.model, sparse).mean.cast<double>()),
            1e-5);
}

TEST(FullGp, RefusesBadInput) {
  const LabelledItems data = ring_of_classes(20, 3, 1, 8);
  const Matrix items = data.features.cast<float>();
  EXPECT_THROW(fit_full_gp(kKernel, items, data.labels, 1), Error);
  EXPECT_THROW(fit_full_gp(kKernel, items, data.labels, 2), Error);
  EXPECT_THROW(fit_full_gp(kKernel, items, std::vector<std::int32_t>{0, 1}, 3), Error);
  EXPECT_THROW(fit_full_gp({KernelKind::rbf, 0, 1}, items, data.labels, 3), Error);
  FullGpOptions options;
  options.iterations = 0;
  EXPECT_THROW(fit_full_gp(kKernel, items, data.labels, 3, options), Error);
  const Matrix many = Matrix::Zero(9000, 1);
  const std::vector<std::int32_t> labels(9000, 0);
  const std::string message = test::message_of([&] { fit_full_gp(kKernel, many, labels, 3); });
  EXPECT_NE(message.find("too many for the full Gaussian process"), std::string::npos) << message;
}

}  // namespace full_gp_test
}  // namespace commonplace
