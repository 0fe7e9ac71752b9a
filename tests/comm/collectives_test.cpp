#include "commonplace/comm/collectives.h"

#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace collectives_test {

TEST(Together, TheTextOfTheFirstReachesAll) {
  for (const int ranks : {1, 2, 3, 4})
    run_as_threads(ranks, [](Comm& comm) {
      const std::string mine = comm.rank() == 0 ? std::string("a\0b", 3) : "something longer";
      EXPECT_EQ(broadcast_text(comm, mine), std::string("a\0b", 3));
      EXPECT_EQ(broadcast_text(comm, comm.rank() == 0 ? "" : "x"), "");
    });
}

TEST(Together, DifferentTextsAreAnErrorOnEveryRank) {
  for (const int ranks : {1, 2, 4})
    run_as_threads(ranks, [](Comm& comm) { require_same(comm, "as it was", "collection"); });
  try {
    run_as_threads(3, [](Comm& comm) {
      require_same(comm, comm.rank() == 2 ? "changed" : "as it was", "collection 'photos'");
    });
    FAIL() << "the difference was not noticed";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the same collection 'photos'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("rank 2 has 'changed'"), std::string::npos);
  }
}

TEST(Together, EveryPieceIsMadeOnceAndReachesAll) {
  for (const int ranks : {1, 2, 3, 4}) {
    std::mutex mutex;
    std::multiset<std::int64_t> made;
    run_as_threads(ranks, [&](Comm& comm) {
      const auto result = share_work(comm, 50, [&](std::int64_t piece) {
        const std::lock_guard lock(mutex);
        made.insert(piece);
        return std::string(static_cast<std::size_t>(piece % 7), static_cast<char>('a' + piece % 5));
      });
      ASSERT_EQ(result.size(), 50U);
      for (std::size_t piece = 0; piece < 50; ++piece)
        EXPECT_EQ(result[piece], std::string(piece % 7, static_cast<char>('a' + piece % 5)));
      EXPECT_TRUE(share_work(comm, 0, [](std::int64_t) { return ""; }).empty());
    });
    EXPECT_EQ(made.size(), 50U);
    EXPECT_EQ(std::set<std::int64_t>(made.begin(), made.end()).size(), 50U);
  }
}

TEST(Together, AFailureInOnePieceEndsAllRanks) {
  EXPECT_THROW(run_as_threads(3,
                              [](Comm& comm) {
                                share_work(comm, 10, [](std::int64_t piece) {
                                  require(piece != 6, "injected");
                                  return std::string();
                                });
                              }),
               Error);
}

TEST(Together, TheFirstGathersWhatAllHave) {
  for (const int ranks : {1, 2, 3, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      // More than a piece on one rank, nothing on another.
      const std::int64_t lengths[] = {3, 5'000'000, 0, 2};
      const auto all = gather_on_root(
          comm, std::vector<int>(static_cast<std::size_t>(lengths[comm.rank()]), comm.rank()));
      std::vector<int> expected;
      for (int rank = 0; rank < (comm.rank() == 0 ? ranks : 0); ++rank)
        expected.insert(expected.end(), static_cast<std::size_t>(lengths[rank]), rank);
      if (ranks == 1 || comm.rank() == 0) {
        EXPECT_TRUE(all == expected);
      } else {
        EXPECT_TRUE(all.empty());
      }
    });
}

TEST(Together, OnlyTheFirstWritesAndTheOthersWait) {
  int written = 0;
  run_as_threads(4, [&](Comm& comm) {
    on_root(comm, [&] { ++written; });
    EXPECT_EQ(written, 1);
  });
}

}  // namespace collectives_test
}  // namespace commonplace
