#include "commonplace/suggest/rivals/popular_tags.h"

#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace popular_tags_test {

using namespace suggest;

using test::message_of;
using test::sparse_of;

TEST(PopularTags, AreTheShareOfTheItems) {
  const Sparse features = sparse_of(2, {{{0, 1}}, {}, {{1, 2}}, {}});
  const Sparse tags = sparse_of(3, {{{0, 1}, {2, 5}}, {{0, 1}}, {{0, 0}, {2, 1}}, {{0, 1}}});
  const PopularTags model = fit_popular_tags(features.view(), tags.view());
  EXPECT_EQ(model.share, (std::vector<float>{0.75F, 0, 0.5F}));
  const Matrix scores = score(model, features.view());
  ASSERT_EQ(scores.rows(), 4);
  for (Eigen::Index item = 0; item < 4; ++item) {
    EXPECT_EQ(scores(item, 0), 0.75F);
    EXPECT_EQ(scores(item, 2), 0.5F);
  }
}

TEST(TaggedRows, WhatDoesNotFitIsRefused) {
  const Sparse features = sparse_of(2, {{{0, 1}}, {{1, 2}}});
  const Sparse tags = sparse_of(3, {{{0, 1}}, {{2, 1}}});
  const Sparse none = sparse_of(0, {{}, {}});
  const auto message = [](const Sparse& a, const Sparse& b) {
    return message_of([&] { fit_popular_tags(a.view(), b.view()); });
  };
  EXPECT_EQ(message(features, tags), "");
  EXPECT_NE(message(sparse_of(2, {{}}), tags).find("1 items and tags of 2"), std::string::npos);
  EXPECT_NE(message(sparse_of(2, {}), sparse_of(3, {})).find("no items"), std::string::npos);
  EXPECT_NE(message(features, none).find("no tags"), std::string::npos);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_NE(message(sparse_of(2, {{}, {{1, bad}}}), tags).find("item 1 has a feature"),
              std::string::npos);
    EXPECT_NE(message(features, sparse_of(3, {{}, {{1, bad}}})).find("item 1 has a tag"),
              std::string::npos);
  }
  EXPECT_NE(message(features, sparse_of(3, {{{1, -1.F}}, {}})).find("item 0 has a tag"),
            std::string::npos);
  const PopularTags model = fit_popular_tags(features.view(), tags.view());
  EXPECT_THROW(score(model, sparse_of(3, {{}}).view()), Error);
}

}  // namespace popular_tags_test
}  // namespace commonplace
