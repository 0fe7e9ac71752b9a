#include "commonplace/io/xxhash64.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace commonplace {
namespace xxhash64_test {

std::uint64_t xxh64(std::string_view text) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(text)));
  return hash.digest();
}

TEST(Xxh64, AgreesWithPublishedValues) {
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999ULL);
  EXPECT_EQ(xxh64("a"), 0xd24ec4f1a98c6e5bULL);
  EXPECT_EQ(xxh64("abc"), 0x44bc2cf5ad770999ULL);
  EXPECT_EQ(xxh64("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1ULL);
}

TEST(Xxh64, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 200; ++i) text.push_back(static_cast<char>(i * 37));
  const auto bytes = std::as_bytes(std::span(text));
  for (std::size_t first = 0; first <= 100; ++first) {
    for (const std::size_t second : {0, 1, 31, 32, 33, 64, 100}) {
      Xxh64 hash;
      hash.update(bytes.first(first));
      hash.update(bytes.subspan(first, second));
      hash.update(bytes.subspan(first + second));
      ASSERT_EQ(hash.digest(), xxh64(text)) << first << " then " << second;
    }
  }
}

}  // namespace xxhash64_test
}  // namespace commonplace
