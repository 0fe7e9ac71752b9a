#include "commonplace/search/core/shared_subspace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/search/core/shared_subspace_solver.h"
#include "commonplace/search/core/topic_blocks.h"
#include "tests/support/naive_shared_subspace.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace shared_subspace_test {

using namespace search;

/// A sparse matrix of either type with what it points into.
template <class Scalar>
struct Owned {
  std::int64_t columns = 0;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> indices;
  std::vector<Scalar> values;

  std::int64_t rows() const { return std::ssize(starts) - 1; }
  BasicSparseView<Scalar> view() const { return {rows(), columns, starts, indices, values}; }
};

template <class Scalar>
Owned<Scalar> sparse_of(const MatrixD& dense) {
  Owned<Scalar> result;
  result.columns = dense.cols();
  for (Eigen::Index row = 0; row < dense.rows(); ++row) {
    for (Eigen::Index column = 0; column < dense.cols(); ++column)
      if (dense(row, column) != 0) {
        result.indices.push_back(static_cast<std::int32_t>(column));
        result.values.push_back(static_cast<Scalar>(dense(row, column)));
      }
    result.starts.push_back(std::ssize(result.indices));
  }
  return result;
}

template <class Scalar>
class Collections {
 public:
  explicit Collections(const std::vector<MatrixD>& dense) {
    for (const MatrixD& data : dense) owned_.push_back(sparse_of<Scalar>(data));
    for (const auto& data : owned_) views_.push_back(data.view());
  }
  std::span<const BasicSparseView<Scalar>> views() const { return views_; }

 private:
  std::vector<Owned<Scalar>> owned_;
  std::vector<BasicSparseView<Scalar>> views_;
};

MatrixD random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  MatrixD result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  return result;
}

/// Random data of which about a third is not zero.
MatrixD sparse_random(Eigen::Index items, Eigen::Index terms, std::uint64_t seed) {
  const MatrixD kept = random_matrix(items, terms, seed + 500);
  return (kept.array() < 0.35).select(random_matrix(items, terms, seed), 0);
}

constexpr int kTermsPerTopic = 8;

/// Items mostly of one topic out of `topics`, of which each has 8 neighbouring terms out of
/// `terms`, as real data has: some weights in any other place, and items of two topics.
MatrixD planted(Eigen::Index items, Eigen::Index terms, const std::vector<int>& topics,
                std::uint64_t seed) {
  Rng rng(seed);
  MatrixD result = MatrixD::Zero(items, terms);
  for (Eigen::Index item = 0; item < items; ++item) {
    for (int i = 0; i < 2; ++i) {
      const int topic =
          topics[(static_cast<std::size_t>(item) + rng.below(i == 0 ? 1 : 3)) % topics.size()];
      const double strength = 0.5 + rng.uniform();
      for (int w = 0; w < kTermsPerTopic; ++w)
        if (rng.uniform() < 0.8)
          result(item, topic * kTermsPerTopic + w) += strength * (1 + 0.5 * (w % 3));
    }
    result(item, static_cast<Eigen::Index>(rng.below(static_cast<std::uint64_t>(terms)))) += 0.3;
  }
  return result;
}

/// Topics 0 and 1 are in both collections, 2 and 3 in the first, 4 and 5 in the second.
std::vector<MatrixD> planted_pair(std::uint64_t seed = 1) {
  return {planted(120, 48, {0, 1, 2, 3}, seed), planted(90, 48, {0, 1, 4, 5}, seed + 1)};
}

const std::vector<TopicBlock> kPair = {{{0, 1}, 2}, {{0}, 2}, {{1}, 2}};
const std::vector<TopicBlock> kThree = {{{0, 1, 2}, 2}, {{0, 1}, 1}, {{0, 2}, 2},
                                        {{0}, 1},       {{1}, 3},    {{2}, 1}};

std::vector<MatrixD> three_collections() {
  return {sparse_random(30, 25, 1), sparse_random(20, 25, 2), sparse_random(12, 25, 3)};
}

template <class Scalar>
Factors<Scalar> random_start(const std::vector<MatrixD>& data,
                             const std::vector<TopicBlock>& blocks, std::uint64_t seed) {
  Factors<Scalar> start;
  start.basis = random_matrix(data[0].cols(), topic_count(blocks), seed).cast<Scalar>();
  for (std::size_t d = 0; d < data.size(); ++d)
    start.codes.push_back(random_matrix(data[d].rows(),
                                        std::ssize(topics_of(blocks, static_cast<int>(d))),
                                        seed + 10 + d)
                              .template cast<Scalar>());
  return start;
}

template <class Scalar>
Factorisation<Scalar> factorise_alone(const std::vector<MatrixD>& data,
                                      const std::vector<TopicBlock>& blocks, Factors<Scalar> start,
                                      const FactoriseOptions& options) {
  const Collections<Scalar> collections(data);
  return factorise(collections.views(), blocks, std::move(start), options, {.jobs = 1});
}

SharedSubspaceOptions options_for_test(const std::string& solver = "hals") {
  SharedSubspaceOptions options;
  options.solver = solver;
  options.iterations = 60;
  options.tolerance = 0;
  return options;
}

SharedSubspaceFit fit_alone(const std::vector<MatrixD>& data, const std::vector<TopicBlock>& blocks,
                            const SharedSubspaceOptions& options, int jobs = 1) {
  const Collections<float> collections(data);
  return fit_shared_subspace(collections.views(), blocks, options, {.jobs = jobs});
}

template <class A, class B>
double difference(const A& a, const B& b) {
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff() /
         b.cwiseAbs().maxCoeff();
}

void expect_never_rising(const std::vector<double>& objective, double tolerance) {
  for (std::size_t i = 1; i < objective.size(); ++i)
    EXPECT_LE(objective[i], objective[i - 1] * (1 + tolerance)) << i;
}

MatrixD read_csv(const std::filesystem::path& path) {
  std::istringstream lines(test::slurp(path));
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  MatrixD result(std::ssize(rows), std::ssize(rows.at(0)));
  for (Eigen::Index i = 0; i < result.rows(); ++i)
    for (Eigen::Index j = 0; j < result.cols(); ++j)
      result(i, j) = rows[static_cast<std::size_t>(i)].at(static_cast<std::size_t>(j));
  return result;
}

MatrixD side_by_side(const MatrixD& a, const MatrixD& b) {
  MatrixD result(a.rows(), a.cols() + b.cols());
  result << a, b;
  return result;
}

MatrixD stacked(const MatrixD& a, const MatrixD& b) {
  MatrixD result(a.rows() + b.rows(), a.cols());
  result << a, b;
  return result;
}

/// Other programs' matrices are terms x items; ours are items x terms.
class SharedSubspaceOracle : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::oracle_directory() / "jsnmf";
    if (test::oracle_directory().empty() || !std::filesystem::exists(folder_))
      GTEST_SKIP() << "the other programs' outputs are not here";
    data_ = {read("X").transpose(), read("Y").transpose()};
  }
  MatrixD read(const std::string& name) const { return read_csv(folder_ / (name + ".csv")); }

  FactoriseOptions steps(int iterations) const {
    FactoriseOptions options;
    options.multiplicative = true;
    options.iterations = iterations;
    options.normalise = false;
    return options;
  }

  std::filesystem::path folder_;
  std::vector<MatrixD> data_;
};

TEST_F(SharedSubspaceOracle, MultiplicativeStepsTakeTheSameWay) {
  const std::vector<TopicBlock> blocks = {{{0, 1}, 3}, {{0}, 3}, {{1}, 2}};
  for (const bool normalise : {false, true}) {
    // The oracle scales after the codes, we before them, which epsilon notices.
    const double tolerance = normalise ? 2e-9 : 1e-12;
    const std::string suffix = normalise ? "norm" : "raw";
    FactoriseOptions options = steps(100);
    options.normalise = normalise;
    Factors<double> start;
    start.basis = side_by_side(side_by_side(read("W0"), read("U0")), read("V0"));
    start.codes = {read("H0").transpose(), read("L0").transpose()};
    const auto found = factorise_alone(data_, blocks, std::move(start), options);
    const MatrixD w = read("W_100_" + suffix);
    const MatrixD u = read("U_100_" + suffix);
    const MatrixD v = read("V_100_" + suffix);
    EXPECT_LT(difference(found.factors.basis, side_by_side(side_by_side(w, u), v)), tolerance);
    EXPECT_LT(difference(found.factors.codes[0], read("H_100_" + suffix).transpose().eval()),
              tolerance);
    EXPECT_LT(difference(found.factors.codes[1], read("L_100_" + suffix).transpose().eval()),
              tolerance);
    const MatrixD objective = read("obj_" + suffix);
    ASSERT_EQ(objective.rows(), 101);
    for (Eigen::Index i = 1; i < 101; ++i)
      EXPECT_NEAR(found.report.objective[static_cast<std::size_t>(i - 1)], objective(i, 0),
                  tolerance * objective(i, 0));
  }
}

TEST_F(SharedSubspaceOracle, TheLimitsAreScikitLearns) {
  FactoriseOptions options = steps(30);
  options.epsilon = 0;
  const auto joint = factorise_alone<double>(
      data_, {{{0, 1}, 5}},
      {read("full_W0"), {read("full_H0").transpose(), read("full_L0").transpose()}}, options);
  EXPECT_LT(difference(joint.factors.basis, read("full_W_sklearn30")), 1e-12);
  EXPECT_LT(difference(joint.factors.codes[0], read("full_H_sklearn30").transpose().eval()), 1e-12);
  EXPECT_LT(difference(joint.factors.codes[1], read("full_L_sklearn30").transpose().eval()), 1e-12);

  const MatrixD other = random_matrix(data_[1].rows(), 4, 5);
  const auto apart = factorise_alone<double>(
      data_, {{{0}, 6}, {{1}, 4}},
      {side_by_side(read("k0_F0"), random_matrix(40, 4, 6)), {read("k0_H0").transpose(), other}},
      options);
  EXPECT_LT(difference(apart.factors.basis.leftCols(6).eval(), read("k0_F_sklearn30")), 1e-12);
  EXPECT_LT(difference(apart.factors.codes[0], read("k0_H_sklearn30").transpose().eval()), 1e-12);
}

TEST(SharedSubspace, AgreesWithTheEquationsAsLoops) {
  const std::vector<MatrixD> data = three_collections();
  for (const std::string solver : {"mu", "hals"})
    for (const bool normalise : {false, true}) {
      FactoriseOptions options;
      options.multiplicative = solver == "mu";
      options.iterations = 25;
      options.sweeps = 1;
      options.normalise = normalise;
      const auto start = random_start<double>(data, kThree, 4);
      const auto naive = test::naive_shared_subspace(data, kThree, start.basis, start.codes, solver,
                                                     25, 1e-9, normalise);
      const auto found = factorise_alone(data, kThree, start, options);
      const double tolerance = normalise && solver == "mu" ? 1e-8 : 1e-11;
      EXPECT_LT(difference(found.factors.basis, naive.basis), tolerance) << solver;
      for (std::size_t d = 0; d < data.size(); ++d)
        EXPECT_LT(difference(found.factors.codes[d], naive.codes[d]), tolerance) << solver;
      for (std::size_t i = 0; i < 25; ++i)
        EXPECT_NEAR(found.report.objective[i], naive.objective[i], tolerance * naive.objective[i]);
    }
}

template <class Scalar>
void expect_descent(const std::vector<MatrixD>& data, const std::vector<TopicBlock>& blocks,
                    double tolerance) {
  for (const bool multiplicative : {false, true})
    for (const int sweeps : {1, 4}) {
      FactoriseOptions options;
      options.multiplicative = multiplicative;
      options.iterations = 150;
      options.sweeps = sweeps;
      const auto found =
          factorise_alone(data, blocks, random_start<Scalar>(data, blocks, 3), options);
      ASSERT_EQ(found.report.objective.size(), 150U);
      expect_never_rising(found.report.objective, tolerance);
      EXPECT_LT(found.report.objective.back(), 0.9 * found.report.objective.front());
    }
}

TEST(SharedSubspace, TheObjectiveNeverRises) {
  const std::vector<MatrixD> three = three_collections();
  expect_descent<double>({three[0]}, {{{0}, 6}}, 1e-12);
  expect_descent<float>({three[0]}, {{{0}, 6}}, 1e-6);
  expect_descent<double>(planted_pair(), kPair, 1e-12);
  expect_descent<float>(planted_pair(), kPair, 1e-6);
  expect_descent<double>(three, kThree, 1e-12);
  expect_descent<float>(three, kThree, 1e-6);
}

TEST(SharedSubspace, TheObjectiveIsThatOfTheResult) {
  const std::vector<MatrixD> data = three_collections();
  for (const std::string solver : {"hals", "mu"}) {
    const SharedSubspaceFit fit = fit_alone(data, kThree, options_for_test(solver));
    double objective = 0;
    for (std::size_t d = 0; d < data.size(); ++d) {
      const auto topics = fit.model.topics_of(static_cast<int>(d));
      const MatrixD basis = fit.model.basis(Eigen::all, topics).cast<double>();
      objective += data[0].squaredNorm() / data[d].squaredNorm() *
                   (data[d] - fit.codes[d].cast<double>() * basis.transpose()).squaredNorm();
    }
    EXPECT_NEAR(fit.report.objective.back(), objective, 1e-5 * objective);
    for (Eigen::Index k = 0; k < fit.model.basis.cols(); ++k)
      EXPECT_NEAR(fit.model.basis.col(k).norm(), 1, 1e-5);
  }
}

/// The cosine of the planted topic with the most similar column of the basis, and which that is.
std::pair<double, Eigen::Index> closest(const Matrix& basis, int topic) {
  VectorD truth = VectorD::Zero(basis.rows());
  for (int w = 0; w < kTermsPerTopic; ++w) truth(topic * kTermsPerTopic + w) = 1 + 0.5 * (w % 3);
  Eigen::Index best = 0;
  const double cosine = (basis.cast<double>().transpose() * truth.normalized()).maxCoeff(&best);
  return {cosine, best};
}

TEST(SharedSubspace, RecoversPlantedTopicsInTheirBlocks) {
  const std::vector<MatrixD> data = planted_pair();
  SharedSubspaceOptions options = options_for_test();
  options.iterations = 200;
  // A factorisation finds the nearest optimum only: the best of five starts.
  SharedSubspaceFit best = fit_alone(data, kPair, options);
  for (options.seed = 2; options.seed <= 5; ++options.seed) {
    SharedSubspaceFit fit = fit_alone(data, kPair, options);
    if (fit.report.objective.back() < best.report.objective.back()) best = std::move(fit);
  }
  for (int topic = 0; topic < 6; ++topic) {
    const auto [cosine, column] = closest(best.model.basis, topic);
    EXPECT_GT(cosine, 0.95) << "planted topic " << topic;
    EXPECT_EQ(column / 2, topic / 2) << "the block of planted topic " << topic;
  }
}

TEST(SharedSubspace, WithNothingSharedItIsTwoFactorisations) {
  const std::vector<MatrixD> data = planted_pair();
  const std::vector<TopicBlock> apart = {{{0}, 4}, {{1}, 3}};
  for (const bool multiplicative : {false, true}) {
    FactoriseOptions options;
    options.multiplicative = multiplicative;
    options.iterations = 30;
    options.sweeps = 1;  // more would be of a number that rounding may change
    const Factors<double> start = random_start<double>(data, apart, 8);
    const auto both = factorise_alone(data, apart, start, options);
    for (std::size_t d = 0; d < 2; ++d) {
      const Eigen::Index first = d == 0 ? 0 : 4;
      const Eigen::Index count = d == 0 ? 4 : 3;
      const auto one = factorise_alone<double>(
          {data[d]}, {{{0}, static_cast<int>(count)}},
          {start.basis.middleCols(first, count), {start.codes[d]}}, options);
      EXPECT_LT(difference(both.factors.basis.middleCols(first, count).eval(), one.factors.basis),
                1e-10);
      EXPECT_LT(difference(both.factors.codes[d], one.factors.codes[0]), 1e-10);
    }
  }
}

TEST(SharedSubspace, WithEverythingSharedItIsOneOfAllItems) {
  const std::vector<MatrixD> data = planted_pair();
  const double weight = data[0].squaredNorm() / data[1].squaredNorm();
  for (const bool multiplicative : {false, true}) {
    FactoriseOptions options;
    options.multiplicative = multiplicative;
    options.iterations = 30;
    options.sweeps = 1;
    options.epsilon = 0;
    const Factors<double> start = random_start<double>(data, {{{0, 1}, 5}}, 8);
    const auto both = factorise_alone(data, {{{0, 1}, 5}}, start, options);
    const double root = std::sqrt(weight);
    const auto one = factorise_alone<double>(
        {stacked(data[0], root * data[1])}, {{{0}, 5}},
        {start.basis, {stacked(start.codes[0], root * start.codes[1])}}, options);
    EXPECT_LT(difference(both.factors.basis, one.factors.basis), 1e-10);
    EXPECT_LT(difference(stacked(both.factors.codes[0], root * both.factors.codes[1]),
                         one.factors.codes[0]),
              1e-10);
    EXPECT_NEAR(both.report.objective.back(), one.report.objective.back(),
                1e-10 * one.report.objective.back());
  }
}

std::vector<MatrixD> part_of_rank(const std::vector<MatrixD>& data, int rank, int size) {
  std::vector<MatrixD> result;
  for (const MatrixD& x : data) {
    const RowRange range = rows_of_rank(x.rows(), rank, size);
    result.emplace_back(x.middleRows(range.begin, range.end - range.begin));
  }
  return result;
}

TEST(SharedSubspace, RanksAgreeWithOneProcess) {
  const std::vector<MatrixD> data = planted_pair();
  for (const std::string solver : {"hals", "mu"}) {
    SharedSubspaceOptions options = options_for_test(solver);
    options.iterations = 20;
    const SharedSubspaceFit alone = fit_alone(data, kPair, options);
    for (const int ranks : {1, 2, 3, 4}) {
      std::mutex mutex;
      std::vector<SharedSubspaceFit> fits(static_cast<std::size_t>(ranks));
      run_as_threads(ranks, [&](Comm& comm) {
        const Collections<float> part(part_of_rank(data, comm.rank(), comm.size()));
        SharedSubspaceFit fit = fit_shared_subspace(part.views(), kPair, options, {comm, 1});
        const std::lock_guard lock(mutex);
        fits[static_cast<std::size_t>(comm.rank())] = std::move(fit);
      });
      std::vector<Eigen::Index> row(data.size());
      for (const SharedSubspaceFit& fit : fits) {
        EXPECT_EQ(fit.model.basis, fits[0].model.basis) << "the same bits on all ranks";
        EXPECT_EQ(fit.report.objective, fits[0].report.objective);
        EXPECT_LT(difference(fit.model.basis, alone.model.basis), 2e-3);
        for (std::size_t i = 0; i < alone.report.objective.size(); ++i)
          EXPECT_NEAR(fit.report.objective[i], alone.report.objective[i],
                      1e-4 * alone.report.objective[i]);
        for (std::size_t d = 0; d < data.size(); ++d) {
          const auto mine = alone.codes[d].middleRows(row[d], fit.codes[d].rows()).eval();
          EXPECT_LT((fit.codes[d] - mine).cwiseAbs().maxCoeff(), 2e-3F * alone.codes[d].maxCoeff());
          row[d] += fit.codes[d].rows();
        }
      }
      EXPECT_EQ(row[0], 120);
      EXPECT_EQ(row[1], 90);
    }
  }
}

TEST(SharedSubspace, RanksAgreeToRoundingInDouble) {
  const std::vector<MatrixD> data = three_collections();
  FactoriseOptions options;
  options.iterations = 20;
  const Factors<double> start = random_start<double>(data, kThree, 2);
  const auto alone = factorise_alone<double>(data, kThree, {start.basis, {}}, options);
  for (const int ranks : {2, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      const Collections<double> part(part_of_rank(data, comm.rank(), comm.size()));
      const auto found =
          factorise<double>(part.views(), kThree, {start.basis, {}}, options, {comm, 1});
      EXPECT_LT(difference(found.factors.basis, alone.factors.basis), 1e-9);
    });
}

TEST(SharedSubspace, ARankWithoutItemsTakesPart) {
  const std::vector<MatrixD> data = {sparse_random(2, 9, 1), sparse_random(3, 9, 2)};
  const std::vector<TopicBlock> blocks = {{{0, 1}, 4}, {{1}, 1}};
  SharedSubspaceOptions options = options_for_test();
  options.iterations = 5;
  const SharedSubspaceFit alone = fit_alone(data, blocks, options);
  run_as_threads(4, [&](Comm& comm) {
    const Collections<float> part(part_of_rank(data, comm.rank(), comm.size()));
    const SharedSubspaceFit fit = fit_shared_subspace(part.views(), blocks, options, {comm, 1});
    EXPECT_LT(difference(fit.model.basis, alone.model.basis), 1e-3);
    EXPECT_EQ(fit.codes[0].cols(), 4);
    EXPECT_EQ(fit.codes[1].cols(), 5);
  });
}

TEST(SharedSubspace, RanksWithOtherTermsAreRefused) {
  EXPECT_THROW(
      run_as_threads(2,
                     [](Comm& comm) {
                       const Collections<float> data({sparse_random(5, 9 + comm.rank(), 1)});
                       fit_shared_subspace(data.views(), {{{0}, 2}}, options_for_test(), {comm, 1});
                     }),
      Error);
}

TEST(SharedSubspace, DoesNotDependOnJobs) {
  const std::vector<MatrixD> data = {sparse_random(500, 300, 1), sparse_random(200, 300, 2)};
  for (const std::string solver : {"hals", "mu"}) {
    SharedSubspaceOptions options = options_for_test(solver);
    options.iterations = 5;
    const SharedSubspaceFit one = fit_alone(data, kPair, options);
    const SharedSubspaceFit three = fit_alone(data, kPair, options, 3);
    EXPECT_EQ(one.model.basis, three.model.basis);
    EXPECT_EQ(one.codes[0], three.codes[0]);
    EXPECT_EQ(one.codes[1], three.codes[1]);
    EXPECT_EQ(one.report.objective, three.report.objective);
  }
}

TEST(SharedSubspace, PermutedItemsGiveThePermutedAnswer) {
  const std::vector<MatrixD> data = planted_pair();
  std::vector<std::vector<int>> orders;
  std::vector<MatrixD> shuffled;
  Rng rng(9);
  for (const MatrixD& x : data) {
    std::vector<int> order(static_cast<std::size_t>(x.rows()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng);
    shuffled.emplace_back(x(order, Eigen::all));
    orders.push_back(order);
  }
  for (const std::string solver : {"hals", "mu"}) {
    SharedSubspaceOptions options = options_for_test(solver);
    options.iterations = 20;
    const SharedSubspaceFit straight = fit_alone(data, kPair, options);
    const SharedSubspaceFit permuted = fit_alone(shuffled, kPair, options);
    EXPECT_LT(difference(permuted.model.basis, straight.model.basis), 2e-3);
    for (std::size_t d = 0; d < 2; ++d)
      EXPECT_LT(difference(permuted.codes[d], Matrix(straight.codes[d](orders[d], Eigen::all))),
                2e-3);
  }
}

TEST(SharedSubspace, EmptyItemsAndTermsAndFewItemsWork) {
  MatrixD few = sparse_random(3, 20, 1);
  few.row(1).setZero();
  MatrixD many = sparse_random(30, 20, 2);
  few.col(7).setZero();
  many.col(7).setZero();
  for (const std::string solver : {"hals", "mu"}) {
    const SharedSubspaceFit fit =
        fit_alone({few, many}, {{{0, 1}, 6}, {{0}, 6}, {{1}, 6}}, options_for_test(solver));
    expect_never_rising(fit.report.objective, 1e-5);
    EXPECT_TRUE(fit.model.basis.allFinite());
    EXPECT_EQ(fit.model.basis.row(7), Matrix::Zero(1, 18).row(0));
    for (const Matrix& codes : fit.codes) EXPECT_TRUE(codes.allFinite());
    EXPECT_EQ(fit.codes[0].row(1), Matrix::Zero(1, 12).row(0));
  }
}

TEST(SharedSubspace, ATopicThatDiesHasZerosAsCodes) {
  MatrixD data = MatrixD::Zero(4, 3);
  data.col(0) << 1, 2, 3, 4;
  for (const bool multiplicative : {false, true}) {
    FactoriseOptions options;
    options.multiplicative = multiplicative;
    options.iterations = 5;
    const auto found = factorise_alone<float>(
        {data}, {{{0}, 2}}, {Matrix{{1, 0}, {0, 0}, {0, 0}}, {Matrix::Ones(4, 2)}}, options);
    expect_never_rising(found.report.objective, 1e-6);
    EXPECT_LT(found.report.objective.back(), 1e-3);
    EXPECT_TRUE(found.factors.basis.allFinite());
    for (Eigen::Index k = 0; k < 2; ++k)
      if (found.factors.basis.col(k).isZero()) {
        EXPECT_TRUE(found.factors.codes[0].col(k).isZero());
      }
  }
}

TEST(SharedSubspace, StopsByTheTolerance) {
  SharedSubspaceOptions options = options_for_test();
  options.iterations = 1000;
  options.tolerance = 1e-4;
  const SharedSubspaceFit fit = fit_alone(planted_pair(), kPair, options);
  EXPECT_TRUE(fit.report.converged);
  EXPECT_LT(fit.report.iterations, 1000);
  EXPECT_EQ(fit.report.objective.size(), static_cast<std::size_t>(fit.report.iterations));
  options.iterations = 2;
  EXPECT_FALSE(fit_alone(planted_pair(), kPair, options).report.converged);
}

TEST(SharedSubspace, ProgressCanStopIt) {
  int calls = 0;
  const Progress progress = [&](const ProgressStep& step) {
    EXPECT_EQ(step.total, 60U);
    if (++calls == 3) throw Cancelled();
  };
  const Collections<float> data(planted_pair());
  EXPECT_THROW(fit_shared_subspace(data.views(), kPair, options_for_test(),
                                   {.jobs = 1, .progress = progress}),
               Cancelled);
  EXPECT_EQ(calls, 3);
}

/// Expects an Error whose message has `part` in it.
template <class Body>
void expect_refused(const std::string& part, Body&& body) {
  try {
    body();
    ADD_FAILURE() << "expected a refusal that says " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SharedSubspace, RefusesBadOptions) {
  const auto refused = [](const std::string& part, auto change) {
    SharedSubspaceOptions options = options_for_test();
    change(options);
    expect_refused(part, [&] { fit_alone(planted_pair(), kPair, options); });
  };
  refused("hals or mu", [](SharedSubspaceOptions& options) { options.solver = "als"; });
  refused("iterations is 0", [](SharedSubspaceOptions& options) { options.iterations = 0; });
  refused("tolerance is -1", [](SharedSubspaceOptions& options) { options.tolerance = -1; });
  refused("tolerance is nan",
          [](SharedSubspaceOptions& options) { options.tolerance = std::nan(""); });
}

TEST(SharedSubspace, RefusesBadBlocks) {
  const auto refused = [](const std::string& part, const std::vector<TopicBlock>& blocks) {
    expect_refused(part, [&] { fit_alone(planted_pair(), blocks, options_for_test()); });
  };
  refused("no block belongs to collection 1", {});
  refused("no block belongs to collection 2", {{{0}, 2}});
  refused("0 topics", {{{0, 1}, 0}});
  refused("must ascend", {{{1, 0}, 3}});
  refused("must ascend", {{{0, 0, 1}, 3}});
  refused("member 2", {{{0, 1, 2}, 3}});
  refused("member -1", {{{-1, 0, 1}, 3}});
  refused("belongs to no collection", {{{0, 1}, 3}, {{}, 2}});
  refused("at most", {{{0, 1}, std::numeric_limits<int>::max()}, {{0}, 1 << 30}});
  expect_refused("give at least one", [] { fit_alone({}, kPair, options_for_test()); });
}

TEST(SharedSubspace, RefusesBadData) {
  const auto refused = [](const std::string& part, const std::vector<MatrixD>& data) {
    expect_refused(part, [&] { fit_alone(data, kPair, options_for_test()); });
  };
  std::vector<MatrixD> data = planted_pair();
  data[1](6, 3) = -1;
  refused("item 7 of collection 2 has a weight of -1", data);
  data[1](6, 3) = std::nan("");
  refused("item 7 of collection 2", data);
  data[1](6, 3) = std::numeric_limits<double>::infinity();
  refused("item 7 of collection 2", data);
  data[1].setConstant(1e30);
  refused("scale the weights", data);
  data[1].setConstant(1e-30);
  refused("scale the weights", data);
  data[1].setZero();
  refused("collection 2 has no item", data);
  data[1] = MatrixD::Ones(3, 47);
  refused("collection 2 has 47 terms", data);
  data[1] = MatrixD(0, 48);
  refused("collection 2 has no item", data);
}

TEST(SharedSubspace, RefusesAStartThatDoesNotFit) {
  const std::vector<MatrixD> data = planted_pair();
  const auto refused = [&](const std::string& part, auto change) {
    Factors<double> start = random_start<double>(data, kPair, 1);
    change(start);
    expect_refused(part, [&] { factorise_alone(data, kPair, start, FactoriseOptions{}); });
  };
  refused("terms x topics, 48 x 6", [](auto& start) { start.basis.resize(48, 5); });
  refused("not 0 or more", [](auto& start) { start.basis(3, 3) = -1; });
  refused("starts for 1 collections of 2", [](auto& start) { start.codes.pop_back(); });
  refused("items x topics, 90 x 4", [](auto& start) { start.codes[1].resize(90, 6); });
  refused("codes of collection 2", [](auto& start) { start.codes[1](0, 0) = std::nan(""); });
}

TEST(SharedBlocks, PutTogetherWhatIsAskedFor) {
  using Blocks = std::vector<TopicBlock>;
  EXPECT_EQ(shared_blocks(2, 6, 5, 3), (Blocks{{{0, 1}, 3}, {{0}, 3}, {{1}, 2}}));
  EXPECT_EQ(shared_blocks(2, 6, 5, 0), (Blocks{{{0}, 6}, {{1}, 5}}));
  EXPECT_EQ(shared_blocks(2, 6, 6, 6), (Blocks{{{0, 1}, 6}}));
  EXPECT_EQ(shared_blocks(3, 9, 5, 2, 3),
            (Blocks{{{0, 1, 2}, 2}, {{0, 1}, 3}, {{0, 2}, 3}, {{0}, 1}}));
  EXPECT_EQ(shared_blocks(1, 4, 0, 0), (Blocks{{{0}, 4}}));
  expect_refused("rank is 2, too few", [] { shared_blocks(2, 2, 5, 3); });
  expect_refused("auxiliaries is 2, too few", [] { shared_blocks(2, 5, 2, 3); });
  expect_refused("too few", [] { shared_blocks(3, 7, 9, 2, 3); });
  expect_refused("pairwise", [] { shared_blocks(2, 7, 9, 2, 3); });
  expect_refused("shared is -1", [] { shared_blocks(2, 7, 9, -1); });
  expect_refused("rank is 0", [] { shared_blocks(2, 0, 9, 0); });
  expect_refused("0 collections", [] { shared_blocks(0, 3, 9, 0); });
}

TEST(SharedSubspaceEncode, IsTheNonnegativeLeastSquares) {
  const std::vector<MatrixD> data = planted_pair();
  const SharedSubspaceFit fit = fit_alone(data, kPair, options_for_test());
  const std::vector<MatrixD> fresh = planted_pair(77);
  for (int d = 0; d < 2; ++d) {
    const MatrixD& items = fresh[static_cast<std::size_t>(d)];
    const Matrix codes = encode(fit.model, d, sparse_of<float>(items).view());
    const auto topics = fit.model.topics_of(d);
    ASSERT_EQ(codes.cols(), 4);
    const MatrixD basis = fit.model.basis(Eigen::all, topics).cast<double>();
    const MatrixD gram = basis.transpose() * basis;
    const MatrixD linear = items.cast<float>().cast<double>() * basis;
    for (Eigen::Index i = 0; i < items.rows(); ++i) {
      const VectorD exact = test::exhaustive_nonnegative_minimum(gram, linear.row(i).transpose());
      EXPECT_LT((codes.row(i).transpose().cast<double>() - exact).cwiseAbs().maxCoeff(),
                1e-6 * (1 + exact.maxCoeff()))
          << i;
    }
  }
}

TEST(SharedSubspaceEncode, MeetsTheConditionsOfAnOptimum) {
  const MatrixD data = sparse_random(80, 200, 5);
  const SharedSubspaceFit fit = fit_alone({data}, {{{0}, 40}}, options_for_test());
  const Matrix codes = encode(fit.model, 0, sparse_of<float>(data).view(), 2);
  const MatrixD basis = fit.model.basis.cast<double>();
  const MatrixD linear = data.cast<float>().cast<double>() * basis;
  const MatrixD gradient = codes.cast<double>() * (basis.transpose() * basis) - linear;
  for (Eigen::Index i = 0; i < codes.rows(); ++i)
    for (Eigen::Index k = 0; k < codes.cols(); ++k) {
      const double off = codes(i, k) > 0 ? std::abs(gradient(i, k)) : -gradient(i, k);
      EXPECT_LT(off, 1e-6 * linear.row(i).maxCoeff()) << i << ", " << k;
    }
}

TEST(SharedSubspaceEncode, AnItemWithoutKnownTermsGetsZeros) {
  std::vector<MatrixD> data = planted_pair();
  for (MatrixD& x : data) x.col(5).setZero();
  const SharedSubspaceFit fit = fit_alone(data, kPair, options_for_test());
  MatrixD strange = MatrixD::Zero(3, 48);
  strange(1, 5) = 2;
  strange(2, 0) = 1;
  const Matrix codes = encode(fit.model, 1, sparse_of<float>(strange).view());
  EXPECT_TRUE(codes.topRows(2).isZero(0));
  EXPECT_GT(codes.row(2).maxCoeff(), 0);
  EXPECT_EQ(encode(fit.model, 0, sparse_of<float>(MatrixD(0, 48)).view()).rows(), 0);
}

TEST(SharedSubspaceEncode, RefusesWhatDoesNotFit) {
  const SharedSubspaceFit fit = fit_alone(planted_pair(), kPair, options_for_test());
  MatrixD items = MatrixD::Ones(2, 48);
  expect_refused("no collection 2", [&] { encode(fit.model, 2, sparse_of<float>(items).view()); });
  expect_refused("no collection -1",
                 [&] { encode(fit.model, -1, sparse_of<float>(items).view()); });
  expect_refused("47 terms",
                 [&] { encode(fit.model, 0, sparse_of<float>(items.leftCols(47).eval()).view()); });
  items(1, 2) = -3;
  expect_refused("item 2", [&] { encode(fit.model, 0, sparse_of<float>(items).view()); });
}

TEST(SharedSubspaceFile, KeepsEveryBit) {
  const test::TemporaryDirectory directory;
  SharedSubspaceOptions options = options_for_test("mu");
  options.seed = ~std::uint64_t{0};
  options.tolerance = 0.1;
  const SharedSubspaceFit fit = fit_alone(three_collections(), kThree, options);
  save(fit.model, directory / "model.safetensors");
  const SharedSubspace loaded = load_shared_subspace(TensorFile(directory / "model.safetensors"));
  EXPECT_EQ(loaded.basis, fit.model.basis);
  EXPECT_EQ(loaded.blocks, kThree);
  EXPECT_EQ(loaded.collections(), 3);
  EXPECT_EQ(loaded.options.solver, "mu");
  EXPECT_EQ(loaded.options.seed, options.seed);
  EXPECT_EQ(loaded.options.tolerance, 0.1);
  EXPECT_EQ(loaded.options.iterations, options.iterations);
  const auto items = sparse_of<float>(three_collections()[1]);
  EXPECT_EQ(encode(loaded, 1, items.view()), encode(fit.model, 1, items.view()));
}

TEST(SharedSubspaceFile, DamageIsRefused) {
  const test::TemporaryDirectory directory;
  const SharedSubspaceFit fit = fit_alone(planted_pair(), kPair, options_for_test());
  save(fit.model, directory / "model.safetensors");
  const std::string whole = test::slurp(directory / "model.safetensors");
  EXPECT_THROW(load_shared_subspace(TensorFile(whole.substr(0, whole.size() - 8), "cut")), Error);
  for (std::size_t at = 0; at < whole.size(); at += 17) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(load_shared_subspace(TensorFile(flipped, "flipped")), Error) << at;
  }
}

TEST(SharedSubspaceFile, PartsThatDoNotFitAreRefused) {
  const auto refused = [](const std::string& part, const Matrix& basis, const std::string& blocks,
                          const std::string& kind = "shared-subspace") {
    TensorWriter writer;
    describe_model(writer, kind, 1, options_to_json(SharedSubspaceOptions{}));
    writer.set("blocks", blocks);
    writer.add("basis", basis);
    expect_refused(part, [&] { load_shared_subspace(TensorFile(writer.bytes(), "made")); });
  };
  const Matrix basis = Matrix::Ones(4, 3);
  refused("plsa", basis, "0,1:2;0:1", "plsa");
  refused("made: the basis has 3 topics, the blocks 4", basis, "0,1:2;0:2");
  refused("0 topics", basis, "0,1:3;0:0");
  refused("'-1'", basis, "0,1:4;0:-1");
  refused("'x'", basis, "0,x:3");
  refused("''", basis, "0,1");
  refused("''", basis, ":3");
  refused("must ascend", basis, "1,0:3");
  refused("no block belongs to collection 2", basis, "0,2:2;0:1");
  refused("at least one", Matrix(4, 0), "");
  refused("at most", basis, "0:1000000;0:1000000");
  Matrix bad = basis;
  bad(1, 1) = -1;
  refused("made: the basis has entries", bad, "0,1:2;0:1");
  bad(1, 1) = std::nanf("");
  refused("made: basis holds what is not a number", bad, "0,1:2;0:1");
}

}  // namespace shared_subspace_test
}  // namespace commonplace
