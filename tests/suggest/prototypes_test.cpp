#include "commonplace/suggest/core/prototypes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/comm.h"
#include "commonplace/suggest/core/probit_site.h"
#include "commonplace/suggest/core/prototype_gain.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace prototypes_test {

using namespace suggest;

using test::LabelledItems;
using test::ring_of_classes;

constexpr Kernel kKernel{KernelKind::rbf, 0.5, 4};

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

PrototypeOptions options_for_test(const std::string& selection, std::int64_t count) {
  PrototypeOptions options;
  options.selection = selection;
  options.count = count;
  return options;
}

TEST(PrototypesOracle, LossAndGradientAgree) {
  if (test::oracle_directory().empty())
    GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
  const auto numbers = [](const std::string& name) {
    return test::read_numbers(test::oracle_directory() / "gp_laplace" / (name + ".csv"));
  };
  const Matrix items = numbers("a_X").cast<float>();
  const Matrix prototypes = numbers("a_Z").cast<float>();
  const MatrixD classes = numbers("a_y");
  std::vector<std::int32_t> labels;
  for (const double label : classes.reshaped()) labels.push_back(static_cast<std::int32_t>(label));
  std::vector<std::int32_t> prototype_labels;
  for (Eigen::Index m = 0; m < prototypes.rows(); ++m)
    for (Eigen::Index n = 0; n < items.rows(); ++n)
      if (items.row(n) == prototypes.row(m))
        prototype_labels.push_back(labels[static_cast<std::size_t>(n)]);
  ASSERT_EQ(std::ssize(prototype_labels), prototypes.rows());
  EXPECT_NEAR(prototype_loss(items, labels, prototypes, prototype_labels, 0.5),
              numbers("a_proto_loss")(0, 0), 1e-6);
  EXPECT_LT(worst(prototype_gradient(items, labels, prototypes, prototype_labels, 0.5),
                  numbers("a_proto_grad")),
            1e-6);
}

TEST(Prototypes, TheGradientIsThatOfTheLoss) {
  const LabelledItems data = ring_of_classes(40, 3, 1, 1);
  const Matrix items = data.features.cast<float>();
  const Sparse sparse = test::to_sparse(data.features);
  Matrix prototypes = ring_of_classes(7, 3, 1, 2).features.cast<float>();
  const std::vector<std::int32_t> labels = {0, 1, 2, 0, 1, 2, 0};
  const MatrixD gradient = prototype_gradient(items, data.labels, prototypes, labels, 0.6);
  const Sparse sparse_prototypes = test::to_sparse(prototypes.cast<double>());
  EXPECT_LT(
      worst(prototype_gradient(sparse, data.labels, sparse_prototypes, labels, 0.6), gradient),
      1e-9);
  constexpr float step = 1.F / 256;
  for (Eigen::Index m = 0; m < 7; ++m)
    for (Eigen::Index f = 0; f < 2; ++f) {
      const float here = prototypes(m, f);
      prototypes(m, f) = here + step;
      const double above = prototype_loss(items, data.labels, prototypes, labels, 0.6);
      const double right = static_cast<double>(prototypes(m, f));
      prototypes(m, f) = here - step;
      const double below = prototype_loss(items, data.labels, prototypes, labels, 0.6);
      const double left = static_cast<double>(prototypes(m, f));
      prototypes(m, f) = here;
      EXPECT_NEAR(gradient(m, f), (above - below) / (right - left), 1e-5);
    }
}

TEST(Prototypes, RandomOnesAreItemsInProportionToTheirClasses) {
  LabelledItems data = ring_of_classes(100, 2, 1, 1);
  for (std::size_t i = 0; i < 100; ++i) data.labels[i] = i < 70 ? 0 : i < 98 ? 1 : 2;
  const Matrix items = data.features.cast<float>();
  for (const std::uint64_t seed : {1, 2, 3}) {
    PrototypeOptions options = options_for_test("random", 20);
    options.seed = seed;
    const Prototypes found = select_prototypes(items, data.labels, 3, kKernel, options);
    ASSERT_EQ(found.rows.dense.rows(), 20);
    std::map<std::int32_t, int> counts;
    for (const std::int32_t label : found.labels) ++counts[label];
    EXPECT_EQ(counts[0], 14);
    EXPECT_EQ(counts[1], 5);
    EXPECT_EQ(counts[2], 1);
    for (Eigen::Index m = 0; m < 20; ++m) {
      bool is_item = false;
      for (Eigen::Index n = 0; n < 100; ++n)
        is_item = is_item || (items.row(n) == found.rows.dense.row(m) &&
                              data.labels[static_cast<std::size_t>(n)] ==
                                  found.labels[static_cast<std::size_t>(m)]);
      EXPECT_TRUE(is_item);
    }
  }
}

TEST(Prototypes, DescentLowersTheLoss) {
  const LabelledItems data = ring_of_classes(400, 4, 0.9, 1);
  const Matrix items = data.features.cast<float>();
  for (const std::uint64_t seed : {1, 2, 3}) {
    PrototypeOptions options = options_for_test("random", 12);
    options.seed = seed;
    const Prototypes start = select_prototypes(items, data.labels, 4, kKernel, options);
    options.selection = "descent";
    options.settle = 0;
    const Prototypes moved = select_prototypes(items, data.labels, 4, kKernel, options);
    EXPECT_EQ(moved.labels, start.labels);
    for (const double length_scale : {0.05, 0.1})
      EXPECT_LT(prototype_loss(items, data.labels, moved.rows.view(), moved.labels, length_scale),
                prototype_loss(items, data.labels, start.rows.view(), start.labels, length_scale));
  }
}

TEST(Prototypes, SettlingDrawsThemToTheMiddleOfTheirItems) {
  const LabelledItems data = ring_of_classes(300, 3, 0.4, 1);
  const Matrix items = data.features.cast<float>();
  PrototypeOptions options = options_for_test("descent", 3);
  options.epochs = 0;
  options.settle = 20;
  const Prototypes found = select_prototypes(items, data.labels, 3, kKernel, options);
  for (Eigen::Index m = 0; m < 3; ++m) {
    Eigen::RowVector2d mean = Eigen::RowVector2d::Zero();
    for (Eigen::Index n = 0; n < 300; ++n)
      if (data.labels[static_cast<std::size_t>(n)] == found.labels[static_cast<std::size_t>(m)])
        mean += data.features.row(n) / 100;
    EXPECT_LT((found.rows.dense.row(m).cast<double>() - mean).norm(), 0.03);
  }
}

TEST(Prototypes, SparseAndDenseFeaturesMoveAlike) {
  const LabelledItems data = ring_of_classes(200, 3, 1, 3);
  MatrixD features = MatrixD::Zero(200, 6);
  features.leftCols(2) = data.features;
  features.col(4) = data.features.col(0).cwiseMax(0);
  const Matrix dense = features.cast<float>();
  const Sparse sparse = test::to_sparse(features);
  for (const std::string selection : {"random", "descent", "gain"}) {
    const PrototypeOptions options = options_for_test(selection, 10);
    const Prototypes a = select_prototypes(dense, data.labels, 3, kKernel, options);
    const Prototypes b = select_prototypes(sparse, data.labels, 3, kKernel, options);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_TRUE(b.rows.is_sparse);
    EXPECT_LT(worst(a.rows.dense.cast<double>(), test::to_dense(b.rows.sparse.view())), 2e-3)
        << selection;
  }
}

/// The same on every machine and however often: a function of the seed.
TEST(Prototypes, DependOnTheSeedAlone) {
  const LabelledItems data = ring_of_classes(3000, 3, 1, 4);
  const Matrix items = data.features.cast<float>();
  for (const std::string selection : {"random", "descent", "gain"}) {
    PrototypeOptions options = options_for_test(selection, 12);
    options.epochs = 2;
    const Prototypes once = select_prototypes(items, data.labels, 3, kKernel, options);
    for (const int jobs : {1, 3}) {
      EXPECT_EQ(
          select_prototypes(items, data.labels, 3, kKernel, options, {.jobs = jobs}).rows.dense,
          once.rows.dense);
    }
    options.seed = 2;
    EXPECT_NE(select_prototypes(items, data.labels, 3, kKernel, options).rows.dense,
              once.rows.dense);
  }
}

double error_with(const std::string& selection, std::int64_t count, std::uint64_t seed) {
  const LabelledItems data = ring_of_classes(600, 6, 0.75, seed);
  const LabelledItems fresh = ring_of_classes(600, 6, 0.75, seed + 100);
  const Matrix items = data.features.cast<float>();
  const Matrix test_items = fresh.features.cast<float>();
  PrototypeOptions options = options_for_test(selection, count);
  options.seed = seed;
  const Kernel kernel{KernelKind::rbf, 0.3, 4};
  const SparseGpBasis basis =
      make_basis(kernel, select_prototypes(items, data.labels, 6, kernel, options).rows);
  const SoftmaxGp model =
      fit_softmax_gp(whiten(basis, items), data.labels, 6, SoftmaxGpOptions{}, {.jobs = 1}).model;
  const Matrix probabilities = fast_probabilities(
      predict_latents(model, whiten(basis, test_items), kernel_diagonal(kernel, test_items)));
  int wrong = 0;
  for (Eigen::Index n = 0; n < probabilities.rows(); ++n) {
    Eigen::Index best = 0;
    probabilities.row(n).maxCoeff(&best);
    wrong += best == fresh.labels[static_cast<std::size_t>(n)] ? 0 : 1;
  }
  return wrong / 600.0;
}

TEST(Prototypes, MovedOnesAreBetterThanRandomOnes) {
  double moved = 0;
  double random = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    moved += error_with("descent", 6, seed) / 6;
    random += error_with("random", 6, seed) / 6;
  }
  EXPECT_LT(moved, random);
  EXPECT_LT(moved, 0.2);
}

/// What was observed at the chosen items, as one regression with these precisions, has the means
/// that were found item by item.
TEST(InformativeItems, AmountToTheirSites) {
  const LabelledItems data = ring_of_classes(80, 2, 1, 5);
  const Matrix items = data.features.cast<float>();
  const InformativeItems chosen =
      choose_informative(items, data.labels, 2, kKernel, 20, 1, {.jobs = 1});
  ASSERT_EQ(std::set<std::int64_t>(chosen.items.begin(), chosen.items.end()).size(), 20U);
  EXPECT_GT(chosen.precisions.minCoeff(), 0);
  // Both classes see the same items from opposite sides.
  EXPECT_LT(worst(chosen.means.col(0), -chosen.means.col(1)), 1e-3);
  const StoredRows active = take_rows(items, chosen.items);
  const MatrixD k = kernel_gram(kKernel, active.view());
  MatrixD noisy = k;
  noisy.diagonal() += chosen.precisions.cwiseInverse();
  const MatrixD means = k * noisy.llt().solve(chosen.means);
  int right = 0;
  for (Eigen::Index i = 0; i < 20; ++i) {
    const auto item = static_cast<std::size_t>(chosen.items[static_cast<std::size_t>(i)]);
    right += (means(i, 0) > 0) == (data.labels[item] == 0) ? 1 : 0;
  }
  EXPECT_GE(right, 17);
}

TEST(InformativeItems, TheFirstOfEqualsAreFarApart) {
  // Two heaps of one class each: the second item is from the other heap.
  Matrix items(40, 1);
  std::vector<std::int32_t> labels;
  for (Eigen::Index n = 0; n < 40; ++n) {
    items(n, 0) = static_cast<float>(n % 2 * 10) + 0.001F * static_cast<float>(n);
    labels.push_back(static_cast<std::int32_t>(n % 2));
  }
  const InformativeItems chosen = choose_informative(items, labels, 2, kKernel, 2, 3, {.jobs = 1});
  EXPECT_NE(chosen.items[0] % 2, chosen.items[1] % 2);
}

TEST(ProbitSite, HasTheMomentsOfTheTiltedNormal) {
  for (const double side : {-1.0, 1.0})
    for (const double mean : {-3.0, 0.2, 2.0})
      for (const double variance : {0.3, 4.0}) {
        double total = 0;
        double first = 0;
        double second = 0;
        for (double f = mean - 12 * std::sqrt(variance); f < mean + 12 * std::sqrt(variance);
             f += 1e-3) {
          const double weight = std::exp(-0.5 * (f - mean) * (f - mean) / variance) * 0.5 *
                                std::erfc(-side * f / std::sqrt(2.0));
          total += weight;
          first += weight * f;
          second += weight * f * f;
        }
        const ProbitSite site = probit_site(mean, variance, side);
        EXPECT_NEAR(mean + variance * site.slope, first / total, 1e-6);
        EXPECT_NEAR(variance - variance * variance * site.curvature,
                    second / total - first / total * first / total, 1e-6);
      }
  EXPECT_NEAR(probit_hazard(-7.999) / probit_hazard(-8.001), 7.999 / 8.001, 1e-3);
  EXPECT_NEAR(probit_hazard(-40), 40, 0.1);
}

TEST(Prototypes, RefuseBadInput) {
  const LabelledItems data = ring_of_classes(30, 3, 1, 1);
  const Matrix items = data.features.cast<float>();
  const auto refused = [&](const std::string& part,
                           const std::function<void(PrototypeOptions&)>& spoil) {
    PrototypeOptions options = options_for_test("descent", 6);
    spoil(options);
    const std::string message =
        test::message_of([&] { select_prototypes(items, data.labels, 3, kKernel, options); });
    EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
  };
  refused("selection is 'best'", [](auto& options) { options.selection = "best"; });
  refused("prototypes is 0", [](auto& options) { options.count = 0; });
  refused("prototypes is 31", [](auto& options) { options.count = 31; });
  refused("at least one a class", [](auto& options) { options.count = 2; });
  refused("epochs is -1", [](auto& options) { options.epochs = -1; });
  refused("settle is -1", [](auto& options) { options.settle = -1; });
  refused("rate is", [](auto& options) { options.rate = std::nan(""); });
  refused("window is", [](auto& options) { options.window = 0.25; });
  refused("softness is 0", [](auto& options) { options.softness = 0; });
  EXPECT_THROW(select_prototypes(items, std::vector<std::int32_t>(30, 3), 3, kKernel,
                                 options_for_test("random", 6)),
               Error);
  EXPECT_THROW(prototype_loss(items, data.labels, items, data.labels, 0), Error);
}

}  // namespace prototypes_test
}  // namespace commonplace
