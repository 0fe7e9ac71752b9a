#include "commonplace/base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace commonplace {
namespace parallel_test {

TEST(ResolveJobs, KeepsAPositiveNumberAndOtherwiseCountsProcessors) {
  EXPECT_EQ(resolve_jobs(3), 3);
  EXPECT_GE(resolve_jobs(0), 1);
  EXPECT_EQ(resolve_jobs(-1), resolve_jobs(0));
}

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const std::size_t count : {0, 1, 2, 7, 1000})
    for (const int jobs : {0, 1, 2, 5})
      for (const std::size_t chunk : {0, 1, 3, 2000}) {
        std::vector<std::atomic<int>> visits(count);
        parallel_for(
            count, jobs,
            [&](std::size_t begin, std::size_t end) {
              ASSERT_LT(begin, end);
              ASSERT_LE(end, count);
              if (chunk > 0) {
                EXPECT_LE(end - begin, chunk);
              }
              for (std::size_t i = begin; i < end; ++i) ++visits[i];
            },
            chunk);
        for (const std::atomic<int>& times : visits) EXPECT_EQ(times, 1);
      }
}

TEST(ParallelFor, OneJobStaysOnThisThreadAndInOrder) {
  const std::thread::id main_thread = std::this_thread::get_id();
  std::vector<std::size_t> begins;
  parallel_for(
      10, 1,
      [&](std::size_t begin, std::size_t) {
        begins.push_back(begin);
        EXPECT_EQ(std::this_thread::get_id(), main_thread);
      },
      3);
  EXPECT_EQ(begins, (std::vector<std::size_t>{0, 3, 6, 9}));
}

TEST(ParallelFor, UsesSeveralThreads) {
  // Each of two chunks waits for the other, so one thread alone would never end; two must run.
  std::atomic<int> arrived = 0;
  parallel_for(
      2, 2,
      [&](std::size_t, std::size_t) {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
      },
      1);
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelFor, AFailureStopsTheHandOut) {
  for (const int jobs : {1, 4}) {
    std::atomic<std::size_t> chunks = 0;
    std::atomic<bool> thrown = false;
    EXPECT_THROW(parallel_for(
                     100000, jobs,
                     [&](std::size_t begin, std::size_t) {
                       ++chunks;
                       if (begin == 0) {
                         thrown = true;
                         throw std::out_of_range("first");
                       }
                       // Nobody gets far before the failure, and then it has time to be noted.
                       do std::this_thread::yield();
                       while (!thrown);
                     },
                     1),
                 std::out_of_range);
    EXPECT_LT(chunks, 100000U);
    if (jobs == 1) {
      EXPECT_EQ(chunks, 1U);
    }
  }
}

TEST(ParallelFor, ThrowsOneOfManyFailures) {
  EXPECT_THROW(parallel_for(
                   50, 4, [](std::size_t, std::size_t) { throw std::runtime_error("each"); }, 1),
               std::runtime_error);
}

TEST(ParallelFor, ManyShortCallsOneAfterTheOther) {
  for (int call = 0; call < 2000; ++call) {
    std::atomic<std::size_t> sum{0};
    parallel_for(
        7, 3, [&](std::size_t begin, std::size_t end) { sum += end - begin; }, 1);
    ASSERT_EQ(sum.load(), 7U);
  }
}

TEST(ParallelFor, CallsWithinCallsAndFromSeveralThreads) {
  std::atomic<std::size_t> sum{0};
  const auto nested = [&] {
    for (int call = 0; call < 50; ++call)
      parallel_for(4, 3, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          parallel_for(5, 2, [&](std::size_t first, std::size_t last) { sum += last - first; });
      });
  };
  {
    std::jthread one(nested);
    std::jthread other(nested);
  }
  EXPECT_EQ(sum.load(), 2U * 50 * 4 * 5);
}

}  // namespace parallel_test
}  // namespace commonplace
