#include "commonplace/detect/index.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/library/stored/stored_models.h"

namespace commonplace::detect {
namespace {

constexpr int kIndexLayout = 1;
/// Rows that are encoded at a time.
constexpr std::int64_t kIndexBlock = 4096;

}  // namespace

std::string index_name(const std::string& model) { return model + ".index"; }

void save(const Index& index, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kIndexKind, kIndexLayout, "{}");
  writer.set("model", index.model);
  const auto bytes = std::as_bytes(std::span(index.rows.bytes));
  writer.add("rows", std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  writer.add("scales", std::span<const float>(index.rows.scales));
  writer.add("worst", std::span<const float>(index.rows.worst));
  writer.write(path);
}

Sq8RowsView view_index(const TensorFile& file) {
  require_kind(file, kIndexKind, kIndexLayout);
  const auto bytes = file.small("rows");
  Sq8RowsView view;
  view.scales = file.floats("scales");
  view.worst = file.floats("worst");
  view.columns = std::ssize(view.scales);
  require(view.columns > 0 && view.worst.size() == view.scales.size() &&
              std::ssize(bytes) % view.columns == 0,
          file.name(), ": the parts of the index do not fit; the file is damaged");
  view.rows = std::ssize(bytes) / view.columns;
  view.bytes = {reinterpret_cast<const std::int8_t*>(bytes.data()), bytes.size()};
  return view;
}

Sq8Rows code_items(const Space& space, ManyFeatures features, std::int64_t first,
                   std::span<const float> scales, const Run& run) {
  const std::int64_t rows = features[0].rows();
  const RowRange own = own_rows(rows - first, run.comm);
  Sq8Rows result;
  if (scales.empty()) {
    // Scales come from a part of the items; what lies farther out is cut off there.
    std::vector<float> magnitudes;
    for (std::int64_t begin = 0; begin < rows; begin += std::max(kIndexBlock, rows / 8)) {
      const std::int64_t count = std::min(kIndexBlock, rows - begin);
      add_magnitudes(encode(space, features, begin, count, true, run.jobs), magnitudes);
    }
    result = sq8_rows(magnitudes);
  } else {
    result.columns = std::ssize(scales);
    result.scales.assign(scales.begin(), scales.end());
    result.worst.assign(scales.size(), 0);
  }
  for (std::int64_t begin = own.begin; begin < own.end; begin += kIndexBlock) {
    run.progress({"coding items", static_cast<std::uint64_t>(begin - own.begin),
                  static_cast<std::uint64_t>(own.end - own.begin), "items"});
    append(result,
           encode(space, features, first + begin, std::min(kIndexBlock, own.end - begin), true,
                  run.jobs),
           run.jobs);
  }
  std::vector<double> worst(result.worst.begin(), result.worst.end());
  run.comm.max(worst);
  std::copy(worst.begin(), worst.end(), result.worst.begin());
  result.bytes = gather_on_root(run.comm, std::move(result.bytes));
  return result;
}

Sq8Rows grown(const Sq8RowsView& stored, const Sq8Rows& more) {
  Sq8Rows result{stored.columns,
                 {stored.bytes.begin(), stored.bytes.end()},
                 {stored.scales.begin(), stored.scales.end()},
                 {stored.worst.begin(), stored.worst.end()}};
  result.bytes.insert(result.bytes.end(), more.bytes.begin(), more.bytes.end());
  for (std::size_t i = 0; i < more.worst.size(); ++i)
    result.worst[i] = std::max(result.worst[i], more.worst[i]);
  return result;
}

bool index_fits(const Sq8RowsView& index, const Space& space, ManyFeatures features, int jobs) {
  constexpr std::int64_t kTried = 32;
  if (index.columns != space.columns() || index.rows > features[0].rows()) return false;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < kTried && index.rows > 0; ++i)
    rows.push_back(i * (index.rows - 1) / (kTried - 1));
  const Matrix now = encode_rows(space, features, rows, true, jobs);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t j = 0; j < index.columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const auto stored =
          static_cast<float>(index.bytes[static_cast<std::size_t>(rows[i] * index.columns + j)]);
      const float error =
          std::abs(now(static_cast<Eigen::Index>(i), j) - stored * index.scales[column]);
      if (!(error <= index.worst[column] + index.scales[column])) return false;
    }
  return true;
}

void store_with_index(Library& library, const std::string& name, const Model& model,
                      const std::string& report, Sq8Rows rows) {
  const ModelRecord record =
      store_model(library, {name, kModelKind, {}, options_to_json(model.options), report, ""},
                  [&](const std::filesystem::path& path) { save(model, path); });
  const Index index{record.file.filename().string(), std::move(rows)};
  store_model(library, {index_name(name), kIndexKind, {}, "{}", "{}", ""},
              [&](const std::filesystem::path& path) { save(index, path); });
}

}  // namespace commonplace::detect
