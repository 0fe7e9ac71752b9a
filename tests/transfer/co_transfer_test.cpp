#include "commonplace/transfer/rivals/co_transfer.h"

#include <algorithm>
#include <functional>
#include <limits>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/transfer/core/naive_bayes.h"
#include "tests/support/naive_associations.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace co_transfer_test {

using namespace transfer;

using test::message_of;
using test::to_dense;
using test::to_sparse;

using Labels = std::vector<std::vector<std::int32_t>>;

/// Three collections in a chain, with ties within each and both ways between neighbours.
struct Chain {
  std::vector<CoTransferBlock> blocks;
  Labels labels;
  std::int64_t classes = 3;
};

MatrixD random_ties(Eigen::Index rows, Eigen::Index columns, double density, std::uint64_t seed) {
  MatrixD result = MatrixD::Zero(rows, columns);
  Rng rng(seed);
  for (double& value : result.reshaped())
    if (rng.uniform() < density)
      value = static_cast<double>(static_cast<float>(rng.uniform() + 0.1));
  return result;
}

Chain make_chain(double density, double labelled) {
  const std::vector<Eigen::Index> sizes = {12, 9, 15};
  Chain chain;
  for (std::size_t c = 0; c < 3; ++c) {
    const MatrixD half = random_ties(sizes[c], sizes[c], density, c);
    chain.blocks.push_back({c, c, to_sparse(half + half.transpose())});
    Rng rng(10 + c);
    std::vector<std::int32_t> own;
    for (std::int32_t i = 0; i < sizes[c]; ++i)
      own.push_back(rng.uniform() < labelled ? i % 3 : -1);
    chain.labels.push_back(std::move(own));
  }
  for (std::size_t c = 0; c < 2; ++c) {
    const MatrixD across = random_ties(sizes[c], sizes[c + 1], density, 20 + c);
    chain.blocks.push_back({c, c + 1, to_sparse(across), 2.5});
    chain.blocks.push_back({c + 1, c, to_sparse(across.transpose())});
  }
  return chain;
}

/// The whole chain as one matrix, and its fixed point by elimination: restart (I - (1 - restart)
/// P)⁻¹ D, all collections below each other.
MatrixD naive_visits(const Chain& chain, double restart) {
  std::vector<Eigen::Index> first = {0};
  for (const auto& own : chain.labels) first.push_back(first.back() + std::ssize(own));
  MatrixD p = MatrixD::Zero(first.back(), first.back());
  for (const CoTransferBlock& block : chain.blocks) {
    double into = 0;
    for (const CoTransferBlock& other : chain.blocks)
      if (other.to == block.to) into += other.weight;
    MatrixD moves = to_dense(block.ties.view()).transpose();
    for (Eigen::Index c = 0; c < moves.cols(); ++c)
      if (moves.col(c).sum() > 0) moves.col(c) /= moves.col(c).sum();
    p.block(first[block.to], first[block.from], moves.rows(), moves.cols()) +=
        block.weight / into * moves;
  }
  MatrixD d = MatrixD::Zero(first.back(), chain.classes);
  for (std::size_t c = 0; c < chain.labels.size(); ++c)
    for (std::int32_t k = 0; k < chain.classes; ++k) {
      const auto count = std::count(chain.labels[c].begin(), chain.labels[c].end(), k);
      for (std::size_t i = 0; i < chain.labels[c].size(); ++i)
        if (chain.labels[c][i] == k)
          d(first[c] + static_cast<Eigen::Index>(i), k) = 1 / static_cast<double>(count);
    }
  const Eigen::MatrixXd system = Eigen::MatrixXd::Identity(p.rows(), p.cols()) - (1 - restart) * p;
  return restart * system.partialPivLu().solve(Eigen::MatrixXd(d));
}

double worst(const std::vector<MatrixD>& parts, const MatrixD& whole) {
  double result = 0;
  Eigen::Index first = 0;
  for (const MatrixD& part : parts) {
    result = std::max(result, (part - whole.middleRows(first, part.rows())).cwiseAbs().maxCoeff());
    first += part.rows();
  }
  EXPECT_EQ(first, whole.rows());
  return result;
}

TEST(CoTransfer, IsTheSolutionOfTheWholeChain) {
  for (const double density : {0.6, 0.15})
    for (const double restart : {0.1, 0.5, 1.0}) {
      const Chain chain = make_chain(density, 0.6);
      CoTransferOptions options;
      options.restart = restart;
      options.tolerance = 1e-13;
      const CoTransfer found = co_transfer(chain.blocks, chain.labels, 3, options);
      EXPECT_TRUE(found.report.converged);
      EXPECT_LT(worst(found.visits, naive_visits(chain, restart)), 1e-12);
    }
}

TEST(CoTransfer, VisitsAreDistributions) {
  const Chain chain = make_chain(0.6, 0.8);
  const CoTransfer found = co_transfer(chain.blocks, chain.labels, 3);
  for (const MatrixD& visits : found.visits)
    for (Eigen::Index k = 0; k < 3; ++k) EXPECT_NEAR(visits.col(k).sum(), 1, 1e-12);
  Chain holed = make_chain(0.1, 0.8);
  const CoTransfer less = co_transfer(holed.blocks, holed.labels, 3);
  double least = 1;
  for (const MatrixD& visits : less.visits) {
    EXPECT_GE(visits.minCoeff(), 0);
    EXPECT_LE(visits.colwise().sum().maxCoeff(), 1 + 1e-12);
    least = std::min(least, visits.colwise().sum().minCoeff());
  }
  EXPECT_LT(least, 0.99) << "some items have no ties in some blocks";
}

TEST(CoTransfer, ScoresAreVisitsOfClassesThatWeighTheSame) {
  const Chain chain = make_chain(0.15, 0.4);
  const CoTransfer found = co_transfer(chain.blocks, chain.labels, 3);
  for (std::size_t c = 0; c < 3; ++c) {
    MatrixD expected = found.visits[c];
    for (Eigen::Index k = 0; k < 3; ++k)
      if (expected.col(k).sum() > 0) expected.col(k) /= expected.col(k).sum();
    for (Eigen::Index i = 0; i < expected.rows(); ++i) {
      if (expected.row(i).sum() > 0)
        expected.row(i) /= expected.row(i).sum();
      else
        expected.row(i).setConstant(1.0 / 3);
      EXPECT_NEAR(found.scores[c].row(i).sum(), 1.F, 1e-6F);
    }
    EXPECT_LT((found.scores[c].cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(CoTransfer, EachStepShrinksTheChange) {
  const Chain chain = make_chain(0.3, 0.5);
  CoTransferOptions options;
  options.restart = 0.2;
  const CoTransfer found = co_transfer(chain.blocks, chain.labels, 3, options);
  const auto& changes = found.report.objective;
  ASSERT_EQ(std::ssize(changes), found.report.iterations);
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT_LE(changes[i], 0.8 * changes[i - 1] + 1e-15);
  EXPECT_LE(changes.back(), 1e-8);
  options.iterations = 3;
  const CoTransfer cut = co_transfer(chain.blocks, chain.labels, 3, options);
  EXPECT_EQ(cut.report.iterations, 3);
  EXPECT_FALSE(cut.report.converged);
}

/// Labels are in the first collection only; the last is two ties away from it.
TEST(CoTransfer, LabelsReachACollectionThroughTheOneBetween) {
  constexpr int kItems = 40;
  Rng rng(3);
  auto joined = [&](double same, double other) {
    MatrixD ties = MatrixD::Zero(kItems, kItems);
    for (Eigen::Index i = 0; i < kItems; ++i)
      for (Eigen::Index j = 0; j < kItems; ++j)
        if (rng.uniform() < (i % 2 == j % 2 ? same : other)) ties(i, j) = 1;
    return ties;
  };
  std::vector<CoTransferBlock> blocks;
  for (std::size_t c = 0; c < 3; ++c) {
    const MatrixD half = joined(0.2, 0.05);
    blocks.push_back({c, c, to_sparse(half + half.transpose())});
  }
  for (std::size_t c = 0; c < 2; ++c) {
    const MatrixD across = joined(0.1, 0.02);
    blocks.push_back({c, c + 1, to_sparse(across)});
    blocks.push_back({c + 1, c, to_sparse(across.transpose())});
  }
  Labels labels(3, std::vector<std::int32_t>(kItems, -1));
  for (std::int32_t i = 0; i < kItems; ++i) labels[0][static_cast<std::size_t>(i)] = i % 2;
  const CoTransfer found = co_transfer(blocks, labels, 2);
  int right = 0;
  for (Eigen::Index i = 0; i < kItems; ++i) {
    const Matrix& scores = found.scores[2];
    if (scores(i, i % 2) > 0.5F) ++right;
  }
  EXPECT_GE(right, 36);

  const std::vector<CoTransferBlock> within(blocks.begin(), blocks.begin() + 3);
  const CoTransfer alone = co_transfer(within, labels, 2);
  EXPECT_EQ(alone.scores[2], Matrix::Constant(kItems, 2, 0.5F)) << "no way leads there";
}

TEST(CoTransfer, PermutedItemsGivePermutedScores) {
  const Chain chain = make_chain(0.3, 0.5);
  const CoTransfer found = co_transfer(chain.blocks, chain.labels, 3);
  std::vector<std::vector<std::int64_t>> orders;
  Chain turned = chain;
  for (std::size_t c = 0; c < 3; ++c) {
    orders.push_back(test::random_order(std::ssize(chain.labels[c]), c));
    for (std::size_t i = 0; i < chain.labels[c].size(); ++i)
      turned.labels[c][i] = chain.labels[c][static_cast<std::size_t>(orders[c][i])];
  }
  for (CoTransferBlock& block : turned.blocks) {
    const MatrixD ties = to_dense(block.ties.view());
    block.ties = to_sparse(ties(orders[block.from], orders[block.to]));
  }
  std::reverse(turned.blocks.begin(), turned.blocks.end());
  const CoTransfer again = co_transfer(turned.blocks, turned.labels, 3);
  for (std::size_t c = 0; c < 3; ++c) {
    const MatrixD expected = found.visits[c](orders[c], Eigen::all);
    EXPECT_LT((again.visits[c] - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(CoTransfer, DoesNotDependOnJobs) {
  const Chain chain = make_chain(0.3, 0.5);
  CoTransferOptions options;
  const CoTransfer once = co_transfer(chain.blocks, chain.labels, 3, options, {.jobs = 1});
  const CoTransfer again = co_transfer(chain.blocks, chain.labels, 3, options, {.jobs = 3});
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(once.visits[c], again.visits[c]);
}

TEST(CoTransfer, BadInputIsRefused) {
  struct Case {
    const char* hint;
    std::function<void(Chain&, CoTransferOptions&)> spoil;
  };
  for (const auto& [hint, spoil] : std::vector<Case>{
           {"restart is 0", [](Chain&, auto&options) { options.restart = 0; }},
           {"restart is 1.5", [](Chain&, auto&options) { options.restart = 1.5; }},
           {"tolerance is -1", [](Chain&, auto&options) { options.tolerance = -1; }},
           {"iterations is 0", [](Chain&, auto&options) { options.iterations = 0; }},
           {"there are 0 classes", [](Chain&chain, auto&) { chain.classes = 0; }},
           {"label 2", [](Chain&chain, auto&) { chain.classes = 2; }},
           {"label -2", [](Chain&chain, auto&) { chain.labels[1][4] = -2; }},
           {"from collection 3", [](Chain&chain, auto&) { chain.blocks[1].from = 3; }},
           {"to 7", [](Chain&chain, auto&) { chain.blocks[1].to = 7; }},
           {"is 12 x 9; expected 12 x 15", [](Chain&chain, auto&) { chain.blocks[3].to = 2; }},
           {"has the weight 0", [](Chain&chain, auto&) { chain.blocks[2].weight = 0; }},
           {"a tie of weight -1", [](Chain&chain, auto&) { chain.blocks[2].ties.values[3] = -1; }},
           {"a tie of weight", [](Chain&chain, auto&) {
              chain.blocks[2].ties.values[3] = std::numeric_limits<float>::quiet_NaN();
            }}}) {
    Chain chain = make_chain(0.3, 0.6);
    CoTransferOptions options;
    spoil(chain, options);
    const std::string message =
        message_of([&] { co_transfer(chain.blocks, chain.labels, chain.classes, options); });
    EXPECT_NE(message.find(hint), std::string::npos) << message << " / " << hint;
  }
  const Chain chain = make_chain(0.3, 0.6);
  EXPECT_THROW(co_transfer(chain.blocks, chain.labels, 3, {},
                           {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

TEST(ClassShares, AreNonnegativeAndAddUpToOne) {
  MatrixD scores(3, 2);
  scores << 1, 3, -2, 0.5, -1, 0;
  Matrix expected(3, 2);
  expected << 0.25F, 0.75F, 0, 1, 0.5F, 0.5F;
  EXPECT_EQ(class_shares(scores), expected);
  EXPECT_THROW(class_shares(MatrixD(2, 0)), Error);
  MatrixD indicators(3, 2);
  indicators << 0, 1, 0, 0, 1, 0;
  EXPECT_EQ(class_indicators(std::vector<std::int32_t>{1, -1, 0}, 2), indicators);
}

}  // namespace co_transfer_test
}  // namespace commonplace
