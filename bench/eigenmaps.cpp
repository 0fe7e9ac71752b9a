// Measures the learners behind `detect` on made-up features of length one with groups in them: time
// and memory of learning the eigenfunctions of axes, of encoding, of teaching a concept and of
// ranking all items by it.
//   bench_eigenmaps [ITEMS] [FEATURES] [FUNCTIONS] [FILE]    100,000, 512 and 500 unless told
// With FILE the features are written to a .npy file there and read through a mapping, as the
// library does.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/memory.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/axis_encoder.h"
#include "commonplace/detect/core/lap_rls.h"
#include "commonplace/io/npy.h"
#include "commonplace/math/sq8_rows.h"

namespace commonplace {

using namespace detect;
namespace {

constexpr std::int64_t kBlock = 8192;
constexpr std::int64_t kGroups = 200;

/// Of all threads: what it costs on a machine that has other work as well.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// Rows first .. of groups around random directions.
void make_rows(std::int64_t first, Eigen::Ref<Matrix> rows) {
  std::vector<double> widths;
  for (Eigen::Index j = 0; j < rows.cols(); ++j)
    widths.push_back(std::pow(1.0 + static_cast<double>(j), -0.4));
  parallel_for(static_cast<std::size_t>(rows.rows()), 0, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i) {
      const auto item = static_cast<std::uint64_t>(first + i);
      const std::uint64_t group = random_bits(5, item, 0) % kGroups;
      for (Eigen::Index j = 0; j < rows.cols(); ++j) {
        const auto column = static_cast<std::uint64_t>(j);
        rows(i, j) = static_cast<float>(widths[static_cast<std::size_t>(j)] *
                                        (random_uniform(1, group, column) +
                                         random_uniform(2, item, 2 * column) +
                                         random_uniform(2, item, 2 * column + 1) - 1.5));
      }
      rows.row(i).normalize();
    }
  });
}

void report(const char* what, double seconds) {
  static double before = 0;
  const double now = processor_seconds();
  std::printf("%-34s %9.3f s, %9.3f s of processors, peak %7.0f MiB\n", what, seconds, now - before,
              mebibytes(peak_memory()));
  before = now;
  std::fflush(stdout);
  forget_peak_memory();
}

void teach_and_rank(const AxisEigenmaps& model, const MatrixView& features,
                    const Sq8RowsView& bytes) {
  constexpr Eigen::Index kExamples = 5;
  const AxisEncoder encoder(model);
  constexpr Eigen::Index kSingles = 200;
  auto begin = Clock::now();
  for (Eigen::Index i = 0; i < std::min(kSingles, features.rows()); ++i)
    encoder.encode(features.middleRows(i, 1));
  std::printf("encoding items one by one %.3f ms each\n",
              1e3 * seconds_since(begin) / static_cast<double>(kSingles));
  const Matrix examples = encoder.encode(features.topRows(kExamples));
  MatrixD labels = MatrixD::Constant(kExamples, 1, -1);
  labels(0, 0) = 1;
  for (int again = 0; again < 3; ++again) {
    begin = Clock::now();
    const MatrixD alpha = fit_lap_rls(examples, labels, model.eigenvalues);
    const double teaching = seconds_since(begin);
    begin = Clock::now();
    const std::vector<float> scores =
        scan(bytes, {alpha.data(), static_cast<std::size_t>(alpha.size())});
    const double scanning = seconds_since(begin);
    begin = Clock::now();
    const auto best = best_scores(scores, 500);
    std::printf("teaching %.3f ms, scanning %.1f ms, best 500 of it %.1f ms (first %lld)\n",
                1e3 * teaching, 1e3 * scanning, 1e3 * seconds_since(begin),
                static_cast<long long>(best[0]));
  }
}

void measure(const MatrixView& features, std::int64_t functions) {
  report("making the features", 0);
  AxisEigenmapOptions options;
  options.count = functions;
  auto begin = Clock::now();
  const AxisEigenmapFit fit = fit_axis_eigenmaps(features, options, {});
  report("learning the eigenfunctions", seconds_since(begin));
  const AxisEncoder encoder(fit.model);
  std::vector<float> magnitudes;
  add_magnitudes(encoder.encode(features.topRows(std::min(kBlock, features.rows()))), magnitudes);
  Sq8Rows bytes = sq8_rows(magnitudes);
  bytes.bytes.reserve(static_cast<std::size_t>(features.rows() * encoder.count()));
  double encoding = 0;
  double quantising = 0;
  for (std::int64_t first = 0; first < features.rows(); first += kBlock) {
    begin = Clock::now();
    const Matrix encoded =
        encoder.encode(features.middleRows(first, std::min(kBlock, features.rows() - first)));
    encoding += seconds_since(begin);
    begin = Clock::now();
    append(bytes, encoded);
    quantising += seconds_since(begin);
  }
  report("encoding all", encoding);
  report("to bytes", quantising);
  teach_and_rank(fit.model, features, bytes.view());
}

void run(std::int64_t items, std::int64_t features, std::int64_t functions, const char* path) {
  std::printf("%lld items, %lld features, %lld functions\n", static_cast<long long>(items),
              static_cast<long long>(features), static_cast<long long>(functions));
  if (path == nullptr) {
    Matrix rows(items, features);
    make_rows(0, rows);
    measure(MatrixView(rows.data(), items, features), functions);
    return;
  }
  if (!std::filesystem::exists(path)) {
    NpyWriter writer(path, features);
    Matrix block;
    for (std::int64_t first = 0; first < items; first += kBlock) {
      block.resize(std::min(kBlock, items - first), features);
      make_rows(first, block);
      writer.write(block);
    }
    writer.commit();
  }
  const NpyMatrix file{std::filesystem::path(path)};
  measure(file.view(), functions);
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  commonplace::keep_freed_blocks();
  commonplace::run(argc > 1 ? std::atoll(argv[1]) : 100000, argc > 2 ? std::atoll(argv[2]) : 512,
                   argc > 3 ? std::atoll(argv[3]) : 500, argc > 4 ? argv[4] : nullptr);
  return 0;
}
