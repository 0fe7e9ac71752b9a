#include "commonplace/suggest/core/tag_categories.h"

#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace tag_categories_test {

using namespace suggest;

using test::random_targets;
using test::to_dense;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

TagCategories categories_of(const Sparse& tags, std::int64_t most) {
  SelfComm comm;
  return make_categories(tags.view(), most, comm);
}

TEST(TagCategories, AgreeWithTheDefinition) {
  const Sparse tags = random_targets(70, 12, 0.2, 1);
  for (const std::size_t most : {1, 4, 12, 100}) {
    const TagCategories found = categories_of(tags, static_cast<std::int64_t>(most));
    const test::NaiveCategories expected = test::naive_categories(to_dense(tags.view()), most);
    EXPECT_EQ(found.tags, expected.tags);
    ASSERT_EQ(found.shares.rows(), expected.shares.rows());
    EXPECT_LT(worst(found.shares.cast<double>(), expected.shares), 1e-6);
    EXPECT_EQ(item_categories(tags.view(), found), expected.of_item);
  }
}

TEST(TagCategories, OfASmallCase) {
  // Tag 1 is the commonest, then 2, then 0; tag 3 was only rejected.
  const Sparse tags = test::to_sparse(
      (MatrixD(5, 4) << 1, 1, 0, -1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1).finished());
  const TagCategories found = categories_of(tags, 10);
  EXPECT_EQ(found.tags, (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(item_categories(tags.view(), found), (std::vector<std::int32_t>{0, 0, 0, 1, -1}));
  const MatrixD shares =
      (MatrixD(3, 4) << 0.5 / 3, 2.0 / 3, 0.5 / 3, 0, 0, 0, 1, 0, 0, 0, 0, 0).finished();
  EXPECT_LT(worst(found.shares.cast<double>(), shares), 1e-6)
      << "all items with tag 0 have a commoner one";
  EXPECT_EQ(categories_of(tags, 1).tags, (std::vector<std::int32_t>{1}));
}

TEST(TagCategories, OfEqualTagsTheFirst) {
  const Sparse tags = test::to_sparse(MatrixD::Identity(4, 4).replicate(3, 1));
  EXPECT_EQ(categories_of(tags, 2).tags, (std::vector<std::int32_t>{0, 1}));
}

TEST(TagCategories, AreTheSameOnAnyNumberOfRanks) {
  const Sparse tags = random_targets(61, 12, 0.2, 2);
  const TagCategories alone = categories_of(tags, 6);
  for (const int ranks : {1, 2, 3, 4}) {
    const auto all = test::on_ranks<TagCategories>(ranks, 61, [&](Comm& comm, RowRange range) {
      return make_categories(test::rows_between(tags.view(), range).view(), 6, comm);
    });
    for (const TagCategories& each : all) {
      EXPECT_EQ(each.tags, alone.tags);
      EXPECT_EQ(each.shares, all[0].shares);
      EXPECT_LT(worst(each.shares.cast<double>(), alone.shares.cast<double>()), 1e-6);
    }
  }
}

TEST(TagCategories, DoNotDependOnTheOrderOfTheItems) {
  const Sparse tags = random_targets(60, 12, 0.2, 2);
  const auto order = test::random_order(60, 3);
  const Sparse shuffled = test::rows_in_order(tags.view(), order);
  const TagCategories a = categories_of(tags, 6);
  const TagCategories b = categories_of(shuffled, 6);
  EXPECT_EQ(a.tags, b.tags);
  EXPECT_LT(worst(a.shares.cast<double>(), b.shares.cast<double>()), 1e-6);
  const auto before = item_categories(tags.view(), a);
  const auto after = item_categories(shuffled.view(), b);
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(after[i], before[static_cast<std::size_t>(order[i])]);
}

TEST(TagCategories, ThereMustBeOneOrMore) {
  for (const std::int64_t most : {0, -3})
    EXPECT_EQ(test::message_of([&] { categories_of(random_targets(9, 4, 0.5, 1), most); }),
              "there must be 1 category or more, not " + std::to_string(most));
  Sparse none;
  none.columns = 4;
  EXPECT_TRUE(categories_of(none, 3).tags.empty()) << "none without items";
}

std::string file_of(const TagCategories& categories) {
  TensorWriter writer;
  add_categories(writer, categories);
  return writer.bytes();
}

TEST(TagCategoriesFile, KeepsEveryBit) {
  const TagCategories categories = categories_of(random_targets(70, 12, 0.2, 1), 5);
  const TagCategories loaded = read_categories(TensorFile(file_of(categories), "memory"), 12);
  EXPECT_EQ(loaded.tags, categories.tags);
  EXPECT_EQ(loaded.shares, categories.shares);
}

TEST(TagCategoriesFile, DamageIsRefused) {
  const std::string whole = file_of(categories_of(random_targets(70, 12, 0.2, 1), 5));
  for (std::size_t size = 0; size < whole.size(); size += 5)
    EXPECT_THROW(read_categories(TensorFile(whole.substr(0, size), "cut"), 12), Error) << size;
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x04);
    EXPECT_THROW(read_categories(TensorFile(flipped, "flipped"), 12), Error) << at;
  }
}

TEST(TagCategoriesFile, PartsThatDoNotFitAreRefused) {
  const TagCategories good = categories_of(random_targets(70, 12, 0.2, 1), 5);
  const auto refused = [&](std::int64_t tags, auto spoil) {
    TagCategories bad = good;
    spoil(bad);
    const std::string message =
        test::message_of([&] { read_categories(TensorFile(file_of(bad), "bad"), tags); });
    EXPECT_NE(message.find("the file is damaged"), std::string::npos) << message;
  };
  refused(11, [](TagCategories&) {});
  refused(13, [](TagCategories&) {});
  refused(12, [](TagCategories& categories) { categories.tags.pop_back(); });
  refused(12, [](TagCategories& categories) { categories.tags[2] = 12; });
  refused(12, [](TagCategories& categories) { categories.tags[2] = -1; });
  refused(12, [](TagCategories& categories) {
    categories.shares(1, 1) = std::numeric_limits<float>::infinity();
  });
}

}  // namespace tag_categories_test
}  // namespace commonplace
