#include "commonplace/comm/comm.h"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "tests/comm/collective_checks.h"

namespace commonplace {
namespace comm_test {

std::string message_of(int ranks, const std::function<void(Comm&)>& body) {
  try {
    run_as_threads(ranks, body);
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return "";
}

TEST(SelfComm, DoesWhatEveryCommMust) {
  SelfComm comm;
  check_collectives(comm);
}

class ThreadRanks : public testing::TestWithParam<int> {};

TEST_P(ThreadRanks, DoWhatEveryCommMust) { run_as_threads(GetParam(), check_collectives); }

TEST_P(ThreadRanks, RunTheBodyOncePerRank) {
  std::mutex mutex;
  std::vector<int> ranks;
  run_as_threads(GetParam(), [&](Comm& comm) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(comm.size(), GetParam());
    ranks.push_back(comm.rank());
  });
  std::sort(ranks.begin(), ranks.end());
  ASSERT_EQ(std::ssize(ranks), GetParam());
  for (int rank = 0; rank < GetParam(); ++rank)
    EXPECT_EQ(ranks[static_cast<std::size_t>(rank)], rank);
}

TEST_P(ThreadRanks, AFailingRankReleasesTheRest) {
  for (int culprit = 0; culprit < GetParam(); ++culprit)
    EXPECT_EQ(message_of(GetParam(), [&](Comm& comm) { fail_on_one_rank(comm, culprit); }),
              concat("injected on rank ", culprit));
}

TEST_P(ThreadRanks, AFailingRankReleasesThoseAtWork) {
  for (int culprit = 0; culprit < GetParam(); ++culprit)
    EXPECT_EQ(message_of(GetParam(), [&](Comm& comm) { fail_at_work_on_one_rank(comm, culprit); }),
              concat("injected on rank ", culprit));
}

// One rank sleeps on its first piece until the others have done all the rest.
TEST_P(ThreadRanks, ASlowRankDoesNotHoldTheOthersBack) {
  if (GetParam() == 1) return;
  std::atomic<int> done = 0;
  run_as_threads(GetParam(), [&](Comm& comm) {
    const auto counter = comm.share_work(50);
    if (comm.rank() == 0) {
      const bool has_one = counter->next() >= 0;
      while (done < (has_one ? 49 : 50)) std::this_thread::yield();
      return;
    }
    while (counter->next() >= 0) ++done;
  });
}

INSTANTIATE_TEST_SUITE_P(Comm, ThreadRanks, testing::Values(1, 2, 3, 4));

TEST(RunAsThreads, RethrowsWhateverTypeWasThrown) {
  EXPECT_THROW(run_as_threads(3,
                              [](Comm& comm) {
                                if (comm.rank() == 2) throw std::out_of_range("far");
                                comm.barrier();
                              }),
               std::out_of_range);
  EXPECT_THROW(run_as_threads(2,
                              [](Comm& comm) {
                                if (comm.rank() == 1) throw 42;
                                comm.barrier();
                              }),
               int);
}

// A body that catches std::exception must not mistake its release for an error and go on.
TEST(RunAsThreads, AReleaseIsNotAStandardException) {
  std::atomic<int> went_on = 0;
  EXPECT_EQ(message_of(3,
                       [&](Comm& comm) {
                         if (comm.rank() == 0) fail("first");
                         try {
                           comm.barrier();
                         } catch (const std::exception&) {
                           ++went_on;
                         }
                       }),
            "first");
  EXPECT_EQ(went_on, 0);
}

TEST(RunAsThreads, DifferentCallsAreAnErrorAndNotAHang) {
  const auto different_sizes = [](Comm& comm) {
    std::vector<double> values(static_cast<std::size_t>(10 + comm.rank()));
    comm.sum(std::span<double>(values));
  };
  EXPECT_NE(message_of(3, different_sizes).find("different calls"), std::string::npos);
  const auto different_calls = [](Comm& comm) {
    if (comm.rank() == 0)
      comm.barrier();
    else
      comm.broadcast(1, 0);
  };
  EXPECT_NE(message_of(2, different_calls).find("different calls"), std::string::npos);
  const auto different_work = [](Comm& comm) { comm.share_work(10 + comm.rank()); };
  EXPECT_NE(message_of(2, different_work).find("different calls"), std::string::npos);
  const auto different_roots = [](Comm& comm) { comm.broadcast(1, comm.rank()); };
  EXPECT_NE(message_of(2, different_roots).find("different calls"), std::string::npos);
}

// The leaver goes as soon as another is about to wait; many rounds, so that it leaves both before
// the other waits and after.
TEST(RunAsThreads, ARankThatEndsEarlyIsAnErrorAndNotAHang) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<bool> about_to_wait = false;
    const auto too_few = [&](Comm& comm) {
      if (comm.rank() != 1) {
        about_to_wait = true;
        comm.barrier();
      }
      for (int turn = 0; !about_to_wait || turn < round; ++turn) std::this_thread::yield();
    };
    ASSERT_NE(message_of(2, too_few).find("ended while others"), std::string::npos);
  }
}

TEST(RunAsThreads, GatheredRowsMustBeEquallyLong) {
  const auto ragged = [](Comm& comm) { comm.gather_rows(Matrix::Zero(2, 3 + comm.rank())); };
  EXPECT_NE(message_of(2, ragged).find("columns"), std::string::npos);
  run_as_threads(3, [](Comm& comm) {
    const Matrix mine = comm.rank() == 1 ? Matrix() : Matrix::Ones(2, 5);
    const Matrix all = comm.gather_rows(mine);
    require(all.rows() == 4 && all.cols() == 5, "an empty rank changed the shape");
  });
}

TEST(RunAsThreads, RefusesWhatCannotBe) {
  EXPECT_THROW(run_as_threads(0, [](Comm&) {}), Error);
  EXPECT_THROW(run_as_threads(2, [](Comm& comm) { comm.broadcast(1, 2); }), Error);
  EXPECT_THROW(run_as_threads(2, [](Comm& comm) { comm.share_work(-1); }), Error);
  EXPECT_THROW(SelfComm().share_work(-1), Error);
}

TEST(RowsOfRank, PartTheRowsEvenlyAndInOrder) {
  for (const std::int64_t count : {0, 1, 5, 7, 100, 1001})
    for (const int size : {1, 2, 3, 4, 13}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const RowRange range = rows_of_rank(count, rank, size);
        EXPECT_EQ(range.begin, next);
        const std::int64_t length = range.end - range.begin;
        EXPECT_GE(length, count / size);
        EXPECT_LE(length, (count + size - 1) / size);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
}

TEST(RowsOfRank, RefusesWhatCannotBe) {
  EXPECT_THROW(rows_of_rank(-1, 0, 1), Error);
  EXPECT_THROW(rows_of_rank(5, 2, 2), Error);
  EXPECT_THROW(rows_of_rank(5, -1, 2), Error);
  EXPECT_THROW(rows_of_rank(5, 0, 0), Error);
}

}  // namespace comm_test
}  // namespace commonplace
