#include "commonplace/base/edit_distance.h"

#include <gtest/gtest.h>

namespace commonplace {
namespace edit_distance_test {

TEST(EditDistance, CountsWhatIsPutInTakenOutReplacedAndExchanged) {
  EXPECT_EQ(edit_distance("harbour", "harbour", 3), 0U);
  EXPECT_EQ(edit_distance("harbour", "harbor", 3), 1U);
  EXPECT_EQ(edit_distance("harbour", "hrabour", 3), 1U) << "neighbours";
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3U);
  EXPECT_EQ(edit_distance("", "owl", 3), 3U);
}

TEST(EditDistance, CountsCharactersNotBytes) {
  EXPECT_EQ(edit_distance("\u00e4pfel", "apfel", 3), 1U);
  EXPECT_EQ(characters_of("\u00e4p").size(), 2U);
}

TEST(EditDistance, SaysNoMoreThanThatItIsTooMuch) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3U);
  EXPECT_EQ(edit_distance("owl", "harbour", 1), 2U);
}

}  // namespace edit_distance_test
}  // namespace commonplace
