#include "commonplace/suggest/core/sparse_gp.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace sparse_gp_test {

using namespace suggest;

using test::random_features;
using test::random_targets;
using test::to_dense;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Changes = std::vector<std::pair<std::int32_t, float>>;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Items with targets for seven tags, and twelve prototypes.
struct Problem {
  MatrixD features;
  Sparse rows;
  Sparse targets;
  SparseGpBasis basis;

  explicit Problem(std::int64_t items, std::uint64_t seed = 1)
      : features(random_features(items, 9, 0.6, seed)),
        rows(test::to_sparse(features)),
        targets(random_targets(items, 7, 0.3, seed)) {
    const StoredRows prototypes{{}, test::to_sparse(random_features(12, 9, 0.6, seed + 7)), true};
    basis = make_basis({KernelKind::rbf, 1, 1}, prototypes);
  }
  Matrix whitened() const { return whiten(basis, rows); }
  SparseGp fit(double noise_variance = 0.3, int jobs = 1) const {
    return solve_sparse_gp(gather_statistics(basis, rows, targets.view(), {.jobs = jobs}),
                           noise_variance, jobs);
  }
};

std::span<const float> row_of(const Matrix& matrix, Eigen::Index row) {
  return {matrix.row(row).data(), static_cast<std::size_t>(matrix.cols())};
}

Changes targets_of(const SparseView& targets, std::int64_t row) {
  Changes result;
  for (std::size_t i = 0; i < targets.row_indices(row).size(); ++i)
    result.emplace_back(targets.row_indices(row)[i], targets.row_values(row)[i]);
  return result;
}

TEST(SparseGp, AreTheRidgeRegressionOnTheWhitenedItems) {
  const Problem problem(80);
  const MatrixD a = problem.whitened().cast<double>();
  for (const double noise_variance : {0.01, 0.3, 10.0}) {
    const test::NaiveLatents expected =
        test::naive_latents(a, to_dense(problem.targets.view()), noise_variance);
    const SparseGp found = problem.fit(noise_variance);
    EXPECT_EQ(found.noise_variance, noise_variance);
    EXPECT_EQ(found.tags(), 7);
    // Products of items are added up in float over short stretches.
    EXPECT_LT(worst(found.inverse, expected.inverse),
              1e-5 * expected.inverse.cwiseAbs().maxCoeff());
    EXPECT_LT(worst(found.weights.cast<double>(), expected.weights),
              1e-5 * expected.weights.cwiseAbs().maxCoeff());
    const Matrix whitened = problem.whitened();
    EXPECT_LT(worst((whitened * found.weights).cast<double>(), a * expected.weights), 1e-4);
  }
}

TEST(SparseGp, OfManyItemsAreTheSame) {
  const Problem problem(4500);
  const test::NaiveLatents expected =
      test::naive_latents(problem.whitened().cast<double>(), to_dense(problem.targets.view()), 0.3);
  const SparseGp found = problem.fit();
  EXPECT_LT(worst(found.inverse, expected.inverse), 1e-6 * expected.inverse.cwiseAbs().maxCoeff());
  EXPECT_LT(worst(found.weights.cast<double>(), expected.weights), 1e-4);
}

TEST(SparseGp, ARejectedTagIsLowerForSimilarItems) {
  // The items of one place all have the tag; one item of another place was asked for and refused.
  MatrixD features(6, 2);
  features << 1, 0, 1, 0.1, 1, -0.1, 0, 1, 0.1, 1, -0.1, 1;
  const Matrix rows = features.cast<float>();
  const SparseGpBasis basis = make_basis({KernelKind::rbf, 0.5, 1}, {rows, {}, false}, 1e-4);
  const Matrix a = whiten(basis, rows);
  const auto means = [&](double of_fourth) {
    const Sparse targets = test::to_sparse((MatrixD(6, 1) << 1, 1, 1, of_fourth, 0, 0).finished());
    return Matrix(a *
                  solve_sparse_gp(gather_statistics(basis, rows, targets.view(), {}), 0.1).weights);
  };
  const Matrix before = means(0);
  const Matrix rejected = means(-1);
  for (const Eigen::Index similar : {3, 4, 5})
    EXPECT_LT(rejected(similar, 0), before(similar, 0) - 0.05F);
  EXPECT_GT(rejected(0, 0), 0.8F) << "other items keep theirs";
}

TEST(SparseGp, AreTheSameOnAnyNumberOfRanks) {
  const Problem problem(71);
  const SparseGpStatistics alone =
      gather_statistics(problem.basis, problem.rows, problem.targets.view(), {.jobs = 1});
  for (const int ranks : {1, 2, 3, 4}) {
    const auto all = test::on_ranks<SparseGpStatistics>(ranks, 71, [&](Comm& comm, RowRange range) {
      const Sparse rows = test::rows_between(problem.rows.view(), range);
      const Sparse targets = test::rows_between(problem.targets.view(), range);
      return gather_statistics(problem.basis, rows, targets.view(), {comm, 1});
    });
    for (const SparseGpStatistics& each : all) {
      EXPECT_EQ(each.gram, all[0].gram);
      EXPECT_EQ(each.targets, all[0].targets);
      EXPECT_EQ(solve_sparse_gp(each, 0.3).weights, solve_sparse_gp(all[0], 0.3).weights);
    }
    // An item's coordinates are floats, of which only the order of adding differs.
    EXPECT_LT(worst(all[0].gram, alone.gram), 1e-5 * alone.gram.cwiseAbs().maxCoeff()) << ranks;
    EXPECT_LT(worst(all[0].targets, alone.targets), 1e-5 * alone.targets.cwiseAbs().maxCoeff());
  }
}

TEST(SparseGp, DependNeitherOnJobsNorOnTheOrderOfTheItems) {
  const Problem problem(90);
  const SparseGp once = problem.fit();
  for (const int jobs : {2, 3, 4}) {
    const SparseGp again = problem.fit(0.3, jobs);
    EXPECT_EQ(again.weights, once.weights);
    EXPECT_EQ(again.inverse, once.inverse);
  }
  Problem shuffled = problem;
  const auto order = test::random_order(90, 3);
  shuffled.rows = test::rows_in_order(problem.rows.view(), order);
  shuffled.targets = test::rows_in_order(problem.targets.view(), order);
  const SparseGp other = shuffled.fit();
  EXPECT_LT(worst(other.inverse, once.inverse), 1e-4 * once.inverse.cwiseAbs().maxCoeff());
  EXPECT_LT(worst(other.weights.cast<double>(), once.weights.cast<double>()), 1e-4);
}

TEST(SparseGp, LearningItemByItemIsLearningThemAll) {
  const Problem problem(80);
  Problem first = problem;
  first.rows = test::rows_between(problem.rows.view(), {0, 60});
  first.targets = test::rows_between(problem.targets.view(), {0, 60});
  SparseGp grown = first.fit();
  const Matrix a = problem.whitened();
  for (Eigen::Index row = 60; row < 80; ++row)
    learn_item(grown, row_of(a, row), targets_of(problem.targets.view(), row));
  const SparseGp refit = problem.fit();
  EXPECT_LT(worst(grown.inverse, refit.inverse), 1e-5 * refit.inverse.cwiseAbs().maxCoeff());
  EXPECT_LT(worst(grown.weights.cast<double>(), refit.weights.cast<double>()), 1e-4);
}

TEST(SparseGp, OfAnItemOfWhichLittleIsKnownOnlyThatIsLearned) {
  const Problem problem(80);
  Problem first = problem;
  first.rows = test::rows_between(problem.rows.view(), {0, 79});
  first.targets = test::rows_between(problem.targets.view(), {0, 79});
  const SparseGp before = first.fit();
  const Matrix a = problem.whitened();
  SparseGp partly = before;
  learn_targets(partly, row_of(a, 79), Changes{{2, -1.0F}});
  SparseGp wholly = before;
  learn_item(wholly, row_of(a, 79), Changes{{2, -1.0F}});
  EXPECT_EQ(partly.inverse, wholly.inverse);
  for (Eigen::Index tag = 0; tag < partly.weights.cols(); ++tag) {
    const Matrix& same = tag == 2 ? wholly.weights : before.weights;
    EXPECT_LT((partly.weights.col(tag) - same.col(tag)).cwiseAbs().maxCoeff(), 1e-6F) << tag;
  }
  EXPECT_THROW(learn_targets(partly, row_of(a, 79), Changes{{99, 1.0F}}), Error);
}

TEST(SparseGp, LearnedFromNothingItemByItem) {
  const Problem problem(50);
  SparseGp grown = solve_sparse_gp({MatrixD::Zero(12, 12), MatrixD::Zero(12, 7)}, 0.3);
  const Matrix a = problem.whitened();
  for (Eigen::Index row = 0; row < 50; ++row)
    learn_item(grown, row_of(a, row), targets_of(problem.targets.view(), row));
  EXPECT_LT(worst(grown.weights.cast<double>(), problem.fit().weights.cast<double>()), 1e-4);
}

TEST(SparseGp, ChangedTargetsAreLearnedAsIfTheyHadBeenThere) {
  const Problem problem(80);
  SparseGp changed = problem.fit();
  const Matrix a = problem.whitened();
  MatrixD targets = to_dense(problem.targets.view());
  const auto change = [&](Eigen::Index row, std::int32_t tag, double value) {
    const Changes difference = {{tag, static_cast<float>(value - targets(row, tag))}};
    change_targets(changed, row_of(a, row), difference);
    targets(row, tag) = value;
  };
  change(3, 2, 1);
  change(3, 6, -1);
  change(79, 0, -targets(79, 0));
  change(3, 2, 0);
  change(40, 5, 1);
  Problem refit = problem;
  refit.targets = test::to_sparse(targets);
  EXPECT_LT(worst(changed.weights.cast<double>(), refit.fit().weights.cast<double>()), 1e-5);
  EXPECT_EQ(changed.inverse, problem.fit().inverse);
  EXPECT_GT(worst(changed.weights.cast<double>(), problem.fit().weights.cast<double>()), 1e-2);
}

TEST(SparseGp, NewTagsAreLearnedAsIfTheyHadBeenThere) {
  const Problem problem(80);
  const Matrix a = problem.whitened();
  SparseGp grown = problem.fit();
  const Matrix before = grown.weights;
  add_tags(grown, 0);
  EXPECT_EQ(grown.weights, before);
  add_tags(grown, 2);
  ASSERT_EQ(grown.tags(), 9);
  EXPECT_EQ(Matrix(grown.weights.leftCols(7)), before);
  EXPECT_EQ(grown.weights.rightCols(2).cwiseAbs().maxCoeff(), 0);
  for (const Eigen::Index row : {5, 6, 7})
    change_targets(grown, row_of(a, row), Changes{{8, row == 6 ? -1.F : 1.F}});
  MatrixD targets = MatrixD::Zero(80, 9);
  targets.leftCols(7) = to_dense(problem.targets.view());
  targets(5, 8) = targets(7, 8) = 1;
  targets(6, 8) = -1;
  Problem refit = problem;
  refit.targets = test::to_sparse(targets);
  EXPECT_LT(worst(grown.weights.cast<double>(), refit.fit().weights.cast<double>()), 1e-5);
}

TEST(SparseGp, BadInputIsRefusedAndChangesNothing) {
  const Problem problem(30);
  for (const double noise_variance : {0.0, -1.0, kNaN, kInfinity}) {
    const std::string message = test::message_of([&] { problem.fit(noise_variance); });
    EXPECT_TRUE(message.starts_with("the ridge is ")) << message;
    EXPECT_NE(message.find("expected more than 0"), std::string::npos);
  }
  const Sparse fewer = test::rows_between(problem.targets.view(), {0, 29});
  EXPECT_EQ(
      test::message_of([&] { gather_statistics(problem.basis, problem.rows, fewer.view(), {}); }),
      "targets of 29 items do not fit 30 rows of features");

  const Matrix a = problem.whitened();
  SparseGp gp = problem.fit();
  const SparseGp before = gp;
  const auto refused = [&](const std::string& part, const std::function<void()>& act) {
    const std::string message = test::message_of(act);
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(gp.weights, before.weights) << part;
    EXPECT_EQ(gp.inverse, before.inverse) << part;
  };
  const Matrix narrow = a.leftCols(11);
  for (const std::int32_t tag : {7, -1}) {
    const std::string part = "there is no tag " + std::to_string(tag) + " among 7";
    refused(part, [&] { learn_item(gp, row_of(a, 0), Changes{{1, 1.F}, {tag, 1.F}}); });
    refused(part, [&] { change_targets(gp, row_of(a, 0), Changes{{1, 1.F}, {tag, 1.F}}); });
  }
  const std::string size = "an item of 11 coordinates does not fit 12 prototypes";
  refused(size, [&] { learn_item(gp, row_of(narrow, 0), {}); });
  refused(size, [&] { change_targets(gp, row_of(narrow, 0), {}); });
  refused("cannot add -1 tags", [&] { add_tags(gp, -1); });
}

TEST(SparseGp, StopOnRequest) {
  const Problem problem(30);
  SelfComm comm;
  EXPECT_THROW(gather_statistics(problem.basis, problem.rows, problem.targets.view(),
                                 {comm, 1, [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

std::string file_of(const SparseGp& gp) {
  TensorWriter writer;
  add_sparse_gp(writer, gp);
  return writer.bytes();
}

TEST(SparseGpFile, KeepsEveryBit) {
  const SparseGp gp = Problem(30).fit(1.0 / 3);
  const SparseGp loaded = read_sparse_gp(TensorFile(file_of(gp), "memory"), 12);
  EXPECT_EQ(loaded.noise_variance, gp.noise_variance);
  EXPECT_EQ(loaded.inverse, gp.inverse);
  EXPECT_EQ(loaded.weights, gp.weights);
}

TEST(SparseGpFile, DamageIsRefused) {
  const std::string whole = file_of(Problem(30).fit());
  for (std::size_t size = 0; size < whole.size(); size += 11)
    EXPECT_THROW(read_sparse_gp(TensorFile(whole.substr(0, size), "cut"), 12), Error) << size;
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x08);
    EXPECT_THROW(read_sparse_gp(TensorFile(flipped, "flipped"), 12), Error) << at;
  }
}

TEST(SparseGpFile, PartsThatDoNotFitAreRefused) {
  const SparseGp good = Problem(30).fit();
  const auto refused = [&](std::int64_t size, auto spoil) {
    SparseGp bad = good;
    spoil(bad);
    const std::string message =
        test::message_of([&] { read_sparse_gp(TensorFile(file_of(bad), "bad"), size); });
    EXPECT_TRUE(message.starts_with("bad: ")) << message;
    EXPECT_NE(message.find("the file is damaged"), std::string::npos) << message;
  };
  refused(11, [](SparseGp&) {});
  refused(13, [](SparseGp&) {});
  refused(12, [](SparseGp& gp) { gp.weights.conservativeResize(11, 7); });
  refused(12, [](SparseGp& gp) { gp.inverse.conservativeResize(12, 11); });
  refused(12, [](SparseGp& gp) { gp.noise_variance = 0; });
  refused(12, [](SparseGp& gp) { gp.noise_variance = kNaN; });
  refused(12, [](SparseGp& gp) { gp.inverse(3, 4) = kInfinity; });
  refused(12, [](SparseGp& gp) { gp.weights(0, 6) = std::numeric_limits<float>::quiet_NaN(); });
}

}  // namespace sparse_gp_test
}  // namespace commonplace
