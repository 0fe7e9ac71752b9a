#include "commonplace/library/stored/evaluations.h"

#include <gtest/gtest.h>

#include "tests/support/sample_library.h"

namespace commonplace {
namespace evaluations_test {

class Evaluations : public test::LibraryTest {};

TEST_F(Evaluations, AreKeptNewestFirstAndTheOldestOfManyAreForgotten) {
  EXPECT_TRUE(evaluations(library()).empty());
  for (int i = 0; i < 12; ++i)
    store_evaluation(library(), {0, "suggest", "photos", "{\"run\":" + std::to_string(i) + "}"});
  store_evaluation(library(), {0, "suggest", "Bücher", "{}"});
  const std::vector<Evaluation> kept = evaluations(library());
  ASSERT_EQ(kept.size(), 11U);
  EXPECT_EQ(kept[0].about, "Bücher");
  EXPECT_EQ(kept[1].result, "{\"run\":11}");
  EXPECT_EQ(kept[10].result, "{\"run\":2}");
  EXPECT_FALSE(kept[0].created.empty());
}

}  // namespace evaluations_test
}  // namespace commonplace
