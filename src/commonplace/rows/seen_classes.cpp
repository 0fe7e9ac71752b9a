#include "commonplace/rows/seen_classes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/row_table.h"

namespace commonplace {
namespace {

constexpr const char* kSeenKind = "seen_classes";

std::string seen_name(const Collection& collection, const std::string& name) {
  return collection.name + "." + name + ".seen";
}

}  // namespace

Eigen::RowVectorXf likeliest_classes(const Eigen::Ref<const Eigen::RowVectorXf>& probabilities) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(probabilities.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto kept = std::min<std::ptrdiff_t>(kSeenClasses, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const float first = probabilities[a];
                      const float second = probabilities[b];
                      return first != second ? first > second : a < b;
                    });
  Eigen::RowVectorXf result = Eigen::RowVectorXf::Zero(2 * kSeenClasses);
  for (std::ptrdiff_t i = 0; i < kept; ++i) {
    const std::int32_t each = order[static_cast<std::size_t>(i)];
    result[2 * i] = static_cast<float>(each);
    result[2 * i + 1] = probabilities[each];
  }
  return result;
}

void push_classes(Sparse& into, std::span<const float> likeliest) {
  std::vector<std::pair<std::int32_t, float>> entries;
  for (std::size_t i = 0; i + 1 < likeliest.size(); i += 2)
    if (likeliest[i + 1] > 0 && std::isfinite(likeliest[i + 1]) && likeliest[i] >= 0 &&
        likeliest[i] < static_cast<float>(into.columns))
      entries.emplace_back(static_cast<std::int32_t>(likeliest[i]), likeliest[i + 1]);
  std::sort(entries.begin(), entries.end());
  for (const auto& [each, probability] : entries) into.push(each, probability);
  into.end_row();
}

void store_seen(Library& library, const Collection& collection, const std::string& name,
                const SeenClasses& seen) {
  store_model(library, {seen_name(collection, name), kSeenKind, {}, "{}", "{}", ""},
              [&](const std::filesystem::path& path) {
                TensorWriter writer;
                describe_model(writer, kSeenKind, 1, "{}");
                writer.set("digest", seen.digest);
                writer.add_strings("labels", seen.labels);
                writer.add_strings("ids", seen.ids);
                writer.add_sparse("classes", seen.classes.view());
                writer.write(path);
              });
}

std::optional<SeenClasses> stored_seen(const Library& library, const Collection& collection,
                                       const std::string& name) {
  const auto record = find_model(library, seen_name(collection, name), kSeenKind);
  if (!record) return std::nullopt;
  const TensorFile file(record->file);
  require_kind(file, kSeenKind, 1);
  SeenClasses seen;
  seen.digest = file.metadata("digest");
  seen.labels = file.strings("labels");
  seen.ids = file.strings("ids");
  seen.classes = copy(file.sparse("classes"));
  bool fit = seen.classes.rows() == std::ssize(seen.ids) &&
             seen.classes.columns == std::ssize(seen.labels);
  for (const float value : seen.classes.values) fit = fit && std::isfinite(value) && value >= 0;
  require(fit, file.name(), ": the parts do not fit together; the file is damaged");
  return seen;
}

Sparse seen_by_row(const SeenClasses& seen, const Library& library, const Collection& collection) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(collection.items), -1);
  const auto rows = rows_by_id(library, collection);
  for (std::size_t i = 0; i < seen.ids.size(); ++i)
    if (const auto row = rows.find(seen.ids[i]);
        row != rows.end() && row->second < collection.items)
      places[static_cast<std::size_t>(row->second)] = static_cast<std::int64_t>(i);
  Sparse result;
  result.columns = seen.classes.columns;
  const SparseView classes = seen.classes.view();
  for (const std::int64_t place : places) {
    if (place < 0)
      result.end_row();
    else
      result.push_row(classes, place);
  }
  return result;
}

}  // namespace commonplace
