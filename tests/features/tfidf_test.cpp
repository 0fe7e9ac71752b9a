#include "commonplace/features/tfidf.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/io/lines.h"
#include "tests/features/sources.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace tfidf_test {

const Words kTexts = {"apple apple banana", "banana cherry", "apple cherry cherry cherry"};

float at(const Sparse& matrix, std::int64_t row, std::int32_t column) {
  const SparseView view = matrix.view();
  for (std::size_t i = 0; i < view.row_indices(row).size(); ++i)
    if (view.row_indices(row)[i] == column) return view.row_values(row)[i];
  return 0;
}

void expect_same(const Sparse& a, const Sparse& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.values, b.values);
}

TEST(Tfidf, ByHand) {
  // Every term is in 2 of 3 documents, so idf = ln(4/3) + 1 = 1.287682 for all, and the first row
  // is (2, 1, 0) / sqrt(5).
  const TfidfFit fit = fit_tfidf(source(kTexts), {});
  EXPECT_NEAR(fit.model.idf[0], 1.287682, 1e-6);
  EXPECT_NEAR(at(fit.matrix, 0, 0), 0.894427, 1e-6);
  EXPECT_NEAR(at(fit.matrix, 0, 1), 0.447214, 1e-6);
  EXPECT_EQ(at(fit.matrix, 0, 2), 0);
  EXPECT_NEAR(at(fit.matrix, 2, 2), 0.948683, 1e-6);

  TfidfOptions plain;
  plain.weights = {.sublinear = true, .idf = true, .smooth = false, .normalise = false};
  const TfidfFit other = fit_tfidf(source(kTexts), plain);
  // ln(3/2) + 1 = 1.405465; 1 + ln 3 = 2.098612; their product 2.949526.
  EXPECT_NEAR(other.model.idf[2], 1.405465, 1e-6);
  EXPECT_NEAR(at(other.matrix, 2, 2), 2.949526, 1e-5);
}

TEST(Tfidf, AgreesWithLoops) {
  const Words texts = {"the quick brown fox jumps over the lazy dog", "the dog barks at the fox",
                       "quick quick thinking", "", "nothing in common here"};
  TfidfOptions options;
  options.tokens.ngrams = 2;
  options.weights.sublinear = true;
  const TfidfFit fit = fit_tfidf(source(texts), options);

  std::vector<std::map<std::string, double>> counts;
  std::map<std::string, double> documents;
  Tokenizer tokenizer(options.tokens);
  for (const std::string& text : texts) {
    auto& row = counts.emplace_back();
    for (const std::string& term : tokenizer.tokens(text)) ++row[term];
    for (const auto& entry : row) ++documents[entry.first];
  }
  ASSERT_EQ(fit.model.vocabulary.size(), static_cast<std::int64_t>(documents.size()));
  for (std::size_t row = 0; row < texts.size(); ++row) {
    double squares = 0;
    for (auto& [term, count] : counts[row]) {
      count = (1 + std::log(count)) * (std::log(6 / (1 + documents[term])) + 1);
      squares += count * count;
    }
    for (const auto& [term, weight] : counts[row])
      EXPECT_NEAR(at(fit.matrix, static_cast<std::int64_t>(row), fit.model.vocabulary.find(term)),
                  weight / std::sqrt(squares), 1e-6)
          << term;
    EXPECT_EQ(fit.matrix.starts[row + 1] - fit.matrix.starts[row],
              static_cast<std::int64_t>(counts[row].size()));
  }
}

TEST(Tfidf, CountsOnly) {
  TfidfOptions options;
  options.weights = {.sublinear = false, .idf = false, .smooth = false, .normalise = false};
  EXPECT_EQ(fit_tfidf(source(kTexts), options).matrix.values,
            (std::vector<float>{2, 1, 1, 1, 1, 3}));
}

TEST(TfidfEncode, GivesTheTrainingRowsAgain) {
  TfidfOptions options;
  options.terms.min_documents = 2;
  const Words texts = {"apple apple banana unique", "banana cherry", "apple cherry cherry"};
  const TfidfFit fit = fit_tfidf(source(texts), options);
  expect_same(encode(fit.model, source(texts), 2), fit.matrix);
  const Sparse row = encode(fit.model, "Banana, unknown");
  EXPECT_EQ(row.rows(), 1);
  EXPECT_EQ(row.indices, std::vector<std::int32_t>{1});
  EXPECT_EQ(row.values, std::vector<float>{1});
  EXPECT_EQ(encode(fit.model, "nothing known").nonzeros(), 0);
  EXPECT_EQ(encode(fit.model, "").rows(), 1);
}

TEST(Tags, AreTheirOwnVocabulary) {
  const std::vector<std::vector<TagCount>> items = {
      {{"Night Sky", 3}, {"stars", 4}}, {{"night sky", 1}}, {{"Night Sky", 1}, {"city", 1}}};
  TfidfOptions options;
  options.weights.idf = false;
  const TfidfFit fit = fit_tags(source(items), options);
  EXPECT_TRUE(fit.model.of_tags);
  EXPECT_EQ(fit.model.vocabulary.terms.strings(), (Words{"city", "night sky", "stars"}));
  EXPECT_EQ(fit.model.vocabulary.name(1), "Night Sky");
  EXPECT_EQ(fit.model.vocabulary.find("night sky"), 1);
  EXPECT_NEAR(at(fit.matrix, 0, 1), 0.6, 1e-6);
  EXPECT_NEAR(at(fit.matrix, 0, 2), 0.8, 1e-6);
  expect_same(encode_tags(fit.model, source(items)), fit.matrix);
  const std::vector<TagCount> shouted = {{"NIGHT SKY", 1}, {"night sky", 1}, {"new", 1}};
  EXPECT_EQ(encode_tags(fit.model, shouted).indices, std::vector<std::int32_t>{1});
}

TEST(Tags, AndTextAreNotMixedUp) {
  const std::vector<std::vector<TagCount>> items = {{{"a", 1}}};
  const TfidfFit tags = fit_tags(source(items), {});
  const TfidfFit text = fit_tfidf(source(kTexts), {});
  EXPECT_THROW(encode(tags.model, "a"), Error);
  EXPECT_THROW(encode_tags(text.model, items[0]), Error);
}

TEST(Tfidf, RefusesBadOptions) {
  TfidfOptions options;
  options.terms.max_share = 2;
  EXPECT_THROW(fit_tfidf(source(kTexts), options), Error);
  options = {};
  options.tokens.language = "klingon";
  EXPECT_THROW(fit_tfidf(source(kTexts), options), Error);
}

TEST(TfidfFile, KeepsEveryBit) {
  const test::TemporaryDirectory directory;
  TfidfOptions options;
  options.tokens.language = "english";
  options.tokens.stem = true;
  options.terms.max_share = 0.9;
  options.weights.sublinear = true;
  const TfidfFit fit = fit_tfidf(source(kTexts), options);
  save(fit.model, directory / "words.safetensors");
  const TfidfModel loaded = load_tfidf(TensorFile(directory / "words.safetensors"));
  EXPECT_EQ(loaded.vocabulary.terms.strings(), fit.model.vocabulary.terms.strings());
  EXPECT_EQ(loaded.vocabulary.document_frequency, fit.model.vocabulary.document_frequency);
  EXPECT_EQ(loaded.vocabulary.documents, 3);
  EXPECT_EQ(loaded.idf, fit.model.idf);
  EXPECT_EQ(loaded.options.tokens.language, "english");
  EXPECT_TRUE(loaded.options.tokens.stem);
  EXPECT_EQ(loaded.options.terms.max_share, 0.9);
  expect_same(encode(loaded, source(kTexts)), fit.matrix);

  const std::vector<std::vector<TagCount>> items = {{{"Night Sky", 3}, {"stars", 4}}};
  const TfidfFit tags = fit_tags(source(items), {});
  save(tags.model, directory / "tags.safetensors");
  const TfidfModel loaded_tags = load_tfidf(TensorFile(directory / "tags.safetensors"));
  EXPECT_TRUE(loaded_tags.of_tags);
  EXPECT_EQ(loaded_tags.vocabulary.shown, tags.model.vocabulary.shown);
  expect_same(encode_tags(loaded_tags, source(items)), tags.matrix);
}

TEST(TfidfFile, DamageIsRefused) {
  const test::TemporaryDirectory directory;
  save(fit_tfidf(source(kTexts), {}).model, directory / "words.safetensors");
  const std::string whole = test::slurp(directory / "words.safetensors");
  for (std::size_t size = 0; size < whole.size(); size += 13)
    EXPECT_THROW(load_tfidf(TensorFile(whole.substr(0, size), "cut")), Error) << size;
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(load_tfidf(TensorFile(flipped, "flipped")), Error) << at;
  }
}

TEST(TfidfFile, PartsThatDoNotFitAreRefused) {
  const TfidfModel good = fit_tfidf(source(kTexts), {}).model;
  const auto refused = [&](auto change) {
    const test::TemporaryDirectory directory;
    TfidfModel model = good;
    change(model);
    save(model, directory / "words.safetensors");
    EXPECT_THROW(load_tfidf(TensorFile(directory / "words.safetensors")), Error);
  };
  refused([](TfidfModel& model) { model.idf.pop_back(); });
  refused([](TfidfModel& model) { model.idf[0] = std::nanf(""); });
  refused([](TfidfModel& model) { model.vocabulary.document_frequency.pop_back(); });
  refused([](TfidfModel& model) { model.vocabulary.documents = -1; });
  refused([](TfidfModel& model) { model.options.tokens.ngrams = 99; });
  refused([](TfidfModel& model) { model.options.tokens.language = "klingon"; });
  refused([](TfidfModel& model) { model.vocabulary.terms.add("aardvark"); });
  refused([](TfidfModel& model) { model.of_tags = true; });
}

TEST(TfidfNewsgroups, PostsFindTheirGroup) {
  const std::filesystem::path path = test::data_directory() / "20newsgroups/posts.jsonl.gz";
  if (test::data_directory().empty() || !std::filesystem::exists(path))
    GTEST_SKIP() << "the 20 Newsgroups posts are not here (" << path << ")";
  std::vector<std::string> groups;
  LineReader reader(open_bytes(path), path.string());
  TfidfOptions options;
  options.tokens.language = "english";
  options.tokens.stop_words = true;
  options.terms.min_documents = 5;
  options.terms.max_share = 0.3;
  const TfidfFit fit = fit_tfidf(
      [&](std::string& text) {
        std::string_view line;
        if (!reader.next(line)) return false;
        const auto post = nlohmann::json::parse(line);
        groups.push_back(post.at("group"));
        text = post.at("text").get<std::string>();
        return true;
      },
      options);
  ASSERT_EQ(fit.matrix.rows(), 18846);

  // The mean of each group's rows, from even posts, must name the group of most odd posts.
  std::map<std::string, std::vector<float>> means;
  const SparseView posts = fit.matrix.view();
  for (std::int64_t row = 0; row < posts.rows; row += 2) {
    auto& mean = means[groups[static_cast<std::size_t>(row)]];
    mean.resize(static_cast<std::size_t>(posts.columns));
    for (std::size_t i = 0; i < posts.row_indices(row).size(); ++i)
      mean[static_cast<std::size_t>(posts.row_indices(row)[i])] += posts.row_values(row)[i];
  }
  for (auto& [group, mean] : means) {
    double squares = 0;
    for (const float value : mean) squares += static_cast<double>(value * value);
    for (float& value : mean) value /= static_cast<float>(std::sqrt(squares));
  }
  int right = 0;
  int asked = 0;
  for (std::int64_t row = 1; row < posts.rows; row += 2, ++asked) {
    std::pair<float, std::string> best = {-1.0F, ""};
    for (const auto& [group, mean] : means) {
      float score = 0;
      for (std::size_t i = 0; i < posts.row_indices(row).size(); ++i)
        score +=
            posts.row_values(row)[i] * mean[static_cast<std::size_t>(posts.row_indices(row)[i])];
      best = std::max(best, std::pair(score, group));
    }
    right += best.second == groups[static_cast<std::size_t>(row)] ? 1 : 0;
  }
  RecordProperty("accuracy", std::to_string(static_cast<double>(right) / asked));
  EXPECT_GT(right, asked * 7 / 10) << right << " of " << asked;
}

}  // namespace tfidf_test
}  // namespace commonplace
