#include <gtest/gtest.h>

#include "tests/formats/reading_support.h"

namespace commonplace::test {
namespace pinboard_test {

Collected pinboard(const std::string& text) {
  Collected collected;
  read_pinboard(*bytes_of(text), "pins.json", collected.sink());
  return collected;
}

TEST(Pinboard, ReadsAnExport) {
  const Collected read = pinboard(
      "[{\"href\":\"http:\\/\\/a.org\\/\",\"description\":\"Title\",\"extended\":\"Note ] }\","
      "\"meta\":\"92959a\",\"hash\":\"ab\",\"time\":\"2015-03-24T16:55:32Z\",\"shared\":\"no\","
      "\"toread\":\"yes\",\"tags\":\"c++ "
      "web/design\"},\n{\"href\":\"http://b/\",\"tags\":\"\"}\n]\n");
  ASSERT_TRUE(read.bad.empty()) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), 2U);
  const Item& item = read.item();
  EXPECT_EQ(item.id, "http://a.org/");
  EXPECT_EQ(item.title, "Title");
  EXPECT_EQ(item.text, "Note ] }");
  EXPECT_EQ(tag_names(item), (std::vector<std::string>{"c++", "web/design"}));
  EXPECT_EQ(item.time, "2015-03-24T16:55:32Z");
  EXPECT_EQ(item.metadata,
            R"({"meta":"92959a","hash":"ab","shared":"no","toread":"yes","url":"http://a.org/"})");
  EXPECT_EQ(read.records[1].where.line, 2U);
  EXPECT_TRUE(read.item(1).tags.empty());
}

TEST(Pinboard, ReportsBadElementsAndGoesOn) {
  const Collected read =
      pinboard("[{\"url\":\"x\"},\n 5,\n \"s\",\n{\"href\" 1},\n{\"href\":\"http://b/\"}]");
  std::vector<std::size_t> lines;
  for (const auto& [where, message] : read.bad) lines.push_back(where.line);
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 2, 3, 4}));
  ASSERT_EQ(read.records.size(), 1U);
}

TEST(Pinboard, RefusesWhatIsNotAnArrayOrIsCutOff) {
  EXPECT_THROW(pinboard(""), Error);
  EXPECT_THROW(pinboard("{\"href\":\"x\"}"), Error);
  EXPECT_THROW(pinboard("[{\"href\":\"http://b/\"}"), Error);
  EXPECT_THROW(pinboard("[{\"href\":\"http://b/\"},"), Error);
  EXPECT_THROW(pinboard("[{\"href\":\"http://b"), Error);
  EXPECT_TRUE(pinboard(" [ ] ").records.empty());
}

}  // namespace pinboard_test
}  // namespace commonplace::test
