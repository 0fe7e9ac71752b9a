#include "commonplace/features/text_shingles.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"

namespace commonplace {
namespace text_shingles_test {

std::vector<std::uint64_t> shingles(std::string_view text) {
  Tokenizer tokenizer(shingle_tokens());
  return text_shingles(tokenizer, text);
}

TEST(TextShingles, AreTriplesOfWordsWhateverTheirCase) {
  EXPECT_EQ(shingles("the owl sat on a branch").size(), 4U);
  EXPECT_EQ(shingles("The OWL sat -- on a branch!"), shingles("the owl sat on a branch"));
  EXPECT_EQ(shingles("a b c a b c a b c").size(), 3U) << "each once";
  EXPECT_TRUE(shingles("five words are too few").empty());
  EXPECT_NE(shingles("the bill of 12 May 2023"), shingles("the bill of 12 May 2024"));
}

TEST(TextShingles, HaveInCommonWhatJaccardSays) {
  const std::vector<std::uint64_t> a = {1, 2, 3, 4};
  const std::vector<std::uint64_t> b = {2, 4, 5};
  EXPECT_DOUBLE_EQ(jaccard(a, b), 2.0 / 5);
  EXPECT_DOUBLE_EQ(jaccard(a, a), 1);
  EXPECT_DOUBLE_EQ(jaccard({}, {}), 0);
}

TEST(MinHash, AgreesInAsManyPlacesAsSetsHaveInCommon) {
  Rng draw(1);
  double worst = 0;
  for (const double share : {0.2, 0.5, 0.8, 0.95}) {
    double mean = 0;
    for (int round = 0; round < 20; ++round) {
      std::vector<std::uint64_t> a;
      std::vector<std::uint64_t> b;
      for (int i = 0; i < 400; ++i) {
        const std::uint64_t each = draw();
        const bool both = draw.uniform() < share;
        const bool first = draw.uniform() < 0.5;
        if (both || first) a.push_back(each);
        if (both || !first) b.push_back(each);
      }
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      const MinHash x = min_hash(a);
      const MinHash y = min_hash(b);
      double equal = 0;
      for (std::size_t i = 0; i < kMinHashes; ++i) equal += x[i] == y[i] ? 1 : 0;
      mean += (equal / kMinHashes - jaccard(a, b)) / 20;
    }
    worst = std::max(worst, std::abs(mean));
  }
  EXPECT_LT(worst, 0.05);
}

TEST(MinHash, BandsOfEqualSetsAreEqual) {
  const std::vector<std::uint64_t> set = {1, 5, 9};
  const MinHash a = min_hash(set);
  MinHash b = a;
  b[kBandRows] += 1;
  EXPECT_EQ(band_key(a, 0), band_key(b, 0));
  EXPECT_NE(band_key(a, 1), band_key(b, 1));
  EXPECT_NE(band_key(a, 0), band_key(a, 1));
}

}  // namespace text_shingles_test
}  // namespace commonplace
