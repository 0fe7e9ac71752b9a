#include "commonplace/detect/core/axis_eigenmaps_file.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"

namespace commonplace::detect {
namespace {

constexpr const char* kAxisEigenmapsKind = "axis-eigenmaps";
constexpr const char* kStatisticsKind = "axis-statistics";
constexpr int kAxisEigenmapsLayout = 1;

void check_axes(const AxisEigenmaps& model, const TensorFile& file) {
  for (Eigen::Index axis = 0; axis < model.axes(); ++axis)
    require(model.low(axis) <= model.clip_low(axis) &&
                model.clip_low(axis) <= model.clip_high(axis) &&
                model.clip_high(axis) <= model.high(axis) && model.bandwidths(axis) > 0,
            file.name(), ": axis ", axis, " is out of order; the file is damaged");
  for (const std::int64_t axis : model.axis)
    require(axis >= 0 && axis < model.axes() && model.low(axis) < model.high(axis), file.name(),
            ": there is a function of axis ", axis, " of ", model.axes(),
            ", which has none; the file is damaged");
  require((model.norms.array() > 0).all() && (model.eigenvalues.array() >= 0).all(), file.name(),
          ": an eigenvalue or a norm is not positive; the file is damaged");
}

template <class Statistics, class Visit>
requires std::is_same_v<std::remove_const_t<Statistics>, AxisStatistics>
void visit_tensors(Statistics& statistics, Visit&& visit) {
  visit("items", statistics.items);
  visit("sum", statistics.sum);
  visit("scatter", statistics.scatter);
  visit("histogram", statistics.histogram);
  visit("between", statistics.between);
  visit("moment", statistics.moment);
  visit("second", statistics.second);
}

TensorWriter writer_of(const AxisStatistics& statistics) {
  TensorWriter writer;
  describe_model(writer, kStatisticsKind, kAxisEigenmapsLayout, "{}");
  visit_tensors(statistics, TensorSaver{writer});
  return writer;
}

/// Error unless every axis counts all items.
void check_counts(const TensorFile& file, const MatrixD& counts, std::int64_t items) {
  require((counts.array() >= 0).all() &&
              (counts.rowwise().sum().array() == static_cast<double>(items)).all(),
          file.name(), ": an axis does not count all items; the file is damaged");
}

}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AxisEigenmaps>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("items", model.items);
  visit("mean", model.mean);
  visit("low", model.low, TensorShape{model.options.rotate ? -1 : model.mean.size()});
  const TensorShape axes{model.low.size()};
  visit("rotation", model.rotation,
        model.options.rotate ? TensorShape{axes.rows, model.mean.size()} : TensorShape{0, 0});
  visit("high", model.high, axes);
  visit("clip_low", model.clip_low, axes);
  visit("clip_high", model.clip_high, axes);
  visit("bandwidths", model.bandwidths, axes);
  visit("axis", model.axis);
  const TensorShape count{std::ssize(model.axis)};
  visit("eigenvalues", model.eigenvalues, count);
  visit("functions", model.functions, TensorShape{count.rows, -1});
  visit("norms", model.norms, count);
}

void save(const AxisEigenmaps& model, const std::filesystem::path& path) {
  model_writer(model, kAxisEigenmapsKind, kAxisEigenmapsLayout).write(path);
}

std::string to_bytes(const AxisEigenmaps& model) {
  return model_writer(model, kAxisEigenmapsKind, kAxisEigenmapsLayout).bytes();
}

AxisEigenmaps load_axis_eigenmaps(const TensorFile& file) {
  AxisEigenmaps model =
      read_model<AxisEigenmaps>(file, kAxisEigenmapsKind, kAxisEigenmapsLayout,
                                [](const AxisEigenmapOptions& options) { check(options); });
  const std::int64_t bins = model.functions.cols();
  require(model.items >= 0 && bins >= 3 && bins <= kMostBins, file.name(), ": functions of ", bins,
          " bins from ", model.items, " items; the file is damaged");
  check_axes(model, file);
  return model;
}

void save(const AxisStatistics& statistics, const std::filesystem::path& path) {
  writer_of(statistics).write(path);
}

std::string to_bytes(const AxisStatistics& statistics) { return writer_of(statistics).bytes(); }

AxisStatistics load_axis_statistics(const TensorFile& file, const AxisEigenmaps& model) {
  require_kind(file, kStatisticsKind, kAxisEigenmapsLayout);
  AxisStatistics statistics;
  visit_tensors(statistics, TensorLoader{file});
  const auto fits = [](const MatrixD& matrix, std::int64_t rows, std::int64_t columns) {
    return matrix.rows() == rows && matrix.cols() == columns;
  };
  const std::int64_t axes = model.axes();
  const std::int64_t intervals = model.bins() - 1;
  const std::int64_t rotated = model.options.rotate ? model.features() : 0;
  require(statistics.items >= model.items && statistics.sum.size() == model.features() &&
              fits(statistics.scatter, rotated, rotated) &&
              fits(statistics.histogram, axes, model.bins()) &&
              fits(statistics.between, axes, intervals) &&
              fits(statistics.moment, axes, intervals) && fits(statistics.second, axes, intervals),
          file.name(), ": the statistics do not fit the eigenfunctions; the file is damaged");
  check_counts(file, statistics.histogram, statistics.items);
  check_counts(file, statistics.between, statistics.items);
  return statistics;
}

}  // namespace commonplace::detect
