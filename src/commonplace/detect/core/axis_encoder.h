#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/detect/core/axis_eigenmaps.h"

namespace commonplace::detect {

/// Encodes with tables that are made once, which is what single items need.
class AxisEncoder {
 public:
  explicit AxisEncoder(const AxisEigenmaps& model);
  Matrix encode(const Eigen::Ref<const Matrix>& rows, int jobs = 0) const;
  std::int64_t features() const { return features_; }
  std::int64_t count() const { return static_cast<std::int64_t>(axis_.size()); }

 private:
  /// Of the axes in use.
  struct Scales {
    std::vector<float> first;  ///< centre of the first bin
    std::vector<float> per_length;
    std::vector<float> clip_low;
    std::vector<float> clip_high;
  };
  Matrix on_axes(const Eigen::Ref<const Matrix>& centred) const;
  void interpolate(const Eigen::Ref<const Matrix>& numbers, Eigen::Ref<Matrix> into) const;

  std::int64_t features_ = 0;
  std::int64_t intervals_ = 0;
  std::vector<std::int64_t> used_;  ///< the axes that have functions
  Eigen::RowVectorXf mean_;         ///< zeros without a rotation
  Matrix rotation_;                 ///< to the axes in use; empty without one
  Scales scales_;
  std::vector<std::int32_t> axis_;  ///< of each function, among the axes in use
  std::vector<float> tables_;       ///< functions x intervals: value and slope
};

}  // namespace commonplace::detect
