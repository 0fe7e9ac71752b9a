#include "commonplace/math/packed_rows.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"

namespace commonplace {
namespace {

constexpr std::int64_t kLanes = 16;

/// sums[lane] = the sum over the slots of vector[index].
COMMONPLACE_CLONES void sum_plain(const std::int32_t* indices, std::int64_t slots,
                                  const float* vector, float* __restrict sums) {
  float lanes[kLanes] = {};
  for (std::int64_t slot = 0; slot < slots; ++slot)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += vector[indices[slot * kLanes + lane]];
  std::copy_n(lanes, kLanes, sums);
}

COMMONPLACE_CLONES void sum_weighted(const std::int32_t* indices, const float* values,
                                     std::int64_t slots, const float* vector,
                                     float* __restrict sums) {
  float lanes[kLanes] = {};
  for (std::int64_t slot = 0; slot < slots; ++slot)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += values[slot * kLanes + lane] * vector[indices[slot * kLanes + lane]];
  std::copy_n(lanes, kLanes, sums);
}

}  // namespace

PackedRows::PackedRows(const SparseView& rows) : rows_(rows.rows), columns_(rows.columns) {
  const bool plain =
      std::all_of(rows.values.begin(), rows.values.end(), [](float value) { return value == 1; });
  for (std::int64_t first = 0; first < rows.rows; first += kLanes) {
    const std::int64_t last = std::min(rows.rows, first + kLanes);
    std::int64_t slots = 0;
    for (std::int64_t row = first; row < last; ++row)
      slots = std::max(slots, std::ssize(rows.row_indices(row)));
    const auto begin = static_cast<std::size_t>(starts_.back());
    const std::size_t end = begin + static_cast<std::size_t>(slots * kLanes);
    indices_.resize(end, static_cast<std::int32_t>(columns_));
    if (!plain) values_.resize(end);
    for (std::int64_t row = first; row < last; ++row) {
      const auto columns = rows.row_indices(row);
      for (std::size_t slot = 0; slot < columns.size(); ++slot) {
        const std::size_t place =
            begin + slot * static_cast<std::size_t>(kLanes) + static_cast<std::size_t>(row - first);
        indices_[place] = columns[slot];
        if (!plain) values_[place] = rows.row_values(row)[slot];
      }
    }
    starts_.push_back(static_cast<std::int64_t>(end));
  }
}

void PackedRows::add_product(std::span<const float> vector, std::span<float> into, int jobs) const {
  require(std::ssize(vector) == columns_ && std::ssize(into) == rows_, "rows of ", columns_,
          " columns cannot be multiplied by a vector of ", vector.size(), " into ", into.size(),
          " sums of ", rows_);
  std::vector<float> padded(vector.begin(), vector.end());
  padded.push_back(0);
  parallel_for(starts_.size() - 1, jobs, [&](std::size_t begin, std::size_t end) {
    float sums[kLanes];
    for (std::size_t block = begin; block < end; ++block) {
      const std::int64_t start = starts_[block];
      const std::int64_t slots = (starts_[block + 1] - start) / kLanes;
      if (values_.empty())
        sum_plain(indices_.data() + start, slots, padded.data(), sums);
      else
        sum_weighted(indices_.data() + start, values_.data() + start, slots, padded.data(), sums);
      const std::size_t first = block * static_cast<std::size_t>(kLanes);
      const std::size_t lanes = std::min(into.size() - first, static_cast<std::size_t>(kLanes));
      for (std::size_t lane = 0; lane < lanes; ++lane) into[first + lane] += sums[lane];
    }
  });
}

}  // namespace commonplace
