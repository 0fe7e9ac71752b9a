#include "commonplace/search/core/query.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace query_test {

using namespace search;

using Kind = search::Condition::Kind;
using Words = std::vector<std::string>;

/// A condition as text with all its parentheses: (and w:river (not #sail)).
std::string shown(const search::Condition& condition) {
  const auto group = [&](std::string text) {
    for (const search::Condition& child : condition.children) text += " " + shown(child);
    return "(" + text + ")";
  };
  switch (condition.kind) {
    case Kind::word:
      return "w:" + condition.text;
    case Kind::phrase:
      return "p:" + condition.text;
    case Kind::tag:
      return "#" + condition.text;
    case Kind::before:
      return "<" + condition.text;
    case Kind::after:
      return ">=" + condition.text;
    case Kind::during:
      return "=" + condition.text;
    case Kind::fact:
      return "is:" + condition.text;
    case Kind::area:
      return "@" + condition.text;
    case Kind::all:
      return group("and");
    case Kind::any:
      return group("or");
    case Kind::negation:
      return group("not");
  }
  return "?";
}

std::string condition_of(std::string_view text) {
  const search::Query query = parse_query(text);
  return query.condition ? shown(*query.condition) : "";
}

Words words_of(std::string_view text) { return parse_query(text).words; }

std::string error_of(std::string_view text) {
  try {
    parse_query(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_error(std::string_view text, const std::string& place, const std::string& part) {
  const std::string message = error_of(text);
  EXPECT_NE(message.find("character " + place + ":"), std::string::npos) << text << ": " << message;
  EXPECT_NE(message.find(part), std::string::npos) << text << ": " << message;
}

TEST(SearchQuery, NothingAsksForNothing) {
  EXPECT_EQ(parse_query(""), search::Query{});
  EXPECT_EQ(parse_query(" \t\n\u3000\u00a0"), search::Query{});
}

TEST(SearchQuery, BareWordsAreRankedByAndDemandNothing) {
  EXPECT_EQ(parse_query("  river   Boat "), (search::Query{{"river", "Boat"}, std::nullopt}));
  EXPECT_EQ(parse_query("((river) boat)"), (search::Query{{"river", "boat"}, std::nullopt}));
}

TEST(SearchQuery, BareWordsBesideConditionsStayFree) {
  EXPECT_EQ(condition_of("river #harbour boat"), "#harbour");
  EXPECT_EQ(words_of("river #harbour boat"), (Words{"river", "boat"}));
  EXPECT_EQ(condition_of("(river boat) -sail (before:1950 lake)"), "(and (not w:sail) <1950)");
  EXPECT_EQ(condition_of("a b and c"), "(and w:b w:c)");
  EXPECT_EQ(words_of("a b and c"), (Words{"a", "b", "c"}));
}

TEST(SearchQuery, PhrasesAreDemandedAndRankedBy) {
  EXPECT_EQ(parse_query("\"steam boat\""),
            (search::Query{{"steam boat"}, search::Condition{Kind::phrase, "steam boat", {}}}));
  EXPECT_EQ(condition_of(R"("a \"quoted\" \ word")"), R"(p:a "quoted" \ word)");
  EXPECT_EQ(condition_of("\"( and #x -y\""), "p:( and #x -y");
  EXPECT_EQ(words_of("red\"steam boat\"blue"), (Words{"red", "steam boat", "blue"}));
}

TEST(SearchQuery, TagsInEachSpelling) {
  EXPECT_EQ(condition_of("#harbour"), "#harbour");
  EXPECT_EQ(condition_of("tag:places/Harbour"), "#places/Harbour");
  EXPECT_EQ(condition_of("TAG:\"new york\""), "#new york");
  EXPECT_EQ(condition_of("#\"new york\""), "#new york");
  EXPECT_EQ(condition_of("(#a #b)"), "(and #a #b)");
  EXPECT_TRUE(words_of("#harbour").empty());
}

TEST(SearchQuery, TimesTakeTheFormOfItems) {
  EXPECT_EQ(condition_of("before:1950 after:1904-05"), "(and <1950 >=1904-05)");
  EXPECT_EQ(condition_of("Before:\"1904:05:03 10:11:12\""), "<1904-05-03T10:11:12Z");
  EXPECT_EQ(condition_of("after:1904-05-03T10:11:12+02:00"), ">=1904-05-03T08:11:12Z");
}

TEST(SearchQuery, PrecedenceIsNotThenAndThenOr) {
  EXPECT_EQ(condition_of("a and b or c and d"), "(or (and w:a w:b) (and w:c w:d))");
  EXPECT_EQ(condition_of("a or b and c or d"), "(or w:a (and w:b w:c) w:d)");
  EXPECT_EQ(condition_of("not a and b"), "(and (not w:a) w:b)");
  EXPECT_EQ(condition_of("not a or b"), "(or (not w:a) w:b)");
  EXPECT_EQ(condition_of("a and (b or c)"), "(and w:a (or w:b w:c))");
  EXPECT_EQ(condition_of("A AND b Or NOT c"), "(or (and w:A w:b) (not w:c))");
}

TEST(SearchQuery, SideBySideInsideJoiningWordsIsDemanded) {
  EXPECT_EQ(condition_of("a b or c"), "(or (and w:a w:b) w:c)");
  EXPECT_EQ(condition_of("(a b) and c"), "(and (and w:a w:b) w:c)");
  EXPECT_EQ(condition_of("not (a b)"), "(not (and w:a w:b))");
  EXPECT_EQ(condition_of("a (b or c)"), "(or w:b w:c)");
}

TEST(SearchQuery, NegationInEachSpelling) {
  EXPECT_EQ(condition_of("-sail"), "(not w:sail)");
  EXPECT_EQ(condition_of("not sail"), "(not w:sail)");
  EXPECT_EQ(condition_of("-#tag"), "(not #tag)");
  EXPECT_EQ(condition_of("-\"a b\""), "(not p:a b)");
  EXPECT_EQ(condition_of("-before:1950"), "(not <1950)");
  EXPECT_EQ(condition_of("not(a or -b)"), "(not (or w:a (not w:b)))");
  EXPECT_EQ(condition_of("-(a b) c"), "(not (and w:a w:b))");
  EXPECT_EQ(condition_of("a and not b"), "(and w:a (not w:b))");
}

TEST(SearchQuery, NothingUnderANegationIsRankedBy) {
  EXPECT_EQ(words_of("a -b not (c or not d) \"e f\" -\"g h\" i"), (Words{"a", "e f", "i"}));
}

TEST(SearchQuery, SignsInsideWordsAreLetters) {
  EXPECT_EQ(
      words_of("steam-boat C# a:b http://x.org/?a=1 don't android notes -"),
      (Words{"steam-boat", "C#", "a:b", "http://x.org/?a=1", "don't", "android", "notes", "-"}));
  EXPECT_EQ(condition_of("river - boat #"), "");
}

TEST(SearchQuery, UnicodeIsKeptAndItsBlanksPart) {
  EXPECT_EQ(words_of("Straße\u3000東京\u00a0наука"), (Words{"Straße", "東京", "наука"}));
  EXPECT_EQ(condition_of("#été and (\"la mer\" or -москва)"),
            "(and #été (or p:la mer (not w:москва)))");
}

TEST(SearchQuery, ErrorsNameThePlace) {
  expect_error("river \"boat", "7", "not closed");
  expect_error("été (a or b", "5", "not closed");
  expect_error("été a) b", "6", "no '('");
  expect_error("a and", "3", "nothing follows 'and'");
  expect_error("a OR or b", "3", "nothing follows 'OR'");
  expect_error("and a", "1", "nothing stands before 'and'");
  expect_error("a (or b)", "4", "nothing stands before 'or'");
  expect_error("東京 not", "4", "nothing follows 'not'");
  expect_error("a ()", "4", "between '(' and ')'");
  expect_error("a \"\"", "3", "between the quotes");
  expect_error("a tag: b", "3", "'tag:' has nothing");
  expect_error("a after:", "3", "'after:' has nothing");
  expect_error("a before:soon", "3", "'soon' is not a date");
  expect_error("a before:1950-13", "3", "1950-13");
  expect_error("a \xff", "3", "UTF-8");
}

TEST(SearchQuery, LimitsOfLengthAndDepth) {
  EXPECT_EQ(words_of(std::string(10'000, 'a')).size(), 1U);
  EXPECT_NE(error_of(std::string(10'001, 'a')).find("10001 bytes"), std::string::npos);

  const auto parentheses = [](std::size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  EXPECT_EQ(words_of(parentheses(100)), Words{"a"});
  expect_error(parentheses(101), "102", "more than 100");
  expect_error(std::string(10'000, '('), "102", "more than 100");
  EXPECT_EQ(condition_of(std::string(2, '-') + "a"), "(not (not w:a))");
  expect_error(std::string(9'000, '-') + "a", "102", "more than 100");
}

TEST(SearchQuery, WidthIsNotDepth) {
  std::string wide = "a";
  for (int i = 0; i < 1000; ++i) wide += " or (b)";
  EXPECT_EQ(words_of(wide).size(), 1001U);
  EXPECT_EQ(parse_query(wide).condition->children.size(), 1001U);
}

}  // namespace query_test
}  // namespace commonplace
