#include "commonplace/relate/core/guided_projection.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/options_json.h"
#include "commonplace/relate/core/guided_projection_operator.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_gp.h"
#include "tests/support/naive_guided_projection.h"
#include "tests/support/sample_library.h"
#include "tests/support/small_matrices.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace guided_projection_test {

using namespace relate;

using test::message_of;
using test::NaiveGuidance;
using test::normal_matrix;

enum class Form { dense, sparse, identity };

/// The numbers of a problem, of which any rank can take its part.
struct Problem {
  struct Modality {
    Form form = Form::dense;
    MatrixD features;  ///< floats; the identity for items without
    double gamma = 0.1;
  };
  std::vector<Modality> modalities;
  std::vector<NaiveGuidance> guidance;

  std::vector<test::NaiveModality> naive_modalities() const {
    std::vector<test::NaiveModality> result;
    for (const Modality& modality : modalities)
      result.push_back({modality.features, modality.gamma});
    return result;
  }
};

/// One rank's part of a problem; sparse matrices are parts of whole ones.
class Part {
 public:
  explicit Part(const Problem& problem, int rank = 0, int size = 1) {
    for (const Problem::Modality& modality : problem.modalities) {
      const RowRange range = rows_of_rank(modality.features.rows(), rank, size);
      GuidedModality own;
      own.items = range.end - range.begin;
      own.gamma = modality.gamma;
      if (modality.form == Form::dense) {
        dense_.push_back(modality.features.middleRows(range.begin, own.items).cast<float>());
        rows_.emplace_back(dense_.back());
      } else if (modality.form == Form::sparse) {
        sparse_.push_back(nonzeros_of(modality.features));
        rows_.push_back(slice(FeatureRows(sparse_.back()), range.begin, own.items));
      }
      if (modality.form != Form::identity) own.features = &rows_.back();
      modalities_.push_back(own);
    }
    for (const NaiveGuidance& given : problem.guidance) {
      const RowRange range = rows_of_rank(given.links.rows(), rank, size);
      sparse_.push_back(nonzeros_of(given.links));
      rows_.push_back(slice(FeatureRows(sparse_.back()), range.begin, range.end - range.begin));
      guidance_.push_back({given.from, given.to, rows_.back().sparse(), given.weight});
    }
  }

  std::span<GuidedModality> modalities() { return modalities_; }
  std::span<Guidance> guidance() { return guidance_; }

 private:
  std::deque<Matrix> dense_;
  std::deque<Sparse> sparse_;
  std::deque<FeatureRows> rows_;
  std::vector<GuidedModality> modalities_;
  std::vector<Guidance> guidance_;
};

GuidedProjectionFit fit_alone(const Problem& problem, const GuidedProjectionOptions& options,
                              const GuidedProjection* start = nullptr, int jobs = 1) {
  Part part(problem);
  return fit_guided_projection(part.modalities(), part.guidance(), options, {.jobs = jobs}, start);
}

/// The places of all items of a modality.
Matrix places(const GuidedProjection& model, const Problem& problem, std::size_t modality) {
  const Problem::Modality& from = problem.modalities[modality];
  if (from.form == Form::identity) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(from.features.rows()));
    std::iota(all.begin(), all.end(), 0);
    return encode_identity(model, modality, all);
  }
  if (from.form == Form::sparse) {
    const Sparse rows = nonzeros_of(from.features);
    return encode(model, modality, rows);
  }
  const Matrix rows = from.features.cast<float>();
  return encode(model, modality, rows);
}

MatrixD floats(const MatrixD& matrix) { return matrix.cast<float>().cast<double>(); }

/// Random signed links; about a share of `density` is there, a quarter of them below 0.
MatrixD random_links(Eigen::Index rows, Eigen::Index columns, double density, std::uint64_t seed) {
  MatrixD result = MatrixD::Zero(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) {
      const auto row = static_cast<std::uint64_t>(i);
      const auto column = static_cast<std::uint64_t>(j);
      if (random_uniform(seed, row, column) > density) continue;
      const double size = random_uniform(seed + 1, row, column);
      result(i, j) = random_uniform(seed + 2, row, column) < 0.25 ? -0.2 * size : size;
    }
  return floats(result);
}

Problem::Modality random_modality(Form form, Eigen::Index items, Eigen::Index features,
                                  std::uint64_t seed) {
  MatrixD rows = floats(normal_matrix(items, features, seed).array() + 0.5);
  if (form == Form::identity) rows = MatrixD::Identity(items, items);
  if (form == Form::sparse)
    rows = (normal_matrix(items, features, seed + 1).array() > 0.8).select(rows, 0);
  return {form, rows, 0.1 + 0.05 * static_cast<double>(seed % 3)};
}

Problem random_problem(const std::vector<Form>& forms, std::uint64_t seed, bool large = false) {
  Problem problem;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    problem.modalities.push_back(random_modality(forms[k], (large ? 90 : 30) + 7 * at,
                                                 (large ? 70 : 9) + 5 * at, seed + 10 * k));
  }
  const auto items = [&](std::size_t modality) {
    return problem.modalities[modality].features.rows();
  };
  for (std::size_t a = 0; a < forms.size(); ++a)
    for (std::size_t b = a; b < forms.size(); ++b) {
      if (a == b && a == 1) continue;
      problem.guidance.push_back({b, a,
                                  random_links(items(b), items(a), 0.3, seed + 100 + 10 * a + b),
                                  a == b ? 0.5 : 1.0 + 0.25 * static_cast<double>(b)});
    }
  return problem;
}

template <class A, class B>
double worst(const A& a, const B& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff();
}

GuidedProjectionOptions options_for_test(std::int64_t dim = 8) {
  GuidedProjectionOptions options;
  options.dim = dim;
  return options;
}

/// The fit is the beginning of the naive twin's answer.
void expect_naive(const Problem& problem, const GuidedProjectionOptions& options) {
  const GuidedProjectionFit fit = fit_alone(problem, options);
  const test::NaiveProjection naive =
      test::naive_guided_projection(problem.naive_modalities(), problem.guidance,
                                    options.constraint, options.balanced, options.centre);
  const auto dim = std::min<Eigen::Index>(options.dim, naive.values.size());
  ASSERT_EQ(fit.model.dim(), dim);
  EXPECT_TRUE(fit.report.converged);
  EXPECT_LT(fit.residuals.maxCoeff(), 1e-8);
  const double size = std::max(1.0, naive.values.cwiseAbs().maxCoeff());
  EXPECT_LT(worst(fit.model.eigenvalues, naive.values.head(dim)), 1e-8 * size);
  EXPECT_LT(worst(fit.model.strength, naive.strength.head(dim)), 1e-7 * size);
  for (std::size_t k = 0; k < problem.modalities.size(); ++k) {
    const Matrix found = places(fit.model, problem, k);
    const MatrixD expected = naive.place[k].leftCols(dim);
    // One sign a coordinate for all modalities together, but compared modality by modality.
    EXPECT_LT(worst(test::signs_of(found.cast<double>(), expected), expected),
              3e-6 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
  }
}

void expect_naive_in_all_ways(Problem problem) {
  for (const char* constraint : {"all", "first", "signed", "identity"})
    for (const bool balanced : {true, false})
      for (const bool centre : {true, false}) {
        SCOPED_TRACE(std::string(constraint) + (balanced ? " balanced" : "") +
                     (centre ? " centred" : ""));
        Problem given = problem;
        if (std::string(constraint) == "first")
          for (Problem::Modality& modality : given.modalities) modality.gamma = 8;
        GuidedProjectionOptions options = options_for_test();
        options.constraint = constraint;
        options.balanced = balanced;
        options.centre = centre;
        expect_naive(given, options);
      }
}

TEST(GuidedProjection, OneModalityIsTheNaiveTwin) {
  expect_naive_in_all_ways(random_problem({Form::dense}, 1));
  expect_naive_in_all_ways(random_problem({Form::sparse}, 2));
  expect_naive_in_all_ways(random_problem({Form::identity}, 3));
}

TEST(GuidedProjection, TwoModalitiesAreTheNaiveTwin) {
  expect_naive_in_all_ways(random_problem({Form::dense, Form::dense}, 4));
  expect_naive_in_all_ways(random_problem({Form::identity, Form::dense}, 5));
  expect_naive_in_all_ways(random_problem({Form::sparse, Form::identity}, 6));
}

TEST(GuidedProjection, ThreeModalitiesAreTheNaiveTwin) {
  expect_naive_in_all_ways(random_problem({Form::dense, Form::sparse, Form::identity}, 7));
  expect_naive_in_all_ways(random_problem({Form::identity, Form::identity, Form::dense}, 8));
}

/// So many features that the solver has to go round.
TEST(GuidedProjection, LargeOnesAreTheNaiveTwin) {
  const Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 9, true);
  for (const char* constraint : {"all", "signed"})
    for (const bool balanced : {true, false}) {
      SCOPED_TRACE(constraint);
      GuidedProjectionOptions options = options_for_test(12);
      options.constraint = constraint;
      options.balanced = balanced;
      expect_naive(problem, options);
      EXPECT_GT(fit_alone(problem, options).report.iterations, 3);
    }
}

/// Through the items or through matrices, A is the same, and so it is of the whole.
TEST(GuidedOperator, AppliesTheSameEitherWay) {
  for (const bool balanced : {true, false}) {
    const Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 11);
    GuidedProjectionOptions options = options_for_test();
    options.balanced = balanced;
    Part part(problem);
    const GuidedOperator quick(part.modalities(), part.guidance(), options, {.jobs = 1});
    const GuidedOperator thrifty(part.modalities(), part.guidance(), options, {.jobs = 1}, 0);
    EXPECT_GT(quick.matrices(), 0);
    EXPECT_EQ(thrifty.matrices(), 0);
    const MatrixD p = normal_matrix(quick.features(), 5, 3);
    const test::NaiveProjection naive = test::naive_guided_projection(
        problem.naive_modalities(), problem.guidance, "all", balanced, true);
    const MatrixD a = naive.a * p;
    const MatrixD b = naive.b * p;
    EXPECT_LT(worst(quick.multiply_a(p), a), 1e-11 * a.cwiseAbs().maxCoeff());
    EXPECT_LT(worst(thrifty.multiply_a(p), a), 1e-11 * a.cwiseAbs().maxCoeff());
    EXPECT_LT(worst(quick.multiply_b(p), b), 1e-11 * b.cwiseAbs().maxCoeff());
    EXPECT_LT(worst(quick.solve_b(b), p), 1e-9);
    Problem turned = problem;
    for (NaiveGuidance& given : turned.guidance)
      given = {given.to, given.from, given.links.transpose().eval(), given.weight};
    for (const Problem& either : {problem, turned})
      for (const std::int64_t most : {std::int64_t{0}, GuidedOperator::kMostFormed})
        run_as_threads(3, [&](Comm& together) {
          Part own(either, together.rank(), together.size());
          const GuidedOperator split(own.modalities(), own.guidance(), options, {together, 1},
                                     most);
          EXPECT_EQ(split.matrices() > 0, most > 0);
          EXPECT_LT(worst(split.multiply_a(p), a), 1e-11 * a.cwiseAbs().maxCoeff());
        });
  }
}

/// In double, in float and through the items, of weights above and below 0.
TEST(WeightedGram, IsTheSameInAllForms) {
  const Matrix rows = (normal_matrix(2500, 30, 1).array() + 3).cast<float>().matrix();
  const Sparse sparse = nonzeros_of((rows.array() > 3.5F).select(rows, 0).cast<double>());
  const VectorD weights = normal_matrix(2500, 1, 2).col(0).array() + 0.5;
  const MatrixD p = normal_matrix(30, 4, 3);
  SelfComm comm;
  for (const FeatureRows& features : {FeatureRows(rows), FeatureRows(sparse)}) {
    GuidedItems modality = guided_items({&features, 2500, 0}, 0, comm);
    modality.mean = weighted_mean(modality, weights.cwiseAbs(), {comm, 1});
    const MatrixD y = feature_columns(modality, 0, 30);
    const MatrixD expected = y.transpose() * weights.asDiagonal() * y;
    const double size = expected.cwiseAbs().maxCoeff();
    const WeightedGram exact(modality, weights, true, {comm, 1});
    const WeightedGram quick(modality, weights, true, {comm, 1}, 0);
    const WeightedGram items(modality, weights, false, {comm, 1});
    EXPECT_LT(worst(exact.matrix(), expected), 1e-12 * size);
    EXPECT_LT(worst(quick.matrix(), expected), 1e-6 * size);
    EXPECT_LT(worst(items.multiply(p), MatrixD(expected * p)), 1e-11 * size);
    EXPECT_LT(worst(exact.multiply(p), MatrixD(expected * p)), 1e-11 * size);
    EXPECT_LT(worst(items.diagonal(), VectorD(expected.diagonal())), 1e-11 * size);
    EXPECT_EQ(quick.matrix() == exact.matrix(), modality.sparse());
  }
}

/// Sparse features of very many columns have no matrix for B. Here most of them are nothing, so
/// that the answer is that of the rest.
TEST(GuidedProjection, ManySparseColumns) {
  Problem small = random_problem({Form::sparse, Form::dense}, 12);
  Problem wide = small;
  const MatrixD& rows = small.modalities[0].features;
  constexpr Eigen::Index stride = 400;
  const Eigen::Index columns = rows.cols() * stride;
  ASSERT_GT(columns, 3000);
  wide.modalities[0].features = MatrixD::Zero(rows.rows(), columns);
  for (Eigen::Index j = 0; j < rows.cols(); ++j)
    wide.modalities[0].features.col(j * stride + 5) = rows.col(j);
  wide.modalities[0].gamma *= stride;
  const GuidedProjectionOptions options = options_for_test(4);
  const GuidedProjectionFit expected = fit_alone(small, options);
  const GuidedProjectionFit found = fit_alone(wide, options);
  ASSERT_LT(expected.model.eigenvalues(3), -1e-3) << "those of nothing are 0";
  EXPECT_TRUE(found.report.converged);
  EXPECT_LT(worst(found.model.eigenvalues, expected.model.eigenvalues), 1e-8);
  for (const std::size_t modality : {0, 1}) {
    const MatrixD wanted = places(expected.model, small, modality).cast<double>();
    EXPECT_LT(
        worst(test::signs_of(places(found.model, wide, modality).cast<double>(), wanted), wanted),
        1e-5);
  }
}

class GuidedProjectionOracle : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::oracle_directory() / "proj";
    if (test::oracle_directory().empty() || !std::filesystem::exists(folder_))
      GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
  }
  MatrixD read(const char* name) const {
    return test::read_numbers(folder_ / (std::string(name) + ".csv"));
  }

  /// The outputs are of doubles, our items are floats: the twin agrees in double with `expected`,
  /// the learner with the twin of the same floats, and with `expected` as far as floats can.
  void expect_eigenvalues(const Problem& problem, const std::string& constraint, bool centre,
                          const VectorD& expected) const {
    const test::NaiveProjection exact = test::naive_guided_projection(
        problem.naive_modalities(), problem.guidance, constraint, false, centre);
    const auto dim = expected.size();
    const double size = expected.cwiseAbs().maxCoeff();
    EXPECT_LT(worst(exact.values.head(dim), expected), 1e-10 * size);
    Problem rounded = problem;
    for (Problem::Modality& modality : rounded.modalities)
      modality.features = floats(modality.features);
    for (NaiveGuidance& given : rounded.guidance) given.links = floats(given.links);
    const test::NaiveProjection naive = test::naive_guided_projection(
        rounded.naive_modalities(), rounded.guidance, constraint, false, centre);
    GuidedProjectionOptions options = options_for_test(dim);
    options.constraint = constraint;
    options.balanced = false;
    options.centre = centre;
    const GuidedProjectionFit fit = fit_alone(rounded, options);
    EXPECT_LT(worst(fit.model.eigenvalues, naive.values.head(dim)), 1e-10 * size);
    EXPECT_LT(worst(fit.model.eigenvalues, expected), 1e-6 * size);
    EXPECT_LT(worst(fit.model.strength, naive.strength.head(dim)), 1e-9 * size);
  }

  /// Signed links within and between two modalities, with a ridge of the same size on both blocks.
  Problem signed_links(const std::string& constraint, double ridge) const {
    const MatrixD w = read("het_W");
    Problem problem{{{Form::dense, read("X"), 0}, {Form::dense, read("het_Y"), 0}},
                    {{0, 0, w.topLeftCorner(60, 60), 0.5},
                     {0, 1, w.topRightCorner(60, 45), 1},
                     {1, 1, w.bottomRightCorner(45, 45), 0.5}}};
    const MatrixD b = test::naive_guided_projection(problem.naive_modalities(), problem.guidance,
                                                    constraint, false, false)
                          .b;
    problem.modalities[0].gamma = ridge / b.diagonal().head(5).mean();
    if (constraint != "first") problem.modalities[1].gamma = ridge / b.diagonal().tail(4).mean();
    return problem;
  }

  std::filesystem::path folder_;
};

/// λ = 1 − the canonical correlation, with pairs as links.
TEST_F(GuidedProjectionOracle, PairsGiveCanonicalCorrelations) {
  const Problem problem{{{Form::dense, read("X"), 0}, {Form::dense, read("Y"), 0}},
                        {{0, 1, MatrixD::Identity(60, 60), 1}}};
  const VectorD expected = 1 - read("cca_svd_corr").col(0).array();
  for (const char* constraint : {"all", "signed", "identity"})
    expect_eigenvalues(problem, constraint, true, expected);
}

/// Locality preserving projections of another program, which does not centre.
TEST_F(GuidedProjectionOracle, NeighboursGiveLocalityPreservingProjections) {
  const Problem problem{{{Form::dense, read("X"), 0}}, {{0, 0, read("lpp_W"), 0.5}}};
  expect_eigenvalues(problem, "all", false, read("lpp_evals").col(0));
  expect_eigenvalues(problem, "signed", false, read("lpp_evals").col(0));
}

/// Not centred and with a ridge of 0.1 itself on B, not times its diagonal.
TEST_F(GuidedProjectionOracle, SignedGuidance) {
  expect_eigenvalues(signed_links("all", 0.1), "all", false, read("het_Dabs_evals").col(0));
  expect_eigenvalues(signed_links("signed", 0.1), "signed", false, read("het_Dfull_evals").col(0));
  // "I" held the coefficients fixed, B = I, not Z Zᵀ: what a very large ridge gives.
  constexpr double large = 1e15;
  expect_eigenvalues(signed_links("all", large), "all", false, read("het_I_evals").col(0) / large);
}

/// With signed degrees, the ridge on the first modality and none on what is eliminated.
TEST_F(GuidedProjectionOracle, FirstModalityHeldFixed) {
  const Problem problem = signed_links("first", 0.1);
  expect_eigenvalues(problem, "first", false, read("het_schur_evals").col(0));
  GuidedProjectionOptions options = options_for_test(5);
  options.constraint = "first";
  options.balanced = false;
  options.centre = false;
  const GuidedProjection model = fit_alone(problem, options).model;
  for (const auto& [modality, name] : {std::pair{0, "het_schur_a"}, std::pair{1, "het_schur_b"}}) {
    const MatrixD expected = read(name);
    const MatrixD found = model.modalities[static_cast<std::size_t>(modality)].projection;
    EXPECT_LT(worst(test::signs_of(found, expected), expected), 1e-5);
  }
}

/// Photos, notes and tags around topics that nobody tells the method.
Problem topics(std::int64_t count, std::uint64_t seed) {
  constexpr std::int64_t topic_count = 5;
  Problem problem;
  const MatrixD axes = normal_matrix(topic_count, 12, 77);
  MatrixD photos = 0.7 * normal_matrix(count, 12, seed);
  MatrixD notes = MatrixD::Zero(count / 2, 40);
  MatrixD photo_tags = MatrixD::Zero(count, 20);
  MatrixD photo_notes = MatrixD::Zero(count, count / 2);
  Rng rng(seed);
  for (Eigen::Index i = 0; i < count; ++i) {
    photos.row(i) += axes.row(i % topic_count);
    for (int t = 0; t < 2; ++t)
      photo_tags(i, static_cast<Eigen::Index>(rng.below(4)) * 5 + i % 5) = 1;
    photo_notes(i, (i % topic_count) + topic_count * static_cast<Eigen::Index>(rng.below(
                                                         static_cast<std::uint64_t>(count / 10)))) =
        1;
  }
  for (Eigen::Index i = 0; i < notes.rows(); ++i)
    for (int w = 0; w < 6; ++w)
      notes(i, w < 4 ? static_cast<Eigen::Index>(rng.below(8)) * 5 + i % 5
                     : static_cast<Eigen::Index>(rng.below(40))) += 1;
  problem.modalities = {{Form::dense, floats(photos), 0.1},
                        {Form::sparse, notes, 0.1},
                        {Form::identity, MatrixD::Identity(20, 20), 0.1}};
  problem.guidance = {{0, 2, photo_tags, 1}, {0, 1, photo_notes, 1}};
  return problem;
}

/// The share of `a` (topic i % 5) whose nearest of `b` (likewise) is of the same topic.
double met(const Matrix& a, const Matrix& b) {
  int right = 0;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    Eigen::Index nearest = 0;
    (b * a.row(i).transpose()).cwiseQuotient(b.rowwise().norm()).maxCoeff(&nearest);
    right += nearest % 5 == i % 5 ? 1 : 0;
  }
  return right / static_cast<double>(a.rows());
}

TEST(GuidedProjection, PlantedTopicsComeTogether) {
  const Problem known = topics(300, 1);
  const Problem unseen = topics(200, 2);
  const GuidedProjection model = fit_alone(known, options_for_test(4)).model;
  EXPECT_TRUE((model.strength.array() > 0.3).all()) << model.strength.transpose();
  EXPECT_GT(met(places(model, unseen, 0), places(model, known, 2)), 0.95);
  EXPECT_GT(met(places(model, unseen, 1), places(model, known, 2)), 0.8);
  EXPECT_GT(met(places(model, unseen, 1), places(model, unseen, 0)), 0.8);
  Problem torn = known;
  for (NaiveGuidance& given : torn.guidance)
    for (Eigen::Index i = 0; i < given.links.rows(); ++i)
      if (i % 7 < 3) given.links.row(i).swap(given.links.row((i * 11 + 3) % given.links.rows()));
  const GuidedProjection other = fit_alone(torn, options_for_test(4)).model;
  EXPECT_LT(other.strength.sum(), 0.9 * model.strength.sum()) << "links by chance are worth less";
}

TEST(GuidedProjection, StrengthIsWhatLambdaLeaves) {
  Problem problem = random_problem({Form::dense, Form::identity}, 21);
  for (NaiveGuidance& given : problem.guidance) given.links = given.links.cwiseMax(0);
  GuidedProjectionOptions options = options_for_test();
  const GuidedProjection balanced = fit_alone(problem, options).model;
  EXPECT_LT(worst(balanced.strength, -balanced.eigenvalues), 1e-9);
  options.balanced = false;
  options.centre = false;
  for (Problem::Modality& modality : problem.modalities) modality.gamma = 0;
  const GuidedProjection plain = fit_alone(problem, options).model;
  EXPECT_LT(worst(plain.strength, VectorD(1 - plain.eigenvalues.array())), 1e-9);
}

TEST(GuidedProjection, PermutedItemsAndModalitiesGiveThePermutedAnswer) {
  const Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 13);
  Problem other;
  other.modalities = {problem.modalities[2], problem.modalities[0], problem.modalities[1]};
  const std::size_t new_number[] = {1, 2, 0};
  std::vector<std::vector<Eigen::Index>> order;  // of the old modalities
  for (const Problem::Modality& modality : problem.modalities) {
    order.emplace_back(static_cast<std::size_t>(modality.features.rows()));
    std::iota(order.back().begin(), order.back().end(), 0);
    std::shuffle(order.back().begin(), order.back().end(), Rng(5));
  }
  for (std::size_t k = 0; k < 2; ++k)
    other.modalities[new_number[k]].features = problem.modalities[k].features(order[k], Eigen::all);
  for (const NaiveGuidance& given : problem.guidance) {
    NaiveGuidance moved{new_number[given.to], new_number[given.from],
                        given.links(order[given.from], order[given.to]).transpose(), given.weight};
    other.guidance.insert(other.guidance.begin(), moved);
  }
  const GuidedProjection a = fit_alone(problem, options_for_test()).model;
  const GuidedProjection b = fit_alone(other, options_for_test()).model;
  EXPECT_LT(worst(a.eigenvalues, b.eigenvalues), 1e-9);
  for (std::size_t k = 0; k < 3; ++k) {
    const MatrixD expected = places(a, problem, k).cast<double>()(order[k], Eigen::all);
    const MatrixD found = places(b, other, new_number[k]).cast<double>();
    EXPECT_LT(worst(test::signs_of(found, expected), expected), 1e-5);
  }
}

TEST(GuidedProjection, RanksAgree) {
  for (const bool large : {false, true})
    for (const char* constraint : {"all", "first"}) {
      Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 14, large);
      GuidedProjectionOptions options = options_for_test();
      options.constraint = constraint;
      if (options.constraint == "first")
        for (Problem::Modality& modality : problem.modalities) modality.gamma = 8;
      const GuidedProjectionFit alone = fit_alone(problem, options);
      for (int ranks = 1; ranks <= 4; ++ranks) {
        std::mutex mutex;
        std::vector<GuidedProjection> models;
        std::int64_t degrees = 0;
        run_as_threads(ranks, [&](Comm& comm) {
          Part part(problem, comm.rank(), comm.size());
          const auto fit =
              fit_guided_projection(part.modalities(), part.guidance(), options, {comm, 1});
          const std::scoped_lock lock(mutex);
          models.push_back(fit.model);
          degrees += fit.degrees[1].size();
        });
        EXPECT_EQ(degrees, problem.modalities[1].features.rows());
        for (const GuidedProjection& model : models) {
          EXPECT_EQ(model.eigenvalues, models[0].eigenvalues);
          EXPECT_EQ(model.strength, models[0].strength);
          for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(model.modalities[k].projection, models[0].modalities[k].projection);
            EXPECT_EQ(model.modalities[k].shift, models[0].modalities[k].shift);
          }
        }
        EXPECT_LT(worst(models[0].eigenvalues, alone.model.eigenvalues), 1e-9);
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_LT(worst(places(models[0], problem, k), places(alone.model, problem, k)), 1e-5);
      }
    }
}

TEST(GuidedProjection, RanksWithoutItems) {
  const Problem problem = random_problem({Form::dense, Form::identity}, 15);
  const GuidedProjection alone = fit_alone(problem, options_for_test()).model;
  run_as_threads(3, [&](Comm& comm) {
    const bool has = comm.rank() == 1;
    Part whole(problem);
    const Matrix nothing(0, 0);
    const FeatureRows none(nothing);
    std::vector<GuidedModality> modalities(whole.modalities().begin(), whole.modalities().end());
    std::vector<Guidance> guidance(whole.guidance().begin(), whole.guidance().end());
    if (!has) {
      for (GuidedModality& modality : modalities) modality.items = 0;
      modalities[0].features = &none;
      for (Guidance& given : guidance) given.links = {};
    }
    const auto fit = fit_guided_projection(modalities, guidance, options_for_test(), {comm, 1});
    EXPECT_LT(worst(fit.model.eigenvalues, alone.eigenvalues), 1e-10);
  });
}

TEST(GuidedProjection, NeitherJobsNorCompanyMatter) {
  const Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 16, true);
  GuidedProjectionOptions options = options_for_test();
  const GuidedProjection once = fit_alone(problem, options).model;
  const GuidedProjection twice = fit_alone(problem, options, nullptr, 3).model;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(once.modalities[k].projection, twice.modalities[k].projection);
    const Matrix all = places(once, problem, k);
    for (const Eigen::Index row : {0, 17, 89}) {
      Problem one = problem;
      one.modalities[k].features = problem.modalities[k].features.row(row).eval();
      if (k == 2)
        EXPECT_EQ(encode_identity(once, k, std::vector<std::int64_t>{row}), all.row(row));
      else
        EXPECT_EQ(places(once, one, k), all.row(row));
    }
  }
}

TEST(GuidedProjection, AStartSavesRounds) {
  Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 17, true);
  const GuidedProjectionOptions options = options_for_test();
  const GuidedProjection before = fit_alone(problem, options).model;
  for (Eigen::Index i = 0; i < 4; ++i) problem.guidance[1].links(11 * i, 3 * i) = 0.5;
  const GuidedProjectionFit cold = fit_alone(problem, options);
  const GuidedProjectionFit warm = fit_alone(problem, options, &before);
  EXPECT_GT(worst(before.eigenvalues, cold.model.eigenvalues), 1e-6);
  EXPECT_LT(worst(warm.model.eigenvalues, cold.model.eigenvalues), 1e-9);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_LT(worst(places(warm.model, problem, k), places(cold.model, problem, k)), 1e-5);
  EXPECT_LT(warm.report.iterations, cold.report.iterations);
  GuidedProjection fewer = before;
  fewer.modalities[2].projection.conservativeResize(50, Eigen::NoChange);
  EXPECT_LT(worst(fit_alone(problem, options, &fewer).model.eigenvalues, cold.model.eigenvalues),
            1e-9)
      << "new items without features";
  fewer.modalities[0].projection.conservativeResize(50, Eigen::NoChange);
  EXPECT_THROW(fit_alone(problem, options, &fewer), Error);
  fewer.modalities.pop_back();
  EXPECT_THROW(fit_alone(problem, options, &fewer), Error);
}

TEST(GuidedProjection, NotConvergingIsReported) {
  const Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 18, true);
  GuidedProjectionOptions options = options_for_test();
  options.max_rounds = 1;
  const GuidedProjectionFit fit = fit_alone(problem, options);
  EXPECT_FALSE(fit.report.converged);
  EXPECT_EQ(fit.report.iterations, 1);
  ASSERT_EQ(fit.report.objective.size(), 1U);
  EXPECT_EQ(fit.report.objective[0], fit.residuals.maxCoeff());
  EXPECT_GT(fit.residuals.maxCoeff(), 1e-4);
  EXPECT_EQ(fit.model.dim(), 8);
  options.max_rounds = 300;
  EXPECT_TRUE(fit_alone(problem, options).report.converged);
}

TEST(GuidedProjection, DegreesAreTheAbsoluteWeights) {
  const Problem problem = random_problem({Form::dense, Form::identity}, 19);
  const GuidedProjectionFit fit = fit_alone(problem, options_for_test());
  VectorD expected = VectorD::Zero(problem.modalities[1].features.rows());
  for (const NaiveGuidance& given : problem.guidance) {
    const MatrixD sizes = given.weight * given.links.cwiseAbs();
    if (given.from == 1) expected += sizes.rowwise().sum();
    if (given.to == 1) expected += sizes.colwise().sum().transpose();
  }
  ASSERT_EQ(fit.degrees.size(), 2U);
  EXPECT_LT(worst(fit.degrees[1], expected), 1e-12);
}

TEST(GuidedProjection, BadOptionsAreRefused) {
  const Problem problem = random_problem({Form::dense}, 20);
  struct Case {
    const char* name;
    std::function<void(GuidedProjectionOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"dim", [](auto& options) { options.dim = 0; }},
                         {"constraint", [](auto& options) { options.constraint = "some"; }},
                         {"tolerance", [](auto& options) { options.tolerance = 0; }},
                         {"tolerance", [](auto& options) { options.tolerance = std::nan(""); }},
                         {"max_rounds", [](auto& options) { options.max_rounds = 0; }}}) {
    GuidedProjectionOptions options = options_for_test();
    spoil(options);
    const std::string message = message_of([&] { fit_alone(problem, options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
}

TEST(GuidedProjection, BadInputIsRefused) {
  const Problem good = random_problem({Form::dense, Form::sparse, Form::identity}, 20);
  const auto refusal = [&](
                           const std::function<void(Problem&)>& spoil,
                           const std::function<void(Part&)>& spoil_part = [](Part&) {},
                           const std::string& constraint = "all") {
    Problem problem = good;
    spoil(problem);
    Part part(problem);
    spoil_part(part);
    GuidedProjectionOptions options = options_for_test();
    options.constraint = constraint;
    return message_of(
        [&] { fit_guided_projection(part.modalities(), part.guidance(), options, {.jobs = 1}); });
  };
  const auto nothing = [](Problem&) {};
  const auto has = [](const std::string& message, const char* words) {
    return message.find(words) != std::string::npos;
  };
  EXPECT_EQ(refusal(nothing), "");
  const float bad = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(
      has(refusal([&](Problem& p) { p.modalities[0].features(3, 2) = bad; }), "row 4 of kind 0"));
  EXPECT_TRUE(
      has(refusal([&](Problem& p) { p.modalities[1].features(5, 2) = bad; }), "row 6 of kind 1"));
  EXPECT_TRUE(
      has(refusal([](Problem& p) { p.modalities[1].gamma = -1; }), "gamma of kind 1 is -1"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance[1].links(4, 1) = 1.5; }),
                  "a link in row 5 of guidance 1 has the weight 1.5"));
  EXPECT_TRUE(has(refusal([&](Problem& p) { p.guidance[1].links(4, 1) = bad; }), "guidance 1"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance[0].weight = 0; }), "weight of guidance 0"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance[0].to = 3; }), "expected 0 .. 2"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance[1].from = 2; }), "rows; expected one"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance[1].to = 2; }), "columns; expected one"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance.clear(); }), "there are no links"));
  EXPECT_TRUE(has(refusal([](Problem& p) {
                    for (NaiveGuidance& given : p.guidance) given.links.setZero();
                  }),
                  "there are no links"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.guidance.resize(1); }), "no link touches kind 1"));
  EXPECT_TRUE(
      has(refusal(nothing, [](Part& part) { part.modalities()[0].items = 3; }), "kind 0 has 3"));
  EXPECT_TRUE(has(refusal(nothing, [](Part& part) { part.modalities()[0].items = -3; }), "kind 0"));
  EXPECT_TRUE(has(refusal([](Problem& p) { p.modalities[2].gamma = 0; }), "raise its gamma"));
  EXPECT_TRUE(has(refusal([](Problem& p) {
                    p.modalities[0].gamma = 0;
                    p.modalities[0].features.col(1) = 2 * p.modalities[0].features.col(0);
                  }),
                  "raise its gamma"));
  EXPECT_TRUE(has(refusal(
                      [](Problem& p) {
                        for (NaiveGuidance& given : p.guidance) given.links *= -1;
                      },
                      [](Part&) {}, "signed"),
                  "raise its gamma"));
  EXPECT_TRUE(has(refusal(
                      nothing, [](Part&) {}, "first"),
                  "raise their gamma"));
  EXPECT_TRUE(has(refusal(
                      [](Problem& p) {
                        const MatrixD rows = p.modalities[1].features;
                        p.modalities[1].features = MatrixD::Zero(rows.rows(), 4001);
                        p.modalities[1].features.leftCols(rows.cols()) = rows;
                      },
                      [](Part&) {}, "first"),
                  "4000 or fewer"));
  EXPECT_THROW(fit_guided_projection({}, {}, options_for_test(), {.jobs = 1}), Error);
}

TEST(GuidedProjection, EncodeRefusesOtherItems) {
  const Problem problem = random_problem({Form::dense, Form::identity}, 22);
  const GuidedProjection model = fit_alone(problem, options_for_test()).model;
  Matrix rows = problem.modalities[0].features.cast<float>();
  EXPECT_THROW(encode(model, 2, rows), Error);
  EXPECT_THROW(encode(model, 1, rows), Error);
  EXPECT_THROW(encode_identity(model, 0, std::vector<std::int64_t>{0}), Error);
  EXPECT_THROW(encode_identity(model, 1, std::vector<std::int64_t>{37}), Error);
  EXPECT_THROW(encode_identity(model, 1, std::vector<std::int64_t>{-1}), Error);
  const Matrix narrow = rows.leftCols(3);
  EXPECT_THROW(encode(model, 0, narrow), Error);
  rows(7, 0) = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(message_of([&] { encode(model, 0, rows); }).starts_with("row 8 "));
}

TEST(GuidedProjectionFile, KeepsEveryBitAndRefusesDamage) {
  const Problem problem = random_problem({Form::dense, Form::sparse, Form::identity}, 23);
  const GuidedProjection good = fit_alone(problem, options_for_test(5)).model;
  const test::TemporaryDirectory folder;
  save(good, folder / "m.safetensors");
  const GuidedProjection again = load_guided_projection(TensorFile(folder / "m.safetensors"));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(places(again, problem, k), places(good, problem, k));
    EXPECT_EQ(again.modalities[k].projection, good.modalities[k].projection);
    EXPECT_EQ(again.modalities[k].shift, good.modalities[k].shift);
    EXPECT_EQ(again.modalities[k].identity, k == 2);
  }
  EXPECT_EQ(again.eigenvalues, good.eigenvalues);
  EXPECT_EQ(again.strength, good.strength);
  EXPECT_EQ(options_to_json(again.options), options_to_json(good.options));
  const std::string bytes = test::slurp(folder / "m.safetensors");
  EXPECT_EQ(to_bytes(good), bytes);
  for (std::size_t size = 0; size < bytes.size(); size += 17)
    EXPECT_THROW(load_guided_projection(TensorFile(bytes.substr(0, size), "cut")), Error) << size;
  for (std::size_t at = 0; at < bytes.size(); at += 13) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 16);
    EXPECT_THROW(load_guided_projection(TensorFile(flipped, "flipped")), Error) << at;
  }
  using Spoil = std::function<void(GuidedProjection&)>;
  for (const auto& spoil : std::vector<Spoil>{
           [](auto& model) { model.modalities.clear(); },
           [](auto& model) { model.eigenvalues.conservativeResize(3); },
           [](auto& model) { model.eigenvalues(0) = 100; },
           [](auto& model) { model.strength(1) = std::nan(""); },
           [](auto& model) { model.strength.conservativeResize(2); },
           [](auto& model) { model.modalities[1].projection(0, 0) = std::nan(""); },
           [](auto& model) { model.modalities[1].projection.conservativeResize(3, 2); },
           [](auto& model) { model.modalities[0].shift.conservativeResize(2); },
           [](auto& model) { model.options.constraint = ""; }}) {
    GuidedProjection bad = good;
    spoil(bad);
    save(bad, folder / "bad.safetensors");
    EXPECT_THROW(load_guided_projection(TensorFile(folder / "bad.safetensors")), Error);
  }
}

}  // namespace guided_projection_test
}  // namespace commonplace
