#include "commonplace/detect/core/axis_eigenmaps_file.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"

namespace commonplace {
namespace {

constexpr const char* kAxisEigenmapsKind = "axis-eigenmaps";
constexpr const char* kStatisticsKind = "axis-statistics";
constexpr int kAxisEigenmapsLayout = 1;

std::span<const double> span_of(const VectorD& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// A vector of finite numbers, of `size` if that is not negative.
VectorD vector_of(const TensorFile& file, const std::string& name, std::int64_t size = -1) {
  const auto values = file.doubles(name);
  require(size < 0 || std::ssize(values) == size, file.name(), ": ", name, " has ", values.size(),
          " numbers, expected ", size, "; the file is damaged");
  VectorD result =
      Eigen::Map<const VectorD>(values.data(), static_cast<Eigen::Index>(values.size()));
  require(result.allFinite(), file.name(), ": ", name,
          " holds what is not a number; the file is damaged");
  return result;
}

MatrixD matrix_of(const TensorFile& file, const std::string& name, std::int64_t rows,
                  std::int64_t columns) {
  MatrixD result = file.matrix_d(name);
  require(result.rows() == rows && result.cols() == columns, file.name(), ": ", name, " is ",
          result.rows(), " x ", result.cols(), ", expected ", rows, " x ", columns,
          "; the file is damaged");
  require(result.allFinite(), file.name(), ": ", name,
          " holds what is not a number; the file is damaged");
  return result;
}

std::int64_t items_of(const TensorFile& file) {
  const auto items = file.longs("items");
  require(items.size() == 1 && items[0] >= 0, file.name(),
          ": the number of items is missing; the file is damaged");
  return items[0];
}

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

/// Calls `use` with a writer that holds the model.
template <class Use>
void with_tensors(const AxisEigenmaps& model, Use use) {
  TensorWriter writer;
  describe_model(writer, kAxisEigenmapsKind, kAxisEigenmapsLayout, options_to_json(model.options));
  const std::int64_t items[] = {model.items};
  writer.add("items", std::span<const std::int64_t>(items));
  writer.add("mean", span_of(model.mean));
  writer.add("rotation", model.rotation);
  writer.add("low", span_of(model.low));
  writer.add("high", span_of(model.high));
  writer.add("clip_low", span_of(model.clip_low));
  writer.add("clip_high", span_of(model.clip_high));
  writer.add("bandwidths", span_of(model.bandwidths));
  writer.add("axis", std::span<const std::int64_t>(model.axis));
  writer.add("eigenvalues", span_of(model.eigenvalues));
  writer.add("functions", model.functions);
  writer.add("norms", span_of(model.norms));
  use(writer);
}

template <class Use>
void with_tensors(const AxisStatistics& statistics, Use use) {
  TensorWriter writer;
  describe_model(writer, kStatisticsKind, kAxisEigenmapsLayout, "{}");
  const std::int64_t items[] = {statistics.items};
  writer.add("items", std::span<const std::int64_t>(items));
  writer.add("sum", span_of(statistics.sum));
  writer.add("scatter", statistics.scatter);
  writer.add("histogram", statistics.histogram);
  writer.add("between", statistics.between);
  writer.add("moment", statistics.moment);
  writer.add("second", statistics.second);
  use(writer);
}

template <class Kept>
std::string bytes_of(const Kept& kept) {
  std::string bytes;
  with_tensors(kept, [&](const TensorWriter& writer) { bytes = writer.bytes(); });
  return bytes;
}

/// Counts of items, of which every axis has `items`.
MatrixD counts_of(const TensorFile& file, const std::string& name, std::int64_t axes,
                  std::int64_t columns, std::int64_t items) {
  MatrixD counts = matrix_of(file, name, axes, columns);
  require((counts.array() >= 0).all() &&
              (counts.rowwise().sum().array() == static_cast<double>(items)).all(),
          file.name(), ": ", name, " does not count the items of every axis; the file is damaged");
  return counts;
}

}  // namespace

void save(const AxisEigenmaps& model, const std::filesystem::path& path) {
  with_tensors(model, [&](const TensorWriter& writer) { writer.write(path); });
}

std::string to_bytes(const AxisEigenmaps& model) { return bytes_of(model); }

AxisEigenmaps load_axis_eigenmaps(const TensorFile& file) {
  require_kind(file, kAxisEigenmapsKind, kAxisEigenmapsLayout);
  AxisEigenmaps model;
  model.options = options_from_json<AxisEigenmapOptions>(file.metadata("options"));
  check(model.options);
  model.items = items_of(file);
  model.mean = vector_of(file, "mean");
  model.low = vector_of(file, "low");
  const std::int64_t axes = model.low.size();
  if (model.options.rotate) {
    model.rotation = matrix_of(file, "rotation", axes, model.mean.size());
  } else {
    model.rotation = matrix_of(file, "rotation", 0, 0);
    require(axes == model.mean.size(), file.name(), ": ", axes, " axes do not fit ",
            model.mean.size(), " features; the file is damaged");
  }
  model.high = vector_of(file, "high", axes);
  model.clip_low = vector_of(file, "clip_low", axes);
  model.clip_high = vector_of(file, "clip_high", axes);
  model.bandwidths = vector_of(file, "bandwidths", axes);
  const auto axis = file.longs("axis");
  model.axis.assign(axis.begin(), axis.end());
  const std::int64_t count = std::ssize(axis);
  model.eigenvalues = vector_of(file, "eigenvalues", count);
  const std::int64_t bins = file.matrix_d("functions").cols();
  require(bins >= 3 && bins <= kMostBins, file.name(), ": functions of ", bins,
          " bins; the file is damaged");
  model.functions = matrix_of(file, "functions", count, bins);
  model.norms = vector_of(file, "norms", count);
  check_axes(model, file);
  return model;
}

void save(const AxisStatistics& statistics, const std::filesystem::path& path) {
  with_tensors(statistics, [&](const TensorWriter& writer) { writer.write(path); });
}

std::string to_bytes(const AxisStatistics& statistics) { return bytes_of(statistics); }

AxisStatistics load_axis_statistics(const TensorFile& file, const AxisEigenmaps& model) {
  require_kind(file, kStatisticsKind, kAxisEigenmapsLayout);
  const std::int64_t axes = model.axes();
  const std::int64_t intervals = model.bins() - 1;
  const std::int64_t rotated = model.options.rotate ? model.features() : 0;
  AxisStatistics statistics;
  statistics.items = items_of(file);
  require(statistics.items >= model.items, file.name(), ": statistics of ", statistics.items,
          " items for eigenfunctions of ", model.items, "; the file is damaged");
  statistics.sum = vector_of(file, "sum", model.features());
  statistics.scatter = matrix_of(file, "scatter", rotated, rotated);
  statistics.histogram = counts_of(file, "histogram", axes, model.bins(), statistics.items);
  statistics.between = counts_of(file, "between", axes, intervals, statistics.items);
  statistics.moment = matrix_of(file, "moment", axes, intervals);
  statistics.second = matrix_of(file, "second", axes, intervals);
  return statistics;
}

}  // namespace commonplace
