// Why no row is missed. A row is stored as x = s (c + e), with scale s, codes |c| <= 127 and |e| at
// most 1/2 in each column. The query is m p, with m its greatest magnitude. The first pass finds
// a = p.c in float, so that
//   |x.q - s m a| <= s m slack,   slack = |p| / 2 + what float loses,   |p| the sum of magnitudes.
// Hence base + s m (a - slack) <= base + x.q <= base + s m (a + slack), and rounding both sides and
// the score itself to float keeps the order, for rounding never swaps two numbers. A row whose
// upper side is below the lower sides of `count` others is out.
#include "commonplace/search/core/scan_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/base/top_k.h"
#include "commonplace/search/core/finite.h"

namespace commonplace::search {
namespace {

constexpr std::size_t kBlock = 2048;         ///< rows whose sums stay in the nearest cache
constexpr std::size_t kChunk = 16 * kBlock;  ///< rows a thread takes at once
constexpr std::size_t kGroup = 4;            ///< columns per pass over the sums
constexpr std::size_t kFew = 32;             ///< one row in so many, or fewer, are few
constexpr std::int64_t kMostColumns = 1'000'000;
constexpr float kMostCode = 127;
constexpr float kGreatest = std::numeric_limits<float>::max();
constexpr float kNothingYet = -std::numeric_limits<float>::infinity();

/// The least scale by which `most` is at most 127 steps, also for the smallest numbers there are.
float scale_for(float most) {
  float scale = most / kMostCode;
  while (kMostCode * static_cast<double>(scale) < static_cast<double>(most))
    scale = std::nextafter(scale, kGreatest);
  return scale;
}

/// Codes of the block's rows, column by column.
void encode_block(std::span<const float> rows, std::size_t columns, std::size_t first_row,
                  std::int8_t* codes, float* scales, std::size_t count) {
  for (std::size_t r = 0; r < count; ++r) {
    const auto row = rows.subspan((first_row + r) * columns, columns);
    require_finite_row(row, first_row + r);
    float most = 0;
    for (const float value : row) most = std::max(most, std::abs(value));
    scales[r] = scale_for(most);
    const double steps = most > 0 ? 1 / static_cast<double>(scales[r]) : 0;
    for (std::size_t column = 0; column < columns; ++column)
      codes[column * count + r] =
          static_cast<std::int8_t>(std::lrint(static_cast<double>(row[column]) * steps));
  }
}

/// A query for both passes.
struct Plan {
  std::vector<std::size_t> columns;  ///< where it is not 0
  std::vector<double> exact;         ///< its values there
  std::vector<float> weights;        ///< those over `most`, padded with 0 to whole groups
  double most = 0;                   ///< greatest magnitude
  double slack = 0;                  ///< how far the first pass may be off, in scale x most
};

Plan plan_for(std::span<const float> query) {
  require_finite_query(query);
  Plan plan;
  for (std::size_t column = 0; column < query.size(); ++column) {
    if (query[column] == 0) continue;
    plan.columns.push_back(column);
    plan.exact.push_back(static_cast<double>(query[column]));
    plan.most = std::max(plan.most, std::abs(plan.exact.back()));
  }
  double magnitudes = 0;
  for (const double value : plan.exact) {
    plan.weights.push_back(static_cast<float>(value / plan.most));
    magnitudes += std::abs(value / plan.most);
  }
  plan.weights.resize((plan.weights.size() + kGroup - 1) / kGroup * kGroup);
  // Rounding a weight and adding n products in float loses at most n + 1 halves of a last bit
  // (2^-24) of the sum of magnitudes, which codes make 127 times |p|. The factors, 1.1 and the
  // last one, cover terms of second order and the double arithmetic of both passes.
  const double losses = static_cast<double>(plan.weights.size() + 4) * 0x1p-24 * 1.1;
  plan.slack = magnitudes * (0.5 + losses * static_cast<double>(kMostCode)) * (1 + 1e-6);
  return plan;
}

/// sums[r] += the products of four columns.
COMMONPLACE_CLONES void add_group(const std::array<const std::int8_t*, kGroup>& columns,
                                  const float* weights, std::size_t count, float* __restrict sums) {
  const std::int8_t* __restrict a = columns[0];
  const std::int8_t* __restrict b = columns[1];
  const std::int8_t* __restrict c = columns[2];
  const std::int8_t* __restrict d = columns[3];
  const float wa = weights[0], wb = weights[1], wc = weights[2], wd = weights[3];
  for (std::size_t r = 0; r < count; ++r)
    sums[r] += (wa * static_cast<float>(a[r]) + wb * static_cast<float>(b[r])) +
               (wc * static_cast<float>(c[r]) + wd * static_cast<float>(d[r]));
}

/// One block in the first pass.
struct Block {
  std::size_t first_row = 0;
  std::size_t count = 0;
  const float* rows = nullptr;
  const std::int8_t* codes = nullptr;
  const float* scales = nullptr;
  const float* base = nullptr;
  const std::uint8_t* keep = nullptr;
  std::array<float, kBlock> sums{};
  std::array<float, kBlock> upper{};  ///< what each row's score cannot exceed
};

void add_products(const Plan& plan, Block& block) {
  std::fill_n(block.sums.begin(), block.count, 0.0F);
  for (std::size_t i = 0; i < plan.weights.size(); i += kGroup) {
    std::array<const std::int8_t*, kGroup> columns;
    for (std::size_t j = 0; j < kGroup; ++j)
      columns[j] =
          block.codes + plan.columns[std::min(i + j, plan.columns.size() - 1)] * block.count;
    add_group(columns, &plan.weights[i], block.count, block.sums.data());
  }
}

/// Fills block.upper, and returns how many kept rows reach `threshold` by it.
COMMONPLACE_CLONES std::int32_t bound_above(double most, double slack, float threshold,
                                            Block& block) {
  const float* __restrict sums = block.sums.data();
  float* __restrict upper = block.upper.data();
  const float* __restrict scales = block.scales;
  const float* __restrict base = block.base;
  const std::uint8_t* __restrict keep = block.keep;
  std::int32_t reaching = 0;
  for (std::size_t r = 0; r < block.count; ++r) {
    const double width = static_cast<double>(scales[r]) * most;
    upper[r] = static_cast<float>(static_cast<double>(base[r]) +
                                  width * (static_cast<double>(sums[r]) + slack));
    reaching +=
        static_cast<std::int32_t>(upper[r] >= threshold) & static_cast<std::int32_t>(keep[r] != 0);
  }
  return reaching;
}

float bound_below(const Plan& plan, const Block& block, std::size_t r) {
  const double width = static_cast<double>(block.scales[r]) * plan.most;
  return static_cast<float>(static_cast<double>(block.base[r]) +
                            width * (static_cast<double>(block.sums[r]) - plan.slack));
}

struct Candidate {
  std::size_t row = 0;
  float upper = 0;
};

/// The rows that may be among the best `count` of those seen.
class Shortlist {
 public:
  explicit Shortlist(std::size_t count) : count_(count) {}

  /// Rows whose upper side is below this are out.
  float threshold() const { return lowers_.size() < count_ ? kNothingYet : lowers_.front(); }

  void add(const Candidate& candidate, float lower) {
    candidates_.push_back(candidate);
    add_lower(lower);
  }

  void merge(const Shortlist& other) {
    for (const float lower : other.lowers_) add_lower(lower);
    for (const Candidate& candidate : other.candidates_)
      if (candidate.upper >= threshold()) candidates_.push_back(candidate);
  }

  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> rows;
    for (const Candidate& candidate : candidates_)
      if (candidate.upper >= threshold()) rows.push_back(candidate.row);
    return rows;
  }

 private:
  void add_lower(float lower) {
    if (lowers_.size() == count_) {
      if (lower <= lowers_.front()) return;
      std::pop_heap(lowers_.begin(), lowers_.end(), std::greater<>());
      lowers_.pop_back();
    }
    lowers_.push_back(lower);
    std::push_heap(lowers_.begin(), lowers_.end(), std::greater<>());
  }

  std::size_t count_;
  std::vector<float> lowers_;  ///< the greatest `count` lower sides, a heap with the least in front
  std::vector<Candidate> candidates_;
};

void require_finite_base(const Block& block) {
  const auto not_finite = [](float value) { return !is_finite(value); };
  std::int32_t bad_values = 0;  // counted first, for that is vectorised and the search is not
  for (std::size_t r = 0; r < block.count; ++r)
    bad_values += static_cast<std::int32_t>(not_finite(block.base[r]));
  if (bad_values == 0) return;
  const float* bad = std::find_if(block.base, block.base + block.count, not_finite);
  fail("the base of row ", block.first_row + static_cast<std::size_t>(bad - block.base), " is ",
       *bad, "; expected a finite number");
}

float exact_score(const Plan& plan, const float* row, double base) {
  double sum = 0;
  for (std::size_t i = 0; i < plan.columns.size(); ++i)
    sum += plan.exact[i] * static_cast<double>(row[plan.columns[i]]);
  return static_cast<float>(base + sum);
}

/// The first pass over one block. `known` is a threshold that others have reached.
void shortlist_block(const Plan& plan, float known, Block& block, Shortlist& shortlist) {
  add_products(plan, block);
  const float threshold = std::max(known, shortlist.threshold());
  if (bound_above(plan.most, plan.slack, threshold, block) == 0) return;
  for (std::size_t r = 0; r < block.count; ++r)
    if (block.keep[r] != 0 && block.upper[r] >= std::max(known, shortlist.threshold()))
      shortlist.add({block.first_row + r, block.upper[r]}, bound_below(plan, block, r));
}

bool keeps_few(const Block& block) {
  std::uint32_t kept = 0;
  for (std::size_t r = 0; r < block.count; ++r)
    kept += static_cast<std::uint32_t>(block.keep[r] != 0);
  return kept <= block.count / kFew;
}

/// The same where so few rows are kept that their exact scores cost less than bounds on all.
void shortlist_few(const Plan& plan, std::size_t columns, const Block& block,
                   Shortlist& shortlist) {
  for (std::size_t r = 0; r < block.count; ++r) {
    if (block.keep[r] == 0) continue;
    const float score =
        exact_score(plan, block.rows + r * columns, static_cast<double>(block.base[r]));
    shortlist.add({block.first_row + r, score}, score);
  }
}

/// What an index holds.
struct Stored {
  const float* rows = nullptr;
  std::span<const std::int8_t> codes;
  std::span<const float> scales;
  std::size_t columns = 0;
};

/// The first pass: the rows that may be among the best `count`, in any order.
std::vector<std::size_t> shortlisted(const Stored& stored, const Plan& plan, std::size_t count,
                                     const ScanScope& scope, int jobs) {
  static constexpr std::array<float, kBlock> kNoBase{};
  static const std::vector<std::uint8_t> kKeepAll(kBlock, 1);
  Shortlist shortlist(count);
  std::mutex mutex;
  std::atomic<float> threshold = kNothingYet;  // of `shortlist`, to be read without the lock
  const auto scan = [&](std::size_t chunk_begin, std::size_t chunk_end) {
    Shortlist part(count);
    Block block;
    for (std::size_t begin = chunk_begin; begin < chunk_end; begin += kBlock) {
      block.first_row = begin;
      block.count = std::min(kBlock, chunk_end - begin);
      block.rows = stored.rows + begin * stored.columns;
      block.codes = stored.codes.data() + begin * stored.columns;
      block.scales = stored.scales.data() + begin;
      block.base = scope.base.empty() ? kNoBase.data() : scope.base.data() + begin;
      block.keep = scope.keep.empty() ? kKeepAll.data() : scope.keep.data() + begin;
      require_finite_base(block);
      if (keeps_few(block))
        shortlist_few(plan, stored.columns, block, part);
      else
        shortlist_block(plan, threshold.load(std::memory_order_relaxed), block, part);
    }
    const std::lock_guard lock(mutex);
    shortlist.merge(part);
    threshold.store(shortlist.threshold(), std::memory_order_relaxed);
  };
  parallel_for(stored.scales.size(), jobs, scan, kChunk);
  return shortlist.rows();
}

bool better(const ScoredRow& a, const ScoredRow& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

void check_shapes(const ScanIndex& index, std::span<const float> query, const ScanScope& scope) {
  const auto rows = static_cast<std::size_t>(index.rows());
  require(query.size() == static_cast<std::size_t>(index.columns()), "the query has ", query.size(),
          " values; the rows of the index have ", index.columns());
  require(scope.base.empty() || scope.base.size() == rows, "the base has ", scope.base.size(),
          " values; expected one for each of ", rows, " rows, or none");
  require(scope.keep.empty() || scope.keep.size() == rows, "keep has ", scope.keep.size(),
          " values; expected one for each of ", rows, " rows, or none");
}

}  // namespace

ScanIndex::ScanIndex(const MatrixView& rows, int jobs)
    : rows_(rows), scales_(static_cast<std::size_t>(rows.rows())) {
  require(rows.cols() <= kMostColumns, "the rows have ", rows.cols(), " columns; the limit is ",
          kMostColumns);
  codes_.resize(static_cast<std::size_t>(rows.size()));
  const auto columns = static_cast<std::size_t>(rows.cols());
  const std::span<const float> values(rows.data(), static_cast<std::size_t>(rows.size()));
  parallel_for(
      scales_.size(), jobs,
      [&](std::size_t begin, std::size_t end) {
        encode_block(values, columns, begin, codes_.data() + begin * columns, &scales_[begin],
                     end - begin);
      },
      kBlock);
}

std::vector<ScoredRow> ScanIndex::search(std::span<const float> query, std::size_t count,
                                         const ScanScope& scope, int jobs) const {
  check_shapes(*this, query, scope);
  const Plan plan = plan_for(query);
  count = std::min(count, scales_.size());
  if (count == 0) return {};
  const Stored stored{rows_.data(), codes_, scales_, query.size()};
  const std::vector<std::size_t> rows = shortlisted(stored, plan, count, scope, jobs);
  std::vector<ScoredRow> best(rows.size());
  const auto score = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double base = scope.base.empty() ? 0 : static_cast<double>(scope.base[rows[i]]);
      best[i] = {static_cast<std::int64_t>(rows[i]),
                 exact_score(plan, rows_.data() + rows[i] * query.size(), base)};
    }
  };
  parallel_for(rows.size(), jobs, score, kBlock);
  keep_first(best, static_cast<std::int64_t>(count), better);
  return best;
}

}  // namespace commonplace::search
