// Measures guided projection: items with features, tags without, and links between them.
//   bench_relate grow                     made-up items, 10,000 to 1,000,000, ten links each
//   bench_relate ranks                    200,000 items on 1, 2 and 4 ranks as threads
//   bench_relate files X.npy LINKS.csv DIM GAMMA
//                                         the items of a file and their links "item,tag"; prints
//                                         JSON
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/memory.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/csv.h"
#include "commonplace/io/lines.h"
#include "commonplace/io/npy.h"
#include "commonplace/relate/core/guided_projection.h"

namespace commonplace {

using namespace relate;
namespace {

constexpr Eigen::Index kFeatures = 128;
constexpr std::int64_t kTags = 10'000;
constexpr std::int64_t kTopics = 200;
constexpr int kTagsOfItem = 10;

/// Items around the directions of topics, and the tags of their topics, one in five at random.
struct Made {
  Matrix rows;
  Sparse links;
};

Made make(std::int64_t first, std::int64_t items) {
  Made made;
  made.rows.resize(items, kFeatures);
  made.links.columns = kTags;
  const auto topic_of = [&](std::int64_t item) {
    return random_bits(3, static_cast<std::uint64_t>(item), 0) % kTopics;
  };
  parallel_for(static_cast<std::size_t>(items), 0, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i) {
      const auto item = static_cast<std::uint64_t>(first + i);
      for (Eigen::Index j = 0; j < kFeatures; ++j) {
        const auto column = static_cast<std::uint64_t>(j);
        made.rows(i, j) = static_cast<float>(random_uniform(1, topic_of(first + i), column) +
                                             random_uniform(2, item, column) - 1);
      }
    }
  });
  for (std::int64_t i = 0; i < items; ++i) {
    std::vector<std::int32_t> tags;
    for (std::uint64_t k = 0; k < kTagsOfItem; ++k) {
      const auto item = static_cast<std::uint64_t>(first + i);
      const std::uint64_t draw = random_bits(4, item, k);
      const bool anything = draw % 5 == 0;
      const std::uint64_t of_topic = kTags / kTopics;
      tags.push_back(static_cast<std::int32_t>(anything ? (draw >> 8) % kTags
                                                        : topic_of(first + i) * of_topic +
                                                              (draw >> 8) % of_topic));
    }
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    for (const std::int32_t tag : tags) made.links.push(tag, 1);
    made.links.end_row();
  }
  return made;
}

GuidedProjectionFit fit(const Matrix& rows, const Sparse& links, std::int64_t tags,
                        const GuidedProjectionOptions& options, double gamma, const Run& run) {
  const FeatureRows features(rows);
  const RowRange own = rows_of_rank(tags, run.comm.rank(), run.comm.size());
  const std::vector<GuidedModality> kinds = {{&features, rows.rows(), gamma},
                                             {nullptr, own.end - own.begin, gamma}};
  const std::vector<Guidance> guidance = {{0, 1, links.view(), 1}};
  return fit_guided_projection(kinds, guidance, options, run);
}

void grow() {
  std::printf("%10s %12s %8s %7s %10s %8s\n", "items", "links", "seconds", "rounds", "residual",
              "MiB");
  for (const std::int64_t items : {10'000, 100'000, 1'000'000}) {
    const Made made = make(0, items);
    const auto begin = Clock::now();
    const GuidedProjectionFit result = fit(made.rows, made.links, kTags, {}, 0.1, {});
    std::printf("%10lld %12lld %8.2f %7d %10.1e %8.0f\n", static_cast<long long>(items),
                static_cast<long long>(made.links.nonzeros()), seconds_since(begin),
                result.report.iterations, result.residuals.maxCoeff(),
                static_cast<double>(peak_memory()) / (1 << 20));
    std::fflush(stdout);
  }
}

void ranks() {
  constexpr std::int64_t items = 200'000;
  for (const int ranks : {1, 2, 4}) {
    std::vector<Made> parts;
    for (int rank = 0; rank < ranks; ++rank) {
      const RowRange own = rows_of_rank(items, rank, ranks);
      parts.push_back(make(own.begin, own.end - own.begin));
    }
    const auto begin = Clock::now();
    double first = 0;
    run_as_threads(ranks, [&](Comm& comm) {
      const Made& part = parts[static_cast<std::size_t>(comm.rank())];
      const GuidedProjectionFit result = fit(part.rows, part.links, kTags, {}, 0.1, {comm, 1});
      if (comm.rank() == 0) first = result.model.eigenvalues(0);
    });
    std::printf("%d ranks of one thread: %.2f s, smallest eigenvalue %.9f\n", ranks,
                seconds_since(begin), first);
    std::fflush(stdout);
  }
}

void from_files(const std::string& rows_file, const std::string& links_file, const std::string& dim,
                const std::string& gamma) {
  const NpyMatrix file(rows_file);
  const Matrix rows = file.view();
  std::vector<std::vector<std::int32_t>> tags(static_cast<std::size_t>(rows.rows()));
  std::int64_t columns = 0;
  const auto bytes = open_bytes(links_file);
  CsvRecords records(*bytes, links_file, ',');
  while (records.next()) {
    const auto item = static_cast<std::size_t>(std::stoll(records.cells().at(0)));
    const auto tag = static_cast<std::int32_t>(std::stol(records.cells().at(1)));
    tags.at(item).push_back(tag);
    columns = std::max<std::int64_t>(columns, tag + 1);
  }
  Sparse links;
  links.columns = columns;
  for (auto& of_item : tags) {
    std::sort(of_item.begin(), of_item.end());
    for (const std::int32_t tag : of_item) links.push(tag, 1);
    links.end_row();
  }
  GuidedProjectionOptions options;
  options.dim = std::stoll(dim);
  const auto begin = Clock::now();
  const GuidedProjectionFit result = fit(rows, links, columns, options, std::stod(gamma), {});
  std::printf("{\"seconds\":%.4f,\"rounds\":%d,\"residual\":%.3e,\"eigenvalues\":[",
              seconds_since(begin), result.report.iterations, result.residuals.maxCoeff());
  for (Eigen::Index i = 0; i < result.model.eigenvalues.size(); ++i)
    std::printf("%s%.12g", i == 0 ? "" : ",", result.model.eigenvalues(i));
  std::printf("]}\n");
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "grow" && argc == 2) {
      commonplace::grow();
    } else if (what == "ranks" && argc == 2) {
      commonplace::ranks();
    } else if (what == "files" && argc == 6) {
      commonplace::from_files(argv[2], argv[3], argv[4], argv[5]);
    } else {
      std::fprintf(stderr, "bench_relate grow | ranks | files X.npy LINKS.csv DIM GAMMA\n");
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_relate: %s\n", error.what());
    return 1;
  }
  return 0;
}
