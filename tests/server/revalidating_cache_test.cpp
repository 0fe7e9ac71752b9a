#include "app/server/revalidating_cache.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace commonplace::server {
namespace revalidating_cache_test {

using Cache = RevalidatingCache<const std::string>;

Cache::Make making(const std::string& text, std::atomic<int>* count = nullptr) {
  return [=] {
    if (count != nullptr) ++*count;
    return std::make_shared<const std::string>(text);
  };
}

TEST(FreshCacheTest, MakesOnceForEachState) {
  Cache cache(4);
  std::atomic<int> count = 0;
  EXPECT_EQ(*cache.get("a", "1", making("first", &count)), "first");
  EXPECT_EQ(*cache.get("a", "1", making("not made", &count)), "first");
  EXPECT_EQ(*cache.get("a", "2", making("second", &count)), "second");
  EXPECT_EQ(count, 2);
  cache.restate("a", "3");
  EXPECT_EQ(*cache.get("a", "3", making("not made", &count)), "second");
  EXPECT_EQ(cache.all().size(), 1U);
}

TEST(FreshCacheTest, GivesTheOldOneWhileANewOneIsMade) {
  Cache cache(4);
  cache.get("a", "1", making("old"));
  std::promise<void> go;
  const std::shared_future<void> may_end = go.get_future().share();
  const auto slow = [may_end] {
    may_end.wait();
    return std::make_shared<const std::string>("new");
  };
  EXPECT_EQ(*cache.get("a", "2", slow), "old");
  go.set_value();
  std::string now = "old";
  while (now == "old") now = *cache.get("a", "2", slow);
  EXPECT_EQ(now, "new");
}

TEST(FreshCacheTest, ThrowsWhatMakingThrowsAndTriesAgain) {
  Cache cache(4);
  EXPECT_THROW(
      cache.get("a", "1",
                []() -> std::shared_ptr<const std::string> { throw std::runtime_error("broken"); }),
      std::runtime_error);
  EXPECT_EQ(*cache.get("a", "1", making("mended")), "mended");
}

TEST(FreshCacheTest, WhatIsNotAskedForGivesWay) {
  Cache cache(2);
  std::atomic<int> count = 0;
  cache.get("a", "", making("a", &count));
  cache.get("b", "", making("b", &count));
  cache.get("a", "", making("a", &count));
  cache.get("c", "", making("c", &count));
  EXPECT_EQ(cache.all().size(), 2U);
  cache.get("a", "", making("a", &count));
  EXPECT_EQ(count, 3) << "b gave way, not a";
}

TEST(FreshCacheTest, ManyThreadsShareOneMaking) {
  Cache cache(4);
  std::atomic<int> count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { EXPECT_EQ(*cache.get("a", "1", making("one", &count)), "one"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 1);
}

}  // namespace revalidating_cache_test
}  // namespace commonplace::server
