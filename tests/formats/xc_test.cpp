#include <gtest/gtest.h>

#include "commonplace/base/rng.h"
#include "tests/formats/reading_support.h"

namespace commonplace::test {
namespace xc_test {

Collected xc(const std::string& text, const XcNames& names = {}, const std::string& split = "") {
  Collected collected;
  LineReader lines(bytes_of(text), "train.txt");
  read_xc(lines, names, split, collected.sink());
  return collected;
}

Collected svmlight(const std::string& text) {
  Collected collected;
  LineReader lines(bytes_of(text), "data.svm");
  read_svmlight(lines, collected.sink());
  return collected;
}

using Features = std::vector<std::pair<std::int32_t, float>>;

TEST(Xc, ReadsLabelsAndFeatures) {
  const Collected read =
      xc("3 4 3\n0,2 0:1 3:0.5\n 2:1e-2\n1\n", {{"a", "b", "c", "d"}, {"x", "", "z"}}, "train");
  ASSERT_TRUE(read.bad.empty());
  ASSERT_EQ(read.records.size(), 3U);
  EXPECT_EQ(read.feature_names, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(read.item(0).id, "train/0");
  EXPECT_EQ(tag_names(read.item(0)), (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(read.item(0).labels, (std::vector<Label>{{"split", "train"}}));
  EXPECT_EQ(read.records[0].features, (Features{{0, 1.0F}, {3, 0.5F}}));
  EXPECT_TRUE(read.item(1).tags.empty());
  EXPECT_EQ(read.records[1].features, (Features{{2, 0.01F}}));
  EXPECT_EQ(tag_names(read.item(2)), (std::vector<std::string>{"1"})) << "a label without a name";
  EXPECT_TRUE(read.records[2].features.empty());
}

TEST(Xc, NamesColumnsByNumberAndSortsThem) {
  const Collected read = xc("1 3 1\n0 2:1 0:3\n\n");
  ASSERT_TRUE(read.bad.empty());
  EXPECT_EQ(read.item().id, "0");
  EXPECT_EQ(read.feature_names, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(read.records[0].features, (Features{{0, 3.0F}, {2, 1.0F}}));
}

TEST(Xc, ReportsBadLinesAndGoesOn) {
  const Collected read =
      xc("9 3 2\n0 3:1\n2 0:1\n0,0 1:1\n0 1:1 1:2\n0 1:nan\n0 1:inf\n0 -1:1\n0 1\n0 2:1\n");
  std::vector<std::size_t> lines;
  for (const auto& [where, message] : read.bad) lines.push_back(where.line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{2, 3, 4, 5, 6, 7, 8, 9}));
  ASSERT_EQ(read.records.size(), 1U);
  EXPECT_EQ(read.item().id, "8") << "numbers are those of the lines";
}

TEST(Xc, ReportsAWrongCount) {
  const Collected read = xc("3 1 1\n0 0:1\n");
  ASSERT_EQ(read.bad.size(), 1U);
  EXPECT_NE(read.bad[0].second.find("promises 3 items"), std::string::npos);
}

TEST(Xc, RefusesABadHeaderAndNamesThatDoNotFit) {
  for (const char* header : {"", "1 2\n", "1 2 x\n", "-1 2 3\n", "1 9999999999 3\n", "1 2 3 4\n"})
    EXPECT_THROW(xc(header), Error) << header;
  EXPECT_THROW(xc("0 2 1\n", {{"only one"}, {}}), Error);
  EXPECT_THROW(xc("0 1 2\n", {{}, {"only one"}}), Error);
  EXPECT_THROW(xc("0 2000000000 1\n"), Error) << "so many names are not made up";
}

TEST(Xc, ReadsBackWhatItWrites) {
  Rng rng(4);
  const std::vector<std::string> labels{"a", "b", "c"};
  std::vector<Item> items(200);
  Sparse features;
  features.columns = 50;
  for (Item& item : items) {
    for (const std::string& label : labels)
      if (rng.below(3) == 0) {
        item.tags.emplace_back();
        item.tags.back().name = label;
      }
    for (std::int32_t column = 0; column < 50; ++column)
      if (rng.below(10) == 0) features.push(column, static_cast<float>(rng.uniform() - 0.5));
    features.end_row();
  }
  const std::string text =
      written([&](const Output& out) { write_xc(each_of(items), features.view(), labels, out); });
  const Collected read = xc(text, {{}, labels});
  ASSERT_TRUE(read.bad.empty()) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(tag_names(read.item(i)), tag_names(items[i]));
    const auto row = static_cast<std::int64_t>(i);
    const auto columns = features.view().row_indices(row);
    const auto values = features.view().row_values(row);
    Features expected;
    for (std::size_t j = 0; j < columns.size(); ++j) expected.emplace_back(columns[j], values[j]);
    EXPECT_EQ(read.records[i].features, expected) << i;
  }
}

TEST(Xc, WritesOneLineARow) {
  const std::vector<Item> items(2);
  Sparse features;
  features.end_row();
  const auto write = [&] {
    written([&](const Output& out) { write_xc(each_of(items), features.view(), {}, out); });
  };
  EXPECT_THROW(write(), Error) << "fewer rows than items";
  features.end_row();
  EXPECT_NO_THROW(write());
  features.end_row();
  EXPECT_THROW(write(), Error) << "more rows than items";
}

TEST(Svmlight, ReadsTargetsAndFeatures) {
  const Collected read =
      svmlight("# a comment\n+1 1:0.5 4:2 # here too\n\n-1 qid:7 2:1\n1.5\n 3:1\n");
  ASSERT_TRUE(read.bad.empty());
  ASSERT_EQ(read.records.size(), 4U);
  EXPECT_EQ(read.item(0).id, "2");
  EXPECT_EQ(read.item(0).labels, (std::vector<Label>{{"class", "1"}}));
  EXPECT_EQ(read.records[0].features, (Features{{0, 0.5F}, {3, 2.0F}}));
  EXPECT_EQ(read.item(1).metadata, R"({"qid":7})");
  EXPECT_EQ(read.item(1).labels, (std::vector<Label>{{"class", "-1"}}));
  EXPECT_TRUE(read.item(3).labels.empty());
}

TEST(Svmlight, CountsFromZeroWhereAZeroIsSeen) {
  const Collected read = svmlight("1 2:1\n0 0:1\n");
  EXPECT_EQ(read.records[0].features, (Features{{2, 1.0F}}));
  EXPECT_EQ(read.records[1].features, (Features{{0, 1.0F}}));
}

TEST(Svmlight, TakesListsOfLabelsForTags) {
  const Collected read = svmlight("1 1:1\n1,3 1:1\n");
  EXPECT_EQ(tag_names(read.item(0)), (std::vector<std::string>{"1"}));
  EXPECT_EQ(tag_names(read.item(1)), (std::vector<std::string>{"1", "3"}));
  EXPECT_TRUE(read.item(0).labels.empty());
}

TEST(Svmlight, ReportsBadLinesAndGoesOn) {
  const Collected read = svmlight("cat 1:1\n1 x:1\n1 1:x\n1 1:1 1:1\n1 qid:x\n1 -1:1\n1 1:1\n");
  EXPECT_EQ(read.bad.size(), 6U);
  EXPECT_EQ(read.records.size(), 1U);
}

}  // namespace xc_test
}  // namespace commonplace::test
