#include "commonplace/search/ranker.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/features/tokens.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/search/learn.h"
#include "tests/support/planted_collections.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace ranker_test {

using namespace search;

using Ids = std::vector<std::string>;

/// The planted collections, with a few words in texts too.
class Ranker : public test::LibraryTest {
 protected:
  Ranker() {
    test::add_planted_collections(library());
    test::import_jsonl(library(), "photos",
                       R"({"id":"a","title":"A harbour","text":"ship by ship","tags":["wave"]})"
                       "\n"
                       R"({"id":"b","text":"the harbour in the evening light","tags":["oak"]})");
  }

  search::Model learn(const std::vector<std::string>& auxiliaries = {"gallery"}) {
    search::ModelOptions options;
    options.rank = options.auxiliary_rank = 6;
    options.shared = "4";
    options.neighbours = 1000;  // so many that no tie decides who votes
    search::learn(library(), "photos", auxiliaries, "model", options, {.jobs = 1});
    return search::load_model(TensorFile(model_record(library(), "model").file));
  }
  search::Index index(const search::Model& model, int jobs = 1) {
    return search::make_index(library(), collection_named("photos"), &model, {.jobs = jobs});
  }
  std::vector<Item> photos() {
    std::vector<Item> all;
    ItemReader reader(library(), collection_named("photos"));
    for (Item item; reader.next(item);) all.push_back(item);
    return all;
  }
};

/// What the parts of a score should be, written out from the definitions with loops over
/// everything.
class NaiveScores {
 public:
  NaiveScores(const search::Model& model, const std::vector<Item>& items) : model_(model) {
    for (const Item& item : items) rows_.push_back(counts(item));
    for (const Item& item : items) words_.push_back(text_words(item));
  }

  double rarity(const std::string& word) const {
    double having = 0;
    double in_text = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      having += rows_[i].count(word) > 0 ? 1 : 0;
      in_text += std::count(words_[i].begin(), words_[i].end(), word) > 0 ? 1 : 0;
    }
    having = std::max(having, in_text);
    const auto items = static_cast<double>(rows_.size());
    return std::log(1 + (items - having + 0.5) / (having + 0.5));
  }

  /// BM25: 10 for a word in the tags, 4 for one in a text of the usual length.
  double own(std::size_t item, const std::string& word) const {
    double score = rows_[item].count(word) > 0 ? 10 : 0;
    double total = 0;
    double with_words = 0;
    for (const Ids& words : words_) {
      total += static_cast<double>(words.size());
      with_words += words.empty() ? 0 : 1;
    }
    const auto count =
        static_cast<double>(std::count(words_[item].begin(), words_[item].end(), word));
    const double length = static_cast<double>(words_[item].size()) / (total / with_words);
    if (count > 0) score += 4 * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length));
    return score;
  }

  double borrowed(std::size_t item, const std::string& word) const {
    const Borrowing& borrowing = model_.borrowing;
    const std::int32_t asked = model_.vocabulary.find(word);
    return borrowing.weights.topics * topics(item, asked) +
           borrowing.weights.lift * lift(item, asked) +
           borrowing.weights.ridge * ridge(item, asked) +
           borrowing.weights.votes * votes(item, asked);
  }

 private:
  using Counts = std::map<std::string, double>;

  static Counts counts(const Item& item) {
    Counts result;
    for (const ItemTag& tag : item.tags) result[tag.name] += 1;
    return result;
  }
  static Ids text_words(const Item& item) {
    return Tokenizer({}).tokens(item.title + "\n" + item.text);
  }
  static double at(const Sparse& matrix, std::int32_t row, std::int32_t column) {
    const auto columns = matrix.view().row_indices(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == column) return static_cast<double>(matrix.view().row_values(row)[i]);
    return 0;
  }
  double idf(std::int32_t term) const {
    return static_cast<double>(model_.borrowing.idf[static_cast<std::size_t>(term)]);
  }

  double topics(std::size_t item, std::int32_t asked) const {
    Sparse row;
    row.columns = model_.vocabulary.size();
    for (std::int32_t term = 0; term < model_.vocabulary.size(); ++term)
      if (rows_[item].count(std::string(model_.vocabulary.terms[term])) > 0)
        row.push(term, static_cast<float>(idf(term)));
    row.end_row();
    const Matrix code = encode(model_.borrowing.subspace, 0, row.view(), 1);
    double sum = 0;
    Eigen::Index place = 0;
    for (const int topic : model_.borrowing.subspace.topics_of(0))
      sum += static_cast<double>(code(0, place++)) *
             static_cast<double>(model_.borrowing.subspace.basis(asked, topic)) / idf(asked);
    return sum;
  }
  double lift(std::size_t item, std::int32_t asked) const {
    double sum = 0;
    for (const auto& [tag, count] : rows_[item]) {
      const std::int32_t from = model_.vocabulary.find(tag);
      sum += static_cast<double>(
                 model_.borrowing.associations.unrelated[static_cast<std::size_t>(from)]) +
             at(model_.borrowing.associations.lift, asked, from);
    }
    return sum;
  }
  double ridge(std::size_t item, std::int32_t asked) const {
    double sum = 0;
    for (const auto& [tag, count] : rows_[item])
      sum += at(model_.borrowing.associations.ridge, asked, model_.vocabulary.find(tag));
    return sum;
  }
  double votes(std::size_t item, std::int32_t asked) const {
    double norm = 0;
    for (const auto& [tag, count] : rows_[item])
      norm += std::pow(idf(model_.vocabulary.find(tag)), 2);
    double sum = 0;
    double all = 0.2;
    const Sparse& lenders = model_.borrowing.lenders;
    for (std::int32_t lender = 0; lender < lenders.rows(); ++lender) {
      double product = 0;
      double length = 0;
      for (const std::int32_t term : lenders.view().row_indices(lender)) {
        length += idf(term) * idf(term);
        if (rows_[item].count(std::string(model_.vocabulary.terms[term])) > 0)
          product += idf(term) * idf(term);
      }
      const double similarity = product * product / (length * norm);
      all += similarity;
      sum += similarity * at(lenders, lender, asked);
    }
    return sum / all;
  }

  const search::Model& model_;
  std::vector<Counts> rows_;
  std::vector<Ids> words_;
};

TEST_F(Ranker, ScoresAreWhatTheirDefinitionsSay) {
  const search::Model model = learn();
  ASSERT_GT(model.borrowing.weights.votes, 0);
  const search::Index searched = index(model);
  const search::Ranker ranker(searched, &model, 1);
  const std::vector<Item> all = photos();
  const NaiveScores naive(model, all);
  for (const Ids& words :
       {Ids{"harbour"}, Ids{"ship"}, Ids{"harbour", "ship"}, Ids{"owl", "cake"}}) {
    double rarest = 0;
    for (const std::string& word : words) rarest = std::max(rarest, naive.rarity(word));
    const auto ranked = ranker.rank(ranker.understand(words, false), 1000, {}, false, {}, 1).best;
    std::map<std::int64_t, RankedItem> by_row;
    for (const RankedItem& each : ranked) by_row[each.row] = each;
    EXPECT_EQ(by_row.size(), ranked.size());
    EXPECT_TRUE(std::is_sorted(ranked.begin(), ranked.end(),
                               [](auto& a, auto& b) { return a.score > b.score; }));
    for (std::size_t row = 0; row < all.size(); ++row) {
      double own = 0;
      double borrowed = 0;
      for (const std::string& word : words) {
        own += naive.rarity(word) / rarest * naive.own(row, word);
        borrowed += naive.rarity(word) / rarest * naive.borrowed(row, word);
      }
      const auto found = by_row.find(static_cast<std::int64_t>(row));
      if (found == by_row.end()) {
        EXPECT_EQ(own, 0) << words[0] << " " << all[row].id;
        EXPECT_LT(borrowed, 1e-3) << words[0] << " " << all[row].id;
        continue;
      }
      EXPECT_NEAR(found->second.own, own, 1e-4) << words[0] << " " << all[row].id;
      const double score = std::max(own + borrowed, 1e-3 * own);
      EXPECT_NEAR(found->second.score, score, 0.01 * own / 10 + 1e-3)
          << words[0] << " " << all[row].id;
      EXPECT_NEAR(found->second.borrowed, found->second.score - found->second.own, 1e-9);
    }
  }
}

TEST_F(Ranker, AFewAreTheFirstOfAllAndAllAreCounted) {
  const search::Model model = learn();
  const search::Index searched = index(model);
  const search::Ranker ranker(searched, &model, 1);
  std::vector<std::uint8_t> odd(static_cast<std::size_t>(searched.items));
  for (std::size_t row = 1; row < odd.size(); row += 2) odd[row] = 1;
  for (const Ids& words : {Ids{"harbour"}, Ids{"owl", "cake"}, Ids{"harbour", "ship"}})
    for (const bool words_only : {false, true})
      for (const std::vector<std::uint8_t>& keep : {std::vector<std::uint8_t>{}, odd}) {
        const Ask ask = ranker.understand(words, false);
        const RankedItems all = ranker.rank(ask, searched.items, keep, words_only, {}, 1);
        EXPECT_EQ(all.found, std::ssize(all.best));
        ASSERT_GT(all.found, words_only ? 0 : 5) << words[0];
        for (const std::int64_t limit : {0, 1, 3, 5}) {
          const RankedItems few = ranker.rank(ask, limit, keep, words_only, {}, 1);
          EXPECT_EQ(few.found, all.found) << words[0] << " " << limit;
          ASSERT_EQ(std::ssize(few.best), std::min(limit, all.found));
          for (std::size_t i = 0; i < few.best.size(); ++i) {
            EXPECT_EQ(few.best[i].row, all.best[i].row) << words[0] << " " << limit;
            EXPECT_EQ(few.best[i].score, all.best[i].score);
          }
        }
      }
}

TEST_F(Ranker, WordsInsideTagsAreBorrowedThroughUnlessWholeTermsAreAsked) {
  std::string lines;
  for (int i = 0; i < 60; ++i)
    lines += R"({"id":"s-)" + std::to_string(i) +
             R"(","tags":["steam ship","funnel","ocean liner"]})" + "\n";
  test::import_jsonl(library(), "liners", lines);
  const search::Model learned = learn({"gallery", "liners"});
  const search::Index searched = index(learned);
  const search::Ranker ranker(searched, &learned, 1);
  auto terms = [&](const Ids& tokens, bool whole) {
    std::map<std::string, float> result;
    for (const WeightedTerm& term : ranker.understand(tokens, whole).terms)
      result.emplace(learned.vocabulary.terms[term.term], term.weight);
    return result;
  };
  EXPECT_EQ(terms({"liner"}, true).size(), 0U);
  EXPECT_EQ(terms({"liner"}, false), (std::map<std::string, float>{{"ocean liner", 1.0F}}));
  const auto ship = terms({"ship"}, false);
  ASSERT_EQ(ship.size(), 2U);
  EXPECT_GT(ship.at("ship"), ship.at("steam ship"));
  EXPECT_EQ(terms({"steam", "ship"}, true).at("steam ship"), 1.0F) << "a run that is a tag";
  EXPECT_EQ(ranker.understand({"liner", "zebra"}, false).unknown, Ids({"zebra"}));
}

TEST_F(Ranker, AModelFileIsReadBackToTheBitAndDamageIsAnError) {
  const search::Model learned = learn();
  save(learned, folder_ / "copy.safetensors");
  const std::string whole = test::slurp(folder_ / "copy.safetensors");
  EXPECT_EQ(whole, test::slurp(model_record(library(), "model").file));
  const search::Model loaded = search::load_model(TensorFile(folder_ / "copy.safetensors"));
  const search::Index a = index(learned);
  const search::Index b = index(loaded, 2);
  const search::Ranker first(a, &learned, 1);
  const search::Ranker second(b, &loaded, 1);
  const auto expected = first.rank(first.understand({"harbour", "owl"}, false), 300).best;
  const auto ranked = second.rank(second.understand({"harbour", "owl"}, false), 300).best;
  ASSERT_EQ(ranked.size(), expected.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_EQ(ranked[i].row, expected[i].row);
    EXPECT_EQ(ranked[i].score, expected[i].score);
  }
  for (std::size_t length = 0; length < whole.size(); length += whole.size() / 40 + 1)
    EXPECT_THROW(search::load_model(TensorFile(whole.substr(0, length), "cut")), Error) << length;
  for (std::size_t place = 8; place < whole.size(); place += whole.size() / 40 + 1) {
    std::string flipped = whole;
    flipped[place] = static_cast<char>(flipped[place] ^ 4);
    EXPECT_THROW(search::load_model(TensorFile(flipped, "flipped")), Error) << place;
  }
}

}  // namespace ranker_test
}  // namespace commonplace
