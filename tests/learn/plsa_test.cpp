#include "commonplace/learn/plsa.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_plsa.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace plsa_test {

constexpr int kTopics = 4;
constexpr int kTermsPerTopic = 15;

/// Documents mostly of topic (row mod 4), whose terms are 15 neighbouring columns; a few counts
/// come from anywhere.
Sparse planted(std::int64_t documents, std::uint64_t seed = 1) {
  Rng rng(seed);
  Sparse counts;
  counts.columns = kTopics * kTermsPerTopic;
  for (std::int64_t d = 0; d < documents; ++d) {
    std::vector<int> row(static_cast<std::size_t>(counts.columns));
    for (int i = 0; i < 60; ++i) {
      const bool stray = rng.uniform() < 0.1;
      const std::uint64_t topic =
          stray ? rng.below(kTopics) : static_cast<std::uint64_t>(d % kTopics);
      ++row[topic * kTermsPerTopic + rng.below(kTermsPerTopic)];
    }
    for (std::size_t w = 0; w < row.size(); ++w)
      if (row[w] > 0) counts.push(static_cast<std::int32_t>(w), static_cast<float>(row[w]));
    counts.end_row();
  }
  return counts;
}

Sparse rows_of(const SparseView& counts, const std::vector<std::int64_t>& rows) {
  Sparse result;
  result.columns = counts.columns;
  for (const std::int64_t row : rows) {
    for (std::size_t i = 0; i < counts.row_indices(row).size(); ++i)
      result.push(counts.row_indices(row)[i], counts.row_values(row)[i]);
    result.end_row();
  }
  return result;
}

Sparse part_of_rank(const SparseView& counts, int rank, int size) {
  const RowRange range = rows_of_rank(counts.rows, rank, size);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(range.end - range.begin));
  std::iota(rows.begin(), rows.end(), range.begin);
  return rows_of(counts, rows);
}

MatrixD to_dense(const SparseView& counts) {
  MatrixD result = MatrixD::Zero(counts.rows, counts.columns);
  for (std::int64_t row = 0; row < counts.rows; ++row)
    for (std::size_t i = 0; i < counts.row_indices(row).size(); ++i)
      result(row, counts.row_indices(row)[i]) = static_cast<double>(counts.row_values(row)[i]);
  return result;
}

PlsaOptions options_for_test() {
  PlsaOptions options;
  options.topics = kTopics;
  options.iterations = 60;
  options.tolerance = 0;
  return options;
}

PlsaFit fit_alone(const SparseView& counts, const PlsaOptions& options, int jobs = 1) {
  return fit_plsa(counts, options, {.jobs = jobs});
}

/// The most likely of five starts, as EM finds the nearest optimum only.
PlsaFit best_of_five(const SparseView& counts, PlsaOptions options) {
  PlsaFit best = fit_alone(counts, options);
  for (options.seed = 2; options.seed <= 5; ++options.seed) {
    PlsaFit fit = fit_alone(counts, options);
    if (fit.report.objective.back() > best.report.objective.back()) best = std::move(fit);
  }
  return best;
}

/// The largest difference, relative to the largest entry.
double difference(const MatrixD& a, const MatrixD& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

void expect_never_falling(const std::vector<double>& objective) {
  for (std::size_t i = 1; i < objective.size(); ++i)
    EXPECT_GE(objective[i], objective[i - 1] - 1e-12 * std::abs(objective[i])) << i;
}

TEST(Plsa, LikelihoodNeverFalls) {
  const Sparse counts = planted(40);
  for (const double beta : {1.0, 0.7}) {
    PlsaOptions options = options_for_test();
    options.topics = 7;
    options.iterations = 300;
    options.beta = beta;
    const PlsaFit fit = fit_alone(counts.view(), options);
    ASSERT_GT(fit.report.objective.size(), 50U);
    expect_never_falling(fit.report.objective);
    EXPECT_GT(fit.report.objective.back(), fit.report.objective.front());
  }
}

TEST(Plsa, ReturnsProbabilities) {
  const PlsaFit fit = fit_alone(planted(40).view(), options_for_test());
  EXPECT_EQ(fit.model.term_topics.rows(), kTopics * kTermsPerTopic);
  EXPECT_EQ(fit.document_topics.rows(), 40);
  for (int z = 0; z < kTopics; ++z) EXPECT_NEAR(fit.model.term_topics.col(z).sum(), 1, 1e-12);
  for (int d = 0; d < 40; ++d) EXPECT_NEAR(fit.document_topics.row(d).sum(), 1, 1e-6);
  EXPECT_NEAR(fit.model.topic_probability.sum(), 1, 1e-12);
  EXPECT_GE(fit.model.term_topics.minCoeff(), 0);
}

TEST(Plsa, RecoversPlantedTopics) {
  const PlsaFit fit = best_of_five(planted(200).view(), options_for_test());
  std::set<Eigen::Index> found;
  for (int t = 0; t < kTopics; ++t) {
    Eigen::Index best = 0;
    const double mass = fit.model.term_topics.middleRows(t * kTermsPerTopic, kTermsPerTopic)
                            .colwise()
                            .sum()
                            .maxCoeff(&best);
    EXPECT_GT(mass, 0.9) << "planted topic " << t;
    found.insert(best);
    for (int d = t; d < 200; d += kTopics) EXPECT_GT(fit.document_topics(d, best), 0.5F) << d;
  }
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kTopics)) << "each by a topic of its own";
}

TEST(Plsa, AgreesWithTheEquationsAsLoops) {
  Sparse counts = planted(12);
  counts.end_row();
  for (const double beta : {1.0, 0.6}) {
    PlsaOptions options = options_for_test();
    options.topics = 3;
    options.iterations = 25;
    options.beta = beta;
    options.seed = 5;
    MatrixD start(counts.columns, 3);
    for (Eigen::Index w = 0; w < start.rows(); ++w)
      for (Eigen::Index z = 0; z < 3; ++z)
        start(w, z) = -std::log1p(
            -random_uniform(5, static_cast<std::uint64_t>(w), static_cast<std::uint64_t>(z)));
    for (Eigen::Index z = 0; z < 3; ++z) start.col(z) /= start.col(z).sum();
    const test::NaivePlsa naive = test::naive_plsa(to_dense(counts.view()), start, 25, beta);
    const PlsaFit fit = fit_alone(counts.view(), options);
    EXPECT_LT(difference(fit.model.term_topics, naive.term_topics), 1e-9);
    EXPECT_LT(difference(fit.model.topic_probability, naive.topic_probability), 1e-9);
    for (std::size_t i = 0; i < 25; ++i)
      EXPECT_NEAR(fit.report.objective[i], naive.objective[i], 1e-9 * std::abs(naive.objective[i]));
    EXPECT_LT(difference(fit.document_topics.topRows(12).cast<double>(),
                         naive.document_topics.topRows(12)),
              1e-6);
    EXPECT_LT(
        difference(fit.document_topics.row(12).cast<double>(), naive.topic_probability.transpose()),
        1e-6)
        << "a document without counts";
  }
}

TEST(Plsa, RanksAgreeWithOneProcess) {
  const Sparse counts = planted(83);
  const PlsaOptions options = options_for_test();
  const PlsaFit alone = fit_alone(counts.view(), options);
  for (const int ranks : {1, 2, 3, 4}) {
    std::mutex mutex;
    std::vector<PlsaFit> fits(static_cast<std::size_t>(ranks));
    run_as_threads(ranks, [&](Comm& comm) {
      const Sparse part = part_of_rank(counts.view(), comm.rank(), comm.size());
      PlsaFit fit = fit_plsa(part.view(), options, {comm, 1});
      const std::lock_guard lock(mutex);
      fits[static_cast<std::size_t>(comm.rank())] = std::move(fit);
    });
    std::int64_t row = 0;
    for (const PlsaFit& fit : fits) {
      EXPECT_EQ(fit.model.term_topics, fits[0].model.term_topics) << "the same bits on all ranks";
      EXPECT_LT(difference(fit.model.term_topics, alone.model.term_topics), 1e-9);
      EXPECT_LT(
          difference(
              fit.document_topics.cast<double>(),
              alone.document_topics.middleRows(row, fit.document_topics.rows()).cast<double>()),
          1e-6);
      for (std::size_t i = 0; i < alone.report.objective.size(); ++i)
        EXPECT_NEAR(fit.report.objective[i], alone.report.objective[i],
                    1e-9 * std::abs(alone.report.objective[i]));
      row += fit.document_topics.rows();
    }
    EXPECT_EQ(row, 83);
  }
}

TEST(Plsa, ARankWithoutDocumentsTakesPart) {
  const Sparse counts = planted(2);
  const PlsaFit alone = fit_alone(counts.view(), options_for_test());
  run_as_threads(4, [&](Comm& comm) {
    const Sparse part = part_of_rank(counts.view(), comm.rank(), comm.size());
    const PlsaFit fit = fit_plsa(part.view(), options_for_test(), {comm, 1});
    EXPECT_LT(difference(fit.model.term_topics, alone.model.term_topics), 1e-9);
  });
}

TEST(Plsa, RanksWithOtherTermsAreRefused) {
  EXPECT_THROW(run_as_threads(2,
                              [](Comm& comm) {
                                Sparse counts = planted(8);
                                counts.columns += comm.rank();
                                fit_plsa(counts.view(), options_for_test(), {comm, 1});
                              }),
               Error);
}

TEST(Plsa, DoesNotDependOnJobs) {
  const Sparse counts = planted(150);
  PlsaOptions options = options_for_test();
  const PlsaFit one = fit_alone(counts.view(), options);
  const PlsaFit three = fit_alone(counts.view(), options, 3);
  EXPECT_EQ(one.model.term_topics, three.model.term_topics);
  EXPECT_EQ(one.document_topics, three.document_topics);
  EXPECT_EQ(one.report.objective, three.report.objective);
}

TEST(Plsa, PermutedDocumentsGiveThePermutedAnswer) {
  const Sparse counts = planted(60);
  std::vector<std::int64_t> order(60);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(9);
  std::shuffle(order.begin(), order.end(), rng);
  const PlsaFit straight = fit_alone(counts.view(), options_for_test());
  const PlsaFit shuffled = fit_alone(rows_of(counts.view(), order).view(), options_for_test());
  EXPECT_LT(difference(shuffled.model.term_topics, straight.model.term_topics), 1e-9);
  for (Eigen::Index i = 0; i < 60; ++i)
    EXPECT_LT((shuffled.document_topics.row(i) -
               straight.document_topics.row(order[static_cast<std::size_t>(i)]))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-6);
}

TEST(Plsa, StopsByTheTolerance) {
  PlsaOptions options = options_for_test();
  options.iterations = 1000;
  options.tolerance = 1e-6;
  const PlsaFit fit = fit_alone(planted(100).view(), options);
  EXPECT_TRUE(fit.report.converged);
  EXPECT_LT(fit.report.iterations, 1000);
  EXPECT_EQ(fit.report.objective.size(), static_cast<std::size_t>(fit.report.iterations));
  options.iterations = 3;
  EXPECT_FALSE(fit_alone(planted(100).view(), options).report.converged);
}

TEST(Plsa, ProgressCanStopIt) {
  int calls = 0;
  const Progress progress = [&](const ProgressStep& step) {
    EXPECT_EQ(step.total, 60U);
    if (++calls == 3) throw Cancelled();
  };
  EXPECT_THROW(fit_plsa(planted(20).view(), options_for_test(), {.jobs = 1, .progress = progress}),
               Cancelled);
  EXPECT_EQ(calls, 3);
}

TEST(Plsa, RefusesBadOptionsAndCounts) {
  const Sparse counts = planted(8);
  const auto refused = [&](auto change) {
    PlsaOptions options = options_for_test();
    change(options);
    EXPECT_THROW(fit_alone(counts.view(), options), Error);
  };
  refused([](PlsaOptions& options) { options.topics = 0; });
  refused([](PlsaOptions& options) { options.topics = 1 << 20; });
  refused([](PlsaOptions& options) { options.iterations = 0; });
  refused([](PlsaOptions& options) { options.tolerance = -1; });
  refused([](PlsaOptions& options) { options.tolerance = std::nan(""); });
  refused([](PlsaOptions& options) { options.beta = 0; });
  refused([](PlsaOptions& options) { options.beta = 1.1; });
  Sparse bad = planted(8);
  bad.values[3] = -1;
  EXPECT_THROW(fit_alone(bad.view(), options_for_test()), Error);
  bad.values[3] = std::nanf("");
  EXPECT_THROW(fit_alone(bad.view(), options_for_test()), Error);
  Sparse empty;
  empty.columns = 5;
  empty.end_row();
  EXPECT_THROW(fit_alone(empty.view(), options_for_test()), Error);
}

TEST(PlsaEncode, ATrainingDocumentKeepsItsTopics) {
  const Sparse counts = planted(100);
  PlsaOptions options = options_for_test();
  options.iterations = 500;
  const PlsaFit fit = best_of_five(counts.view(), options);
  const Matrix folded = encode(fit.model, counts.view());
  EXPECT_LT((folded - fit.document_topics).cwiseAbs().maxCoeff(), 1e-3);
  const Matrix unseen = encode(fit.model, planted(8, 77).view(), 1);
  for (int d = 0; d < 4; ++d) {
    Eigen::Index a = 0;
    Eigen::Index b = 0;
    unseen.row(d).maxCoeff(&a);
    fit.document_topics.row(d).maxCoeff(&b);
    EXPECT_EQ(a, b) << "unseen document " << d;
  }
}

TEST(PlsaEncode, WithoutKnownTermsTheTopicsAreThoseOfAll) {
  Sparse counts = planted(40);
  ++counts.columns;
  const PlsaFit fit = fit_alone(counts.view(), options_for_test());
  Sparse strange;
  strange.columns = counts.columns;
  strange.end_row();
  strange.push(static_cast<std::int32_t>(counts.columns - 1), 3);
  strange.end_row();
  const Matrix topics = encode(fit.model, strange.view());
  for (int row = 0; row < 2; ++row)
    EXPECT_EQ(topics.row(row), fit.model.topic_probability.transpose().cast<float>().eval());
  strange.columns -= 1;
  EXPECT_THROW(encode(fit.model, strange.view()), Error);
}

TEST(PlsaFile, KeepsEveryBit) {
  const test::TemporaryDirectory directory;
  const Sparse counts = planted(40);
  PlsaOptions options = options_for_test();
  options.beta = 0.9;
  options.seed = ~std::uint64_t{0};
  const PlsaFit fit = fit_alone(counts.view(), options);
  save(fit.model, directory / "topics.safetensors");
  const PlsaModel loaded = load_plsa(TensorFile(directory / "topics.safetensors"));
  EXPECT_EQ(loaded.term_topics, fit.model.term_topics);
  EXPECT_EQ(loaded.topic_probability, fit.model.topic_probability);
  EXPECT_EQ(loaded.options.seed, options.seed);
  EXPECT_EQ(encode(loaded, counts.view()), encode(fit.model, counts.view()));
}

TEST(PlsaFile, DamageIsRefused) {
  const test::TemporaryDirectory directory;
  const PlsaFit fit = fit_alone(planted(40).view(), options_for_test());
  save(fit.model, directory / "topics.safetensors");
  const std::string whole = test::slurp(directory / "topics.safetensors");
  EXPECT_THROW(load_plsa(TensorFile(whole.substr(0, whole.size() - 8), "cut")), Error);
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(load_plsa(TensorFile(flipped, "flipped")), Error) << at;
  }
}

}  // namespace plsa_test
}  // namespace commonplace
