#include "commonplace/formats/tag_name.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace tag_name_test {

TEST(TagName, TidiesLevelsAndWhiteSpace) {
  EXPECT_EQ(tag_name("  animals /birds//  owl / "), "animals/birds/owl");
  EXPECT_EQ(tag_name("new\t york\n city"), "new york city");
  EXPECT_EQ(tag_name("plain"), "plain");
  EXPECT_EQ(tag_name(" / / "), "");
  EXPECT_EQ(tag_name(""), "");
}

TEST(TagName, IsComposed) { EXPECT_EQ(tag_name("cafe\u0301"), "caf\u00E9"); }

TEST(TagName, RefusesTextsAndOtherEncodings) {
  EXPECT_EQ(tag_name(std::string(1000, 'x')).size(), 1000U);
  EXPECT_THROW(tag_name(std::string(1001, 'x')), Error);
  EXPECT_THROW(tag_name("caf\xE9"), Error);
}

TEST(TagName, IsItsOwnName) {
  for (const char* written : {" a / b ", "É\u0301t\u00A0é", "x/ /y"})
    EXPECT_EQ(tag_name(tag_name(written)), tag_name(written));
}

TEST(TagKey, IsTheSameForSpellingsOfOneTag) {
  EXPECT_EQ(tag_key("Straße/ÉTÉ"), tag_key("STRASSE/été"));
  EXPECT_NE(tag_key("owl"), tag_key("owls"));
}

TEST(TagPath, HasEveryLevel) {
  EXPECT_EQ(tag_path("a/b/c"), (std::vector<std::string>{"a", "a/b", "a/b/c"}));
  EXPECT_EQ(tag_path("a"), std::vector<std::string>{"a"});
}

TEST(TagLeaf, IsTheLastLevel) {
  EXPECT_EQ(tag_leaf("a/b/c"), "c");
  EXPECT_EQ(tag_leaf("a"), "a");
}

TEST(TagName, LeavesAddressesWhole) {
  EXPECT_EQ(tag_name(" http://v.org/a/b "), "http://v.org/a/b");
  EXPECT_EQ(tag_path("http://v.org/a/b"), (std::vector<std::string>{"http://v.org/a/b"}));
  EXPECT_EQ(tag_leaf("http://v.org/a/b"), "http://v.org/a/b");
  EXPECT_EQ(tag_name("a//b"), "a/b") << "which is no address";
}

}  // namespace tag_name_test
}  // namespace commonplace
