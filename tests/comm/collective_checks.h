#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/comm.h"

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

inline void check_collectives(Comm& comm) {
  require(comm.rank() >= 0 && comm.rank() < comm.size(), "rank ", comm.rank(), " of ", comm.size());
  // Nothing, fewer than ranks, some, and more than one of MPI's pieces of 8 MiB.
  for (const std::size_t count : {0, 1, 2, 3, 1000, 5001, 1'100'003}) check_sums(comm, count);
  check_nan_survives_max(comm);
  check_broadcast(comm);
  check_gather(comm, [](int) { return std::int64_t{4}; });
  check_gather(comm, [](int rank) { return std::int64_t{rank} * 3; });
  check_gather(comm, [](int) { return std::int64_t{0}; });
  check_shared_out_statistic(comm);
  comm.barrier();
  require(comm.seconds() >= 0, "communication took ", comm.seconds(), " seconds");
  require(comm.size() == 1 || comm.seconds() > 0, "communication was not timed");
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
