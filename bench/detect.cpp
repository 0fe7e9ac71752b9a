// Measures `detect` where items are many: made-up features of length one with planted concepts,
// read through a mapped file. Learning ten concepts from all items, scoring new ones, teaching an
// eleventh from five examples and ranking everything by it; and liblinear on the same items, at a
// size that it can finish.
//   bench_detect [ITEMS] [FEATURES] [SVM_ITEMS]    1,500,000, 512 and 20,000 unless told
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "commonplace/base/memory.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/baseline/linear_rows.h"
#include "commonplace/io/npy.h"
#include "commonplace/math/byte_rows.h"
#include "commonplace/task/detect_heads.h"
#include "commonplace/task/detect_space.h"

namespace commonplace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kBlock = 4096;
constexpr std::int64_t kConcepts = 10;
constexpr std::int64_t kGroups = 200;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::uint64_t group_of(std::int64_t item) {
  return random_bits(5, static_cast<std::uint64_t>(item), 0) % kGroups;
}

/// A group is a direction; concept c is shown by the groups c, c + 10, c + 20 ..
void make_rows(std::int64_t first, Eigen::Ref<Matrix> rows) {
  std::vector<double> widths;
  for (Eigen::Index j = 0; j < rows.cols(); ++j)
    widths.push_back(std::pow(1.0 + static_cast<double>(j), -0.4));
  parallel_for(static_cast<std::size_t>(rows.rows()), 0, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i) {
      const std::uint64_t group = group_of(first + i);
      const auto item = static_cast<std::uint64_t>(first + i);
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

MatrixD labels_of(std::int64_t first, std::int64_t count) {
  MatrixD labels = MatrixD::Constant(count, kConcepts, -1);
  for (std::int64_t i = 0; i < count; ++i)
    labels(i, static_cast<Eigen::Index>(group_of(first + i) % kConcepts)) = 1;
  return labels;
}

/// The share of items whose greatest score is of the concept that they show.
double right(const Matrix& scores, std::int64_t first) {
  std::int64_t hits = 0;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    Eigen::Index best = 0;
    scores.row(i).maxCoeff(&best);
    hits += best == static_cast<Eigen::Index>(group_of(first + i) % kConcepts) ? 1 : 0;
  }
  return static_cast<double>(hits) / static_cast<double>(scores.rows());
}

struct Learned {
  DetectSpace space;
  ConceptHeads heads;
};

/// The space and ten concepts, from the first `items`, all labelled.
Learned learn(const MatrixView& features, std::int64_t items) {
  const MatrixView rows(features.data(), items, features.cols());
  SelfComm comm;
  Learned result;
  std::vector<SpacePart> parts;
  parts.push_back(fit_part(SpaceKind::axis, 0, rows, {}, comm, 0, no_progress));
  result.space = join_parts(std::move(parts));
  SmoothStatistics statistics(result.space.columns(), kConcepts);
  const std::vector<MatrixView> views = {rows};
  for (std::int64_t first = 0; first < items; first += kBlock) {
    const std::int64_t count = std::min(kBlock, items - first);
    add_rows(statistics, encode(result.space, views, first, count, true), labels_of(first, count));
  }
  result.heads = solve_heads(statistics, 1);
  return result;
}

void teach(const Learned& learned, const MatrixView& features, std::int64_t items) {
  const std::vector<MatrixView> views = {MatrixView(features.data(), items, features.cols())};
  std::vector<float> magnitudes;
  add_magnitudes(encode(learned.space, views, 0, std::min(kBlock, items), true), magnitudes);
  ByteRows bytes = byte_rows(magnitudes);
  for (std::int64_t first = 0; first < items; first += kBlock)
    append(bytes, encode(learned.space, views, first, std::min(kBlock, items - first), true));
  const std::vector<std::int64_t> examples = {1, 2, 3, 4, 5};
  MatrixD labels = MatrixD::Constant(5, 1, -1);
  labels(0, 0) = 1;
  for (int again = 0; again < 3; ++again) {
    const auto begin = Clock::now();
    const ConceptHeads heads =
        fit_heads(encode_rows(learned.space, views, examples, true), labels, {false, 1, 5});
    const VectorD weights = heads.weights.col(0);
    const std::vector<float> scores =
        scan(bytes.view(), {weights.data(), static_cast<std::size_t>(weights.size())});
    const std::vector<std::int64_t> best = best_scores(scores, 50);
    std::printf("a concept from 5 examples, %lld items ranked by %lld coordinates: %.1f ms\n",
                static_cast<long long>(items), static_cast<long long>(learned.space.columns()),
                1e3 * seconds_since(begin));
  }
}

void beside_liblinear(const MatrixView& features, std::int64_t items) {
  auto begin = Clock::now();
  const Learned ours = learn(features, items);
  const double our_seconds = seconds_since(begin);
  const Matrix rows = features.topRows(items);
  begin = Clock::now();
  LinearRowOptions options;
  options.solver = "liblinear";
  const LinearRows svm = fit_linear_rows(rows, labels_of(0, items), options);
  const double svm_seconds = seconds_since(begin);
  const std::int64_t asked = std::min<std::int64_t>(20000, features.rows() - items);
  const Matrix others = features.middleRows(items, asked);
  const std::vector<MatrixView> views = {features};
  const double ours_right =
      right(score(ours.heads, encode(ours.space, views, items, asked, false)), items);
  std::printf(
      "%lld items: ours %.2f s (%.1f %% right), liblinear %.2f s (%.1f %% right), ratio %.0f\n",
      static_cast<long long>(items), our_seconds, 100 * ours_right, svm_seconds,
      100 * right(score(svm, others), items), svm_seconds / our_seconds);
}

void run(std::int64_t items, std::int64_t columns, std::int64_t svm_items) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "commonplace-bench-detect.npy";
  const std::int64_t asked = items / 3;
  {
    NpyWriter writer(path, columns);
    Matrix block;
    for (std::int64_t first = 0; first < items + asked; first += kBlock) {
      block.resize(std::min(kBlock, items + asked - first), columns);
      make_rows(first, block);
      writer.write(block);
    }
    writer.commit();
  }
  const NpyMatrix file(path);
  const MatrixView features = file.view();
  forget_peak_memory();
  auto begin = Clock::now();
  const Learned learned = learn(features, items);
  std::printf("%lld items x %lld features, %lld concepts: learned in %.1f s\n",
              static_cast<long long>(items), static_cast<long long>(columns),
              static_cast<long long>(kConcepts), seconds_since(begin));
  const std::vector<MatrixView> views = {features};
  begin = Clock::now();
  double hits = 0;
  double seconds = 0;
  for (std::int64_t first = items; first < items + asked; first += kBlock) {
    begin = Clock::now();
    const std::int64_t count = std::min(kBlock, items + asked - first);
    const Matrix scores = score(learned.heads, encode(learned.space, views, first, count, false));
    seconds += seconds_since(begin);
    hits += right(scores, first) * static_cast<double>(count);
  }
  std::printf(
      "%lld new items scored in %.1f s, %.1f %% right; peak memory %.0f MiB, the mapped file "
      "included\n",
      static_cast<long long>(asked), seconds, 100 * hits / static_cast<double>(asked),
      static_cast<double>(peak_memory()) / (1 << 20));
  teach(learned, features, std::min<std::int64_t>(items, 1'000'000));
  beside_liblinear(features, std::min(svm_items, items));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  commonplace::run(argc > 1 ? std::atoll(argv[1]) : 1'500'000, argc > 2 ? std::atoll(argv[2]) : 512,
                   argc > 3 ? std::atoll(argv[3]) : 20'000);
  return 0;
}
