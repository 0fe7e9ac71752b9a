// Measures the learner behind `suggest` on made-up items of 60 words each, tags drawn with their
// own words: how time and memory grow with the items N, the prototypes M and the tags C, and with
// ranks.
//   bench_tag_latents [ITEMS]     20,000 items unless told
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "commonplace/base/clock.h"
#include "commonplace/base/memory.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/suggest/core/feature_weights.h"
#include "commonplace/suggest/core/sparse_gp.h"
#include "commonplace/suggest/core/tag_prototypes.h"

namespace commonplace {

using namespace suggest;
namespace {

constexpr std::int64_t kFeatures = 20000;
constexpr int kWords = 60;

struct Data {
  Sparse rows;
  Sparse tags;
};

/// Three tags an item; half of its words are those of its tags, the others any.
Data make_data(std::int64_t items, std::int64_t tags) {
  Data data;
  data.rows.columns = kFeatures;
  data.tags.columns = tags;
  Rng rng(7);
  for (std::int64_t item = 0; item < items; ++item) {
    std::set<std::int32_t> own;
    while (std::ssize(own) < std::min<std::int64_t>(3, tags))
      own.insert(static_cast<std::int32_t>(std::pow(rng.uniform(), 2) * static_cast<double>(tags)));
    std::set<std::int32_t> words;
    for (int word = 0; word < kWords; ++word) {
      const auto tag = *std::next(own.begin(), word % std::ssize(own));
      words.insert(static_cast<std::int32_t>(
          word % 2 == 0
              ? rng.below(kFeatures)
              : random_bits(3, static_cast<std::uint64_t>(tag), rng.below(40)) % kFeatures));
    }
    for (const std::int32_t word : words) data.rows.push(word, 1);
    data.rows.end_row();
    for (const std::int32_t tag : own) data.tags.push(tag, 1);
    data.tags.end_row();
  }
  return data;
}

void measure(std::int64_t items, std::int64_t prototypes, std::int64_t tags) {
  const Data data = make_data(items, tags);
  forget_peak_memory();
  const std::int64_t before = current_memory();
  auto begin = Clock::now();
  const std::vector<float> weights =
      feature_weights(data.rows.view(), data.tags.view(), {}, self_comm());
  const Sparse rows = weigh_rows(data.rows.view(), weights);
  TagPrototypeOptions options;
  options.count = prototypes;
  const StoredRows chosen = tag_prototypes(rows, data.tags.view(), options, {});
  const double choosing = seconds_since(begin);
  begin = Clock::now();
  const SparseGpBasis basis = make_basis({KernelKind::rbf, 0.7, 1}, chosen);
  const SparseGpStatistics statistics = gather_statistics(basis, rows, data.tags.view(), {});
  SparseGp gp = solve_sparse_gp(statistics, 0.1);
  const double learning = seconds_since(begin);
  const std::int64_t asked = std::min<std::int64_t>(items, 2000);
  begin = Clock::now();
  const Matrix whitened = whiten(basis, slice(rows, 0, asked));
  const Matrix means = multiply(whitened, gp.weights);
  const double predicting = seconds_since(begin);
  begin = Clock::now();
  constexpr int kUpdates = 10;
  for (int i = 0; i < kUpdates; ++i)
    learn_item(gp, {whitened.row(i).data(), static_cast<std::size_t>(whitened.cols())},
               std::vector<std::pair<std::int32_t, float>>{{0, 1.0F}});
  const double updating = seconds_since(begin) / kUpdates;
  std::printf("%8lld %6lld %6lld %12.2f %10.2f %12.0f %12.2f %8lld\n",
              static_cast<long long>(items), static_cast<long long>(prototypes),
              static_cast<long long>(tags), choosing, learning,
              static_cast<double>(asked) / predicting, 1000 * updating,
              static_cast<long long>(std::max<std::int64_t>(peak_memory() - before, 0) >> 20));
  std::fflush(stdout);
}

void measure_ranks(std::int64_t items, std::int64_t prototypes, std::int64_t tags) {
  const Data data = make_data(items, tags);
  const Sparse rows = weigh_rows(
      data.rows.view(), feature_weights(data.rows.view(), data.tags.view(), {}, self_comm()));
  TagPrototypeOptions options;
  options.count = prototypes;
  const SparseGpBasis basis =
      make_basis({KernelKind::rbf, 0.7, 1}, tag_prototypes(rows, data.tags.view(), options, {}));
  for (const int ranks : {1, 2}) {
    const auto begin = Clock::now();
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(rows.rows(), comm.rank(), comm.size());
      Sparse own_tags;
      own_tags.columns = data.tags.columns;
      for (std::int64_t row = range.begin; row < range.end; ++row)
        own_tags.push_row(data.tags.view(), row);
      gather_statistics(basis, slice(rows, range.begin, range.end - range.begin), own_tags.view(),
                        {comm, 1});
    });
    std::printf("%d ranks of one thread: %.2f s for the statistics\n", ranks, seconds_since(begin));
  }
}

void run(std::int64_t items) {
  std::printf("%8s %6s %6s %12s %10s %12s %12s %8s\n", "items", "M", "tags", "choosing, s",
              "learning, s", "items/s", "update, ms", "MiB");
  for (const std::int64_t part : {4, 2, 1}) measure(items / part, 500, 300);
  for (const std::int64_t prototypes : {250, 1000, 2000}) measure(items, prototypes, 300);
  for (const std::int64_t tags : {100, 1000, 3000}) measure(items, 500, tags);
  measure_ranks(items, 1000, 300);
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  commonplace::run(argc > 1 ? std::atoll(argv[1]) : 20000);
  return 0;
}
