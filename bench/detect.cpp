// Measures `detect` where items are many: made-up features of length one with planted concepts that
// overlap, labelled by people who err, read through a mapped file. Learning ten concepts from all
// items, scoring new ones, teaching an eleventh from five examples and ranking everything by it;
// and liblinear on the same items, at a size that it can finish.
//   bench_detect [ITEMS] [FEATURES] [SVM_ITEMS]    1,500,000, 512 and 50,000 unless told
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
#include "commonplace/detect/core/heads.h"
#include "commonplace/detect/core/space.h"
#include "commonplace/io/npy.h"
#include "commonplace/learn/linear_solver.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "commonplace/math/sq8_rows.h"

namespace commonplace {

using namespace detect;
namespace {

constexpr std::int64_t kBlock = 4096;
constexpr std::int64_t kConcepts = 10;
constexpr std::int64_t kGroups = 200;
constexpr double kWrong = 0.05;
/// New items by which quality is judged.
constexpr std::int64_t kJudged = 20000;

/// Of all threads: what it costs on a machine that has other work as well.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t group_of(std::int64_t item) {
  return random_bits(5, static_cast<std::uint64_t>(item), 0) % kGroups;
}

/// A group is a direction.
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

/// Whether items of a group show a concept: of five groups one does, so that most items show
/// several concepts or none.
bool shows(std::uint64_t group, Eigen::Index which) {
  return random_uniform(7, group, static_cast<std::uint64_t>(which)) < 0.2;
}

/// What a concept is: 1 or -1 for each item.
MatrixD truth_of(std::int64_t first, std::int64_t count) {
  MatrixD truth(count, kConcepts);
  for (std::int64_t i = 0; i < count; ++i)
    for (Eigen::Index c = 0; c < kConcepts; ++c)
      truth(i, c) = shows(group_of(first + i), c) ? 1 : -1;
  return truth;
}

/// What people say: of twenty labels one is wrong.
MatrixD labels_of(std::int64_t first, std::int64_t count) {
  MatrixD labels = truth_of(first, count);
  for (std::int64_t i = 0; i < count; ++i)
    for (Eigen::Index c = 0; c < kConcepts; ++c)
      if (random_uniform(8, static_cast<std::uint64_t>(first + i), static_cast<std::uint64_t>(c)) <
          kWrong)
        labels(i, c) *= -1;
  return labels;
}

/// Against the truth, not what people say, in per cent: labels that are right, and mean average
/// precision.
struct Quality {
  double right = 0;
  double precision = 0;
};
Quality quality_of(const Matrix& scores, std::int64_t first) {
  const MatrixD truth = truth_of(first, scores.rows());
  const auto hits = ((scores.array() > 0) == (truth.array() > 0)).count();
  return {100 * static_cast<double>(hits) / static_cast<double>(truth.size()),
          100 * mean_interpolated_precision(scores, truth)};
}

struct Learned {
  detect::Space space;
  ConceptHeads heads;
};

/// The space and ten concepts, from the first `items`, all labelled.
Learned learn(const MatrixView& features, std::int64_t items) {
  const MatrixView rows(features.data(), items, features.cols());
  Learned result;
  std::vector<SpacePart> parts;
  parts.push_back(fit_part(SpaceKind::axis, 0, rows, {}, {}));
  result.space = join_parts(std::move(parts));
  LapRlsStatistics statistics(result.space.columns(), kConcepts);
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
  Sq8Rows bytes = sq8_rows(magnitudes);
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

/// Liblinear as its own program `train` runs it: the dual solver of the squared hinge, tolerance
/// 0.1, one core, one concept after the other. Cost 1 and no bias unless it is told otherwise.
OneVsRestLinear train_as_their_program(const Matrix& rows, const MatrixD& labels, double cost,
                                       double bias) {
  set_print_string_function([](const char*) {});
  const LinearSolverRows nodes(rows, bias);
  const auto columns = static_cast<int>(rows.cols()) + (bias > 0 ? 1 : 0);
  OneVsRestLinear result;
  result.weights.resize(rows.cols(), labels.cols());
  result.offset.assign(static_cast<std::size_t>(labels.cols()), 0);
  std::vector<feature_node*> starts;
  for (const std::size_t start : nodes.starts)
    starts.push_back(const_cast<feature_node*>(nodes.nodes.data()) + start);
  for (Eigen::Index c = 0; c < labels.cols(); ++c) {
    VectorD y = labels.col(c);
    const problem task{static_cast<int>(rows.rows()), columns, y.data(), starts.data(),
                       bias > 0 ? bias : -1};
    const parameter how{L2R_L2LOSS_SVC_DUAL, 0.1, cost, 0, nullptr, nullptr, 0, nullptr};
    model* trained = train(&task, &how);
    const double sign = trained->label[0] > 0 ? 1 : -1;
    result.weights.col(c) =
        (sign * Eigen::Map<const VectorD>(trained->w, rows.cols())).cast<float>();
    if (bias > 0)
      result.offset[static_cast<std::size_t>(c)] =
          static_cast<float>(sign * bias * trained->w[rows.cols()]);
    free_and_destroy_model(&trained);
  }
  return result;
}

void print_rival(const char* name, double seconds, double our_seconds, const Quality& quality) {
  std::printf("  %-58s %7.1f s, %.2f %% of labels right, precision %.2f %%, ratio %.0f\n", name,
              seconds, quality.right, quality.precision, seconds / our_seconds);
  std::fflush(stdout);
}

void beside_liblinear(const MatrixView& features, std::int64_t items) {
  const std::int64_t asked = std::min(kJudged, features.rows() - items);
  const Matrix others = features.middleRows(items, asked);
  const std::vector<MatrixView> views = {features};
  std::printf("%lld items, %.0f %% of their labels wrong; %lld others judged by right labels\n",
              static_cast<long long>(items), 100 * kWrong, static_cast<long long>(asked));
  auto begin = Clock::now();
  const Learned ours = learn(features, items);
  const double our_seconds = seconds_since(begin);
  print_rival("ours, both steps, all cores", our_seconds, our_seconds,
              quality_of(score(ours.heads, encode(ours.space, views, items, asked, false)), items));
  const Matrix rows = features.topRows(items);
  const MatrixD labels = labels_of(0, items);
  begin = Clock::now();
  OneVsRestLinearOptions options;
  options.solver = "liblinear";
  const OneVsRestLinear primal = fit_one_vs_rest(rows, labels, options);
  print_rival("liblinear, primal, cost 5, tolerance 0.01, bias, all cores", seconds_since(begin),
              our_seconds, quality_of(score(primal, others), items));
  begin = Clock::now();
  const OneVsRestLinear dual = train_as_their_program(rows, labels, 1, 0);
  print_rival("liblinear as `train` runs it, no options, one core", seconds_since(begin),
              our_seconds, quality_of(score(dual, others), items));
  begin = Clock::now();
  const OneVsRestLinear told = train_as_their_program(rows, labels, 5, 1);
  print_rival("liblinear as `train -c 5 -B 1` runs it, one core", seconds_since(begin), our_seconds,
              quality_of(score(told, others), items));
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
  const double spent = processor_seconds();
  const Learned learned = learn(features, items);
  std::printf(
      "%lld items x %lld features, %lld concepts: learned in %.1f s (%.1f s of processors)\n",
      static_cast<long long>(items), static_cast<long long>(columns),
      static_cast<long long>(kConcepts), seconds_since(begin), processor_seconds() - spent);
  std::fflush(stdout);
  const std::vector<MatrixView> views = {features};
  double seconds = 0;
  Matrix judged(std::min(kJudged, asked), kConcepts);
  for (std::int64_t first = items; first < items + asked; first += kBlock) {
    begin = Clock::now();
    const std::int64_t count = std::min(kBlock, items + asked - first);
    const Matrix scores = score(learned.heads, encode(learned.space, views, first, count, false));
    seconds += seconds_since(begin);
    const std::int64_t kept = std::min(count, judged.rows() - (first - items));
    if (kept > 0) judged.middleRows(first - items, kept) = scores.topRows(kept);
  }
  const Quality quality = quality_of(judged, items);
  std::printf(
      "%lld new items scored in %.1f s, %.2f %% of labels right, precision %.2f %%; peak memory "
      "%.0f MiB, the mapped file included\n",
      static_cast<long long>(asked), seconds, quality.right, quality.precision,
      static_cast<double>(peak_memory()) / (1 << 20));
  teach(learned, features, std::min<std::int64_t>(items, 1'000'000));
  beside_liblinear(features, std::min(svm_items, items));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  commonplace::keep_freed_blocks();
  commonplace::run(argc > 1 ? std::atoll(argv[1]) : 1'500'000, argc > 2 ? std::atoll(argv[2]) : 512,
                   argc > 3 ? std::atoll(argv[3]) : 50'000);
  return 0;
}
