#include "commonplace/comm/trace.h"

#include <mutex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"

namespace commonplace {
namespace trace_test {

std::string trace_of(int ranks) {
  std::mutex mutex;
  std::string trace;
  run_as_threads(ranks, [&](Comm& comm) {
    comm.record(true);
    comm.sum(1.0);
    comm.gather_texts("abc");
    std::string mine = chrome_trace(comm);
    EXPECT_FALSE(comm.recording());
    EXPECT_EQ(mine.empty(), comm.rank() != 0);
    const std::lock_guard lock(mutex);
    if (comm.rank() == 0) trace = std::move(mine);
  });
  return trace;
}

TEST(ChromeTrace, HasTheCallsOfEveryRankAndTheTimeBetween) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const auto events = nlohmann::json::parse(trace_of(ranks)).at("traceEvents");
    std::vector<std::vector<std::string>> calls(static_cast<std::size_t>(ranks));
    std::vector<double> until(static_cast<std::size_t>(ranks));
    std::vector<std::string> names;
    for (const auto& event : events) {
      const auto rank = event.at("pid").get<std::size_t>();
      ASSERT_LT(rank, calls.size());
      if (event.at("name") == "process_name") names.push_back(event.at("args").at("name"));
      if (event.at("ph") != "X") continue;
      // Without a gap and without an overlap, but for the rounding of the times.
      EXPECT_NEAR(event.at("ts").get<double>(), until[rank], 0.002);
      until[rank] = event.at("ts").get<double>() + event.at("dur").get<double>();
      if (event.at("cat") == "communication") {
        calls[rank].push_back(event.at("name"));
        EXPECT_GE(event.at("args").at("bytes").get<int>(), 3);
      } else {
        EXPECT_EQ(event.at("name"), "compute");
      }
    }
    ASSERT_EQ(std::ssize(names), ranks);
    EXPECT_EQ(names.back(), concat("rank ", ranks - 1, " on ", host_name()));
    for (const auto& of_rank : calls)
      EXPECT_EQ(of_rank, ranks == 1 ? std::vector<std::string>{}
                                    : (std::vector<std::string>{"sum", "gather_texts"}));
  }
}

TEST(ChromeTrace, OfNothingIsATimelineOfNothing) {
  SelfComm comm;
  const auto trace = nlohmann::json::parse(chrome_trace(comm));
  for (const auto& event : trace.at("traceEvents")) EXPECT_EQ(event.at("ph"), "M");
}

}  // namespace trace_test
}  // namespace commonplace
