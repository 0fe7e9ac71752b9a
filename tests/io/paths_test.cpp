#include "commonplace/io/paths.h"

#include <gtest/gtest.h>

namespace commonplace {
namespace paths_test {

TEST(IsWithin, GoesByWholeParts) {
  EXPECT_TRUE(is_within("/a/b/c.png", "/a/b"));
  EXPECT_TRUE(is_within("/a/b/c.png", "/a/b/"));
  EXPECT_TRUE(is_within("/a/b/c.png", "/"));
  EXPECT_TRUE(is_within("/a/b", "/a/b"));
  EXPECT_TRUE(is_within("/a/b", "/a/b/"));
  EXPECT_FALSE(is_within("/a/bc/c.png", "/a/b"));
  EXPECT_FALSE(is_within("/a", "/a/b"));
  EXPECT_FALSE(is_within("/b/a/c.png", "/a"));
  EXPECT_FALSE(is_within("a/b", "/a/b"));
}

}  // namespace paths_test
}  // namespace commonplace
