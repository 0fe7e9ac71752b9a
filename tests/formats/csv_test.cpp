#include <gtest/gtest.h>

#include "tests/formats/random_items.h"
#include "tests/formats/reading_support.h"

namespace commonplace::test {
namespace csv_test {

TEST(Csv, FillsFieldsByTheHeader) {
  const Collected read = csv("id,Title,tags,LAT,lon,year\na,Owl,birds; night,51.5,-0.25,1904\n");
  ASSERT_TRUE(read.bad.empty());
  EXPECT_EQ(read.item().id, "a");
  EXPECT_EQ(read.item().title, "Owl");
  EXPECT_EQ(tag_names(read.item()), (std::vector<std::string>{"birds", "night"}));
  EXPECT_EQ(read.item().place, (Place{51.5, -0.25}));
  EXPECT_EQ(read.item().metadata, R"({"year":"1904"})");
}

TEST(Csv, ReadsQuotesOverLines) {
  const Collected read =
      csv("\xEF\xBB\xBFid,text\r\n1,\"two\r\nlines, \"\"quoted\"\"\"\r\n\r\n2,plain "
          "\"inner\"\r\n3,\"\"\n");
  ASSERT_TRUE(read.bad.empty());
  ASSERT_EQ(read.records.size(), 3U);
  EXPECT_EQ(read.item(0).text, "two\r\nlines, \"quoted\"");
  EXPECT_EQ(read.records[0].where.line, 2U);
  EXPECT_EQ(read.item(1).text, "plain \"inner\"");
  EXPECT_EQ(read.records[1].where.line, 5U);
  EXPECT_EQ(read.item(2).text, "");
}

TEST(Csv, TakesGivenColumnsAndTagSeparators) {
  Collected read;
  ReadOptions options;
  options.columns = {"image", "keywords"};
  options.tag_separator = ' ';
  read_csv(*bytes_of("a.jpg\tcar sky, blue\nb.jpg\t\nc.jpg\n"), "test.tsv", '\t', options,
           read.sink());
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.item(0).image, "a.jpg");
  EXPECT_EQ(read.item(0).id, "1");
  EXPECT_EQ(tag_names(read.item(0)), (std::vector<std::string>{"car", "sky,", "blue"}));
  EXPECT_TRUE(read.item(1).tags.empty());
  ASSERT_EQ(read.bad.size(), 1U);
  EXPECT_EQ(read.bad[0].first.line, 3U);
}

TEST(Csv, GuessesTheSeparator) {
  EXPECT_EQ(csv("id;title\n1;a, b\n").item().title, "a, b");
  EXPECT_EQ(csv("id\ttitle\n1\ta;b\n").item().title, "a;b");
  EXPECT_EQ(csv("id|title\n1|a\n").item().title, "a");
  EXPECT_EQ(csv("id,\"a;b;c\",title\n1,2,t\n").item().title, "t");
  EXPECT_EQ(csv("sep=;\r\nid;title\r\n1;a\r\n").item().title, "a");
  EXPECT_EQ(csv("title\nonly\n").item().title, "only");
  EXPECT_EQ(csv("id\rtitle", "", ',').records.size(), 1U) << "lone carriage returns end lines too";
}

TEST(Csv, UsesTheMapAndNamesNamelessColumns) {
  const Collected read = csv(",name,kind\n0,Owl,bird\n", "title=name,labels=kind");
  EXPECT_EQ(read.item().id, "2");
  EXPECT_EQ(read.item().title, "Owl");
  EXPECT_EQ(read.item().labels, (std::vector<Label>{{"kind", "bird"}}));
  EXPECT_EQ(read.item().metadata, R"({"column 1":"0"})");
}

TEST(Csv, TakesTagsApart) {
  const auto tags = [](const std::string& cell) {
    return tag_names(csv("id\ttags\n1\t" + cell + "\n").item());
  };
  EXPECT_EQ(tags("a;b, c|d"), (std::vector<std::string>{"a", "b, c|d"}));
  EXPECT_EQ(tags("a|b, c"), (std::vector<std::string>{"a", "b, c"}));
  EXPECT_EQ(tags("a, b,,c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(tags("\"[\"\"a;b\"\"]\""), (std::vector<std::string>{"a;b"}));
}

TEST(Csv, ReportsBadRowsAndGoesOn) {
  const Collected read = csv(
      "id,lat,lon\n1,2\n2,95,0\n3,\"x\"y,\n4,0,0,0\n5,caf\xE9,\n6,1,1\n7,\"never closed\n8,,\n");
  std::vector<std::size_t> lines;
  for (const auto& [where, message] : read.bad) lines.push_back(where.line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{2, 3, 4, 5, 6, 8}));
  ASSERT_EQ(read.records.size(), 1U);
  EXPECT_EQ(read.item().id, "6");
  EXPECT_NE(read.bad[0].second.find("2 cells where the header has 3"), std::string::npos);
}

std::string header_error(const std::string& text, const std::string& map = "") {
  try {
    csv(text, map);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, RefusesWhatIsNoCollection) {
  EXPECT_NE(header_error("").find("empty"), std::string::npos);
  EXPECT_NE(header_error("1,2.5,-3\n4,5,6\n").find("commonplace features"), std::string::npos);
  EXPECT_NE(header_error("x,y\n1,2\n").find("--map"), std::string::npos);
  EXPECT_NE(header_error("id,id\n1,2\n").find("twice"), std::string::npos);
  EXPECT_NE(header_error("id,name\n1,2\n", "title=nme").find("'nme'"), std::string::npos);
  EXPECT_NE(header_error("id,caf\xE9\n1,2\n").find("UTF-8"), std::string::npos);
  EXPECT_NE(header_error("id,\"x\n1,2\n").find("closed"), std::string::npos);
}

class CsvRoundTrip : public testing::TestWithParam<char> {};

TEST_P(CsvRoundTrip, GivesTheSameItems) {
  const std::vector<Item> items = random_items(2, 500);
  const Collected read =
      csv(written([&](const Output& out) { write_csv(each_of(items), GetParam(), out); }), "",
          GetParam());
  ASSERT_TRUE(read.bad.empty()) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(read.item(i), items[i]) << i;
}
INSTANTIATE_TEST_SUITE_P(Separators, CsvRoundTrip, testing::Values(',', ';', '\t'));

TEST(Csv, WritesPlainTagsPlainly) {
  Item item;
  item.id = "1";
  item.tags.resize(2);
  item.tags[0].name = "a/b";
  item.tags[1].name = "c d";
  const std::vector<Item> items{item};
  EXPECT_EQ(written([&](const Output& out) { write_csv(each_of(items), ',', out); }),
            "id,title,text,tags,image,lat,lon,time,labels,metadata\r\n1,,,a/b;c d,,,,,,\r\n");
}

TEST(Csv, TakesQuotesBetweenTabsAsTheyAre) {
  const Collected read =
      csv("id\ttitle\ttext\n"
          "1\t\"Owls\" of the north\tx\n"
          "2\tan 8\" pipe\ty\n"
          "3\t\"never closed\tz\n"
          "4\t\"with a \"\"quote\"\" and\na line\"\tw\n");
  ASSERT_EQ(read.bad.size(), 0U);
  ASSERT_EQ(read.records.size(), 4U);
  EXPECT_EQ(read.item(0).title, "\"Owls\" of the north");
  EXPECT_EQ(read.item(1).title, "an 8\" pipe");
  EXPECT_EQ(read.item(2).title, "\"never closed");
  EXPECT_EQ(read.item(3).title, "with a \"quote\" and\na line");
}

}  // namespace csv_test
}  // namespace commonplace::test
