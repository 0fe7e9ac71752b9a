#include "commonplace/detect/rivals/lap_svm.h"

#include <functional>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/learn/neighbour_graph.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace lap_svm_test {

using namespace detect;

using test::message_of;
using test::normal_matrix;
using test::to_dense;

struct Sample {
  Matrix rows;
  Sparse graph;
  std::vector<std::int64_t> labelled;
  MatrixD labels;
};

Sample sample_of(Eigen::Index items, Eigen::Index features) {
  Sample result;
  result.rows = normal_matrix(items, features, 1).cast<float>();
  result.graph = neighbour_graph(result.rows, {5, "euclidean"}).weights;
  const MatrixD truth = normal_matrix(items, 3, 2);
  for (std::int64_t item = 1; item < items; item += 3) result.labelled.push_back(item);
  result.labels = MatrixD(truth(result.labelled, Eigen::all));
  for (double& label : result.labels.reshaped()) label = label > 0.6 ? 1 : label < -1.5 ? 0 : -1;
  return result;
}

OneVsRestLinear fit(const Sample& sample, const LapSvmOptions& options, int jobs = 1) {
  return fit_lap_svm(sample.rows, sample.graph.view(), sample.labelled, sample.labels, options,
                     {.jobs = jobs});
}

LapSvmOptions exact() {
  LapSvmOptions options;
  options.tolerance = 1e-7;
  return options;
}

MatrixD penalty_of(const Sample& sample, const LapSvmOptions& options) {
  const MatrixD weights = to_dense(sample.graph.view());
  const Eigen::Index n = weights.rows();
  MatrixD laplacian = -weights;
  laplacian.diagonal() += weights.rowwise().sum();
  if (options.normalised) laplacian = MatrixD::Identity(n, n) - test::naive_normalised(weights);
  const MatrixD rows = sample.rows.cast<double>();
  const Eigen::Index d = rows.cols();
  return options.ambient * MatrixD::Identity(d, d) +
         options.intrinsic / static_cast<double>(n) * rows.transpose() * laplacian * rows;
}

TEST(LapSvm, PenalisesLengthAndRoughness) {
  const Sample sample = sample_of(80, 70);
  for (const bool normalised : {true, false}) {
    LapSvmOptions options = exact();
    options.intrinsic = 3;
    options.normalised = normalised;
    const MatrixD expected = penalty_of(sample, options);
    EXPECT_LT((lap_svm_penalty(sample.rows, sample.graph.view(), options) - expected).norm(),
              1e-6 * expected.norm());
  }
}

TEST(LapSvm, IsWhereTheGradientIsZero) {
  const Sample sample = sample_of(150, 9);
  for (const bool normalised : {true, false})
    for (const bool balanced : {true, false}) {
      LapSvmOptions options = exact();
      options.ambient = 0.05;
      options.intrinsic = 4;
      options.bias = 0.5;
      options.normalised = normalised;
      options.balanced = balanced;
      const OneVsRestLinear model = fit(sample, options);
      for (Eigen::Index which = 0; which < 3; ++which) {
        const double with = static_cast<double>((sample.labels.col(which).array() > 0).count());
        const double without = static_cast<double>((sample.labels.col(which).array() < 0).count());
        test::LinearObjective objective;
        objective.rows = sample.rows.cast<double>()(sample.labelled, Eigen::all);
        objective.labels = sample.labels.col(which);
        objective.positive_weight = balanced ? without / with : 1;
        objective.penalty = penalty_of(sample, options);
        objective.bias_penalty = options.ambient / (options.bias * options.bias);
        const auto norm_at = [&](const VectorD& weights, double offset) {
          return gradient(objective, weights, offset).norm();
        };
        EXPECT_LT(norm_at(model.weights.col(which).cast<double>(),
                          static_cast<double>(model.offset[static_cast<std::size_t>(which)])),
                  1e-5 * norm_at(VectorD::Zero(9), 0))
            << normalised << balanced << which;
      }
    }
}

TEST(LapSvm, WithoutRoughnessIsTheLinearMachine) {
  const Sample sample = sample_of(100, 6);
  LapSvmOptions options = exact();
  options.intrinsic = 0;
  OneVsRestLinearOptions linear;
  linear.tolerance = 1e-7;
  const OneVsRestLinear found = fit(sample, options);
  const OneVsRestLinear expected =
      fit_one_vs_rest(Matrix(sample.rows(sample.labelled, Eigen::all)), sample.labels, linear);
  EXPECT_LT((found.weights - expected.weights).cwiseAbs().maxCoeff(), 1e-4F);
  for (std::size_t which = 0; which < 3; ++which)
    EXPECT_NEAR(found.offset[which], expected.offset[which], 1e-4);
}

/// Two long heaps side by side, and a label at a far end of each: the line half way between the two
/// labels cuts through both, but a smooth function does not change along a heap.
TEST(LapSvm, LearnsFromItemsWithoutLabels) {
  MatrixD places = normal_matrix(200, 2, 3);
  for (Eigen::Index row = 0; row < 200; ++row)
    places.row(row) << (row % 2 == 0 ? -1 : 1) + 0.1 * places(row, 0), 2 * places(row, 1);
  places.row(0) << -1, -1.5;
  places.row(1) << 1, 1.5;
  const Matrix rows = places.cast<float>();
  const Sparse graph = neighbour_graph(rows, {6, "euclidean"}).weights;
  const std::vector<std::int64_t> labelled = {0, 1};
  const MatrixD labels = test::first_labels(2, 2);
  LapSvmOptions options;
  options.ambient = 0.01;
  options.intrinsic = 0;
  EXPECT_LT(
      test::share_of_signs(score(fit_lap_svm(rows, graph.view(), labelled, labels, options), rows)),
      0.9);
  options.intrinsic = 100;
  EXPECT_GT(
      test::share_of_signs(score(fit_lap_svm(rows, graph.view(), labelled, labels, options), rows)),
      0.99);
}

TEST(LapSvm, DoesNotDependOnJobsNorOnTheOrder) {
  const Sample sample = sample_of(120, 7);
  LapSvmOptions options = exact();
  const OneVsRestLinear once = fit(sample, options);
  const OneVsRestLinear again = fit(sample, options, 3);
  EXPECT_EQ(once.weights, again.weights);
  EXPECT_EQ(once.offset, again.offset);
  const auto order = test::random_order(120, 4);
  Sample turned = sample;
  turned.rows = test::dense_in_order(sample.rows, order);
  turned.graph = neighbour_graph(turned.rows, {5, "euclidean"}).weights;
  for (std::int64_t& item : turned.labelled)
    item = std::find(order.begin(), order.end(), item) - order.begin();
  EXPECT_LT((fit(turned, options).weights - once.weights).cwiseAbs().maxCoeff(), 1e-4F);
}

TEST(LapSvm, BadInputIsRefused) {
  const Sample sample = sample_of(30, 3);
  struct Case {
    const char* name;
    std::function<void(LapSvmOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"ambient", [](auto& options) { options.ambient = 0; }},
                         {"intrinsic", [](auto& options) { options.intrinsic = -1; }},
                         {"bias", [](auto& options) { options.bias = -1; }},
                         {"tolerance", [](auto& options) { options.tolerance = 0; }}}) {
    LapSvmOptions options;
    spoil(options);
    const std::string message = message_of([&] { fit(sample, options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  Sample bad = sample;
  bad.labelled[2] = 30;
  EXPECT_NE(message_of([&] { fit(bad, {}); }).find("item 30"), std::string::npos);
  bad = sample;
  bad.labelled.pop_back();
  EXPECT_THROW(fit(bad, {}), Error);
  bad = sample;
  bad.rows.conservativeResize(29, 3);
  bad.labelled = {0};
  bad.labels = MatrixD::Ones(1, 1);
  EXPECT_THROW(fit(bad, {}), Error);
}

}  // namespace lap_svm_test
}  // namespace commonplace
