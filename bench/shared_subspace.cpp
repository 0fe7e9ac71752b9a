// Measures the learner behind `search`. One JSON object a line:
//   bench_shared_subspace fit FOLDER hals|mu ITERATIONS
//     seconds since the call and objective after each iteration, on the matrix and from the start
//     in FOLDER: the raw arrays `starts` (i64), `indices` (i32), `values` (f32) of items x terms,
//     `basis` (f32, terms x topics), `codes` (f32, items x topics), and `shape` (text: the three).
//   bench_shared_subspace grow [TOPICS]
//     seconds an iteration and peak memory at 0.2, 2 and 20 million nonzeros, 8 an item
//   bench_shared_subspace ranks [NONZEROS]
//     seconds an iteration with 1 and 2 threads as ranks, and the share of communication
#include "commonplace/search/core/shared_subspace.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/search/core/shared_subspace_solver.h"

namespace commonplace {

using namespace search;
namespace {

template <class T>
std::vector<T> read_array(const std::filesystem::path& path) {
  std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  require(file.good(), path, " cannot be read");
  return values;
}

Matrix read_matrix(const std::filesystem::path& path, std::int64_t rows, std::int64_t columns) {
  const auto values = read_array<float>(path);
  require(std::ssize(values) == rows * columns, path, " has ", values.size(), " numbers");
  return Eigen::Map<const Matrix>(values.data(), rows, columns);
}

void fit(const std::filesystem::path& folder, const std::string& solver, int iterations) {
  std::int64_t items = 0;
  std::int64_t terms = 0;
  int topics = 0;
  std::ifstream(folder / "shape") >> items >> terms >> topics;
  Sparse x;
  x.columns = terms;
  x.starts = read_array<std::int64_t>(folder / "starts");
  x.indices = read_array<std::int32_t>(folder / "indices");
  x.values = read_array<float>(folder / "values");
  require(x.rows() == items && x.starts.back() == x.nonzeros(), folder, " does not fit together");
  Factors<float> start{read_matrix(folder / "basis", terms, topics),
                       {read_matrix(folder / "codes", items, topics)}};
  FactoriseOptions options;
  options.multiplicative = solver == "mu";
  options.iterations = iterations;

  const SparseView views[] = {x.view()};
  std::vector<double> seconds;
  const auto begin = Clock::now();
  const auto found = factorise<float>(
      views, {{{0}, topics}}, std::move(start), options,
      {.progress = [&](const ProgressStep&) { seconds.push_back(seconds_since(begin)); }});
  for (std::size_t i = 0; i < seconds.size(); ++i)
    std::printf("{\"iteration\": %zu, \"seconds\": %.6f, \"objective\": %.9g}\n", i + 1, seconds[i],
                found.report.objective[i]);
}

/// Items of up to 8 tags of 50,000, whose popularity follows Zipf's law.
Sparse make_items(std::int64_t items, std::uint64_t seed) {
  constexpr double terms = 50000;
  Rng rng(seed);
  Sparse result;
  result.columns = static_cast<std::int64_t>(terms);
  for (std::int64_t item = 0; item < items; ++item) {
    std::set<std::int32_t> tags;
    for (int i = 0; i < 8; ++i)
      tags.insert(static_cast<std::int32_t>(std::pow(terms, rng.uniform())) - 1);
    for (const std::int32_t tag : tags)
      result.push(tag, static_cast<float>(std::log(terms / (tag + 1)) / 8 + 0.1));
    result.end_row();
  }
  return result;
}

SharedSubspaceOptions few_iterations() {
  SharedSubspaceOptions options;
  options.iterations = 6;
  options.tolerance = 0;
  return options;
}

/// Seconds between two of the times, on average.
double apart(const std::vector<Clock::time_point>& times) {
  return std::chrono::duration<double>(times.back() - times.front()).count() /
         static_cast<double>(times.size() - 1);
}

void grow(int topics) {
  for (const std::int64_t items : {25'000, 250'000, 2'500'000}) {
    const Sparse x = make_items(items, 1);
    const SparseView views[] = {x.view()};
    std::vector<Clock::time_point> times;
    fit_shared_subspace(views, {{{0}, topics}}, few_iterations(),
                        {.progress = [&](const ProgressStep&) { times.push_back(Clock::now()); }});
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf(
        "{\"nonzeros\": %lld, \"items\": %lld, \"seconds_an_iteration\": %.4f, "
        "\"peak_mebibytes\": %ld}\n",
        static_cast<long long>(x.nonzeros()), static_cast<long long>(items), apart(times),
        usage.ru_maxrss / 1024);
  }
}

void ranks(std::int64_t nonzeros) {
  const Sparse x = make_items(nonzeros / 8, 1);
  for (const int size : {1, 2}) {
    Convergence report;
    std::vector<Clock::time_point> times;
    run_as_threads(size, [&](Comm& comm) {
      const RowRange range = rows_of_rank(x.rows(), comm.rank(), comm.size());
      SparseView part = x.view();
      part.starts = part.starts.subspan(static_cast<std::size_t>(range.begin));
      part.rows = range.end - range.begin;
      SharedSubspaceOptions options = few_iterations();
      const auto found = fit_shared_subspace(
          {&part, 1}, {{{0}, 60}}, options,
          {comm, 1, [&](const ProgressStep&) { times.push_back(Clock::now()); }});
      if (comm.rank() == 0) report = found.report;
    });
    const double total = report.compute_seconds + report.communication_seconds;
    std::printf(
        "{\"ranks\": %d, \"nonzeros\": %lld, \"seconds_an_iteration\": %.4f, "
        "\"communication_share\": %.3f}\n",
        size, static_cast<long long>(x.nonzeros()), apart(times),
        report.communication_seconds / total);
  }
}

int run(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "fit" && argc == 5)
    fit(argv[2], argv[3], std::stoi(argv[4]));
  else if (verb == "grow")
    grow(argc > 2 ? std::stoi(argv[2]) : 60);
  else if (verb == "ranks")
    ranks(argc > 2 ? std::stoll(argv[2]) : 2'000'000);
  else
    fail("give fit FOLDER SOLVER ITERATIONS, grow [TOPICS] or ranks [NONZEROS]");
  return 0;
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  try {
    return commonplace::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
