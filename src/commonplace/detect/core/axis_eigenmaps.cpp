#include "commonplace/detect/core/axis_eigenmaps.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/detect/core/axis_encoder.h"
#include "commonplace/detect/core/axis_functions.h"
#include "commonplace/detect/core/axis_passes.h"
#include "commonplace/math/decompose.h"

namespace commonplace::detect {
namespace {

/// Principal axes of less than this share of the widest's deviation are rounding.
constexpr double kNarrow = 1e-5;
constexpr std::int64_t kFewestBins = 3;
constexpr std::int64_t kItemsOfBin = 10;
constexpr int kPasses = 3;

/// Sets the rotation to the principal axes, the greatest entry of each positive; returns the
/// deviations along them.
VectorD rotate_to_principal(const Spread& spread, AxisEigenmaps& model) {
  const SymmetricEigen eigen = symmetric_eigen(spread.scatter);
  const VectorD variance = (eigen.values / static_cast<double>(spread.items)).reverse();
  const VectorD deviation = variance.cwiseMax(0).cwiseSqrt();
  Eigen::Index kept = 0;
  while (kept < deviation.size() && deviation(kept) > kNarrow * deviation(0)) ++kept;
  model.rotation = eigen.vectors.rowwise().reverse().leftCols(kept).transpose();
  for (Eigen::Index axis = 0; axis < kept; ++axis) {
    Eigen::Index greatest = 0;
    model.rotation.row(axis).cwiseAbs().maxCoeff(&greatest);
    if (model.rotation(axis, greatest) < 0) model.rotation.row(axis) *= -1;
  }
  return deviation.head(kept);
}

VectorD bandwidths_of(const AxisEigenmapOptions& options, const VectorD& deviation) {
  if (options.bandwidth_unit == "axis")
    return options.bandwidth *
           deviation.unaryExpr([](double value) { return value > 0 ? value : 1; });
  double unit = 1;
  if (options.bandwidth_unit == "widest" && deviation.size() > 0 && deviation.maxCoeff() > 0)
    unit = deviation.maxCoeff();
  return VectorD::Constant(deviation.size(), options.bandwidth * unit);
}

template <class Scalar>
AxisEigenmapFit fit(const RowsOf<Scalar>& rows, const AxisEigenmapOptions& options,
                    const Run& run) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check(options);
  std::int64_t read = 0;
  const RowsDone done = [&](std::int64_t more) {
    read += more;
    run.progress({"learning the axes", static_cast<std::uint64_t>(read),
                  static_cast<std::uint64_t>(kPasses * rows.rows()), "rows"});
  };
  const Spread spread = measure_spread<Scalar>(rows, options.rotate, run, done);
  require(spread.items >= 2, "there are ", spread.items,
          " items to learn eigenmaps from; expected 2 or more");
  require(spread.sum.size() > 0, "the items have no features; expected 1 or more");
  const auto items = static_cast<double>(spread.items);
  AxisEigenmapFit result;
  AxisEigenmaps& model = result.model;
  model.options = options;
  const VectorD mean = spread.sum / items;
  model.mean = options.rotate ? mean : VectorD::Zero(mean.size());
  const VectorD deviation = options.rotate
                                ? rotate_to_principal(spread, model)
                                : VectorD((spread.scatter / items).cwiseMax(0).cwiseSqrt());
  require(deviation.size() > 0 && deviation.maxCoeff() > 0,
          "all items are the same; expected some that differ");
  const std::int64_t bins =
      std::max(kFewestBins, std::min(options.bins, spread.items / kItemsOfBin));
  result.statistics =
      place_axes<Scalar>(rows, options.rotate ? VectorD::Zero(deviation.size()) : mean, deviation,
                         bins, model, run, done);
  result.statistics.items = spread.items;
  result.statistics.sum = spread.sum;
  if (options.rotate) result.statistics.scatter = spread.scatter;
  model.bandwidths = bandwidths_of(options, deviation);
  choose_functions(model, result.statistics, run.jobs);
  result.report.iterations = 1;
  result.report.converged = true;
  result.report.communication_seconds = run.comm.seconds() - waited;
  result.report.compute_seconds = seconds_since(begin) - result.report.communication_seconds;
  return result;
}

template <class Scalar>
void add_rows_of(AxisStatistics& statistics, const AxisEigenmaps& model, const RowsOf<Scalar>& rows,
                 const Run& run) {
  require(statistics.histogram.rows() == model.axes() &&
              statistics.histogram.cols() == model.bins() &&
              statistics.sum.size() == model.features(),
          "the statistics are of ", statistics.histogram.rows(), " axes and ",
          statistics.histogram.cols(), " bins, the model of ", model.axes(), " and ", model.bins(),
          "; give those that were learned with the model");
  require(rows.cols() == model.features() || rows.rows() == 0, "the rows have ", rows.cols(),
          " features, the model ", model.features(), "; give the features it was fitted on");
  const bool rotated = model.rotation.size() > 0;
  const Spread more = measure_spread<Scalar>(rows, rotated, run, [](std::int64_t) {});
  if (more.items == 0) return;
  Spread spread{statistics.items, statistics.sum,
                rotated ? statistics.scatter : MatrixD::Zero(model.features(), 1)};
  add(spread, more);
  const AxisStatistics counts = count_on_axes<Scalar>(rows, model, run);
  statistics.items = spread.items;
  statistics.sum = spread.sum;
  if (rotated) statistics.scatter = spread.scatter;
  statistics.histogram += counts.histogram;
  statistics.between += counts.between;
  statistics.moment += counts.moment;
  statistics.second += counts.second;
}

void check_rows(std::int64_t columns, std::int64_t features) {
  require(columns == features, "the rows have ", columns, " features, the model ", features,
          "; give the features it was fitted on");
}

double width_of(const AxisEigenmaps& model, std::int64_t axis) {
  return (model.high(axis) - model.low(axis)) / static_cast<double>(model.bins());
}

/// The interval between bin centres of a place in bins from the first centre.
template <class Scalar>
std::int32_t interval_of(Scalar place, std::int64_t intervals) {
  return static_cast<std::int32_t>(
      std::clamp<Scalar>(place, 0, static_cast<Scalar>(intervals - 1)));
}

}  // namespace

void check(const AxisEigenmapOptions& options) {
  require(options.count >= 1, "count is ", options.count, "; expected 1 or more");
  require(options.bins >= 3 && options.bins <= kMostBins, "bins is ", options.bins,
          "; expected 3 .. ", kMostBins);
  require(options.bandwidth > 0 && std::isfinite(options.bandwidth), "bandwidth is ",
          options.bandwidth, "; expected more than 0");
  require(options.bandwidth_unit == "one" || options.bandwidth_unit == "widest" ||
              options.bandwidth_unit == "axis",
          "bandwidth_unit is '", options.bandwidth_unit, "'; expected one, widest or axis");
  require(options.smoothing > 0 && std::isfinite(options.smoothing), "smoothing is ",
          options.smoothing, "; expected more than 0");
  require(options.clip >= 0 && options.clip < 0.5, "clip is ", options.clip,
          "; expected at least 0 and less than 0.5");
}

AxisEigenmapOptions authors_axis_eigenmaps() {
  AxisEigenmapOptions options;
  options.count = 500;
  options.bins = 50;
  options.bandwidth = 0.2;
  options.bandwidth_unit = "one";
  options.smoothing = 0.1;
  options.clip = 0.025;
  options.rotate = true;
  return options;
}

VectorD bin_centres(const AxisEigenmaps& model, std::int64_t axis) {
  const double width = width_of(model, axis);
  VectorD centres(model.bins());
  for (Eigen::Index i = 0; i < centres.size(); ++i)
    centres(i) = model.low(axis) + (static_cast<double>(i) + 0.5) * width;
  return centres;
}

AxisEigenmapFit fit_axis_eigenmaps(const Eigen::Ref<const Matrix>& rows,
                                   const AxisEigenmapOptions& options, const Run& run) {
  return fit<float>(rows, options, run);
}

AxisEigenmapFit fit_axis_eigenmaps(const Eigen::Ref<const MatrixD>& rows,
                                   const AxisEigenmapOptions& options, const Run& run) {
  return fit<double>(rows, options, run);
}

Matrix encode(const AxisEigenmaps& model, const Eigen::Ref<const Matrix>& rows, int jobs) {
  return AxisEncoder(model).encode(rows, jobs);
}

MatrixD encode(const AxisEigenmaps& model, const Eigen::Ref<const MatrixD>& rows, int) {
  check_rows(rows.cols(), model.features());
  MatrixD on_axes = rows;
  if (model.rotation.size() > 0)
    on_axes = (rows.rowwise() - model.mean.transpose()) * model.rotation.transpose();
  MatrixD result(rows.rows(), model.count());
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    require(rows.row(row).allFinite(), "row ", row + 1,
            " has a feature that is not a finite number; expected only finite ones");
    for (Eigen::Index i = 0; i < model.count(); ++i) {
      const std::int64_t axis = model.axis[static_cast<std::size_t>(i)];
      const double width = width_of(model, axis);
      const double clipped =
          std::clamp(on_axes(row, axis), model.clip_low(axis), model.clip_high(axis));
      const double place = (clipped - (model.low(axis) + width / 2)) / width;
      const std::int32_t interval = interval_of(place, model.bins() - 1);
      const double value = model.functions(i, interval);
      const double slope = model.functions(i, interval + 1) - value;
      result(row, i) = (value + slope * (place - interval)) / model.norms(i);
    }
  }
  return result;
}

void add_rows(AxisStatistics& statistics, const AxisEigenmaps& model,
              const Eigen::Ref<const Matrix>& rows, const Run& run) {
  add_rows_of<float>(statistics, model, rows, run);
}

void add_rows(AxisStatistics& statistics, const AxisEigenmaps& model,
              const Eigen::Ref<const MatrixD>& rows, const Run& run) {
  add_rows_of<double>(statistics, model, rows, run);
}

AxisEigenmaps refresh(const AxisEigenmaps& model, const AxisStatistics& statistics, int jobs) {
  require(
      statistics.histogram.rows() == model.axes() && statistics.histogram.cols() == model.bins(),
      "the statistics are of ", statistics.histogram.rows(), " axes and ",
      statistics.histogram.cols(), " bins, the model of ", model.axes(), " and ", model.bins(),
      "; give those that were learned with the model");
  AxisEigenmaps result = model;
  choose_functions(result, statistics, jobs);
  return result;
}

}  // namespace commonplace::detect
