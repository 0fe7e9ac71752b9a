#include "commonplace/features/tokens.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/features/stop_words.h"

namespace commonplace {
namespace tokens_test {

using Words = std::vector<std::string>;

std::vector<std::string> tokens(std::string_view text, const TokenOptions& options = {}) {
  return Tokenizer(options).tokens(text);
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tokens, WordsWithoutPunctuation) {
  EXPECT_EQ(tokens("Hello, World! It's (really) fine."),
            (Words{"hello", "world", "it's", "really", "fine"}));
  EXPECT_EQ(tokens(""), Words{});
  EXPECT_EQ(tokens(" ... --- ____ \n"), Words{});
  EXPECT_EQ(tokens("_so_ snake_case"), (Words{"so", "snake_case"}));
  EXPECT_EQ(tokens("mail joe@example.org"), (Words{"mail", "joe", "example.org"}));
}

TEST(Tokens, SpellingsAgree) {
  EXPECT_EQ(tokens("Stra\xC3\x9F"
                   "e STRASSE"),
            (Words{"strasse", "strasse"}));
  EXPECT_EQ(tokens("CAF\xC3\x89 cafe\xCC\x81"), (Words{"caf\xC3\xA9", "caf\xC3\xA9"}));
  EXPECT_EQ(tokens("don\xE2\x80\x99t don't"), (Words{"don't", "don't"}));
}

TEST(Tokens, ScriptsWithoutBlanksAreCutByDictionary) {
  EXPECT_EQ(tokens("ภาษาไทยง่าย"), (Words{"ภาษา", "ไทย", "ง่าย"}));
  EXPECT_EQ(tokens("日本語とカタカナ"), (Words{"日本語", "と", "カタカナ"}));
  TokenOptions longer;
  longer.min_length = 3;
  EXPECT_EQ(tokens("go 東京 there", longer), (Words{"東京", "there"}));
}

TEST(Tokens, EmojiAreWords) {
  const std::string family =
      "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7";
  EXPECT_EQ(tokens("party \xF0\x9F\x8E\x89\xF0\x9F\x8E\x89 " + family + " \xC2\xA9 2020"),
            (Words{"party", "\xF0\x9F\x8E\x89", "\xF0\x9F\x8E\x89", family}));
}

TEST(Tokens, NumbersByOption) {
  EXPECT_EQ(tokens("in 1984, 3.14 mp3 files"), (Words{"in", "mp3", "files"}));
  TokenOptions options;
  options.keep_numbers = true;
  EXPECT_EQ(tokens("in 1984, 3.14 mp3 files", options),
            (Words{"in", "1984", "3.14", "mp3", "files"}));
}

TEST(Tokens, MinLengthCountsCharacters) {
  TokenOptions options;
  options.min_length = 3;
  EXPECT_EQ(tokens("an \xC3\xA9t\xC3\xA9 \xC3\xA9\xC3\xA9 tea", options),
            (Words{"\xC3\xA9t\xC3\xA9", "tea"}));
}

TEST(Tokens, EncodedDataIsNoWord) {
  EXPECT_EQ(tokens("a " + std::string(201, 'x') + " b " + std::string(200, 'y')),
            (Words{"a", "b", std::string(200, 'y')}));
}

TEST(Tokens, StemsByLanguage) {
  TokenOptions options;
  options.language = "english";
  options.stem = true;
  EXPECT_EQ(tokens("Running runs, easily", options), (Words{"run", "run", "easili"}));
  options.language = "de";
  EXPECT_EQ(tokens("H\xC3\xA4user Autobahnen", options), (Words{"haus", "autobahn"}));
}

TEST(Tokens, StopWordsByLanguage) {
  TokenOptions options;
  options.language = "EN";
  options.stop_words = true;
  EXPECT_EQ(tokens("The state of the art isn\xE2\x80\x99t THIS", options), (Words{"state", "art"}));
  options.language = "german";
  EXPECT_EQ(tokens("Ich glaube, dass (da\xC3\x9F) der Hund bellt", options),
            (Words{"glaube", "hund", "bellt"}));
  options.language = "fr";
  EXPECT_EQ(tokens("L\xE2\x80\x99homme qu'il a vu", options), (Words{"homme", "vu"}));
}

TEST(Tokens, NgramsSkipWhatIsLeftOutAndStopAtPunctuation) {
  TokenOptions options;
  options.ngrams = 3;
  EXPECT_EQ(tokens("one two three four", options),
            (Words{"one", "two", "one two", "three", "two three", "one two three", "four",
                   "three four", "two three four"}));
  options.ngrams = 2;
  EXPECT_EQ(tokens("red car, blue \"sky\". End", options),
            (Words{"red", "car", "red car", "blue", "sky", "blue sky", "end"}));
  options.language = "english";
  options.stop_words = true;
  EXPECT_EQ(tokens("state of the art", options), (Words{"state", "art", "state art"}));
}

TEST(Tokens, ATokenizerForgetsTheTextBefore) {
  TokenOptions options;
  options.ngrams = 2;
  Tokenizer tokenizer(options);
  EXPECT_EQ(tokenizer.tokens("one two"), (Words{"one", "two", "one two"}));
  Tokenizer moved = std::move(tokenizer);
  EXPECT_EQ(moved.tokens("three"), (Words{"three"}));
}

TEST(Tokens, RefusesBadOptionsAndSaysWhatToDo) {
  TokenOptions options;
  options.language = "klingon";
  const std::string unknown = message_of([&] { Tokenizer{options}; });
  EXPECT_NE(unknown.find("klingon"), std::string::npos);
  EXPECT_NE(unknown.find("english"), std::string::npos);
  options.language = "finnish";
  options.stop_words = true;
  EXPECT_NE(message_of([&] { Tokenizer{options}; }).find("german"), std::string::npos);
  EXPECT_THROW(Tokenizer({.stem = true}), Error);
  EXPECT_THROW(Tokenizer({.stop_words = true}), Error);
  EXPECT_THROW(Tokenizer({.ngrams = 0}), Error);
  EXPECT_THROW(Tokenizer({.ngrams = 9}), Error);
  EXPECT_THROW(Tokenizer({.min_length = -1}), Error);
  EXPECT_THROW(tokens("caf\xE9"), Error);
}

TEST(Tokens, EveryLanguageStems) {
  for (const std::string& language : token_languages()) {
    TokenOptions options;
    options.language = language;
    options.stem = true;
    EXPECT_FALSE(tokens("alpha \xD0\xBC\xD0\xBE\xD1\x80\xD0\xB5", options).empty()) << language;
  }
}

TEST(Tokens, AnyCharactersAreTaken) {
  Rng rng(3);
  TokenOptions options;
  options.language = "it";
  options.stem = true;
  options.ngrams = 2;
  options.keep_numbers = true;
  Tokenizer tokenizer(options);
  const std::string pieces[] = {"a",
                                "'",
                                "@",
                                "_",
                                "1",
                                ".",
                                "\xE2\x80\x99",
                                "\xEF\xB8\x8F",
                                "\xE2\x80\x8D",
                                "\xF0\x9F\x8E\x89",
                                "\xCC\x81",
                                "\xE0\xB8\xA0",
                                "\xE6\x97\xA5",
                                " ",
                                "\n",
                                std::string(1, '\0')};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint64_t i = rng.below(20); i > 0; --i) text += pieces[rng.below(std::size(pieces))];
    tokenizer.visit(text, [&](std::string_view term) {
      EXPECT_FALSE(term.empty()) << text;
      EXPECT_EQ(term.find("  "), std::string_view::npos) << text;
    });
  }
}

TEST(StopWords, AreKnownByNameAndCode) {
  EXPECT_EQ(stop_words("dutch"), stop_words("nl"));
  EXPECT_EQ(stop_words("german"), stop_words("ger"));
  EXPECT_THROW(stop_words(""), Error);
  EXPECT_THROW(stop_words("en eng"), Error);
}

}  // namespace tokens_test
}  // namespace commonplace
