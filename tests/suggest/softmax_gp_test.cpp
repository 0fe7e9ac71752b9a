#include "commonplace/suggest/core/softmax_gp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace softmax_gp_test {

using namespace suggest;

using test::LabelledItems;
using test::naive_softmax_gp;
using test::NaiveSoftmaxGp;
using test::ring_of_classes;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

SoftmaxGpOptions options_for_test(const std::string& variances = "shared") {
  SoftmaxGpOptions options;
  options.variances = variances;
  options.tolerance = 1e-12;
  options.likelihood = true;
  return options;
}

SoftmaxGpFit fit_alone(const Matrix& whitened, const std::vector<std::int32_t>& labels,
                       std::int64_t classes, const SoftmaxGpOptions& options, int jobs = 1) {
  return fit_softmax_gp(whitened, labels, classes, options, {.jobs = jobs});
}

constexpr Kernel kKernel{KernelKind::rbf, 0.5, 4};

/// Items on a ring, whitened by every seventh of them.
struct Whitened {
  LabelledItems items;
  SparseGpBasis basis;
  Matrix a;
  VectorD diagonal;
};

Whitened whitened_ring(Eigen::Index items, Eigen::Index classes, double spread = 1,
                       std::uint64_t seed = 1) {
  Whitened result{ring_of_classes(items, classes, spread, seed), {}, {}, {}};
  const Matrix features = result.items.features.cast<float>();
  std::vector<std::int64_t> some;
  for (std::int64_t i = 0; i < items; i += 7) some.push_back(i);
  result.basis = make_basis(kKernel, take_rows(features, some));
  result.a = whiten(result.basis, features);
  result.diagonal = kernel_diagonal(kKernel, features);
  return result;
}

TEST(SoftmaxGp, FindsTheModeOfPlainNewtonSteps) {
  for (const Eigen::Index classes : {2, 3, 5}) {
    const Whitened data = whitened_ring(70, classes);
    const NaiveSoftmaxGp naive =
        naive_softmax_gp(data.a.cast<double>(), data.items.labels, classes);
    const SoftmaxGpFit fit = fit_alone(data.a, data.items.labels, classes, options_for_test());
    EXPECT_TRUE(fit.report.converged);
    EXPECT_LT(worst(fit.model.weights, naive.weights), 1e-5);
    EXPECT_NEAR(fit.report.objective.back(), naive.objective, 1e-5);
    ASSERT_TRUE(fit.log_likelihood && fit.coupled_log_likelihood);
    EXPECT_NEAR(*fit.log_likelihood, naive.log_likelihood, 1e-4);
    EXPECT_NEAR(*fit.coupled_log_likelihood, naive.coupled_log_likelihood, 1e-4);
  }
}

TEST(SoftmaxGp, TheObjectiveFallsAndTheGradientVanishes) {
  const Whitened data = whitened_ring(400, 4, 0.8);
  SoftmaxGpOptions options = options_for_test();
  options.likelihood = false;
  const SoftmaxGpFit fit = fit_alone(data.a, data.items.labels, 4, options);
  for (std::size_t i = 1; i < fit.report.objective.size(); ++i)
    EXPECT_LE(fit.report.objective[i], fit.report.objective[i - 1] * (1 + 5e-7));
  EXPECT_FALSE(fit.log_likelihood);
  MatrixD gradient = fit.model.weights;
  const MatrixD a = data.a.cast<double>();
  for (Eigen::Index n = 0; n < a.rows(); ++n) {
    VectorD p = (fit.model.weights.transpose() * a.row(n).transpose()).array().exp();
    p /= p.sum();
    p[data.items.labels[static_cast<std::size_t>(n)]] -= 1;
    gradient += a.row(n).transpose() * p.transpose();
  }
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(fit.model.weights.rowwise().sum().cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SoftmaxGp, VariancesAreThoseOfTheCurvature) {
  constexpr Eigen::Index classes = 3;
  const Whitened data = whitened_ring(70, classes);
  const NaiveSoftmaxGp naive = naive_softmax_gp(data.a.cast<double>(), data.items.labels, classes);
  const Eigen::Index m = data.a.cols();
  const MatrixD inverse = naive.curvature.inverse();
  const Latents coupled = predict_latents(
      fit_alone(data.a, data.items.labels, classes, options_for_test("coupled")).model, data.a,
      data.diagonal);
  const Latents by_class = predict_latents(
      fit_alone(data.a, data.items.labels, classes, options_for_test("class")).model, data.a,
      data.diagonal);
  const Latents shared = predict_latents(
      fit_alone(data.a, data.items.labels, classes, options_for_test("shared")).model, data.a,
      data.diagonal);
  const Latents none =
      predict_latents(fit_alone(data.a, data.items.labels, classes, options_for_test("none")).model,
                      data.a, data.diagonal);
  for (Eigen::Index n = 0; n < data.a.rows(); ++n) {
    const VectorD a = data.a.row(n).transpose().cast<double>();
    const double unexplained = std::max(0.0, data.diagonal[n] - a.squaredNorm());
    for (Eigen::Index c = 0; c < classes; ++c) {
      for (Eigen::Index d = 0; d < classes; ++d) {
        const double expected =
            a.dot(inverse.block(c * m, d * m, m, m) * a) + (c == d ? unexplained : 0);
        EXPECT_NEAR(coupled.covariance(n, c * classes + d), expected, 2e-5);
      }
      EXPECT_EQ(coupled.variance(n, c), coupled.covariance(n, c * classes + c));
      const MatrixD block = naive.curvature.block(c * m, c * m, m, m);
      EXPECT_NEAR(by_class.variance(n, c), a.dot(block.inverse() * a) + unexplained, 2e-5);
      EXPECT_LE(shared.variance(n, c), by_class.variance(n, c) + 1e-5F);
      EXPECT_GT(shared.variance(n, c), 0.2F * by_class.variance(n, c));
      EXPECT_NEAR(none.variance(n, c), unexplained, 1e-6);
    }
  }
}

TEST(SoftmaxGp, WithTwoClassesTheSharedCurvatureIsThatOfEither) {
  const Whitened data = whitened_ring(60, 2);
  const auto variances = [&](const std::string& kept) {
    return predict_latents(fit_alone(data.a, data.items.labels, 2, options_for_test(kept)).model,
                           data.a, data.diagonal)
        .variance;
  };
  EXPECT_LT(worst(variances("shared").cast<double>(), variances("class").cast<double>()), 1e-5);
}

TEST(SoftmaxGp, TellsClassesApart) {
  const Whitened data = whitened_ring(300, 5, 0.5);
  const LabelledItems fresh = ring_of_classes(200, 5, 0.5, 9);
  const Matrix features = fresh.features.cast<float>();
  for (const std::string kept : {"none", "shared", "class"}) {
    const SoftmaxGp model = fit_alone(data.a, data.items.labels, 5, options_for_test(kept)).model;
    const Latents latents =
        predict_latents(model, whiten(data.basis, features), kernel_diagonal(kKernel, features));
    const Matrix fast = fast_probabilities(latents);
    const Matrix sampled = sampled_probabilities(latents, 2000);
    int right = 0;
    for (Eigen::Index n = 0; n < fast.rows(); ++n) {
      Eigen::Index best = 0;
      fast.row(n).maxCoeff(&best);
      right += best == fresh.labels[static_cast<std::size_t>(n)] ? 1 : 0;
      EXPECT_NEAR(fast.row(n).sum(), 1, 1e-5);
      EXPECT_NEAR(sampled.row(n).sum(), 1, 1e-5);
    }
    EXPECT_GT(right, 190);
    EXPECT_LT(worst(fast.cast<double>(), sampled.cast<double>()), 0.12);
  }
}

class Oracle : public testing::Test {
 protected:
  void SetUp() override {
    if (test::oracle_directory().empty())
      GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
    items_ = numbers("a_X").cast<float>();
    fresh_ = numbers("a_Xt").cast<float>();
    const MatrixD labels = numbers("a_y");
    for (Eigen::Index i = 0; i < labels.rows(); ++i)
      labels_.push_back(static_cast<std::int32_t>(labels(i, 0)));
  }
  static MatrixD numbers(const std::string& name) {
    return test::read_numbers(test::oracle_directory() / "gp_laplace" / (name + ".csv"));
  }

  Matrix items_;
  Matrix fresh_;
  std::vector<std::int32_t> labels_;
};

using SoftmaxGpOracle = Oracle;

TEST_F(SoftmaxGpOracle, AgreesWithTheSubsetOfRegressors) {
  StoredRows prototypes;
  prototypes.dense = numbers("a_Z").cast<float>();
  const SparseGpBasis basis = make_basis(kKernel, prototypes, 1e-10);
  const SoftmaxGpFit fit =
      fit_alone(whiten(basis, items_), labels_, 3, options_for_test("coupled"));
  const MatrixD latents = whiten(basis, items_).cast<double>() * fit.model.weights;
  EXPECT_LT(worst(latents, numbers("a_fhat_mcgpc_sor")), 1e-5);
  const MatrixD at_prototypes =
      whiten(basis, basis.prototypes.dense).cast<double>() * fit.model.weights;
  EXPECT_LT(worst(at_prototypes, numbers("a_fbar_sor")), 1e-5);
  EXPECT_NEAR(*fit.coupled_log_likelihood, numbers("a_logZ_sor_Mspace")(0, 0), 1e-5);
  EXPECT_NEAR(*fit.coupled_log_likelihood, numbers("a_logZ_mcgpc_sor")(0, 0), 1e-5);
  EXPECT_NEAR(*fit.log_likelihood, -48.9, 0.05);

  const Latents found =
      predict_latents(fit.model, whiten(basis, fresh_), kernel_diagonal(kKernel, fresh_));
  EXPECT_LT(worst(found.mean.cast<double>(), numbers("a_predmean_mcgpc_sor")), 1e-5);
  EXPECT_LT(worst(found.covariance.cast<double>(), numbers("a_predcov_mcgpc_sor")), 1e-5);
  const MatrixD expected = numbers("a_sor_pred_probs_gh40");
  const Matrix sampled = sampled_probabilities(found, 20000);
  for (Eigen::Index n = 0; n < fresh_.rows(); ++n) {
    const MatrixD covariance =
        Eigen::Map<const Matrix>(found.covariance.row(n).data(), 3, 3).cast<double>();
    const VectorD mean = found.mean.row(n).transpose().cast<double>();
    EXPECT_LT(worst(test::quadrature_softmax(mean, covariance), expected.row(n).transpose()), 1e-5);
    EXPECT_LT(worst(sampled.row(n).cast<double>(), expected.row(n)), 0.01);
  }
}

TEST(SoftmaxGp, AnItemAloneGivesTheBitsThatItGivesAmongOthers) {
  const Whitened data = whitened_ring(50, 3);
  for (const std::string kept : {"none", "shared", "class", "coupled"}) {
    const SoftmaxGp model = fit_alone(data.a, data.items.labels, 3, options_for_test(kept)).model;
    const Latents all = predict_latents(model, data.a, data.diagonal, 1);
    const Latents again = predict_latents(model, data.a, data.diagonal, 3);
    EXPECT_EQ(all.mean, again.mean);
    EXPECT_EQ(all.variance, again.variance);
    for (const Eigen::Index n : {0, 17, 49}) {
      const Latents one = predict_latents(model, data.a.row(n), data.diagonal.segment(n, 1));
      EXPECT_EQ(one.mean, Matrix(all.mean.row(n)));
      EXPECT_EQ(one.variance, Matrix(all.variance.row(n)));
      EXPECT_EQ(fast_probabilities(one), Matrix(fast_probabilities(all).row(n)));
      EXPECT_EQ(sampled_probabilities(one, 50), Matrix(sampled_probabilities(all, 50).row(n)));
    }
  }
}

TEST(SoftmaxGp, DoesNotDependOnJobs) {
  const Whitened data = whitened_ring(300, 3);
  SoftmaxGpOptions options = options_for_test("class");
  const SoftmaxGpFit once = fit_alone(data.a, data.items.labels, 3, options);
  for (const int jobs : {2, 3}) {
    const SoftmaxGpFit fit = fit_alone(data.a, data.items.labels, 3, options, jobs);
    EXPECT_EQ(fit.model.weights, once.model.weights);
    EXPECT_EQ(fit.model.factors, once.model.factors);
    EXPECT_EQ(fit.log_likelihood, once.log_likelihood);
  }
}

TEST(SoftmaxGp, PermutedItemsGiveTheSameModel) {
  const Whitened data = whitened_ring(120, 3);
  const auto order = test::random_order(120, 5);
  std::vector<std::int32_t> labels;
  for (const std::int64_t i : order)
    labels.push_back(data.items.labels[static_cast<std::size_t>(i)]);
  const SoftmaxGpFit straight = fit_alone(data.a, data.items.labels, 3, options_for_test());
  const SoftmaxGpFit permuted = fit_alone(data.a(order, Eigen::all), labels, 3, options_for_test());
  EXPECT_LT(worst(straight.model.weights, permuted.model.weights), 1e-5);
}

TEST(SoftmaxGp, RanksAgreeWithOneProcess) {
  const Whitened data = whitened_ring(121, 3);
  const SoftmaxGpOptions options = options_for_test("class");
  const SoftmaxGpFit alone = fit_alone(data.a, data.items.labels, 3, options);
  for (const int ranks : {1, 2, 3, 4}) {
    std::mutex mutex;
    std::vector<SoftmaxGpFit> fits;
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(121, comm.rank(), comm.size());
      const Matrix mine = data.a.middleRows(range.begin, range.end - range.begin);
      const std::vector<std::int32_t> labels(data.items.labels.begin() + range.begin,
                                             data.items.labels.begin() + range.end);
      SoftmaxGpFit fit = fit_softmax_gp(mine, labels, 3, options, {comm, 1});
      const std::lock_guard lock(mutex);
      fits.push_back(std::move(fit));
    });
    ASSERT_EQ(std::ssize(fits), ranks);
    for (const SoftmaxGpFit& fit : fits) {
      EXPECT_EQ(fit.model.weights, fits[0].model.weights);
      EXPECT_EQ(fit.model.factors, fits[0].model.factors);
      EXPECT_LT(worst(fit.model.weights, alone.model.weights), 1e-5);
      EXPECT_NEAR(*fit.log_likelihood, *alone.log_likelihood, 1e-4);
      EXPECT_NEAR(*fit.coupled_log_likelihood, *alone.coupled_log_likelihood, 1e-4);
    }
  }
}

TEST(SoftmaxGp, ARankMayHaveNoItems) {
  const Whitened data = whitened_ring(30, 3);
  const SoftmaxGpFit alone = fit_alone(data.a, data.items.labels, 3, options_for_test());
  run_as_threads(2, [&](Comm& comm) {
    const bool first = comm.rank() == 0;
    const Matrix mine = first ? data.a : Matrix(0, data.a.cols());
    const std::vector<std::int32_t> labels =
        first ? data.items.labels : std::vector<std::int32_t>{};
    const SoftmaxGpFit fit = fit_softmax_gp(mine, labels, 3, options_for_test(), {comm, 1});
    EXPECT_LT(worst(fit.model.weights, alone.model.weights), 1e-6);
  });
}

TEST(SoftmaxGp, RefusesBadInput) {
  const Whitened data = whitened_ring(30, 3);
  const auto refused = [&](const std::string& part, auto spoil) {
    Matrix a = data.a;
    std::vector<std::int32_t> labels = data.items.labels;
    std::int64_t classes = 3;
    SoftmaxGpOptions options = options_for_test();
    spoil(a, labels, classes, options);
    const std::string message = test::message_of([&] { fit_alone(a, labels, classes, options); });
    EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
  };
  refused("variances is 'all'", [](auto&, auto&, auto&, auto& o) { o.variances = "all"; });
  refused("iterations is 0", [](auto&, auto&, auto&, auto& o) { o.iterations = 0; });
  refused("tolerance is -1", [](auto&, auto&, auto&, auto& o) { o.tolerance = -1; });
  refused("1 classes", [](auto&, auto&, auto& classes, auto&) { classes = 1; });
  refused("has the class 3", [](auto&, auto& labels, auto&, auto&) { labels[4] = 3; });
  refused("has the class -1", [](auto&, auto& labels, auto&, auto&) { labels[4] = -1; });
  refused("do not fit", [](auto&, auto& labels, auto&, auto&) { labels.pop_back(); });
  refused("not numbers", [](auto& a, auto&, auto&, auto&) { a(1, 1) = std::nanf(""); });
  refused("too many for coupled", [](auto&, auto&, auto& classes, auto& o) {
    classes = 5000;
    o.variances = "coupled";
  });
  refused("no items", [](auto& a, auto& labels, auto&, auto&) {
    a.resize(0, a.cols());
    labels.clear();
  });
  const SoftmaxGp model = fit_alone(data.a, data.items.labels, 3, options_for_test()).model;
  EXPECT_THROW(predict_latents(model, Matrix::Ones(2, 3), VectorD::Ones(2)), Error);
  EXPECT_THROW(predict_latents(model, data.a, VectorD::Ones(2)), Error);
}

TEST(SoftmaxGp, ProgressCanStopIt) {
  const Whitened data = whitened_ring(30, 3);
  SelfComm comm;
  EXPECT_THROW(fit_softmax_gp(data.a, data.items.labels, 3, options_for_test(),
                              {comm, 1, [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

std::string file_of(const SoftmaxGp& model) {
  TensorWriter writer;
  add_softmax_gp(writer, model);
  return writer.bytes();
}

TEST(SoftmaxGpFile, KeepsEveryBit) {
  const Whitened data = whitened_ring(40, 3);
  for (const std::string kept : {"none", "shared", "class", "coupled"}) {
    const SoftmaxGp model = fit_alone(data.a, data.items.labels, 3, options_for_test(kept)).model;
    const SoftmaxGp loaded = read_softmax_gp(TensorFile(file_of(model), "memory"));
    EXPECT_EQ(loaded.weights, model.weights);
    EXPECT_EQ(loaded.factors, model.factors);
    EXPECT_EQ(loaded.variances, kept);
    EXPECT_EQ(predict_latents(loaded, data.a, data.diagonal).variance,
              predict_latents(model, data.a, data.diagonal).variance);
  }
}

TEST(SoftmaxGpFile, DamageIsRefused) {
  const Whitened data = whitened_ring(20, 3);
  const SoftmaxGp good = fit_alone(data.a, data.items.labels, 3, options_for_test("class")).model;
  const std::string whole = file_of(good);
  for (std::size_t at = 0; at < whole.size(); at += 11) {
    EXPECT_THROW(read_softmax_gp(TensorFile(whole.substr(0, at), "cut")), Error) << at;
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(read_softmax_gp(TensorFile(flipped, "flipped")), Error) << at;
  }
  const auto refused = [&](auto spoil) {
    SoftmaxGp bad = good;
    spoil(bad);
    EXPECT_THROW(read_softmax_gp(TensorFile(file_of(bad), "bad")), Error);
  };
  refused([](SoftmaxGp& model) { model.factors.pop_back(); });
  refused([](SoftmaxGp& model) { model.factors[1].conservativeResize(2, 2); });
  refused([](SoftmaxGp& model) { model.factors[1](0, 0) = std::nanf(""); });
  refused([](SoftmaxGp& model) { model.weights(0, 0) = std::nan(""); });
  refused([](SoftmaxGp& model) { model.weights.conservativeResize(3, 1); });
  refused([](SoftmaxGp& model) { model.variances = "many"; });
}

}  // namespace softmax_gp_test
}  // namespace commonplace
