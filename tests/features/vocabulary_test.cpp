#include "commonplace/features/vocabulary.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/features/sources.h"

namespace commonplace {
namespace vocabulary_test {

const Words kTexts = {"the cat and the dog", "The dog", "", "a bird and the cat"};

SelectedTerms selected(const VocabularyOptions& options) {
  return select_terms(count_words(source(kTexts), {}), options);
}

TEST(TermTable, NumbersTermsInTheOrderOfAdding) {
  TermTable table;
  EXPECT_EQ(table.find("a"), -1);
  EXPECT_EQ(table.add("b"), 0);
  EXPECT_EQ(table.add(""), 1);
  EXPECT_EQ(table.add("b"), 0);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(table.add("term " + std::to_string(i)), i + 2);
  const TermTable copy = table;
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(copy.find("term " + std::to_string(i)), i + 2);
  EXPECT_EQ(copy[0], "b");
  EXPECT_EQ(copy[1], "");
  EXPECT_EQ(copy.find("absent"), -1);
  EXPECT_EQ(copy.size(), 5002);
}

TEST(CountWords, CountsInRowsAndSortedColumns) {
  const TermCounts counted = count_words(source(kTexts), {});
  EXPECT_EQ(counted.terms.strings(), (Words{"a", "and", "bird", "cat", "dog", "the"}));
  EXPECT_EQ(counted.counts.starts, (std::vector<std::int64_t>{0, 4, 6, 6, 11}));
  EXPECT_EQ(counted.counts.indices, (std::vector<std::int32_t>{1, 3, 4, 5, 4, 5, 0, 1, 2, 3, 5}));
  EXPECT_EQ(counted.counts.values, (std::vector<float>{1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(CountWords, DoesNotDependOnJobs) {
  Words texts;
  for (int i = 0; i < 9000; ++i)
    texts.push_back("word" + std::to_string(i % 97) + "x and word" + std::to_string(i % 89) + "x");
  const TermCounts one = count_words(source(texts), {}, 1);
  for (const int jobs : {2, 5}) {
    const TermCounts many = count_words(source(texts), {}, jobs);
    EXPECT_EQ(many.terms.strings(), one.terms.strings());
    EXPECT_EQ(many.counts.starts, one.counts.starts);
    EXPECT_EQ(many.counts.indices, one.counts.indices);
    EXPECT_EQ(many.counts.values, one.counts.values);
  }
}

TEST(CountWords, NamesTheDocumentThatIsNotUtf8) {
  const Words texts = {"fine", "caf\xE9"};
  try {
    count_words(source(texts), {});
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("document 2"), std::string::npos) << error.what();
  }
}

TEST(CountTags, SpellingsAreOneTermShownAsMostWriteIt) {
  const std::vector<std::vector<TagCount>> items = {{{"New York", 2}, {"Cat", 1}},
                                                    {{"new  york", 1}, {"cat", 1}, {"CAT", 3}},
                                                    {{"cat", 1}, {" ", 1}}};
  const TermCounts counted = count_tags(source(items));
  EXPECT_EQ(counted.terms.strings(), (Words{"cat", "new york"}));
  EXPECT_EQ(counted.shown, (Words{"cat", "New York"}));
  EXPECT_EQ(counted.counts.starts, (std::vector<std::int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(counted.counts.values, (std::vector<float>{1, 2, 4, 1, 1}));
}

TEST(CountTags, RefusesCountsThatCannotBe) {
  for (const double count : {-1.0, std::nan(""), HUGE_VAL}) {
    const std::vector<std::vector<TagCount>> items = {{{"cat", count}}};
    EXPECT_THROW(count_tags(source(items)), Error) << count;
  }
  const std::vector<std::vector<TagCount>> zero = {{{"cat", 0}, {"dog", 1}}};
  EXPECT_EQ(count_tags(source(zero)).terms.strings(), Words{"dog"});
}

TEST(SelectTerms, ByDocuments) {
  VocabularyOptions options;
  options.min_documents = 2;
  const SelectedTerms common = selected(options);
  EXPECT_EQ(common.vocabulary.terms.strings(), (Words{"and", "cat", "dog", "the"}));
  EXPECT_EQ(common.vocabulary.document_frequency, (std::vector<std::int64_t>{2, 2, 2, 3}));
  EXPECT_EQ(common.vocabulary.documents, 4);
  EXPECT_EQ(common.counts.columns, 4);
  EXPECT_EQ(common.counts.starts, (std::vector<std::int64_t>{0, 4, 6, 6, 9}));
  EXPECT_EQ(common.counts.indices, (std::vector<std::int32_t>{0, 1, 2, 3, 2, 3, 0, 1, 3}));
  options.max_share = 0.5;
  EXPECT_EQ(selected(options).vocabulary.terms.strings(), (Words{"and", "cat", "dog"}));
}

TEST(SelectTerms, TheMostFrequentTiesByTerm) {
  VocabularyOptions options;
  options.max_terms = 3;
  EXPECT_EQ(selected(options).vocabulary.terms.strings(), (Words{"and", "cat", "the"}));
  options.max_terms = 100;
  EXPECT_EQ(selected(options).vocabulary.size(), 6);
}

TEST(SelectTerms, RefusesBadOptionsAndNothingLeft) {
  VocabularyOptions options;
  options.min_documents = 0;
  EXPECT_THROW(selected(options), Error);
  options = {};
  options.max_share = 0;
  EXPECT_THROW(selected(options), Error);
  options.max_share = 1.5;
  EXPECT_THROW(selected(options), Error);
  options = {};
  options.max_terms = -1;
  EXPECT_THROW(selected(options), Error);
  options = {};
  options.min_documents = 4;
  EXPECT_THROW(selected(options), Error);
  EXPECT_THROW(select_terms(count_words(source(Words{}), {}), {}), Error);
}

TEST(MergeVocabularies, OneColumnPerTermOfAny) {
  const std::vector<std::vector<TagCount>> left = {{{"Cat", 1}, {"dog", 1}}, {{"dog", 2}}};
  const std::vector<std::vector<TagCount>> right = {
      {{"ant", 1}, {"cat", 1}}, {{"cat", 5}}, {{"Dog", 1}}};
  const SelectedTerms a = select_terms(count_tags(source(left)), {});
  const SelectedTerms b = select_terms(count_tags(source(right)), {});
  const std::vector<Vocabulary> both = {a.vocabulary, b.vocabulary};
  const MergedVocabulary merged = merge(both);
  EXPECT_EQ(merged.vocabulary.terms.strings(), (Words{"ant", "cat", "dog"}));
  EXPECT_EQ(merged.vocabulary.shown, (Words{"ant", "cat", "dog"}));
  EXPECT_EQ(merged.vocabulary.document_frequency, (std::vector<std::int64_t>{1, 3, 3}));
  EXPECT_EQ(merged.vocabulary.documents, 5);
  EXPECT_EQ(merged.columns[0], (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(merged.columns[1], (std::vector<std::int32_t>{0, 1, 2}));

  const Sparse moved = remap_columns(a.counts.view(), merged.columns[0], 3);
  EXPECT_EQ(moved.columns, 3);
  EXPECT_EQ(moved.starts, a.counts.starts);
  EXPECT_EQ(moved.indices, (std::vector<std::int32_t>{1, 2, 2}));
  EXPECT_EQ(moved.values, a.counts.values);

  const std::vector<Vocabulary> swapped = {b.vocabulary, a.vocabulary};
  const MergedVocabulary other = merge(swapped);
  EXPECT_EQ(other.vocabulary.terms.strings(), merged.vocabulary.terms.strings());
  EXPECT_EQ(other.vocabulary.document_frequency, merged.vocabulary.document_frequency);
}

TEST(RemapColumns, RefusesAMapThatDoesNotFit) {
  const SelectedTerms a = selected({});
  EXPECT_THROW(remap_columns(a.counts.view(), std::vector<std::int32_t>{0, 1}, 9), Error);
  EXPECT_THROW(remap_columns(a.counts.view(), std::vector<std::int32_t>{0, 1, 2, 3, 4, 9}, 9),
               Error);
  EXPECT_THROW(remap_columns(a.counts.view(), std::vector<std::int32_t>{0, 1, 3, 2, 4, 5}, 9),
               Error);
}

}  // namespace vocabulary_test
}  // namespace commonplace
