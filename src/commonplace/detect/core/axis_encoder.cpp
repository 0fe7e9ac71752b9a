#include "commonplace/detect/core/axis_encoder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/detect/core/axis_spread.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::detect {
namespace {

/// Rows that are rotated at once.
constexpr std::int64_t kRowsOfPart = 1024;
/// Rows that are interpolated side by side, so that the table of a function is fetched once.
constexpr std::int64_t kRowsTogether = 8;

/// into := row - mean; false if a number of the row is not finite.
COMMONPLACE_CLONES bool centre_finite(const float* row, const float* mean, std::int64_t count,
                                      float* into) {
  constexpr std::uint32_t exponent = 0x7f800000U;
  std::uint32_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    wrong |= (std::bit_cast<std::uint32_t>(row[i]) & exponent) == exponent ? 1U : 0U;
    into[i] = row[i] - mean[i];
  }
  return wrong == 0;
}

/// Where numbers lie, each on the axis of its place: which interval between bin centres, and the
/// share of the way through it.
struct AxisScale {
  const float* first;
  const float* per_length;
  const float* clip_low;
  const float* clip_high;
  float last_interval;
};
COMMONPLACE_CLONES void find_places(const float* numbers, std::int64_t count,
                                    const AxisScale& scale, std::int32_t* intervals,
                                    float* shares) {
  const float last = scale.last_interval;
  for (std::int64_t i = 0; i < count; ++i) {
    const float high = numbers[i] < scale.clip_high[i] ? numbers[i] : scale.clip_high[i];
    const float clipped = high > scale.clip_low[i] ? high : scale.clip_low[i];
    const float place = (clipped - scale.first[i]) * scale.per_length[i];
    const float low = place > 0 ? place : 0;
    intervals[i] = static_cast<std::int32_t>(low < last ? low : last);
    shares[i] = place - static_cast<float>(intervals[i]);
  }
}

/// The functions at the places of some rows, `axes` apart; `into` has rows of `functions`.
struct AxisTables {
  const float* tables;
  const std::int32_t* axis;
  std::int64_t functions;
  std::int64_t intervals;
  std::int64_t axes;
};
COMMONPLACE_CLONES void look_up(const AxisTables& all, const std::int32_t* intervals,
                                const float* shares, std::int64_t rows, float* into) {
  const float* table = all.tables;
  for (std::int64_t i = 0; i < all.functions; ++i, table += 2 * all.intervals)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t place = row * all.axes + all.axis[i];
      const float* line = table + 2 * static_cast<std::int64_t>(intervals[place]);
      into[row * all.functions + i] = line[0] + line[1] * shares[place];
    }
}

}  // namespace

AxisEncoder::AxisEncoder(const AxisEigenmaps& model)
    : features_(model.features()), intervals_(model.bins() - 1) {
  std::vector<std::int32_t> place_of(static_cast<std::size_t>(model.axes()), -1);
  for (const std::int64_t axis : model.axis) place_of[static_cast<std::size_t>(axis)] = 0;
  for (std::int64_t axis = 0; axis < model.axes(); ++axis)
    if (auto& place = place_of[static_cast<std::size_t>(axis)]; place == 0) {
      place = static_cast<std::int32_t>(used_.size());
      used_.push_back(axis);
      const double width = (model.high(axis) - model.low(axis)) / static_cast<double>(model.bins());
      scales_.first.push_back(static_cast<float>(model.low(axis) + width / 2));
      scales_.per_length.push_back(static_cast<float>(1 / width));
      scales_.clip_low.push_back(static_cast<float>(model.clip_low(axis)));
      scales_.clip_high.push_back(static_cast<float>(model.clip_high(axis)));
    }
  for (const std::int64_t axis : model.axis)
    axis_.push_back(place_of[static_cast<std::size_t>(axis)]);
  mean_ = Eigen::RowVectorXf::Zero(features_);
  if (model.rotation.size() > 0) {
    mean_ = model.mean.transpose().cast<float>();
    rotation_.resize(std::ssize(used_), features_);
    for (std::size_t i = 0; i < used_.size(); ++i)
      rotation_.row(static_cast<Eigen::Index>(i)) = model.rotation.row(used_[i]).cast<float>();
  }
  tables_.reserve(static_cast<std::size_t>(2 * model.count() * intervals_));
  for (Eigen::Index i = 0; i < model.count(); ++i)
    for (Eigen::Index j = 0; j < intervals_; ++j) {
      const double value = model.functions(i, j) / model.norms(i);
      const double next = model.functions(i, j + 1) / model.norms(i);
      tables_.push_back(static_cast<float>(value));
      tables_.push_back(static_cast<float>(next - value));
    }
}

Matrix AxisEncoder::on_axes(const Eigen::Ref<const Matrix>& centred) const {
  if (rotation_.size() > 0) return multiply_transposed(centred, rotation_, 1);
  Matrix result(centred.rows(), std::ssize(used_));
  for (std::size_t i = 0; i < used_.size(); ++i)
    result.col(static_cast<Eigen::Index>(i)) = centred.col(used_[i]);
  return result;
}

Matrix AxisEncoder::encode(const Eigen::Ref<const Matrix>& rows, int jobs) const {
  require(rows.cols() == features_, "the rows have ", rows.cols(), " features, the model ",
          features_, "; give the features it was fitted on");
  Matrix result(rows.rows(), count());
  parallel_for(
      static_cast<std::size_t>(rows.rows()), jobs,
      [&](std::size_t begin, std::size_t end) {
        const auto first = static_cast<Eigen::Index>(begin);
        const auto here = static_cast<Eigen::Index>(end - begin);
        Matrix centred(here, features_);
        for (Eigen::Index row = 0; row < here; ++row)
          require(centre_finite(rows.row(first + row).data(), mean_.data(), features_,
                                centred.row(row).data()),
                  "row ", first + row + 1,
                  " has a feature that is not a finite number; expected only finite ones");
        interpolate(on_axes(centred), result.middleRows(first, here));
      },
      static_cast<std::size_t>(kRowsOfPart));
  return result;
}

void AxisEncoder::interpolate(const Eigen::Ref<const Matrix>& numbers,
                              Eigen::Ref<Matrix> into) const {
  const std::int64_t axes = numbers.cols();
  const AxisScale scale{scales_.first.data(), scales_.per_length.data(), scales_.clip_low.data(),
                        scales_.clip_high.data(), static_cast<float>(intervals_ - 1)};
  const AxisTables tables{tables_.data(), axis_.data(), count(), intervals_, axes};
  std::vector<std::int32_t> intervals(static_cast<std::size_t>(kRowsTogether * axes));
  std::vector<float> shares(intervals.size());
  for (Eigen::Index first = 0; first < numbers.rows(); first += kRowsTogether) {
    const Eigen::Index rows = std::min(kRowsTogether, numbers.rows() - first);
    for (Eigen::Index row = 0; row < rows; ++row)
      find_places(numbers.row(first + row).data(), axes, scale, intervals.data() + row * axes,
                  shares.data() + row * axes);
    look_up(tables, intervals.data(), shares.data(), rows, into.row(first).data());
  }
}

}  // namespace commonplace::detect
