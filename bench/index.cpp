// How long a search takes: ScanIndex (exact) and HnswIndex (its build, its recall) over made codes
// of 60 columns, nonnegative and mostly 0, as a nonnegative factorisation gives. One JSON object a
// line. Usage: bench_index [MOST_ROWS [MOST_ROWS_FOR_HNSW]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/index/hnsw_index.h"
#include "commonplace/index/scan_index.h"

namespace commonplace {
namespace {

constexpr std::int64_t kColumns = 60;
constexpr std::size_t kCount = 20;
constexpr std::int64_t kQueries = 300;

MatrixView view(const Matrix& matrix) { return {matrix.data(), matrix.rows(), matrix.cols()}; }

/// Each row is about one to eight of the columns, low ones more often, with exponential weights.
Matrix made_codes(std::int64_t rows, std::uint64_t seed) {
  Rng rng(seed);
  Matrix codes = Matrix::Zero(rows, kColumns);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::uint64_t left = 1 + rng.below(8); left > 0; --left) {
      const double place = std::pow(rng.uniform(), 1.5) * static_cast<double>(kColumns);
      codes(row, static_cast<std::int64_t>(place)) -=
          static_cast<float>(std::log1p(-rng.uniform()));
    }
  return codes;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

struct Latency {
  double median_ms = 0;
  double p99_ms = 0;
};

Latency latency_of(const Matrix& queries,
                   const std::function<void(std::span<const float>)>& search) {
  std::vector<double> times;
  for (std::int64_t i = 0; i < queries.rows(); ++i) {
    const std::span<const float> query(queries.data() + i * kColumns, kColumns);
    times.push_back(1e3 * seconds_of([&] { search(query); }));
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

void report(const char* name, std::int64_t rows, double build, const Latency& latency,
            const std::string& more) {
  std::printf(
      "{\"index\": \"%s\", \"rows\": %lld, \"columns\": %lld, \"count\": %zu, "
      "\"build_s\": %.3f, \"p50_ms\": %.3f, \"p99_ms\": %.3f%s}\n",
      name, static_cast<long long>(rows), static_cast<long long>(kColumns), kCount, build,
      latency.median_ms, latency.p99_ms, more.c_str());
  std::fflush(stdout);
}

void measure(std::int64_t rows, bool with_hnsw) {
  const Matrix codes = made_codes(rows, 1);
  const Matrix queries = made_codes(kQueries, 2);
  const Matrix dense = queries.array() + 0.01F;
  std::vector<float> base(static_cast<std::size_t>(rows));
  Rng rng(3);
  for (float& value : base) value = static_cast<float>(rng.uniform());

  std::optional<ScanIndex> scan;
  const double scan_build = seconds_of([&] { scan.emplace(view(codes)); });
  const auto scan_all = [&](std::span<const float> query) {
    scan->search(query, kCount, {base, {}});
  };
  report("scan", rows, scan_build, latency_of(queries, scan_all), "");
  report("scan, query without zeros", rows, scan_build, latency_of(dense, scan_all), "");
  if (!with_hnsw) return;

  std::optional<HnswIndex> hnsw;
  const double hnsw_build = seconds_of([&] { hnsw.emplace(view(codes)); });
  const Latency latency =
      latency_of(queries, [&](std::span<const float> query) { hnsw->search(query, kCount); });
  const double recall = recall_at(*hnsw, *scan, view(queries), kCount);
  report("hnsw", rows, hnsw_build, latency, concat(", \"recall\": ", recall));
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  const long long most = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const long long most_for_hnsw = argc > 2 ? std::atoll(argv[2]) : most;
  for (const long long rows : {10'000LL, 100'000LL, 1'000'000LL})
    if (rows <= most) commonplace::measure(rows, rows <= most_for_hnsw);
  return 0;
}
