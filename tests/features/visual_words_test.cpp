#include "commonplace/features/visual_words.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"
#include "tests/support/small_matrices.h"

namespace commonplace {
namespace visual_words_test {

std::vector<double> naive_vlad(const Matrix& descriptors, const std::vector<Matrix>& vocabularies) {
  std::vector<double> all;
  for (const Matrix& words : vocabularies) {
    std::vector<double> sums(static_cast<std::size_t>(words.size()), 0);
    for (std::int64_t i = 0; i < descriptors.rows(); ++i) {
      std::int64_t best = 0;
      double least = std::numeric_limits<double>::max();
      for (std::int64_t k = 0; k < words.rows(); ++k) {
        double distance = 0;
        for (std::int64_t j = 0; j < words.cols(); ++j)
          distance += std::pow(static_cast<double>(descriptors(i, j)) - words(k, j), 2);
        if (distance < least) {
          least = distance;
          best = k;
        }
      }
      for (std::int64_t j = 0; j < words.cols(); ++j)
        sums[static_cast<std::size_t>(best * words.cols() + j)] +=
            static_cast<double>(descriptors(i, j)) - words(best, j);
    }
    double length = 0;
    for (double& value : sums) {
      length += std::abs(value);
      value = value < 0 ? -std::sqrt(-value) : std::sqrt(value);
    }
    for (double& value : sums) all.push_back(value / std::sqrt(length));
  }
  for (double& value : all) value /= std::sqrt(static_cast<double>(vocabularies.size()));
  return all;
}

TEST(VisualWordsTest, VladIsTheNaiveOne) {
  const Matrix descriptors = uniform_rows(200, 6, 1);
  const std::vector<Matrix> vocabularies = {uniform_rows(5, 6, 2), uniform_rows(3, 6, 3)};
  const Eigen::RowVectorXf made = vlad(descriptors, vocabularies);
  const std::vector<double> expected = naive_vlad(descriptors, vocabularies);
  ASSERT_EQ(made.size(), std::ssize(expected));
  ASSERT_EQ(made.size(), vlad_size(vocabularies));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(made(static_cast<std::int64_t>(i)), expected[i], 1e-5);
  EXPECT_NEAR(made.norm(), 1, 1e-6);
}

TEST(VisualWordsTest, WithoutDescriptorsItIsZeros) {
  EXPECT_EQ(vlad(Matrix(0, 6), {uniform_rows(5, 6, 2)}), Eigen::RowVectorXf::Zero(30));
}

TEST(VisualWordsTest, DescriptorsThatAreWordsHaveNoDifference) {
  const Matrix words = uniform_rows(5, 6, 2);
  EXPECT_EQ(vlad(words, {words}), Eigen::RowVectorXf::Zero(30));
}

}  // namespace visual_words_test
}  // namespace commonplace
