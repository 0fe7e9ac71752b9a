#include "commonplace/detect/core/axis_passes.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/detect/core/axis_quantiles.h"
#include "commonplace/learn/row_means.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::detect {
namespace {

/// Where numbers lie on an axis, in bins from the centre of the first.
template <class Scalar>
struct Ruler {
  Scalar first;
  Scalar per_length;
  std::int64_t bins;

  Ruler(const AxisEigenmaps& model, std::int64_t axis, std::int64_t count) : bins(count) {
    const double width = (model.high(axis) - model.low(axis)) / static_cast<double>(count);
    first = static_cast<Scalar>(model.low(axis) + width / 2);
    per_length = static_cast<Scalar>(width > 0 ? 1 / width : 0);
  }
  Scalar place(Scalar x) const { return (x - first) * per_length; }
  /// The interval between centres; the first and the last reach beyond them.
  std::int64_t interval(Scalar place) const {
    return static_cast<std::int64_t>(std::clamp<Scalar>(place, 0, static_cast<Scalar>(bins - 2)));
  }
  /// Of an interval: its number and that of the bin add up to it.
  std::int64_t half(Scalar place) const {
    const auto bin = static_cast<std::int64_t>(
        std::clamp<Scalar>(place + Scalar{0.5}, 0, static_cast<Scalar>(bins - 1)));
    return interval(place) + bin;
  }
};

template <class Scalar>
Scalar scale_of(double deviation) {
  return static_cast<Scalar>(deviation > 0 ? 1 / deviation : 0);
}

template <class Scalar>
std::span<const Scalar> numbers(const BlockOf<Scalar>& block, std::int64_t axis) {
  return {block.data() + axis * block.cols(), static_cast<std::size_t>(block.cols())};
}

constexpr std::int64_t kStretch = 512;

/// Sums over the items of half an interval between two bin centres: clipped items, their t, their
/// t², and all items. Half 2 i is the first of interval i, and half 2 i + 1 the second, which is in
/// the next bin. One instruction adds them up.
typedef double Cell __attribute__((vector_size(32), aligned(8), may_alias));
typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));

inline __attribute__((always_inline)) void add_four(const float* four, Cell& cell) {
  cell += __builtin_convertvector(*reinterpret_cast<const FourFloats*>(four), Cell);
}
inline __attribute__((always_inline)) void add_four(const double* four, Cell& cell) {
  cell += *reinterpret_cast<const Cell*>(four);
}

/// What one axis is counted into, and how.
template <class Scalar>
struct AxisCounter {
  Ruler<Scalar> ruler;
  Scalar centre;
  Scalar scale;             ///< to deviations
  std::int32_t first_sure;  ///< keys of items that are surely not clipped
  std::int32_t end_sure;
  Cell* cells;
  Quantiles* quantiles;
};

/// Offers numbers to the quantiles. Hardly any is wanted, so some are looked at together.
template <class Scalar>
inline __attribute__((always_inline)) void offer_stretch(Quantiles& quantiles, const Scalar* values,
                                                         const std::int32_t* keys,
                                                         std::int64_t count) {
  constexpr std::int64_t together = 64;
  const std::int32_t low_begin = quantiles.low.begin;
  const std::int32_t low_end = quantiles.low.end;
  const std::int32_t high_begin = quantiles.apart ? quantiles.high.begin : 0;
  const std::int32_t high_end = quantiles.apart ? quantiles.high.end : -1;
  for (std::int64_t first = 0; first < count; first += together) {
    const std::int64_t end = std::min(count, first + together);
    std::int32_t wanted = 0;
    for (std::int64_t i = first; i < end; ++i)
      wanted |= static_cast<std::int32_t>((keys[i] >= low_begin) & (keys[i] <= low_end)) |
                static_cast<std::int32_t>((keys[i] >= high_begin) & (keys[i] <= high_end));
    for (std::int64_t i = first; wanted != 0 && i < end; ++i)
      quantiles.offer(keys[i], static_cast<double>(values[i]));
  }
}

/// Counts up to kStretch numbers.
template <class Scalar>
inline __attribute__((always_inline)) void count_stretch(const AxisCounter<Scalar>& counter,
                                                         const Scalar* values, std::int64_t count) {
  std::int32_t keys[kStretch];
  std::int32_t halves[kStretch];
  Scalar sums[4 * kStretch];
  const auto last_bin = static_cast<Scalar>(counter.ruler.bins - 1);
  const auto last_interval = static_cast<Scalar>(counter.ruler.bins - 2);
  for (std::int64_t i = 0; i < count; ++i) {
    const Scalar place = counter.ruler.place(values[i]);
    keys[i] = key_of(static_cast<float>((values[i] - counter.centre) * counter.scale));
    const Scalar above = place > 0 ? place : 0;
    const Scalar half_above = place + Scalar{0.5} > 0 ? place + Scalar{0.5} : 0;
    const auto interval = static_cast<std::int32_t>(above < last_interval ? above : last_interval);
    const auto bin = static_cast<std::int32_t>(half_above < last_bin ? half_above : last_bin);
    halves[i] = interval + bin;
    const Scalar sure =
        ((keys[i] >= counter.first_sure) & (keys[i] < counter.end_sure)) ? Scalar{1} : Scalar{0};
    const Scalar t = place - static_cast<Scalar>(interval);
    sums[4 * i] = sure;
    sums[4 * i + 1] = sure * t;
    sums[4 * i + 2] = sure * t * t;
    sums[4 * i + 3] = 1;
  }
  for (std::int64_t i = 0; i < count; ++i) add_four(sums + 4 * i, counter.cells[halves[i]]);
  offer_stretch(*counter.quantiles, values, keys, count);
}

COMMONPLACE_CLONES void count_some(const AxisCounter<float>& counter, const float* values,
                                   std::int64_t count) {
  count_stretch(counter, values, count);
}
COMMONPLACE_CLONES void count_some(const AxisCounter<double>& counter, const double* values,
                                   std::int64_t count) {
  count_stretch(counter, values, count);
}

/// Least and greatest of every fourth or eighth number, which are found side by side.
template <class Scalar>
struct Extremes {
  typedef Scalar Lanes __attribute__((vector_size(32), aligned(sizeof(Scalar)), may_alias));
  static constexpr std::int64_t kLanes = 32 / sizeof(Scalar);
  Scalar low[kLanes];
  Scalar high[kLanes];

  Extremes() {
    std::fill_n(low, kLanes, std::numeric_limits<Scalar>::infinity());
    std::fill_n(high, kLanes, -std::numeric_limits<Scalar>::infinity());
  }
  double least() const { return static_cast<double>(*std::min_element(low, low + kLanes)); }
  double greatest() const { return static_cast<double>(*std::max_element(high, high + kLanes)); }
};

template <class Scalar>
inline __attribute__((always_inline)) void key_stretch(const Scalar* values, std::int64_t count,
                                                       Scalar centre, Scalar scale,
                                                       std::int64_t* counts,
                                                       Extremes<Scalar>& extremes) {
  using Lanes = typename Extremes<Scalar>::Lanes;
  constexpr std::int64_t lanes = Extremes<Scalar>::kLanes;
  std::int32_t keys[kStretch];
  for (std::int64_t i = 0; i < count; ++i)
    keys[i] = key_of(static_cast<float>((values[i] - centre) * scale));
  for (std::int64_t i = 0; i < count; ++i) ++counts[keys[i]];
  Lanes& low = *reinterpret_cast<Lanes*>(extremes.low);
  Lanes& high = *reinterpret_cast<Lanes*>(extremes.high);
  Lanes lowest = low;
  Lanes highest = high;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Lanes some = *reinterpret_cast<const Lanes*>(values + i);
    lowest = some < lowest ? some : lowest;
    highest = some > highest ? some : highest;
  }
  low = lowest;
  high = highest;
  for (; i < count; ++i) {
    extremes.low[0] = std::min(extremes.low[0], values[i]);
    extremes.high[0] = std::max(extremes.high[0], values[i]);
  }
}

COMMONPLACE_CLONES void count_some_keys(const float* values, std::int64_t count, float centre,
                                        float scale, std::int64_t* counts,
                                        Extremes<float>& extremes) {
  key_stretch(values, count, centre, scale, counts, extremes);
}
COMMONPLACE_CLONES void count_some_keys(const double* values, std::int64_t count, double centre,
                                        double scale, std::int64_t* counts,
                                        Extremes<double>& extremes) {
  key_stretch(values, count, centre, scale, counts, extremes);
}

/// The counts of all axes while they are made.
class Counts {
 public:
  Counts(std::int64_t axes, std::int64_t bins)
      : axes_(axes), bins_(bins), cells_(static_cast<std::size_t>(4 * axes * halves())) {}
  Cell* cells(std::int64_t axis) {
    return reinterpret_cast<Cell*>(cells_.data() + 4 * axis * halves());
  }

  /// Summed over the ranks.
  AxisStatistics statistics(Comm& comm) const {
    AxisStatistics result;
    result.histogram = MatrixD::Zero(axes_, bins_);
    for (auto* matrix : {&result.between, &result.moment, &result.second})
      *matrix = MatrixD::Zero(axes_, bins_ - 1);
    for (std::int64_t axis = 0; axis < axes_; ++axis)
      for (std::int64_t half = 0; half < halves(); ++half) {
        const double* cell = cells_.data() + 4 * (axis * halves() + half);
        result.between(axis, half / 2) += cell[0];
        result.moment(axis, half / 2) += cell[1];
        result.second(axis, half / 2) += cell[2];
        result.histogram(axis, (half + 1) / 2) += cell[3];
      }
    for (auto* matrix : {&result.histogram, &result.between, &result.moment, &result.second})
      comm.sum(*matrix);
    return result;
  }

 private:
  std::int64_t halves() const { return 2 * (bins_ - 1); }

  std::int64_t axes_;
  std::int64_t bins_;
  std::vector<double> cells_;  ///< four numbers each, axes x halves
};

void for_each_axis(std::int64_t axes, int jobs, const std::function<void(std::int64_t)>& body) {
  parallel_for(static_cast<std::size_t>(axes), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto axis = static_cast<std::int64_t>(begin); axis < static_cast<std::int64_t>(end);
         ++axis)
      body(axis);
  });
}

BlockOf<float> times_transposed(const BlockOf<float>& a, const BlockOf<float>& b, int jobs) {
  return multiply_transposed(a, b, jobs);
}
BlockOf<double> times_transposed(const BlockOf<double>& a, const BlockOf<double>& b, int) {
  return a * b.transpose();
}

/// The rows on the axes of a model, which needs its mean and rotation: `visit` gets axes x rows.
template <class Scalar>
void for_each_rotated_block(const RowsOf<Scalar>& rows, const AxisEigenmaps& model, int jobs,
                            const std::function<void(const BlockOf<Scalar>&)>& visit) {
  const Eigen::Matrix<Scalar, 1, Eigen::Dynamic> mean =
      model.mean.transpose().template cast<Scalar>();
  const BlockOf<Scalar> rotation = model.rotation.template cast<Scalar>();
  BlockOf<Scalar> centred;
  for (std::int64_t first = 0; first < rows.rows(); first += kRowsOfBlock) {
    const auto part = rows.middleRows(first, std::min(kRowsOfBlock, rows.rows() - first));
    if (rotation.size() == 0) {
      visit(part.transpose());
    } else {
      centre_rows<Scalar>(part, mean, centred, jobs);
      visit(times_transposed(rotation, centred, jobs));
    }
  }
}

/// Lowest and highest number of each axis, and how many there are of each key.
struct KeyCounts {
  std::vector<double> low;
  std::vector<double> high;
  std::vector<std::int64_t> counts;  ///< axes x keys
};

template <class Scalar>
KeyCounts count_keys(const RowsOf<Scalar>& rows, const VectorD& centre, const VectorD& deviation,
                     const AxisEigenmaps& model, const Run& run, const RowsDone& done) {
  const std::int64_t axes = centre.size();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  KeyCounts result{std::vector<double>(static_cast<std::size_t>(axes), kInfinity),
                   std::vector<double>(static_cast<std::size_t>(axes), -kInfinity),
                   std::vector<std::int64_t>(static_cast<std::size_t>(axes * kKeys))};
  for_each_rotated_block<Scalar>(rows, model, run.jobs, [&](const BlockOf<Scalar>& block) {
    for_each_axis(axes, run.jobs, [&](std::int64_t axis) {
      const auto place = static_cast<std::size_t>(axis);
      std::int64_t* counts = result.counts.data() + axis * kKeys;
      const Scalar middle = static_cast<Scalar>(centre(axis));
      const Scalar scale = scale_of<Scalar>(deviation(axis));
      const auto values = numbers(block, axis);
      Extremes<Scalar> extremes;
      for (std::size_t first = 0; first < values.size(); first += kStretch)
        count_some_keys(
            values.data() + first,
            std::min<std::int64_t>(kStretch, std::ssize(values) - static_cast<std::int64_t>(first)),
            middle, scale, counts, extremes);
      result.low[place] = std::min(result.low[place], extremes.least());
      result.high[place] = std::max(result.high[place], extremes.greatest());
    });
    done(block.cols());
  });
  for (double& value : result.low) value = -value;
  run.comm.max(result.low);
  for (double& value : result.low) value = -value;
  run.comm.max(result.high);
  run.comm.sum(std::span<std::int64_t>(result.counts));
  return result;
}

/// Sets the clips of an axis and completes its sums by the items that were not surely between them.
void clip_axis(const Quantiles& quantiles, std::int64_t axis, AxisEigenmaps& model,
               AxisStatistics& statistics) {
  const double lower = quantiles.lower();
  const double upper = quantiles.upper();
  model.clip_low(axis) = lower;
  model.clip_high(axis) = upper;
  const Ruler<double> ruler(model, axis, statistics.histogram.cols());
  const auto add = [&](double value, double times) {
    const double place = ruler.place(value);
    const std::int64_t i = ruler.interval(place);
    const double t = place - static_cast<double>(i);
    statistics.between(axis, i) += times;
    statistics.moment(axis, i) += times * t;
    statistics.second(axis, i) += times * t * t;
  };
  double inside = statistics.between.row(axis).sum();
  for (const NumberTally* tally : {&quantiles.low_values, &quantiles.high_values})
    for (const NumberTally::Entry& entry : tally->entries()) {
      add(std::clamp(entry.value, lower, upper), entry.times);
      inside += entry.times;
    }
  const auto below = static_cast<double>(quantiles.low.before);
  add(lower, below);
  add(upper, static_cast<double>(quantiles.items) - inside - below);
}

}  // namespace

template <class Scalar>
AxisStatistics place_axes(const RowsOf<Scalar>& rows, const VectorD& centre,
                          const VectorD& deviation, std::int64_t bins, AxisEigenmaps& model,
                          const Run& run, const RowsDone& done) {
  const std::int64_t axes = centre.size();
  const std::int64_t items = global_rows(rows.rows(), run.comm).count;
  std::vector<Quantiles> quantiles;
  {
    const KeyCounts keys = count_keys<Scalar>(rows, centre, deviation, model, run, done);
    model.low = Eigen::Map<const VectorD>(keys.low.data(), axes);
    model.high = Eigen::Map<const VectorD>(keys.high.data(), axes);
    for (std::int64_t axis = 0; axis < axes; ++axis)
      quantiles.emplace_back(keys.counts.data() + axis * kKeys, items, model.options.clip);
  }
  Counts counts(axes, bins);
  for_each_rotated_block<Scalar>(rows, model, run.jobs, [&](const BlockOf<Scalar>& block) {
    for_each_axis(axes, run.jobs, [&](std::int64_t axis) {
      Quantiles& wanted = quantiles[static_cast<std::size_t>(axis)];
      const AxisCounter<Scalar> counter{Ruler<Scalar>(model, axis, bins),
                                        static_cast<Scalar>(centre(axis)),
                                        scale_of<Scalar>(deviation(axis)),
                                        wanted.low.end + 1,
                                        wanted.apart ? wanted.high.begin : 0,
                                        counts.cells(axis),
                                        &wanted};
      const auto values = numbers(block, axis);
      for (std::size_t first = 0; first < values.size(); first += kStretch)
        count_some(counter, values.data() + first,
                   std::min<std::int64_t>(kStretch,
                                          std::ssize(values) - static_cast<std::int64_t>(first)));
    });
    done(block.cols());
  });
  AxisStatistics result = counts.statistics(run.comm);
  gather_quantiles(quantiles, run.comm);
  model.clip_low.resize(axes);
  model.clip_high.resize(axes);
  for (std::int64_t axis = 0; axis < axes; ++axis)
    clip_axis(quantiles[static_cast<std::size_t>(axis)], axis, model, result);
  return result;
}

template <class Scalar>
AxisStatistics count_on_axes(const RowsOf<Scalar>& rows, const AxisEigenmaps& model,
                             const Run& run) {
  Counts counts(model.axes(), model.bins());
  for_each_rotated_block<Scalar>(rows, model, run.jobs, [&](const BlockOf<Scalar>& block) {
    for_each_axis(model.axes(), run.jobs, [&](std::int64_t axis) {
      const Ruler<Scalar> ruler(model, axis, model.bins());
      const auto lower = static_cast<Scalar>(model.clip_low(axis));
      const auto upper = static_cast<Scalar>(model.clip_high(axis));
      for (const Scalar x : numbers(block, axis)) {
        const Scalar own = ruler.place(x);
        const Scalar place = ruler.place(std::clamp(x, lower, upper));
        const std::int64_t interval = ruler.interval(place);
        const auto t = static_cast<double>(place - static_cast<Scalar>(interval));
        counts.cells(axis)[ruler.half(own)] += Cell{0, 0, 0, 1};
        counts.cells(axis)[2 * interval] += Cell{1, t, t * t, 0};
      }
    });
  });
  return counts.statistics(run.comm);
}

template AxisStatistics place_axes<float>(const RowsOf<float>&, const VectorD&, const VectorD&,
                                          std::int64_t, AxisEigenmaps&, const Run&,
                                          const RowsDone&);
template AxisStatistics place_axes<double>(const RowsOf<double>&, const VectorD&, const VectorD&,
                                           std::int64_t, AxisEigenmaps&, const Run&,
                                           const RowsDone&);
template AxisStatistics count_on_axes<float>(const RowsOf<float>&, const AxisEigenmaps&,
                                             const Run&);
template AxisStatistics count_on_axes<double>(const RowsOf<double>&, const AxisEigenmaps&,
                                              const Run&);

}  // namespace commonplace::detect
