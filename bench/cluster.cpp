// Measures the learners on several ranks, threads of this process with one thread each, and holds
// the bytes that each rank receives against formulas.
//   bench_cluster          strong and weak scaling, and volume; fails if a formula for the
//                          volume is off by more than 10 %
//   bench_cluster table    what a billion items would take, computed by the formulas alone
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <thread>
#include <vector>

#include "cluster_learners.h"
#include "commonplace/base/clock.h"

namespace commonplace {
namespace {

constexpr double kMostOff = 0.1;
constexpr double kNetwork = 10e9;  ///< bytes a second that a rank receives
constexpr double kCore = 20e9;     ///< floating-point operations a second, one core a rank

/// Of this thread, which other work on the machine does not lengthen much.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Measured {
  Sizes sizes;
  double seconds = 0;
  double busiest = 0;        ///< seconds of a processor that the busiest rank took
  double communication = 0;  ///< seconds inside the calls, mean of the ranks
  double bytes = 0;          ///< received, mean of the ranks
};

/// One fit; the items are made before the clock starts.
Measured measure_once(const Learner& learner, int ranks, double items) {
  Measured result;
  result.sizes = learner.bench;
  result.sizes.items = items;
  result.sizes.ranks = ranks;
  std::vector<CommUse> uses(static_cast<std::size_t>(ranks));
  std::vector<double> processor(uses.size());
  run_as_threads(ranks, [&](Comm& comm) {
    Sizes done = result.sizes;
    const Fit fit = learner.prepare(done, rows_of_rank(std::llround(items), comm.rank(), ranks));
    comm.barrier();
    const CommUse before = comm.use();
    const auto begin = Clock::now();
    const double processor_before = processor_seconds();
    const auto own = static_cast<std::size_t>(comm.rank());
    fit(comm, done);
    processor[own] = processor_seconds() - processor_before;
    uses[own] = {0, comm.use().bytes - before.bytes, comm.use().seconds - before.seconds};
    comm.barrier();  // from here on nobody reads the sizes
    if (comm.rank() != 0) return;
    result.seconds = seconds_since(begin);
    result.sizes = done;
  });
  result.busiest = *std::max_element(processor.begin(), processor.end());
  for (const CommUse& use : uses) {
    result.bytes += static_cast<double>(use.bytes) / ranks;
    result.communication += use.seconds / ranks;
  }
  return result;
}

/// The quicker of two, which is nearer to what a machine without other work would take.
Measured measure(const Learner& learner, int ranks, double items) {
  const Measured first = measure_once(learner, ranks, items);
  const Measured second = measure_once(learner, ranks, items);
  Measured result = first.seconds < second.seconds ? first : second;
  result.busiest = std::min(first.busiest, second.busiest);
  return result;
}

/// How much faster the machine is with 2 and 4 threads that share out arithmetic and make no calls:
/// more than that no learner can gain on it just now.
void show_machine() {
  constexpr std::int64_t kSteps = 600'000'000;
  double alone = 0;
  std::printf("Threads without calls, speed-up:");
  for (const int ranks : {1, 2, 4}) {
    const auto begin = Clock::now();
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange own = rows_of_rank(kSteps, comm.rank(), ranks);
      volatile double sum = 0;
      for (std::int64_t i = own.begin; i < own.end; ++i) sum = sum + 1;
    });
    const double seconds = seconds_since(begin);
    if (ranks == 1) alone = seconds;
    std::printf(" %.2f on %d", alone / seconds, ranks);
  }
  std::printf("\n\n");
  std::fflush(stdout);
}

void show_heading(const char* heading, const char* ratio) {
  std::printf("%s\n%-28s %5s %8s %8s %8s %9s %8s %8s\n", heading, "", "ranks", "items", "seconds",
              ratio, "processor", ratio, "in calls");
}

/// Seconds, and those of a processor that the busiest rank took, with how they compare with one
/// rank's. The latter is what ranks on processors of their own would take if calls took no time.
void show_time(const Learner& learner, const Measured& some, const Measured& one) {
  std::printf("%-28s %5.0f %8.0f %8.2f %8.2f %9.2f %8.2f %6.1f %%\n", learner.name,
              some.sizes.ranks, some.sizes.items, some.seconds, one.seconds / some.seconds,
              some.busiest, one.busiest / some.busiest, 100 * some.communication / some.seconds);
  std::fflush(stdout);
}

/// The same items on 1, 2 and 4 ranks.
std::vector<std::vector<Measured>> strong(const std::vector<Learner>& all) {
  show_heading("Strong scaling: the same items", "speed-up");
  std::vector<std::vector<Measured>> result;
  for (const Learner& learner : all) {
    std::vector<Measured>& own = result.emplace_back();
    for (const int ranks : {1, 2, 4}) {
      own.push_back(measure(learner, ranks, learner.bench.items));
      show_time(learner, own.back(), own.front());
    }
  }
  return result;
}

/// As many items a rank, a quarter of those above, so that 4 ranks are measured already.
void weak(const std::vector<Learner>& all, std::vector<std::vector<Measured>>& measured) {
  show_heading("\nWeak scaling: as many items a rank", "effic.");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Measured one = measure(all[i], 1, all[i].bench.items / 4);
    const Measured two = measure(all[i], 2, all[i].bench.items / 2);
    for (const Measured& some : {one, two, measured[i].back()}) show_time(all[i], some, one);
    measured[i].push_back(two);
  }
}

/// How fast one rank is by the formulas for operations. What was counted by calls is known of two
/// ranks only, which take the same steps.
void speed(const std::vector<Learner>& all, const std::vector<std::vector<Measured>>& measured) {
  std::printf("Arithmetic: one rank, operations by formula\n%-28s %8s %8s %9s %8s\n", "", "items",
              "Gflop", "processor", "Gflop/s");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double flops = per_rank(all[i].flops(measured[i][1].sizes), 1) / 1e9;
    const Measured& one = measured[i][0];
    std::printf("%-28s %8.0f %8.2f %9.2f %8.1f\n", all[i].name, one.sizes.items, flops, one.busiest,
                flops / one.busiest);
  }
}

/// Whether the formulas hold.
bool volume(const std::vector<Learner>& all, const std::vector<std::vector<Measured>>& measured) {
  std::printf("\nVolume: megabytes that a rank receives, on average\n%-28s %5s %8s %10s %10s %7s\n",
              "", "ranks", "items", "measured", "formula", "ratio");
  double most_off = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const Measured& some : measured[i]) {
      if (some.sizes.ranks == 1) continue;
      const double formula = all[i].bytes(some.sizes);
      const double ratio = some.bytes / formula;
      if (all[i].checked) most_off = std::max(most_off, std::abs(ratio - 1));
      std::printf("%-28s %5.0f %8.0f %10.3f %10.3f %7.3f%s\n", all[i].name, some.sizes.ranks,
                  some.sizes.items, some.bytes / 1e6, formula / 1e6, ratio,
                  all[i].checked ? "" : "  not checked: products counted by calls");
    }
  const bool good = most_off <= kMostOff;
  std::printf("%s: the worst is off by %.1f %%\n",
              good ? "All checked ratios are within 10 %" : "A RATIO IS NOT WITHIN 10 %",
              100 * most_off);
  return good;
}

/// Arithmetic alone.
void table() {
  std::printf(
      "A billion items, computed: a rank is one core of %.0f Gflop/s and receives %.0f GB/s\n"
      "%-28s %5s %10s %10s %11s %9s %9s %10s\n",
      kCore / 1e9, kNetwork / 1e9, "", "ranks", "memory GB", "repeated", "received GB", "network s",
      "compute s", "repeated");
  for (const Learner& learner : learners())
    for (const double ranks : {16.0, 256.0, 4096.0}) {
      Sizes sizes = learner.billion;
      sizes.ranks = ranks;
      const double bytes = learner.bytes(sizes);
      const Cost memory = learner.memory(sizes);
      const Cost flops = learner.flops(sizes);
      std::printf("%-28s %5.0f %10.2f %10.2f %11.2f %9.2f %9.0f %10.1f\n", learner.name, ranks,
                  per_rank(memory, ranks) / 1e9, memory.repeated / 1e9, bytes / 1e9,
                  bytes / kNetwork, per_rank(flops, ranks) / kCore, flops.repeated / kCore);
    }
}

bool run() {
  double load = 0;
  getloadavg(&load, 1);
  std::printf("%u processors, load %.1f before; a rank is one thread; the quicker of two runs\n",
              std::thread::hardware_concurrency(), load);
  show_machine();
  const std::vector<Learner> all = learners();
  auto measured = strong(all);
  weak(all, measured);
  std::printf("\n");
  show_machine();
  speed(all, measured);
  return volume(all, measured);
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  try {
    if (argc == 1) return commonplace::run() ? 0 : 1;
    if (argc == 2 && std::strcmp(argv[1], "table") == 0) {
      commonplace::table();
      return 0;
    }
    std::fprintf(stderr, "bench_cluster [table]\n");
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cluster: %s\n", error.what());
    return 1;
  }
}
