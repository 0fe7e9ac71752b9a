#include "commonplace/detect/core/graph_diffusion.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/row_sample.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace graph_diffusion_test {

using namespace detect;

using test::message_of;

Matrix random_rows(Eigen::Index rows, std::uint64_t seed = 1) {
  return test::normal_matrix(rows, 8, seed).cast<float>();
}

std::vector<std::int64_t> numbers(std::int64_t count) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

GraphDiffusion fit_alone(const Matrix& rows, const GraphDiffusionOptions& options = {}) {
  return fit_graph_diffusion(rows, options, {}).model;
}

/// C^(-power / 2) of the rows' covariance.
MatrixD naive_whitening(const MatrixD& rows, double power) {
  const MatrixD centred = rows.rowwise() - rows.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd(centred.transpose() * centred / static_cast<double>(rows.rows())));
  return solver.eigenvectors() *
         solver.eigenvalues().array().pow(-power / 2).matrix().asDiagonal() *
         solver.eigenvectors().transpose();
}

/// One round, with a sort of all cosines: `rows` towards what their nearest `keys` have in
/// `values`.
MatrixD naive_round(const MatrixD& rows, const MatrixD& keys, const MatrixD& values,
                    const GraphDiffusionOptions& options, bool own) {
  MatrixD result = rows;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    std::vector<std::pair<double, Eigen::Index>> order;
    for (Eigen::Index j = 0; j < keys.rows(); ++j)
      if (!(own && i == j) && rows.row(i).dot(keys.row(j)) > 0)
        order.emplace_back(-rows.row(i).dot(keys.row(j)), j);
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), static_cast<std::size_t>(options.neighbours)));
    if (order.empty()) continue;
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(rows.cols());
    double sum = 0;
    for (const auto& [cosine, j] : order) {
      mean += std::pow(-cosine, options.sharpness) * values.row(j);
      sum += std::pow(-cosine, options.sharpness);
    }
    result.row(i) = (1 - options.share) * rows.row(i) + options.share * mean / sum;
  }
  return result;
}

/// `rows` diffused over `references`; they are the same items if `own`.
MatrixD naive_diffusion(const MatrixD& rows, const MatrixD& references,
                        const GraphDiffusionOptions& options, bool own) {
  MatrixD a = rows;
  MatrixD b = references;
  if (options.whitening > 0) {
    const MatrixD whitening = naive_whitening(references, options.whitening);
    a = (rows.rowwise() - references.colwise().mean()) * whitening;
    b = (references.rowwise() - references.colwise().mean()) * whitening;
  }
  a.rowwise().normalize();
  b.rowwise().normalize();
  MatrixD values = b;
  for (int round = 1; round < options.rounds; ++round)
    values = naive_round(b, b, values, options, true);
  return naive_round(a, b, values, options, own).rowwise().normalized();
}

TEST(GraphDiffusion, IsTheMeanWithTheNearest) {
  const Matrix rows = random_rows(120);
  const Matrix others = random_rows(40, 2);
  for (const std::int64_t neighbours : {1, 5, 200})
    for (const double whitening : {0.0, 0.5, 1.0})
      for (const int rounds : {1, 2, 4}) {
        GraphDiffusionOptions options;
        options.neighbours = neighbours;
        options.whitening = whitening;
        options.rounds = rounds;
        options.share = rounds == 4 ? 0.3 : 0.5;
        options.sharpness = neighbours == 5 ? 3 : 0;
        const GraphDiffusion model = fit_alone(rows, options);
        const MatrixD own =
            naive_diffusion(rows.cast<double>(), rows.cast<double>(), options, true);
        EXPECT_LT((encode(model, rows, numbers(120)).cast<double>() - own).cwiseAbs().maxCoeff(),
                  2e-5);
        const MatrixD fresh =
            naive_diffusion(others.cast<double>(), rows.cast<double>(), options, false);
        EXPECT_LT((encode(model, others).cast<double>() - fresh).cwiseAbs().maxCoeff(), 2e-5);
      }
}

TEST(GraphDiffusion, WithoutAShareRowsAreOnlyWhitened) {
  const Matrix rows = random_rows(50);
  GraphDiffusionOptions options;
  options.share = 0;
  options.whitening = 0;
  const Matrix same = encode(fit_alone(rows, options), rows, numbers(50));
  EXPECT_LT((same - Matrix(rows.rowwise().normalized())).cwiseAbs().maxCoeff(), 1e-6F);
}

/// Against the same rows whitened and not averaged.
TEST(GraphDiffusion, DrawsGroupsTogether) {
  Matrix rows = 0.5F * random_rows(300, 3);
  for (Eigen::Index i = 0; i < 300; ++i) rows(i, i % 3) += 1.5F;
  const auto apart = [&](double share) {
    GraphDiffusionOptions options;
    options.share = share;
    const Matrix values = encode(fit_alone(rows, options), rows, numbers(300));
    double within = 0;
    double between = 0;
    for (Eigen::Index i = 3; i < 300; ++i) {
      within += static_cast<double>(values.row(i).dot(values.row(i % 3))) / 297;
      between += static_cast<double>(values.row(i).dot(values.row((i + 1) % 3))) / 297;
    }
    return within - between;
  };
  EXPECT_GT(apart(0.5), apart(0) + 0.1);
}

TEST(GraphDiffusion, NeitherJobsNorCompanyMatter) {
  const Matrix rows = random_rows(500);
  const GraphDiffusion model = fit_alone(rows);
  const auto items = numbers(500);
  const Matrix together = encode(model, rows, items, 1);
  EXPECT_EQ(encode(model, rows, items, 3), together);
  for (const Eigen::Index row : {0, 7, 499}) {
    const std::vector<std::int64_t> one = {row};
    EXPECT_EQ(encode(model, rows.row(row), one), together.row(row));
  }
}

TEST(GraphDiffusion, PermutedItemsGiveThePermutedAnswer) {
  const Matrix rows = random_rows(150);
  std::vector<Eigen::Index> order(150);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(4);
  std::shuffle(order.begin(), order.end(), rng);
  const Matrix permuted = rows(order, Eigen::all);
  const Matrix a = encode(fit_alone(rows), rows, numbers(150));
  const Matrix b = encode(fit_alone(permuted), permuted, numbers(150));
  EXPECT_LT((Matrix(a(order, Eigen::all)) - b).cwiseAbs().maxCoeff(), 1e-5F);
}

TEST(GraphDiffusion, RanksHoldTheSameReferences) {
  const Matrix rows = random_rows(203);
  for (const std::int64_t references : {1, 50, 202, 203, 1000}) {
    GraphDiffusionOptions options;
    options.references = references;
    const GraphDiffusion alone = fit_alone(rows, options);
    ASSERT_EQ(std::ssize(alone.rows), std::min<std::int64_t>(203, references));
    EXPECT_TRUE(std::is_sorted(alone.rows.begin(), alone.rows.end()));
    for (int ranks = 1; ranks <= 4; ++ranks)
      run_as_threads(ranks, [&](Comm& comm) {
        const RowRange range = rows_of_rank(203, comm.rank(), comm.size());
        const auto fit = fit_graph_diffusion(rows.middleRows(range.begin, range.end - range.begin),
                                             options, {comm});
        EXPECT_EQ(fit.model.rows, alone.rows);
        EXPECT_LT((fit.model.references - alone.references).cwiseAbs().maxCoeff(), 1e-5F);
        EXPECT_LT((encode(fit.model, rows) - encode(alone, rows)).cwiseAbs().maxCoeff(), 1e-4F);
      });
  }
  GraphDiffusionOptions options;
  options.references = 50;
  const auto one = fit_alone(rows, options).rows;
  options.seed = 2;
  EXPECT_NE(fit_alone(rows, options).rows, one);
}

TEST(RowSample, IsOfRowsDrawnEvenly) {
  const Matrix rows = random_rows(4000, 5);
  SelfComm comm;
  const RowSample sample = sample_rows(rows, 1000, 3, comm);
  ASSERT_EQ(std::ssize(sample.items), 1000);
  EXPECT_TRUE(std::is_sorted(sample.items.begin(), sample.items.end()));
  EXPECT_EQ(std::adjacent_find(sample.items.begin(), sample.items.end()), sample.items.end());
  std::int64_t low = 0;
  for (std::size_t i = 0; i < sample.items.size(); ++i) {
    EXPECT_EQ(sample.rows.row(static_cast<Eigen::Index>(i)), rows.row(sample.items[i]));
    low += sample.items[i] < 2000 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(low), 500, 60);
}

TEST(GraphDiffusion, RowsOfNothingStayNothing) {
  Matrix rows = random_rows(20);
  rows.row(3).setZero();
  GraphDiffusionOptions options;
  options.whitening = 0;
  const Matrix diffused = encode(fit_alone(rows, options), rows, numbers(20));
  EXPECT_EQ(diffused.row(3).norm(), 0);
  EXPECT_TRUE(diffused.allFinite());
}

TEST(GraphDiffusion, BadInputIsRefused) {
  Matrix rows = random_rows(20);
  const GraphDiffusion good = fit_alone(rows);
  struct Case {
    const char* name;
    std::function<void(GraphDiffusionOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"neighbours", [](auto& options) { options.neighbours = 0; }},
                         {"share", [](auto& options) { options.share = -0.1; }},
                         {"share", [](auto& options) { options.share = std::nan(""); }},
                         {"sharpness", [](auto& options) { options.sharpness = -1; }},
                         {"rounds", [](auto& options) { options.rounds = 0; }},
                         {"whitening", [](auto& options) { options.whitening = 1.5; }},
                         {"references", [](auto& options) { options.references = 0; }}}) {
    GraphDiffusionOptions options;
    spoil(options);
    EXPECT_TRUE(
        message_of([&] { fit_alone(rows, options); }).starts_with(std::string(name) + " is "));
  }
  EXPECT_THROW(fit_alone(Matrix(0, 8)), Error);
  EXPECT_THROW(fit_alone(Matrix(8, 0)), Error);
  EXPECT_THROW(encode(good, Matrix(1, 3)), Error);
  EXPECT_THROW(encode(good, rows, numbers(19)), Error);
  rows(11, 4) = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(message_of([&] { encode(good, rows); }).starts_with("row 12 "));
  EXPECT_TRUE(message_of([&] { fit_alone(rows); }).starts_with("row 12 "));
}

TEST(GraphDiffusionFile, KeepsEveryBitAndRefusesDamage) {
  const Matrix rows = random_rows(30);
  GraphDiffusionOptions options;
  options.share = 0.25;
  const GraphDiffusion good = fit_alone(rows, options);
  const test::TemporaryDirectory folder;
  save(good, folder / "m.safetensors");
  const GraphDiffusion again = load_graph_diffusion(TensorFile(folder / "m.safetensors"));
  EXPECT_EQ(encode(again, rows), encode(good, rows));
  EXPECT_EQ(again.rows, good.rows);
  EXPECT_EQ(to_bytes(good), test::slurp(folder / "m.safetensors"));
  EXPECT_EQ(options_to_json(again.options), options_to_json(good.options));
  const std::string bytes = test::slurp(folder / "m.safetensors");
  for (std::size_t size = 0; size < bytes.size(); size += 11)
    EXPECT_THROW(load_graph_diffusion(TensorFile(bytes.substr(0, size), "cut")), Error) << size;
  using Spoil = std::function<void(GraphDiffusion&)>;
  for (const auto& spoil : std::vector<Spoil>{
           [](auto& model) { model.rows.pop_back(); },
           [](auto& model) { std::swap(model.rows[0], model.rows[1]); },
           [](auto& model) { model.rows[0] = -1; },
           [](auto& model) { model.averaged.conservativeResize(29, 8); },
           [](auto& model) { model.whitening.conservativeResize(8, 7); },
           [](auto& model) { model.mean.conservativeResize(7); },
           [](auto& model) { model.mean(0) = std::nan(""); },
           [](auto& model) { model.references(0, 0) = std::numeric_limits<float>::quiet_NaN(); },
           [](auto& model) { model.options.neighbours = -1; }}) {
    GraphDiffusion bad = good;
    spoil(bad);
    save(bad, folder / "bad.safetensors");
    EXPECT_THROW(load_graph_diffusion(TensorFile(folder / "bad.safetensors")), Error);
  }
}

}  // namespace graph_diffusion_test
}  // namespace commonplace
