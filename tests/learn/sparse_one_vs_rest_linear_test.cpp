#include "commonplace/learn/sparse_one_vs_rest_linear.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/planted_tags.h"
#include "tests/support/programs.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace sparse_one_vs_rest_linear_test {

using test::message_of;
using test::planted_tags;
using test::some_rows;
using test::sparse_of;
using test::to_dense;

SparseOneVsRestLinearOptions exact(const std::string& loss, double cost = 1) {
  SparseOneVsRestLinearOptions options;
  options.loss = loss;
  options.cost = cost;
  options.tolerance = 1e-6;
  return options;
}

MatrixD weights_of(const SparseOneVsRestLinear& model) {
  return model.is_sparse() ? to_dense(model.sparse.view()) : model.dense.cast<double>();
}

/// The gradient of what a tag's classifier minimises; the last entry is that of the bias, of 1.
VectorD gradient(const MatrixD& items, const VectorD& y, const VectorD& weights, double offset,
                 const SparseOneVsRestLinearOptions& options) {
  VectorD result(weights.size() + 1);
  result << weights, offset;
  for (Eigen::Index i = 0; i < items.rows(); ++i) {
    const double margin = y(i) * (items.row(i).dot(weights) + offset);
    const double slope = options.loss == "logistic" ? -y(i) / (1 + std::exp(margin))
                                                    : -2 * y(i) * std::max(0.0, 1 - margin);
    result.head(weights.size()) += options.cost * slope * items.row(i).transpose();
    result(weights.size()) += options.cost * slope;
  }
  return result;
}

TEST(SparseOneVsRestLinear, AreWhereTheGradientIsZero) {
  const auto data = planted_tags(120, 3);
  const MatrixD items = to_dense(data.words.view());
  const MatrixD tags = to_dense(data.tags.view());
  for (const std::string loss : {"logistic", "svm"})
    for (const double cost : {0.1, 5.0}) {
      const SparseOneVsRestLinearOptions options = exact(loss, cost);
      const SparseOneVsRestLinear model =
          fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), options);
      const MatrixD weights = weights_of(model);
      for (Eigen::Index tag = 0; tag < tags.cols(); ++tag) {
        const VectorD y = (tags.col(tag).array() > 0).select(VectorD::Ones(120), -1.0);
        const VectorD at_zero = gradient(items, y, VectorD::Zero(items.cols()), 0, options);
        const VectorD found =
            gradient(items, y, weights.col(tag),
                     static_cast<double>(model.offset[static_cast<std::size_t>(tag)]), options);
        EXPECT_LT(found.norm(), 1e-4 * at_zero.norm()) << loss << ' ' << cost << ' ' << tag;
      }
    }
}

/// Two items at 1 and -1: the weight of the squared hinge is that of minimising
/// w² / 2 + 2 C (1 - w)².
TEST(SparseOneVsRestLinear, SolveATinyProblem) {
  const Sparse items = sparse_of(1, {{{0, 1}}, {{0, -1}}});
  const Sparse tags = sparse_of(2, {{{0, 1}}, {{1, 1}}});
  SparseOneVsRestLinearOptions options = exact("svm", 3);
  options.bias = 0;
  const SparseOneVsRestLinear model = fit_sparse_one_vs_rest(items.view(), tags.view(), options);
  EXPECT_NEAR(weights_of(model)(0, 0), 12.0 / 13, 1e-5);
  EXPECT_NEAR(weights_of(model)(0, 1), -12.0 / 13, 1e-5);
  EXPECT_EQ(model.offset, (std::vector<float>{0, 0}));
  const Matrix scores = score(model, items.view());
  EXPECT_NEAR(scores(0, 0), 12.0 / 13, 1e-5);
  EXPECT_NEAR(scores(1, 0), -12.0 / 13, 1e-5);
}

/// The weights that liblinear's own program gives, the bias last.
VectorD weights_of_program(const test::PlantedTags& data, std::int32_t tag, int solver) {
  const test::TemporaryDirectory folder;
  {
    std::ofstream out(folder / "data");
    for (std::int64_t item = 0; item < data.words.rows(); ++item) {
      const auto tags = data.tags.view().row_indices(item);
      out << (std::find(tags.begin(), tags.end(), tag) != tags.end() ? "+1" : "-1");
      const auto columns = data.words.view().row_indices(item);
      for (std::size_t i = 0; i < columns.size(); ++i)
        out << ' ' << columns[i] + 1 << ':' << data.words.view().row_values(item)[i];
      out << '\n';
    }
  }
  test::output_of("liblinear-train -q -B 1 -e 1e-6 -s " + std::to_string(solver) + ' ' +
                  test::shell_quoted((folder / "data").string()) + ' ' +
                  test::shell_quoted((folder / "model").string()));
  std::ifstream in(folder / "model");
  std::string line;
  double sign = 1;
  while (std::getline(in, line) && line != "w")
    if (line == "label -1 1") sign = -1;
  VectorD result(data.words.columns + 1);
  for (double& weight : result) in >> weight;
  return sign * result;
}

TEST(SparseOneVsRestLinear, AreThoseOfLiblinearsProgram) {
  if (!test::has_program("liblinear-train"))
    GTEST_SKIP() << "liblinear-train (package liblinear-tools) is not there";
  const auto data = planted_tags(90, 3);
  for (const auto& [loss, solver] : {std::pair{"logistic", 0}, std::pair{"svm", 2}}) {
    const SparseOneVsRestLinear model =
        fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), exact(loss));
    for (const std::int32_t tag : {0, 3}) {
      const VectorD expected = weights_of_program(data, tag, solver);
      ASSERT_GT(expected.norm(), 0.1);
      const VectorD found = weights_of(model).col(tag);
      EXPECT_LT((found - expected.head(found.size())).cwiseAbs().maxCoeff(), 1e-4) << loss;
      EXPECT_NEAR(model.offset[static_cast<std::size_t>(tag)], expected(found.size()), 1e-4)
          << loss;
    }
  }
}

TEST(SparseOneVsRestLinear, FindPlantedTags) {
  const auto learned = planted_tags(200, 4, 1);
  const auto asked = planted_tags(80, 4, 2);
  for (const std::string loss : {"logistic", "svm"}) {
    SparseOneVsRestLinearOptions options;
    options.loss = loss;
    options.cost = loss == "svm" ? 0.01 : 1;
    const SparseOneVsRestLinear model =
        fit_sparse_one_vs_rest(learned.words.view(), learned.tags.view(), options);
    const Matrix scores = score(model, asked.words.view());
    EXPECT_GT(test::share_right(scores, asked), 0.95) << loss;
    EXPECT_EQ(model.probabilities, loss == "logistic");
    if (model.probabilities) {
      EXPECT_GE(scores.minCoeff(), 0);
      EXPECT_LE(scores.maxCoeff(), 1);
      // Tag 1 is of half of the items of topic 0, whatever their words.
      double mean = 0;
      for (Eigen::Index item = 0; item < 80; item += 4) mean += scores(item, 1) / 20.0;
      EXPECT_NEAR(mean, 0.5, 0.15);
    }
  }
}

TEST(SparseOneVsRestLinear, DoNotDependOnJobs) {
  const auto data = planted_tags(100, 5);
  for (const std::string loss : {"logistic", "svm"}) {
    SparseOneVsRestLinearOptions options;
    options.loss = loss;
    const SparseOneVsRestLinear once =
        fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), options, {.jobs = 1});
    const SparseOneVsRestLinear again =
        fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), options, {.jobs = 3});
    EXPECT_EQ(weights_of(once), weights_of(again));
    EXPECT_EQ(once.offset, again.offset);
    EXPECT_EQ(score(once, data.words.view(), 1), score(again, data.words.view(), 4));
  }
}

TEST(SparseOneVsRestLinear, FewWeightsAreKeptAsFew) {
  const auto data = planted_tags(150, 4);
  SparseOneVsRestLinearOptions options;
  const SparseOneVsRestLinear dense =
      fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), options);
  EXPECT_FALSE(dense.is_sparse());
  options.negligible = 0.5;
  const SparseOneVsRestLinear few =
      fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), options);
  ASSERT_TRUE(few.is_sparse());
  ASSERT_GT(few.sparse.nonzeros(), 0);
  MatrixD expected = dense.dense.cast<double>();
  expected = (expected.array().abs() > 0.5).select(expected, 0.0);
  EXPECT_EQ(weights_of(few), expected);
  SparseOneVsRestLinear same = few;
  same.dense = expected.cast<float>();
  EXPECT_LT((score(few, data.words.view()) - score(same, data.words.view())).cwiseAbs().maxCoeff(),
            1e-6F);
}

TEST(SparseOneVsRestLinear, WhatAllOrNoneHaveGetsNoWeights) {
  const Sparse items = sparse_of(1, {{{0, 1}}, {{0, 2}}, {}});
  const Sparse tags = sparse_of(2, {{{0, 1}}, {{0, 1}, {1, 0}}, {{0, 1}}});
  for (const std::string loss : {"logistic", "svm"}) {
    SparseOneVsRestLinearOptions options;
    options.loss = loss;
    const SparseOneVsRestLinear model = fit_sparse_one_vs_rest(items.view(), tags.view(), options);
    const Matrix scores = score(model, items.view());
    EXPECT_EQ(scores.col(0), Eigen::VectorXf::Constant(3, scores(0, 0)));
    EXPECT_GT(scores(0, 0), 0.8);
    EXPECT_LT(scores(0, 1), 0.2);
  }
}

TEST(SparseOneVsRestLinear, TakePartsOfMatrices) {
  const auto data = planted_tags(60, 3);
  const SparseOneVsRestLinear model =
      fit_sparse_one_vs_rest(some_rows(data.words, 20, 40), some_rows(data.tags, 20, 40));
  EXPECT_EQ(score(model, data.words.view()).bottomRows(10),
            score(model, some_rows(data.words, 50, 10)));
  EXPECT_GT(test::share_right(score(model, data.words.view()), data), 0.9);
}

TEST(SparseOneVsRestLinear, BadInputIsRefused) {
  const auto data = planted_tags(20, 2);
  struct Case {
    const char* name;
    std::function<void(SparseOneVsRestLinearOptions&)> spoil;
  };
  for (const auto& [name, spoil] : std::vector<Case>{
           {"loss", [](auto& options) { options.loss = "hinge"; }},
           {"cost", [](auto& options) { options.cost = 0; }},
           {"tolerance", [](auto& options) { options.tolerance = -1; }},
           {"bias", [](auto& options) { options.bias = std::numeric_limits<double>::quiet_NaN(); }},
           {"negligible", [](auto& options) { options.negligible = -1; }}}) {
    SparseOneVsRestLinearOptions options;
    spoil(options);
    const std::string message =
        message_of([&] { fit_sparse_one_vs_rest(data.words.view(), data.tags.view(), options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  const SparseOneVsRestLinear model = fit_sparse_one_vs_rest(data.words.view(), data.tags.view());
  EXPECT_THROW(score(model, sparse_of(3, {{}}).view()), Error);
  EXPECT_THROW(fit_sparse_one_vs_rest(
                   data.words.view(), data.tags.view(), {},
                   {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

}  // namespace sparse_one_vs_rest_linear_test
}  // namespace commonplace
