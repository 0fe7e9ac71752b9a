#include "commonplace/base/unicode.h"

#include <gtest/gtest.h>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace unicode_test {

constexpr std::size_t kNone = std::string_view::npos;

std::string utf8(UChar32 character) {
  char bytes[4];
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, character);
  return {bytes, static_cast<std::size_t>(length)};
}

template <class Check>
void for_every_character(Check&& check) {
  for (UChar32 character = 1; character <= 0x10FFFF; ++character)
    if (character < 0xD800 || character > 0xDFFF) check(utf8(character), character);
}

TEST(InvalidUtf8, FindsTheFirstBadByte) {
  EXPECT_EQ(invalid_utf8(""), kNone);
  EXPECT_EQ(invalid_utf8("plain"), kNone);
  EXPECT_EQ(invalid_utf8("caf\xC3\xA9 \xF0\x9F\x98\x80"), kNone);
  EXPECT_EQ(invalid_utf8(std::string_view("a\0b", 3)), kNone);
  EXPECT_EQ(invalid_utf8("ab\xFF"), 2U);
  EXPECT_EQ(invalid_utf8("\x80"), 0U);
  EXPECT_EQ(invalid_utf8("abc\xC3"), 3U) << "cut short";
  EXPECT_EQ(invalid_utf8("a\xF0\x9F\x98"), 1U) << "cut short";
  EXPECT_EQ(invalid_utf8("\xC0\xAF"), 0U) << "overlong";
  EXPECT_EQ(invalid_utf8("\xED\xA0\x80"), 0U) << "a surrogate";
  EXPECT_EQ(invalid_utf8("\xF4\x90\x80\x80"), 0U) << "beyond U+10FFFF";
}

TEST(Nfc, ComposesAndOrders) {
  EXPECT_EQ(nfc("cafe\xCC\x81"), "caf\xC3\xA9");
  EXPECT_EQ(nfc("\xE2\x84\xAB"), "\xC3\x85") << "the Angstrom sign";
  EXPECT_EQ(nfc("q\xCC\x87\xCC\xA3"), "q\xCC\xA3\xCC\x87") << "marks in canonical order";
  EXPECT_EQ(nfc("ascii"), "ascii");
  EXPECT_EQ(nfc(""), "");
}

TEST(Nfc, RefusesWhatIsNotUtf8) {
  EXPECT_THROW(nfc("caf\xE9"), Error);
  EXPECT_THROW(fold("\xFF"), Error);
  EXPECT_THROW(tidy("\xC3"), Error);
}

TEST(Fold, SpellingsAgree) {
  EXPECT_EQ(fold("Stra\xC3\x9F"
                 "e"),
            fold("STRASSE"));
  EXPECT_EQ(fold("CAFE\xCC\x81"), fold("caf\xC3\xA9"));
  EXPECT_EQ(fold("\xCE\xA3\xCE\xAF\xCF\x83\xCF\x85\xCF\x86\xCE\xBF\xCF\x82"),
            fold("\xCE\xA3\xCE\x8A\xCE\xA3\xCE\xA5\xCE\xA6\xCE\x9F\xCE\xA3"))
      << "final sigma";
  EXPECT_EQ(fold("Hello World 42"), "hello world 42");
  EXPECT_NE(fold("resume"), fold("r\xC3\xA9sum\xC3\xA9"));
}

TEST(Fold, FoldingTwiceIsFoldingOnce) {
  for_every_character([](const std::string& text, UChar32 character) {
    const std::string once = fold(text);
    ASSERT_EQ(fold(once), once) << "U+" << std::hex << character;
    ASSERT_EQ(nfc(once), once) << "U+" << std::hex << character;
  });
}

TEST(Tidy, WhiteSpaceAndControlsBecomeOneBlank) {
  EXPECT_EQ(tidy("  a \t\r\n b  "), "a b");
  EXPECT_EQ(tidy("a\xC2\xA0\xE2\x80\x83\xE3\x80\x80"
                 "b"),
            "a b")
      << "other blanks";
  EXPECT_EQ(tidy(std::string_view("a\0\x01\x7F\xC2\x85"
                                  "b",
                                  7)),
            "a b");
  EXPECT_EQ(tidy(" \n\t "), "");
  EXPECT_EQ(tidy(""), "");
  EXPECT_EQ(tidy("e\xCC\x81"), "\xC3\xA9");
}

TEST(Tidy, JoinersStay) {
  const std::string family = "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7";
  EXPECT_EQ(tidy(family), family);
  const std::string persian =
      "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE\xD9\x88\xD8\xA7\xD9\x87\xD9\x85";
  EXPECT_EQ(tidy(persian), persian);
}

TEST(Tidy, TidyingTwiceIsTidyingOnce) {
  for_every_character([](const std::string& text, UChar32 character) {
    const std::string once = tidy("a" + text + "b");
    ASSERT_EQ(tidy(once), once) << "U+" << std::hex << character;
  });
}

TEST(AssumeUtf8, KeepsUtf8AndReadsTheRestAsWindows1252) {
  EXPECT_EQ(assume_utf8("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(assume_utf8("caf\xE9"), "caf\xC3\xA9");
  EXPECT_EQ(assume_utf8("\x93quoted\x94 \x80"), "\xE2\x80\x9Cquoted\xE2\x80\x9D \xE2\x82\xAC");
  EXPECT_EQ(assume_utf8(""), "");
}

TEST(AssumeUtf8, EveryByteGivesUtf8) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string text = assume_utf8(all);
  EXPECT_EQ(invalid_utf8(text), kNone);
  EXPECT_EQ(text.substr(0, 128), all.substr(0, 128));
}

}  // namespace unicode_test
}  // namespace commonplace
