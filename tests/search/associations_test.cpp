#include "commonplace/search/core/associations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/safetensors.h"
#include "tests/support/naive_associations.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace associations_test {

using namespace search;

using test::message_of;
using test::random_counts;
using test::to_dense;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Weights of the ridge below this are left out.
constexpr double kNegligible = 1e-4;

Sparse lenders(std::uint64_t seed = 1) { return random_counts(60, 18, 0.3, seed); }

AssociationOptions options_for_test() {
  AssociationOptions options;
  options.smoothing = 3;
  options.ridge = 5;
  return options;
}

/// asked x evidence: everything the lift says of seen and unseen pairs.
MatrixD whole_lift(const Associations& associations) {
  MatrixD result = to_dense(associations.lift.view());
  for (Eigen::Index v = 0; v < result.cols(); ++v)
    result.col(v).array() +=
        static_cast<double>(associations.unrelated[static_cast<std::size_t>(v)]);
  return result;
}

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

void expect_same(const Sparse& a, const Sparse& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.values, b.values);
}

void expect_same(const Associations& a, const Associations& b) {
  expect_same(a.lift, b.lift);
  expect_same(a.ridge, b.ridge);
  EXPECT_EQ(a.unrelated, b.unrelated);
}

TEST(Lift, IsTheLogOfHowMuchLikelierATermIsBesideAnother) {
  for (const double smoothing : {0.5, 3.0, 20.0}) {
    const Sparse items = lenders();
    AssociationOptions options = options_for_test();
    options.smoothing = smoothing;
    const Associations found = fit_associations(items.view(), options);
    ASSERT_EQ(found.unrelated.size(), 18u);
    EXPECT_LT(worst(whole_lift(found), test::naive_lift(to_dense(items.view()), smoothing)), 1e-5);
  }
}

TEST(Lift, HasOnlyPairsSeenTogether) {
  const Sparse items = random_counts(20, 18, 0.1, 4);
  const MatrixD dense = to_dense(items.view());
  const MatrixD together = dense.transpose() * dense;
  const Associations found = fit_associations(items.view(), options_for_test());
  const MatrixD lift = to_dense(found.lift.view());
  for (Eigen::Index w = 0; w < lift.rows(); ++w)
    for (Eigen::Index v = 0; v < lift.cols(); ++v)
      EXPECT_EQ(lift(w, v) > 0, v != w && together(v, w) > 0) << w << ' ' << v;
  for (const float unrelated : found.unrelated) EXPECT_LE(unrelated, 0);
  EXPECT_EQ(found.unrelated[2], 0) << "nothing has term 2, so it says nothing";
}

TEST(Ridge, IsTheRegressionOfEachTermOnAllOthers) {
  const Sparse items = lenders();
  for (const double penalty : {0.5, 5.0, 100.0}) {
    AssociationOptions options = options_for_test();
    options.ridge = penalty;
    const MatrixD found = to_dense(fit_associations(items.view(), options).ridge.view());
    const MatrixD expected = test::naive_ridge(to_dense(items.view()), penalty).transpose();
    for (Eigen::Index w = 0; w < found.rows(); ++w)
      for (Eigen::Index v = 0; v < found.cols(); ++v) {
        const double weight = expected(w, v);
        if (std::abs(std::abs(weight) - kNegligible) < 1e-6) continue;
        EXPECT_NEAR(found(w, v), std::abs(weight) > kNegligible ? weight : 0, 1e-6)
            << w << ' ' << v;
      }
    EXPECT_LT(worst(zero_diagonal_ridge(items.view(), penalty, 1), expected.transpose()), 1e-10);
  }
}

TEST(Ridge, OfManyTermsIsTheSame) {
  const Sparse items = random_counts(120, 150, 0.1, 6);
  const MatrixD expected = test::naive_ridge(to_dense(items.view()), 3);
  for (const int jobs : {1, 2})
    EXPECT_LT(worst(zero_diagonal_ridge(items.view(), 3, jobs), expected), 1e-10);
}

TEST(Ridge, NoOtherMatrixOfZeroDiagonalIsBetter) {
  const Sparse items = lenders(2);
  const MatrixD dense = to_dense(items.view());
  constexpr double penalty = 4;
  const MatrixD best = zero_diagonal_ridge(items.view(), penalty, 1);
  EXPECT_EQ(best.diagonal().cwiseAbs().maxCoeff(), 0);
  const double lowest = test::ridge_objective(dense, best, penalty);
  EXPECT_LT(lowest, test::ridge_objective(dense, MatrixD::Zero(18, 18), penalty));
  for (Eigen::Index v = 0; v < best.rows(); ++v)
    for (Eigen::Index w = 0; w < best.cols(); ++w)
      for (const double step : {-1e-3, 1e-3}) {
        if (v == w) continue;
        MatrixD other = best;
        other(v, w) += step;
        EXPECT_GT(test::ridge_objective(dense, other, penalty), lowest) << v << ' ' << w;
      }
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    MatrixD other = best;
    for (Eigen::Index i = 0; i < other.size(); ++i) other.data()[i] += 0.02 * (rng.uniform() - 0.5);
    other.diagonal().setZero();
    EXPECT_GT(test::ridge_objective(dense, other, penalty), lowest);
  }
}

/// Term 0 brings term 1 about, and for itself term 2: 1 and 2 meet only because of 0.
TEST(Ridge, TellsWhatATermAddsWhenTheOthersAreKnown) {
  Rng rng(1);
  MatrixD items = MatrixD::Zero(600, 4);
  for (Eigen::Index item = 0; item < items.rows(); ++item) {
    items(item, 0) = rng.uniform() < 0.4 ? 1 : 0;
    for (const Eigen::Index term : {1, 2})
      items(item, term) = rng.uniform() < (items(item, 0) > 0 ? 0.8 : 0.02) ? 1 : 0;
    items(item, 3) = rng.uniform() < 0.3 ? 1 : 0;
  }
  const Associations found = fit_associations(test::to_sparse(items).view(), options_for_test());
  const MatrixD lift = whole_lift(found);
  const MatrixD ridge = to_dense(found.ridge.view());
  EXPECT_GT(lift(1, 2), 0.5) << "together far oftener than by chance";
  EXPECT_GT(ridge(1, 0), 0.6);
  EXPECT_LT(ridge(1, 2), 0.25 * ridge(1, 0));
  EXPECT_NEAR(lift(1, 3), 0, 0.2) << "term 3 has nothing to do with term 1";
}

TEST(Ridge, CoversTheTermsOfMostItems) {
  const Sparse items = lenders();
  const MatrixD dense = to_dense(items.view());
  std::vector<Eigen::Index> order(18);
  std::iota(order.begin(), order.end(), 0);
  auto uses = [&](Eigen::Index term) { return (dense.col(term).array() > 0).count(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return uses(a) > uses(b); });
  order.resize(6);
  std::sort(order.begin(), order.end());

  AssociationOptions options = options_for_test();
  options.ridge_terms = 6;
  const MatrixD found = to_dense(fit_associations(items.view(), options).ridge.view());
  MatrixD expected = MatrixD::Zero(18, 18);
  expected(order, order) = test::naive_ridge(dense(Eigen::all, order), options.ridge).transpose();
  EXPECT_LT(worst(found, expected), 1.01 * kNegligible);
  EXPECT_GT(found.cwiseAbs().maxCoeff(), 0.01);

  options.ridge_terms = 0;
  const Associations none = fit_associations(items.view(), options);
  EXPECT_EQ(none.ridge.nonzeros(), 0);
  EXPECT_EQ(none.ridge.rows(), 18);
  EXPECT_GT(none.lift.nonzeros(), 0);
}

/// The places of the `most` entries of greatest magnitude in a row, ties to the lower one.
std::set<std::int32_t> strongest(const SparseView& matrix, std::int64_t row, std::size_t most) {
  std::vector<std::pair<float, std::int32_t>> entries;
  for (std::size_t i = 0; i < matrix.row_indices(row).size(); ++i)
    entries.emplace_back(-std::abs(matrix.row_values(row)[i]), matrix.row_indices(row)[i]);
  std::sort(entries.begin(), entries.end());
  std::set<std::int32_t> result;
  for (std::size_t i = 0; i < std::min(most, entries.size()); ++i) result.insert(entries[i].second);
  return result;
}

TEST(Associations, KeepTheStrongest) {
  const Sparse items = lenders();
  AssociationOptions options = options_for_test();
  const Associations whole = fit_associations(items.view(), options);
  options.most = 3;
  const Associations few = fit_associations(items.view(), options);
  EXPECT_EQ(few.unrelated, whole.unrelated);
  for (const auto& [part, all] :
       {std::pair{&few.lift, &whole.lift}, std::pair{&few.ridge, &whole.ridge}}) {
    const MatrixD values = to_dense(all->view());
    for (std::int64_t row = 0; row < part->rows(); ++row) {
      const auto kept = part->view().row_indices(row);
      EXPECT_EQ(std::set<std::int32_t>(kept.begin(), kept.end()), strongest(all->view(), row, 3));
      EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
      for (std::size_t i = 0; i < kept.size(); ++i)
        EXPECT_EQ(static_cast<double>(part->view().row_values(row)[i]), values(row, kept[i]));
    }
  }
}

TEST(Associations, DoNotDependOnJobs) {
  const Sparse items = random_counts(120, 90, 0.1, 5);
  AssociationOptions options = options_for_test();
  const Associations once = fit_associations(items.view(), options, {.jobs = 1});
  const MatrixD ridge = zero_diagonal_ridge(items.view(), 3, 1);
  for (const int jobs : {2, 3, 4}) {
    expect_same(fit_associations(items.view(), options, {.jobs = jobs}), once);
    EXPECT_EQ(zero_diagonal_ridge(items.view(), 3, jobs), ridge);
  }
}

TEST(Associations, DoNotDependOnTheOrderOfTheItems) {
  const Sparse items = lenders();
  const Sparse shuffled = test::rows_in_order(items.view(), test::random_order(60, 7));
  ASSERT_NE(shuffled.indices, items.indices);
  const Associations a = fit_associations(items.view(), options_for_test());
  const Associations b = fit_associations(shuffled.view(), options_for_test());
  EXPECT_LT(worst(whole_lift(a), whole_lift(b)), 1e-6);
  EXPECT_LT(worst(to_dense(a.ridge.view()), to_dense(b.ridge.view())), 1e-6);
}

TEST(Associations, BadOptionsAreNamed) {
  const Sparse items = lenders();
  struct Case {
    const char* name;
    std::function<void(AssociationOptions&)> spoil;
  };
  for (const auto& [name, spoil] : std::vector<Case>{
           {"smoothing", [](auto& options) { options.smoothing = 0; }},
           {"smoothing", [](auto& options) { options.smoothing = kNaN; }},
           {"smoothing", [](auto& options) { options.smoothing = kInfinity; }},
           {"ridge", [](auto& options) { options.ridge = -1; }},
           {"ridge", [](auto& options) { options.ridge = kNaN; }},
           {"ridge_terms", [](auto& options) { options.ridge_terms = -1; }},
           {"ridge_terms", [](auto& options) { options.ridge_terms = 1'000'000'000; }},
           {"associations", [](auto& options) { options.most = 0; }}}) {
    AssociationOptions options = options_for_test();
    spoil(options);
    const std::string message = message_of([&] { fit_associations(items.view(), options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << name << ": " << message;
    EXPECT_NE(message.find("expected"), std::string::npos) << message;
  }
  for (const double penalty : {0.0, -2.0, kNaN, kInfinity})
    EXPECT_THROW(zero_diagonal_ridge(items.view(), penalty), Error) << penalty;
}

TEST(Associations, NeedWeightsToLearnFrom) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -1.F, std::numeric_limits<float>::infinity()}) {
    Sparse items = lenders();
    items.values[7] = value;
    EXPECT_THROW(fit_associations(items.view(), options_for_test()), Error) << value;
  }
  Sparse empty;
  empty.columns = 18;
  for (int items = 0; items < 2; ++items) {
    const std::string message =
        message_of([&] { fit_associations(empty.view(), options_for_test()); });
    EXPECT_NE(message.find("give a collection that has tags"), std::string::npos) << message;
    empty.end_row();
  }
}

TEST(Associations, StopOnRequest) {
  const Sparse items = lenders();
  EXPECT_THROW(
      fit_associations(items.view(), options_for_test(),
                       {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
      Cancelled);
}

std::string file_of(const Associations& associations) {
  TensorWriter writer;
  add_associations(writer, associations);
  return writer.bytes();
}

TEST(AssociationsFile, KeepsEveryBit) {
  const Associations found = fit_associations(lenders().view(), options_for_test());
  const test::TemporaryDirectory folder;
  TensorWriter writer;
  add_associations(writer, found);
  writer.write(folder / "a.safetensors");
  expect_same(read_associations(TensorFile(folder / "a.safetensors"), 18), found);
  expect_same(read_associations(TensorFile(file_of(found), "memory"), 18), found);
}

TEST(AssociationsFile, CutShortIsRefused) {
  const std::string bytes =
      file_of(fit_associations(random_counts(8, 5, 0.5, 1).view(), options_for_test()));
  ASSERT_NO_THROW(read_associations(TensorFile(bytes, "whole"), 5));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read_associations(TensorFile(bytes.substr(0, size), "cut"), 5), Error) << size;
}

TEST(AssociationsFile, WhatDoesNotFitIsRefused) {
  const Associations good = fit_associations(lenders().view(), options_for_test());
  auto refused = [](const Associations& associations, std::int64_t terms) {
    const TensorFile file(file_of(associations), "bad.safetensors");
    const std::string message = message_of([&] { read_associations(file, terms); });
    EXPECT_TRUE(message.starts_with("bad.safetensors: ")) << message;
  };
  refused(good, 17);
  refused(good, 19);
  for (const auto part : {&Associations::lift, &Associations::ridge}) {
    Associations bad = good;
    (bad.*part).columns = 19;
    refused(bad, 18);
    bad = good;
    (bad.*part).end_row();
    refused(bad, 18);
    bad = good;
    (bad.*part).values[3] = std::numeric_limits<float>::quiet_NaN();
    refused(bad, 18);
  }
  Associations bad = good;
  bad.unrelated.pop_back();
  refused(bad, 18);
  bad = good;
  bad.unrelated[4] = std::numeric_limits<float>::infinity();
  refused(bad, 18);
}

}  // namespace associations_test
}  // namespace commonplace
