#include "commonplace/suggest/core/suggester.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/suggest/core/suggester_fitting.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace suggester_test {

using namespace suggest;

using test::planted_tags;
using test::PlantedTags;
using test::to_dense;

constexpr SuggesterMixture kAllWays{.tags = 1, .neighbours = 0.4, .category = 0.25, .linear = 0.5};
constexpr LinearChoice kSvm{"svm", "svm", 1};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Every part, made without choosing anything.
Suggester fit(const FeatureRows& raw, const SparseView& targets,
              const SuggesterMixture& mixture = kAllWays, int jobs = 1,
              std::vector<std::int64_t> blocks = {}) {
  SuggesterOptions options;
  options.neighbours = 6;
  SuggesterFitting fitting(raw, std::move(blocks), targets, options, {.jobs = jobs});
  fitting.weigh({.rarity = 0.5, .telling = 0.25});
  fitting.choose_prototypes(6);
  fitting.gather(0.8);
  fitting.solve(0.2);
  if (mixture.category != 0) {
    EXPECT_TRUE(fitting.classify());
  }
  if (mixture.linear != 0) fitting.add_linear(kSvm);
  Suggester result = std::move(fitting.suggester());
  result.mixture = mixture;
  result.confidence = {{-0.5, 0.1, 1.0 / 3}, {0, 1.0 / 7, 1}};
  result.threshold = 0.35;
  return result;
}

class ASuggester : public testing::Test {
 protected:
  Suggester fit_all(const SuggesterMixture& mixture = kAllWays) const {
    return fit(data_.words, data_.tags.view(), mixture);
  }

  PlantedTags data_ = planted_tags(60, 3);
  PlantedTags asked_ = planted_tags(20, 3, 2);
};

/// Targets as the latents learn them: the n tags of an item count n^-1/4 each.
MatrixD said(MatrixD targets) {
  for (Eigen::Index item = 0; item < targets.rows(); ++item) {
    const auto tags = static_cast<double>((targets.row(item).array() > 0).count());
    for (Eigen::Index tag = 0; tag < targets.cols(); ++tag)
      if (targets(item, tag) > 0) targets(item, tag) = std::pow(tags, -0.25);
  }
  return targets;
}

/// By what neighbours compare words.
std::vector<float> rarities(const PlantedTags& data) {
  SelfComm comm;
  return feature_weights(data.words.view(), data.tags.view(), {.rarity = 0.5, .telling = 0}, comm);
}

TEST_F(ASuggester, ScoresByEachWay) {
  const Suggester suggester = fit_all();
  const StoredRows rows = prepare(suggester, asked_.words);
  const TagScores found = score_ways(suggester, rows.view());

  const MatrixD a = whiten(suggester.basis, suggester.known.view()).cast<double>();
  const MatrixD asked = whiten(suggester.basis, rows.view()).cast<double>();
  const MatrixD tags = to_dense(data_.tags.view());
  EXPECT_LT(
      worst(found.tags.cast<double>(), asked * test::naive_latents(a, said(tags), 0.2).weights),
      1e-4);

  const std::vector<float> rarity = rarities(data_);
  const MatrixD known = test::naive_weigh_rows(to_dense(data_.words.view()), rarity);
  const MatrixD items = test::naive_weigh_rows(to_dense(asked_.words.view()), rarity);
  EXPECT_LT(worst(found.neighbours.cast<double>(), test::naive_knn_votes(items, known, 6) * tags),
            1e-4);

  const test::NaiveCategories categories = test::naive_categories(tags, 100);
  const Matrix scaled = (std::sqrt(kClassVariance) * asked).cast<float>();
  const VectorD diagonal = VectorD::Constant(20, kClassVariance);
  const Matrix classes =
      mode_probabilities(predict_latents(suggester.classifier, scaled, diagonal));
  EXPECT_LT(worst(found.category.cast<double>(), classes.cast<double>() * categories.shares), 1e-4);
  for (Eigen::Index item = 0; item < 20; ++item) EXPECT_LT(found.category.row(item).sum(), 1.001F);

  const Matrix both = score(suggester, rows.view());
  EXPECT_LT(
      (both - (found.tags + 0.4F * found.neighbours + 0.25F * found.category + 0.5F * found.linear))
          .cwiseAbs()
          .maxCoeff(),
      1e-6F);
  EXPECT_GT(test::share_right(both, asked_), 0.9);
}

TEST_F(ASuggester, FindsOnlyWhatTheMixtureNeeds) {
  const StoredRows rows = prepare(fit_all(), asked_.words);
  const TagScores all = score_ways(fit_all(), rows.view());
  const TagScores tags = score_ways(fit_all({.tags = 2}), rows.view());
  EXPECT_EQ(tags.tags, all.tags);
  EXPECT_EQ(tags.neighbours.size(), 0);
  EXPECT_EQ(tags.category.size(), 0);
  EXPECT_EQ(mix(tags, {.tags = 2}), Matrix(2 * all.tags));
  const TagScores votes = score_ways(fit_all({.tags = 0, .neighbours = 1}), rows.view());
  EXPECT_EQ(votes.tags.size(), 0);
  EXPECT_EQ(votes.neighbours, all.neighbours);
  const TagScores classes = score_ways(fit_all({.tags = 0, .category = 1}), rows.view());
  EXPECT_EQ(classes.category, all.category);
}

TEST_F(ASuggester, LinearClassifiersSeeWhatNeighboursSee) {
  const Suggester suggester = fit_all();
  const StoredRows rows = prepare(suggester, asked_.words);
  const Sparse known = linear_rows(suggester, suggester.known.view());
  const Sparse asked = linear_rows(suggester, rows.view());
  EXPECT_EQ(asked.values, compared(suggester, rows.view().sparse()).values);
  const SparseOneVsRestLinear svm =
      fit_sparse_one_vs_rest(known.view(), data_.tags.view(), {.loss = "svm"});
  // 1 and -1 of the margin are moved to 1 and 0.
  const Matrix expected = (score(svm, asked.view()).array() + 1) / 2;
  const Matrix found = score_ways(suggester, rows.view()).linear;
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-5F);
  EXPECT_GT(test::share_right(found, asked_), 0.9);
  EXPECT_EQ(score_ways(fit_all({.tags = 0, .linear = 1}), rows.view()).linear, found);
  const Matrix dense = to_dense(asked_.words.view()).cast<float>();
  EXPECT_EQ(to_dense(linear_rows(suggester, dense).view()), dense.cast<double>());

  const SparseOneVsRestLinear logistic =
      fit_linear(known.view(), data_.tags.view(), {"logistic", "logistic", 4}, 1);
  EXPECT_TRUE(logistic.is_sparse());
  const Matrix same =
      score(fit_sparse_one_vs_rest(known.view(), data_.tags.view(), {.cost = 4}), asked.view());
  EXPECT_LT((score(logistic, asked.view()) - same).cwiseAbs().maxCoeff(), 1e-6F);
}

TEST_F(ASuggester, LinearClassifiersSayNothingOfTagsThatCameLater) {
  Suggester suggester = fit_all();
  const StoredRows rows = prepare(suggester, asked_.words);
  const Matrix before = score_ways(suggester, rows.view()).linear;
  add_tags(suggester.tag_gp, 2);
  suggester.known_tags.columns += 2;
  suggester.categories.shares.conservativeResize(Eigen::NoChange, suggester.tags());
  suggester.categories.shares.rightCols(2).setZero();
  const Matrix after = score_ways(suggester, rows.view()).linear;
  EXPECT_EQ(after.leftCols(before.cols()), before);
  EXPECT_EQ(after.rightCols(2), Matrix::Zero(after.rows(), 2));
}

TEST_F(ASuggester, AnItemAloneGetsTheBitsThatItGetsAmongOthers) {
  const Suggester suggester = fit_all();
  const Matrix all = score(suggester, prepare(suggester, asked_.words).view());
  EXPECT_EQ(score(suggester, prepare(suggester, asked_.words, 3).view(), {}, 3), all);
  for (const std::int64_t item : {0, 7, 19}) {
    const FeatureRows alone = slice(asked_.words, item, 1);
    EXPECT_EQ(score(suggester, prepare(suggester, alone).view()), Matrix(all.row(item)));
  }
  const FeatureRows none = slice(asked_.words, 3, 0);
  EXPECT_EQ(score(suggester, prepare(suggester, none).view()).rows(), 0);
}

TEST_F(ASuggester, IsTheSameWithAnyNumberOfThreads) {
  const Suggester once = fit_all();
  const StoredRows rows = prepare(once, asked_.words);
  const Matrix scores = score(once, rows.view());
  for (const int jobs : {2, 3})
    EXPECT_EQ(score(fit(data_.words, data_.tags.view(), kAllWays, jobs), rows.view()), scores);
}

TEST_F(ASuggester, DoesNotDependOnTheOrderOfTheItems) {
  const auto order = test::random_order(60, 4);
  const Sparse words = test::rows_in_order(data_.words.view(), order);
  const Sparse tags = test::rows_in_order(data_.tags.view(), order);
  const Suggester other = fit(words, tags.view());
  const Suggester suggester = fit_all();
  const Matrix a = score(suggester, prepare(suggester, asked_.words).view());
  const Matrix b = score(other, prepare(other, asked_.words).view());
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 2e-3F) << "the classifier stops when it is near";
  const auto asked_order = test::random_order(20, 5);
  const Sparse asked = test::rows_in_order(asked_.words.view(), asked_order);
  EXPECT_EQ(score(suggester, prepare(suggester, asked).view()), a(asked_order, Eigen::all));
}

TEST_F(ASuggester, AKnownItemNeedNotHearItself) {
  const Suggester suggester = fit_all({.tags = 0, .neighbours = 1});
  std::vector<std::int64_t> itself;
  for (std::int64_t item = 0; item < 60; ++item) itself.push_back(item);
  const Matrix heard = score(suggester, suggester.known.view());
  const Matrix unheard = score(suggester, suggester.known.view(), itself);
  const MatrixD known = test::naive_weigh_rows(to_dense(data_.words.view()), rarities(data_));
  EXPECT_LT(worst(unheard.cast<double>(),
                  test::naive_knn_votes(known, known, 6, itself) * to_dense(data_.tags.view())),
            1e-4);
  EXPECT_GT((heard - unheard).cwiseAbs().maxCoeff(), 0.1F);
}

TEST_F(ASuggester, ComparesNeighboursAlikeWhateverTheLatentsWeigh) {
  const std::vector<std::int64_t> blocks{0, 20};
  SuggesterOptions options;
  SuggesterFitting fitting(data_.words, blocks, data_.tags.view(), options, {.jobs = 1});
  const MatrixD expected =
      test::naive_weigh_rows(to_dense(data_.words.view()), rarities(data_), blocks);
  for (const FeatureWeighting& weighting : {FeatureWeighting{.rarity = 0, .telling = 0.5},
                                            FeatureWeighting{.rarity = 0.5, .telling = 0}}) {
    fitting.weigh(weighting);
    const Suggester& suggester = fitting.suggester();
    EXPECT_LT(worst(to_dense(compared(suggester, suggester.known.sparse.view()).view()), expected),
              1e-6);
  }
}

TEST_F(ASuggester, PreparesRowsOfLengthOne) {
  const Suggester sparse = fit_all();
  EXPECT_EQ(prepare(sparse, data_.words).sparse.values, sparse.known.sparse.values);
  const Matrix words = to_dense(data_.words.view()).cast<float>();
  Matrix rows = words.topRows(3);
  rows.row(1).setZero();
  const StoredRows dense = prepare(fit(words, data_.tags.view()), rows);
  ASSERT_FALSE(dense.is_sparse);
  EXPECT_NEAR(dense.dense.row(0).norm(), 1, 1e-6);
  EXPECT_EQ(dense.dense.row(1).norm(), 0);
  EXPECT_NEAR(dense.dense.row(2).dot(rows.row(2)), rows.row(2).norm(), 1e-4);
}

TEST_F(ASuggester, RowsOfOtherFeaturesAreRefused) {
  const Suggester sparse = fit_all();
  const Matrix words = to_dense(data_.words.view()).cast<float>();
  const Suggester dense = fit(words, data_.tags.view());
  const auto refusal = [](const Suggester& suggester, const FeatureRows& raw) {
    return test::message_of([&] { score(suggester, prepare(suggester, raw).view()); });
  };
  Sparse wide = asked_.words;
  ++wide.columns;
  const Matrix narrow = words.leftCols(10);
  EXPECT_EQ(refusal(sparse, wide), "there are 50 weights for 51 features");
  EXPECT_FALSE(refusal(dense, narrow).empty());
  EXPECT_FALSE(refusal(sparse, words).empty());
  EXPECT_FALSE(refusal(dense, data_.words).empty());
}

TEST(BestTags, AreTheGreatestAndOfEqualsTheFirst) {
  const std::vector<float> scores = {0.5F, 2, -1, 2, 0.5F, 3};
  using Tags = std::vector<std::int32_t>;
  EXPECT_EQ(best_tags(scores, 6), (Tags{5, 1, 3, 0, 4, 2}));
  EXPECT_EQ(best_tags(scores, 100), (Tags{5, 1, 3, 0, 4, 2}));
  EXPECT_EQ(best_tags(scores, 2), (Tags{5, 1}));
  EXPECT_EQ(best_tags(scores, 4), (Tags{5, 1, 3, 0}));
  EXPECT_EQ(best_tags(scores, 0), Tags{});
  EXPECT_EQ(best_tags({}, 5), Tags{});
  EXPECT_EQ(best_tags(std::vector<float>(7, 1), 3), (Tags{0, 1, 2}));
}

std::string file_of(const Suggester& suggester) {
  TensorWriter writer;
  add_suggester(writer, suggester);
  return writer.bytes();
}

TEST_F(ASuggester, FileKeepsEveryBit) {
  const Matrix words = to_dense(data_.words.view()).cast<float>();
  const Matrix asked = to_dense(asked_.words.view()).cast<float>();
  for (const SuggesterMixture& mixture : {kAllWays, SuggesterMixture{.tags = 1.0 / 3}})
    for (const bool is_sparse : {false, true}) {
      const Suggester saved = is_sparse ? fit(data_.words, data_.tags.view(), mixture, 1, {0, 20})
                                        : fit(words, data_.tags.view(), mixture);
      const Suggester loaded = read_suggester(TensorFile(file_of(saved), "memory"));
      const FeatureRows raw = is_sparse ? FeatureRows(asked_.words) : FeatureRows(asked);
      const StoredRows rows = prepare(saved, raw);
      const StoredRows again = prepare(loaded, raw);
      EXPECT_EQ(again.dense, rows.dense);
      EXPECT_EQ(again.sparse.values, rows.sparse.values);
      EXPECT_EQ(score(loaded, again.view()), score(saved, rows.view()));
      EXPECT_EQ(loaded.blocks, saved.blocks);
      EXPECT_EQ(loaded.mixture.tags, saved.mixture.tags);
      EXPECT_EQ(loaded.confidence.score, saved.confidence.score);
      EXPECT_EQ(loaded.confidence.probability, saved.confidence.probability);
      EXPECT_EQ(loaded.threshold, saved.threshold);
      EXPECT_EQ(loaded.neighbours, 6);
      EXPECT_EQ(loaded.known_tags.values, saved.known_tags.values);
    }
}

TEST_F(ASuggester, FileThatIsDamagedIsRefused) {
  const std::string whole = file_of(fit_all());
  for (std::size_t size = 0; size < whole.size(); size += 97)
    EXPECT_THROW(read_suggester(TensorFile(whole.substr(0, size), "cut")), Error) << size;
  for (std::size_t at = 0; at < whole.size(); at += 41) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x02);
    EXPECT_THROW(read_suggester(TensorFile(flipped, "flipped")), Error) << at;
  }
}

TEST_F(ASuggester, FileOfPartsThatDoNotFitIsRefused) {
  const Suggester good = fit_all();
  ASSERT_NO_THROW(read_suggester(TensorFile(file_of(good), "good")));
  const auto refused = [&](const char* what, const std::function<void(Suggester&)>& spoil) {
    Suggester bad = good;
    spoil(bad);
    EXPECT_THROW(read_suggester(TensorFile(file_of(bad), "bad")), Error) << what;
  };
  refused("weights", [](Suggester& s) { s.feature_weights.pop_back(); });
  refused("weight that is no number", [](Suggester& s) { s.feature_weights[4] = kNaN; });
  refused("neighbours' weights", [](Suggester& s) { s.neighbour_weights.pop_back(); });
  refused("neighbours' weight that is no number",
          [](Suggester& s) { s.neighbour_weights[4] = kNaN; });
  refused("columns of known items", [](Suggester& s) { ++s.known.sparse.columns; });
  refused("known items", [](Suggester& s) { s.known.sparse.end_row(); });
  refused("known item that is no number", [](Suggester& s) { s.known.sparse.values[7] = kNaN; });
  refused("dense known items", [](Suggester& s) {
    s.known = {to_dense(s.known.sparse.view()).cast<float>(), {}, false};
  });
  refused("known tags", [](Suggester& s) { s.known_tags.end_row(); });
  refused("tags of known tags", [](Suggester& s) { ++s.known_tags.columns; });
  refused("known tag that is no number", [](Suggester& s) { s.known_tags.values[7] = kNaN; });
  refused("basis", [](Suggester& s) { s.basis.whitener.conservativeResize(5, 5); });
  refused("latents", [](Suggester& s) { s.tag_gp.inverse.conservativeResize(5, 5); });
  refused("more tags", [](Suggester& s) { add_tags(s.tag_gp, 1); });
  refused("categories", [](Suggester& s) { s.categories.tags.pop_back(); });
  refused("tags of categories", [](Suggester& s) { s.categories.shares.conservativeResize(6, 5); });
  refused("classes", [](Suggester& s) { s.classifier.weights.conservativeResize(6, 5); });
  refused("classifier", [](Suggester& s) { s.classifier.weights.conservativeResize(5, 6); });
  refused("linear classifiers", [](Suggester& s) { s.linear.offset.pop_back(); });
  refused("more linear classifiers", [](Suggester& s) {
    s.linear.offset.resize(s.linear.offset.size() + 9);
    s.linear.sparse.columns += 9;
  });
  refused("weights of linear classifiers", [](Suggester& s) { s.linear.sparse.end_row(); });
  refused("weight that is no number", [](Suggester& s) { s.linear.sparse.values[0] = kNaN; });
  refused("confidence", [](Suggester& s) { s.confidence.score.pop_back(); });
  refused("falling confidence", [](Suggester& s) { s.confidence.probability[1] = 2; });
  refused("threshold", [](Suggester& s) { s.threshold = -1; });
  refused("threshold that is no number", [](Suggester& s) { s.threshold = std::nan(""); });
  refused("neighbours", [](Suggester& s) { s.neighbours = 0; });
  refused("no way of knowing", [](Suggester& s) { s.mixture = {.tags = 0}; });
}

TEST_F(ASuggester, LearnsAChangeOfTagsAsIfItHadBeenThere) {
  // The prototypes and weights stay, as they are chosen only now and then.
  SuggesterOptions options;
  SuggesterFitting fitting(data_.words, {}, data_.tags.view(), options, {.jobs = 1});
  fitting.weigh({});
  fitting.choose_prototypes(6);
  fitting.gather(0.8);
  fitting.solve(0.2);
  Suggester changed = fitting.suggester();
  const Matrix a = whiten(changed.basis, changed.known.view());
  MatrixD targets = to_dense(data_.tags.view());
  const MatrixD said_before = said(targets);
  targets(8, 5) = -1;
  const MatrixD change = said(targets) - said_before;
  std::vector<std::pair<std::int32_t, float>> difference;
  for (Eigen::Index tag = 0; tag < change.cols(); ++tag)
    if (change(8, tag) != 0)
      difference.emplace_back(static_cast<std::int32_t>(tag), static_cast<float>(change(8, tag)));
  change_targets(changed.tag_gp, {a.row(8).data(), static_cast<std::size_t>(a.cols())}, difference);
  const Sparse new_targets = test::to_sparse(said(targets));
  const SparseGp refit = solve_sparse_gp(
      gather_statistics(changed.basis, changed.known.view(), new_targets.view(), {}), 0.2);
  EXPECT_LT((changed.tag_gp.weights - refit.weights).cwiseAbs().maxCoeff(), 1e-4F);
  const Matrix before = score(fitting.suggester(), changed.known.view());
  const Matrix after = score(changed, changed.known.view());
  EXPECT_LT(after(8, 5), before(8, 5) - 0.01F);
}

}  // namespace suggester_test
}  // namespace commonplace
