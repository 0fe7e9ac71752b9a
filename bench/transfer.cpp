// How long transfer takes, on made-up posts of two classes: `bench_transfer task` for one of the
// size of a 20 Newsgroups task, `grow` with ever more of them, `ranks` with threads as ranks.
#include <cstdio>
#include <string>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/memory.h"
#include "commonplace/base/rng.h"
#include "commonplace/transfer/core/transitive_transfer.h"

namespace commonplace {

using namespace transfer;
namespace {

constexpr std::int64_t kWords = 5000;
constexpr std::int64_t kClasses = 2;

/// Posts begin .. end-1 of a collection: about 60 words, of which half are common to all, the rest
/// of their class. The source lacks the second half of the words, the target the first.
Sparse posts(int which, std::int64_t begin, std::int64_t end) {
  Sparse rows;
  rows.columns = kWords;
  for (std::int64_t post = begin; post < end; ++post) {
    Rng rng(static_cast<std::uint64_t>(which) + 1, static_cast<std::uint64_t>(post));
    std::vector<std::int32_t> words;
    for (int i = 0; i < 60; ++i) {
      const double u = rng.uniform();
      auto word = static_cast<std::int64_t>(static_cast<double>(kWords) * u * u);
      if (rng.uniform() < 0.3) word = word - word % kClasses + post % kClasses;
      if ((which == 0 && word % 4 >= 2) || (which == 2 && word % 4 < 2)) continue;
      words.push_back(static_cast<std::int32_t>(std::min(word, kWords - 1)));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (const std::int32_t word : words) rows.push(word, 1);
    rows.end_row();
  }
  return rows;
}

struct Outcome {
  double seconds = 0;         ///< of all stages
  double last_stage = 0;      ///< of the factorisation of all three, 100 iterations
  double right = 0;           ///< share of the target's
  std::int64_t nonzeros = 0;  ///< of this rank
};

Outcome transfer(std::int64_t items, const Run& run) {
  const RowRange range = rows_of_rank(items, run.comm.rank(), run.comm.size());
  std::vector<Sparse> rows;
  Outcome outcome;
  for (const int which : {0, 1, 2}) {
    rows.push_back(posts(which, range.begin, range.end));
    outcome.nonzeros += rows.back().nonzeros();
  }
  std::vector<std::int32_t> labels;
  for (std::int64_t post = range.begin; post < range.end; ++post)
    labels.push_back(static_cast<std::int32_t>(post % kClasses));
  transfer::Options options;
  options.factors.tolerance = 0;
  const std::vector<TransferCollection> sources = {{rows[0].view(), labels}};
  const std::vector<TransferCollection> path = {{rows[1].view(), {}}, {rows[2].view(), {}}};
  const auto begin = Clock::now();
  const Transfer found = transfer_classes(sources, path, kClasses, options, run);
  outcome.seconds = seconds_since(begin);
  outcome.last_stage =
      found.stages.back().report.compute_seconds + found.stages.back().report.communication_seconds;
  std::array<double, 2> right{0, static_cast<double>(range.end - range.begin)};
  for (Eigen::Index row = 0; row < found.classes.back().rows(); ++row) {
    Eigen::Index best = 0;
    found.classes.back().row(row).maxCoeff(&best);
    right[0] += best == labels[static_cast<std::size_t>(row)] ? 1 : 0;
  }
  run.comm.sum(right);
  outcome.right = right[0] / right[1];
  return outcome;
}

void show(std::int64_t items, const Outcome& outcome) {
  std::printf("%9lld %12lld %8.2f %8.2f %7.1f %8lld\n", static_cast<long long>(3 * items),
              static_cast<long long>(outcome.nonzeros), outcome.last_stage, outcome.seconds,
              100 * outcome.right, static_cast<long long>(peak_memory() >> 20));
}

int run(const std::string& what) {
  if (what == "task" || what == "grow") {
    std::printf("    posts     nonzeros   factors  in all  right %%     MiB\n");
    for (std::int64_t items = 2000; items <= (what == "grow" ? 128000 : 2000); items *= 4)
      show(items, transfer(items, {}));
    return 0;
  }
  for (const int ranks : {1, 2, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      const Outcome outcome = transfer(32000, {comm, 1});
      if (comm.rank() == 0)
        std::printf("%d ranks of one thread: %.2f s, %.1f %% right\n", ranks, outcome.seconds,
                    100 * outcome.right);
    });
  return 0;
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "task";
  if (what != "task" && what != "grow" && what != "ranks") {
    std::fprintf(stderr, "give task, grow or ranks\n");
    return 2;
  }
  return commonplace::run(what);
}
