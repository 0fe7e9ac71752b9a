#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/comm.h"
#include "commonplace/comm/trace.h"

/// What every Comm must do, as one body that threads and MPI processes run alike. It throws Error
/// at the first thing that is wrong. Each rank knows what the others bring, as everything is a
/// function of (rank, position), and so computes what it must receive.
namespace commonplace {

/// Of very different sizes, so that another order of addition gives other bits.
inline double summand(int rank, std::size_t at) {
  const auto row = static_cast<std::uint64_t>(rank);
  return std::ldexp(random_uniform(1, row, at) - 0.5,
                    static_cast<int>(random_bits(2, row, at) % 40));
}

inline void check_sums(Comm& comm, std::size_t count) {
  std::vector<double> values(count);
  std::vector<std::int64_t> integers(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = summand(comm.rank(), i);
    integers[i] =
        static_cast<std::int64_t>(random_bits(3, static_cast<std::uint64_t>(comm.rank()), i) >> 8);
  }
  std::vector<double> largest = values;
  comm.sum(std::span<double>(values));
  comm.sum(std::span<std::int64_t>(integers));
  comm.max(std::span<double>(largest));
  for (std::size_t i = 0; i < count; ++i) {
    double sum = summand(0, i);
    double maximum = sum;
    std::int64_t integer_sum = 0;
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (rank > 0) sum += summand(rank, i);
      maximum = std::max(maximum, summand(rank, i));
      integer_sum +=
          static_cast<std::int64_t>(random_bits(3, static_cast<std::uint64_t>(rank), i) >> 8);
    }
    require(values[i] == sum, "sum ", i, " of ", count, " is ", values[i], ", expected ", sum);
    require(largest[i] == maximum, "maximum ", i, " of ", count, " is wrong");
    require(integers[i] == integer_sum, "integer sum ", i, " of ", count, " is wrong");
  }
}

inline void check_nan_survives_max(Comm& comm) {
  std::vector<double> values{1.0, static_cast<double>(comm.rank())};
  if (comm.rank() == comm.size() - 1) values[0] = std::numeric_limits<double>::quiet_NaN();
  comm.max(std::span<double>(values));
  require(std::isnan(values[0]), "the NaN of the last rank is lost");
  require(values[1] == comm.size() - 1, "the maximum beside a NaN is wrong");
}

inline void check_broadcast(Comm& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    std::vector<std::uint32_t> values(1000, static_cast<std::uint32_t>(comm.rank()));
    comm.broadcast(std::span<std::uint32_t>(values), root);
    for (const std::uint32_t value : values)
      require(value == static_cast<std::uint32_t>(root), "a broadcast of ", root, " gave ", value);
    require(comm.broadcast(comm.rank() + 0.5, root) == root + 0.5, "a scalar broadcast is wrong");
  }
  std::vector<std::byte> nothing;
  comm.broadcast_bytes(nothing, comm.size() - 1);
}

/// Rank r brings `rows(r)` rows of three columns.
template <class Rows>
void check_gather(Comm& comm, Rows rows) {
  const auto value = [](int rank, std::int64_t row, std::int64_t column) {
    return static_cast<float>(1000 * rank + 10 * row + column);
  };
  Matrix mine(rows(comm.rank()), 3);
  for (std::int64_t row = 0; row < mine.rows(); ++row)
    for (std::int64_t column = 0; column < 3; ++column)
      mine(row, column) = value(comm.rank(), row, column);
  const Matrix all = comm.gather_rows(mine);
  std::int64_t at = 0;
  for (int rank = 0; rank < comm.size(); ++rank)
    for (std::int64_t row = 0; row < rows(rank); ++row, ++at)
      for (std::int64_t column = 0; column < 3; ++column)
        require(at < all.rows() && all.cols() == 3 && all(at, column) == value(rank, row, column),
                "gathered row ", at, " is not row ", row, " of rank ", rank);
  require(at == all.rows(), "gathered ", all.rows(), " rows instead of ", at);
}

/// Serial code is the distributed code: a statistic of shared-out rows is that of all rows.
inline void check_shared_out_statistic(Comm& comm) {
  constexpr std::int64_t count = 1003;
  const RowRange mine = rows_of_rank(count, comm.rank(), comm.size());
  MatrixD gram = MatrixD::Zero(2, 2);
  double rows = 0;
  for (std::int64_t row = mine.begin; row < mine.end; ++row) {
    // Whole numbers, so that the sum is exact in any grouping.
    const Eigen::Vector2d x(static_cast<double>(row % 17), static_cast<double>(row % 5));
    gram += x * x.transpose();
    rows += 1;
  }
  comm.sum(gram);
  MatrixD expected = MatrixD::Zero(2, 2);
  for (std::int64_t row = 0; row < count; ++row) {
    const Eigen::Vector2d x(static_cast<double>(row % 17), static_cast<double>(row % 5));
    expected += x * x.transpose();
  }
  require(gram == expected, "the summed Gram matrix is not that of all rows");
  require(comm.sum(rows) == count, "the ranks' rows do not add up to all rows");
}

/// Rank r brings `length(r)` bytes, zeros among them.
template <class Length>
void check_gather_texts(Comm& comm, Length length) {
  const auto text_of = [&](int rank) {
    std::string text(static_cast<std::size_t>(length(rank)), '\0');
    for (std::size_t i = 0; i < text.size(); ++i)
      text[i] = static_cast<char>((i * 7 + static_cast<std::size_t>(rank) * 31) % 256);
    return text;
  };
  const std::vector<std::string> all = comm.gather_texts(text_of(comm.rank()));
  require(std::ssize(all) == comm.size(), "gathered ", all.size(), " texts");
  for (int rank = 0; rank < comm.size(); ++rank)
    require(all[static_cast<std::size_t>(rank)] == text_of(rank), "the text of rank ", rank,
            " did not arrive as it was");
}

/// What reaches this rank, position by position, if each position of a piece of 2^20 values has one
/// rank that is sent it by all, reduces it, and sends it to all.
inline std::int64_t values_received_by_position(Comm& comm, std::int64_t count) {
  std::int64_t received = 0;
  for (std::int64_t begin = 0; begin < count; begin += 1 << 20) {
    const std::int64_t length = std::min<std::int64_t>(1 << 20, count - begin);
    const RowRange mine = rows_of_rank(length, comm.rank(), comm.size());
    for (std::int64_t at = 0; at < length; ++at)
      received += at >= mine.begin && at < mine.end ? comm.size() - 1 : 1;
  }
  return received;
}

inline void check_use(Comm& comm) {
  const int others = comm.size() - 1;
  const CommUse before = comm.use();
  std::int64_t expected_bytes = 0;
  std::int64_t expected_calls = 0;
  const auto expect = [&](const char* call, std::int64_t bytes) {
    if (others > 0) {
      expected_bytes += bytes;
      ++expected_calls;
    }
    require(comm.use().bytes - before.bytes == expected_bytes, call, " counted ",
            comm.use().bytes - before.bytes, " bytes, expected ", expected_bytes);
    require(comm.use().calls - before.calls == expected_calls, call, " counted ",
            comm.use().calls - before.calls, " calls, expected ", expected_calls);
  };
  for (const std::int64_t count : {0, 1, 3, 1001, (1 << 20) + 7}) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::vector<std::int64_t> integers(static_cast<std::size_t>(count));
    const std::int64_t bytes = 8 * values_received_by_position(comm, count);
    comm.sum(std::span<double>(values));
    expect("sum", bytes);
    comm.sum(std::span<std::int64_t>(integers));
    expect("integer sum", bytes);
    comm.max(std::span<double>(values));
    expect("max", bytes);
  }
  const int root = others;
  std::vector<std::byte> bytes(777);
  comm.broadcast_bytes(bytes, root);
  expect("broadcast", comm.rank() == root ? 0 : 777);
  // Rank r brings r rows, or bytes.
  const std::int64_t of_others = comm.size() * others / 2 - comm.rank();
  comm.gather_rows(Matrix::Zero(comm.rank(), 5));
  expect("gather_rows", of_others * 5 * 4);
  comm.gather_texts(std::string(static_cast<std::size_t>(comm.rank()), 'x'));
  expect("gather_texts", of_others);
  comm.barrier();
  expect("barrier", 0);
  require(comm.use().seconds >= before.seconds, "time went backwards");
}

inline void check_recording(Comm& comm) {
  comm.record(true);
  comm.broadcast(1.5, 0);
  comm.barrier();
  comm.record(false);
  const double seconds = comm.recorded_seconds();
  comm.barrier();
  if (comm.size() == 1) {
    require(comm.events().empty(), "one rank recorded calls");
    return;
  }
  require(comm.events().size() == 2, "recorded ", comm.events().size(), " calls");
  const CommEvent& first = comm.events()[0];
  const CommEvent& second = comm.events()[1];
  require(first.call == std::string("broadcast") && second.call == std::string("barrier"),
          "recorded ", first.call, " and ", second.call);
  require(first.bytes == (comm.rank() == 0 ? 0 : 8), "recorded ", first.bytes, " bytes");
  require(first.begin >= 0 && first.seconds >= 0 && second.begin >= first.begin + first.seconds &&
              seconds >= second.begin + second.seconds && seconds == comm.recorded_seconds(),
          "the recorded times are not in order");
}

/// All ranks, with `threads` threads each, draw numbers; each is drawn once, and on a rank they
/// rise. A rank may be slow: it draws only one number.
inline void check_work_counter(Comm& comm, std::int64_t count, int threads, int slow_rank) {
  const auto counter = comm.share_work(count);
  std::vector<std::vector<std::int64_t>> drawn(static_cast<std::size_t>(threads));
  const bool slow = comm.rank() == slow_rank;
  parallel_for(
      drawn.size(), threads,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t thread = begin; thread < end; ++thread) {
          std::vector<std::int64_t>& mine = drawn[thread];
          for (std::int64_t number = 0; (number = counter->next()) >= 0;) {
            const std::int64_t before = mine.empty() ? -1 : mine.back();
            require(before < number, "the counter gave ", number, " after ", before);
            mine.push_back(number);
            if (slow) return;
          }
        }
      },
      1);
  std::vector<double> times(static_cast<std::size_t>(count));
  for (const auto& numbers : drawn)
    for (const std::int64_t number : numbers) {
      require(number < count, "the counter gave ", number, " of ", count);
      times[static_cast<std::size_t>(number)] += 1;
    }
  comm.sum(std::span<double>(times));
  for (std::size_t number = 0; number < times.size(); ++number)
    require(times[number] == 1, "the counter gave ", number, " ", times[number], " times");
  for (int turn = 0; turn < 3; ++turn)
    require(counter->next() == -1, "an empty counter gave a number");
}

inline void check_work_counters(Comm& comm) {
  const int nobody = comm.size();
  const int last = comm.size() == 1 ? nobody : comm.size() - 1;
  for (const int threads : {1, 3})
    for (const std::int64_t count : {0, 1, 2, 500})
      check_work_counter(comm, count, threads, nobody);
  check_work_counter(comm, 100, 1, last);
  if (comm.size() > 1) check_work_counter(comm, 100, 1, 0);
  // Two at once are two.
  const auto first = comm.share_work(1);
  const auto second = comm.share_work(1);
  const double given = (first->next() == 0 ? 1 : 0) + (second->next() == 0 ? 1 : 0);
  require(comm.sum(given) == 2, "two counters of one number gave ", given, " here");
}

inline void check_rank_times(Comm& comm) {
  const CommUse use = comm.use();
  const std::vector<RankTimes> times = rank_times(comm, use.seconds + 2);
  require(std::ssize(times) == comm.size(), "there are ", times.size(), " times");
  const RankTimes& mine = times[static_cast<std::size_t>(comm.rank())];
  require(mine.communication == use.seconds && mine.bytes == use.bytes && mine.calls == use.calls &&
              std::abs(mine.compute - 2) < 1e-6 && mine.host == host_name(),
          "the times of a rank are not what it said");
  for (int rank = 0; rank < comm.size(); ++rank)
    require(times[static_cast<std::size_t>(rank)].rank == rank, "the times are not in order");
}

inline void check_host(Comm& comm) {
  require(comm.ranks_on_host() >= 1 && comm.ranks_on_host() <= comm.size(), comm.ranks_on_host(),
          " ranks on this host");
  require(comm.processors() >= 1, comm.processors(), " processors");
  require(comm.processors() == 1 || comm.processors() * comm.ranks_on_host() <=
                                        static_cast<int>(std::thread::hardware_concurrency()),
          "the ranks of this host take more processors than it has");
}

inline void check_collectives(Comm& comm) {
  require(comm.rank() >= 0 && comm.rank() < comm.size(), "rank ", comm.rank(), " of ", comm.size());
  // Nothing, fewer than ranks, some, and more than one of MPI's pieces of 8 MiB.
  for (const std::size_t count : {0, 1, 2, 3, 1000, 5001, 1'100'003}) check_sums(comm, count);
  check_nan_survives_max(comm);
  check_broadcast(comm);
  check_gather(comm, [](int) { return std::int64_t{4}; });
  check_gather(comm, [](int rank) { return std::int64_t{rank} * 3; });
  check_gather(comm, [](int) { return std::int64_t{0}; });
  check_gather_texts(comm, [](int) { return 0; });
  check_gather_texts(comm, [](int rank) { return 1000 * rank; });
  // More than goes in one message.
  check_gather_texts(comm, [](int rank) { return rank == 0 ? 9'000'001 : 3; });
  check_shared_out_statistic(comm);
  check_use(comm);
  check_recording(comm);
  check_work_counters(comm);
  check_rank_times(comm);
  check_host(comm);
  comm.barrier();
  require(comm.seconds() >= 0, "communication took ", comm.seconds(), " seconds");
  require(comm.size() == 1 || comm.seconds() > 0, "communication was not timed");
}

/// Rank `culprit` throws while the others draw numbers, of which there are more than they can draw.
inline void fail_at_work_on_one_rank(Comm& comm, int culprit) {
  const auto counter = comm.share_work(std::numeric_limits<std::int64_t>::max());
  counter->next();
  if (comm.rank() == culprit) fail("injected on rank ", culprit);
  while (counter->next() >= 0) std::this_thread::yield();
}

/// Rank `culprit` throws while the others wait for it in a sum.
inline void fail_on_one_rank(Comm& comm, int culprit) {
  comm.barrier();
  if (comm.rank() == culprit) fail("injected on rank ", culprit);
  std::vector<double> values(1000, 1.0);
  comm.sum(std::span<double>(values));
  comm.barrier();
}

}  // namespace commonplace
