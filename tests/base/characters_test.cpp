#include "commonplace/base/characters.h"

#include <vector>

#include <gtest/gtest.h>

namespace commonplace {
namespace characters_test {

TEST(VisitCharacters, GivesEachWithItsBytes) {
  std::vector<UChar32> characters;
  std::string bytes;
  const std::string text = "aé漢🦉";
  visit_characters(text, [&](UChar32 character, std::string_view its) {
    characters.push_back(character);
    bytes += its;
  });
  EXPECT_EQ(characters, (std::vector<UChar32>{'a', 0xE9, 0x6F22, 0x1F989}));
  EXPECT_EQ(bytes, text);
}

TEST(VisitCharacters, BytesThatAreNoneAreNegativeAndNoneIsLost) {
  int bad = 0;
  std::string bytes;
  const std::string text = "a\xC3z\xFF\xE6\xBC";
  visit_characters(text, [&](UChar32 character, std::string_view its) {
    bad += character < 0 ? 1 : 0;
    bytes += its;
  });
  EXPECT_EQ(bad, 3);
  EXPECT_EQ(bytes, text);
  EXPECT_EQ(well_formed(text), "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(VisitCharacters, StopsWhereItIsTold) {
  std::string seen;
  visit_characters("owls", [&](UChar32 character, std::string_view its) {
    seen += its;
    return character != 'w';
  });
  EXPECT_EQ(seen, "ow");
}

TEST(Shortened, NeverCutsACharacter) {
  EXPECT_EQ(shortened("aé", 2), "a");
  EXPECT_EQ(shortened("aé", 3), "aé");
  EXPECT_EQ(shortened("漢", 2), "");
}

}  // namespace characters_test
}  // namespace commonplace
