#include "commonplace/index/hnsw_index.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>

// hnswlib's own SSE code prefetches by reading one link past the end of a list, so it is left out,
// and the distance is ours.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/index/finite.h"

namespace commonplace {
namespace {

constexpr std::size_t kLanes = 16;

/// `count` must be a multiple of kLanes.
COMMONPLACE_CLONES float squared_distance(const float* a, const float* b, std::size_t count) {
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float difference = a[i + lane] - b[i + lane];
      sums[lane] += difference * difference;
    }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

/// Squared distance, in the form in which hnswlib asks for it.
class Space : public hnswlib::SpaceInterface<float> {
 public:
  explicit Space(std::size_t width) : width_(width) {}
  std::size_t get_data_size() override { return width_ * sizeof(float); }
  void* get_dist_func_param() override { return &width_; }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return [](const void* a, const void* b, const void* width) {
      return squared_distance(static_cast<const float*>(a), static_cast<const float*>(b),
                              *static_cast<const std::size_t*>(width));
    };
  }

 private:
  std::size_t width_;
};

double squared_norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

void check(const HnswOptions& options) {
  constexpr int most = 100'000;
  require(options.m >= 2 && options.m <= 1000, "m is ", options.m, "; expected 2 .. 1000");
  require(options.ef_construction >= 1 && options.ef_construction <= most, "ef_construction is ",
          options.ef_construction, "; expected 1 .. ", most);
  require(options.ef_search >= 1 && options.ef_search <= most, "ef_search is ", options.ef_search,
          "; expected 1 .. ", most);
}

/// Calls hnswlib, whose failures are those of memory.
template <class Call>
auto guarded(const Call& call) {
  try {
    return call();
  } catch (const std::runtime_error& failure) {
    fail("the neighbour graph could not be made or searched: ", failure.what());
  }
}

}  // namespace

struct HnswIndex::Graph {
  Graph(const MatrixView& given, const HnswOptions& options)
      : rows(given),
        similarity(options.similarity),
        // One column more for inner products, and zeros up to whole lanes.
        width((static_cast<std::size_t>(given.cols()) + 1 + kLanes - 1) / kLanes * kLanes),
        space(width),
        links(&space, static_cast<std::size_t>(given.rows()), static_cast<std::size_t>(options.m),
              static_cast<std::size_t>(options.ef_construction), options.seed) {
    links.setEf(static_cast<std::size_t>(options.ef_search));
  }

  std::span<const float> row(std::size_t number) const {
    const auto columns = static_cast<std::size_t>(rows.cols());
    return {rows.data() + number * columns, columns};
  }

  /// The point that stands for `values` of norm `norm` when all are divided by `unit`.
  void place(std::span<const float> values, double unit, double norm, float* point) const {
    std::fill_n(point, width, 0.0F);
    if (unit == 0) return;
    for (std::size_t column = 0; column < values.size(); ++column)
      point[column] = static_cast<float>(static_cast<double>(values[column]) / unit);
    const double share = norm / unit;
    point[values.size()] = static_cast<float>(std::sqrt(std::max(0.0, 1 - share * share)));
  }

  void add(std::size_t number) {
    std::vector<float> point(width);
    const double norm = std::sqrt(squared_norm(row(number)));
    place(row(number), similarity == Similarity::cosine ? norm : longest, norm, point.data());
    guarded([&] { links.addPoint(point.data(), number); });
  }

  float score(std::span<const float> query, double query_norm, std::size_t number) const {
    const auto values = row(number);
    double sum = 0;
    for (std::size_t column = 0; column < values.size(); ++column)
      sum += static_cast<double>(query[column]) * static_cast<double>(values[column]);
    if (similarity == Similarity::inner_product) return static_cast<float>(sum);
    const double norms = query_norm * std::sqrt(squared_norm(values));
    return norms == 0 ? 0.0F : static_cast<float>(sum / norms);
  }

  MatrixView rows;
  Similarity similarity;
  std::size_t width;   ///< of a point
  double longest = 0;  ///< norm among the rows
  Space space;
  hnswlib::HierarchicalNSW<float> links;
};

HnswIndex::HnswIndex(const MatrixView& rows, const HnswOptions& options, int jobs) {
  check(options);
  require(rows.rows() <= std::numeric_limits<std::int32_t>::max(), "there are ", rows.rows(),
          " rows; the limit is ", std::numeric_limits<std::int32_t>::max());
  graph_ = guarded([&] { return std::make_unique<Graph>(rows, options); });
  const auto count = static_cast<std::size_t>(rows.rows());
  for (std::size_t number = 0; number < count; ++number) {
    require_finite_row(graph_->row(number), number);
    graph_->longest = std::max(graph_->longest, std::sqrt(squared_norm(graph_->row(number))));
  }
  if (count == 0) return;
  graph_->add(0);  // where the others begin to look for neighbours
  constexpr std::size_t chunk = 64;
  parallel_for(
      count - 1, jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) graph_->add(i + 1);
      },
      chunk);
}

HnswIndex::~HnswIndex() = default;
HnswIndex::HnswIndex(HnswIndex&&) noexcept = default;
HnswIndex& HnswIndex::operator=(HnswIndex&&) noexcept = default;

std::int64_t HnswIndex::rows() const { return graph_->rows.rows(); }
std::int64_t HnswIndex::columns() const { return graph_->rows.cols(); }

std::vector<ScoredRow> HnswIndex::search(std::span<const float> query, std::size_t count) const {
  require(query.size() == static_cast<std::size_t>(columns()), "the query has ", query.size(),
          " values; the rows of the index have ", columns());
  require_finite_query(query);
  count = std::min(count, static_cast<std::size_t>(rows()));
  if (count == 0) return {};
  const double norm = std::sqrt(squared_norm(query));
  std::vector<float> point(graph_->width);
  graph_->place(query, norm, norm, point.data());
  auto found = guarded([&] { return graph_->links.searchKnn(point.data(), count); });
  std::vector<ScoredRow> best;
  for (; !found.empty(); found.pop()) {
    const std::size_t number = found.top().second;
    best.push_back({static_cast<std::int64_t>(number), graph_->score(query, norm, number)});
  }
  std::sort(best.begin(), best.end(), [](const ScoredRow& a, const ScoredRow& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  return best;
}

double recall_at(const HnswIndex& index, const ScanIndex& scan, const MatrixView& queries,
                 std::size_t count, int jobs) {
  std::atomic<std::size_t> wanted = 0;
  std::atomic<std::size_t> found = 0;
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto columns = static_cast<std::size_t>(queries.cols());
      const std::span<const float> query(queries.data() + i * columns, columns);
      const auto exact = scan.search(query, count, {}, 1);
      std::vector<std::int64_t> rows;
      for (const ScoredRow& row : index.search(query, count)) rows.push_back(row.row);
      std::sort(rows.begin(), rows.end());
      wanted += exact.size();
      found += static_cast<std::size_t>(
          std::count_if(exact.begin(), exact.end(), [&](const ScoredRow& row) {
            return std::binary_search(rows.begin(), rows.end(), row.row);
          }));
    }
  };
  parallel_for(static_cast<std::size_t>(queries.rows()), jobs, look);
  return wanted == 0 ? 1.0 : static_cast<double>(found) / static_cast<double>(wanted);
}

}  // namespace commonplace
