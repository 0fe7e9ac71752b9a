#include "commonplace/library/stored/imported_features.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "commonplace/base/error.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace {
namespace {

constexpr std::string_view kName = "given";

}  // namespace

ImportedFeatures::ImportedFeatures(const Library& library)
    : columns_(library.path() / "features"), values_(library.path() / "features") {}

void ImportedFeatures::set_names(std::vector<std::string>&& names) { names_ = std::move(names); }

void ImportedFeatures::add(std::int64_t row,
                           std::span<const std::pair<std::int32_t, float>> features) {
  if (features.empty()) return;
  for (const auto& [column, value] : features) {
    columns_.append(column);
    values_.append(value);
  }
  const auto count = static_cast<std::int64_t>(features.size());
  spans_.push_back({row, nonzeros_, nonzeros_ + count});
  nonzeros_ += count;
  width_ = std::max(width_, features.back().first + 1);
}

void ImportedFeatures::renumber(const std::vector<std::int64_t>& new_rows) {
  for (Span& span : spans_) span.row = new_rows[static_cast<std::size_t>(span.row)];
}

void ImportedFeatures::store(Library& library, const Collection& collection,
                             const std::string& source) {
  if (spans_.empty()) return;
  std::unique_ptr<SparseFeatures> before;
  SparseView old;
  for (const FeatureRecord& record : feature_records(library, collection)) {
    if (record.name != kName) continue;
    before = std::make_unique<SparseFeatures>(record);
    old = before->matrix();
    require(names_.empty() || before->names() == names_ || before->names().empty(),
            "the features of ", source, " have other names than those that collection '",
            collection.name, "' has; add it under another name");
  }
  const auto given_columns = columns_.view();
  const auto given_values = values_.view();
  std::sort(spans_.begin(), spans_.end(),
            [](const Span& a, const Span& b) { return a.row < b.row; });

  const std::filesystem::path folder = library.path() / "features";
  Scratch<std::int32_t> columns(folder);
  Scratch<float> values(folder);
  std::vector<std::int64_t> starts{0};
  auto span = spans_.begin();
  for (std::int64_t row = 0; row < collection.items; ++row) {
    std::int64_t count = 0;
    if (span != spans_.end() && span->row == row) {
      count = span->end - span->begin;
      const auto begin = static_cast<std::size_t>(span->begin);
      columns.append(given_columns.subspan(begin, static_cast<std::size_t>(count)));
      values.append(given_values.subspan(begin, static_cast<std::size_t>(count)));
      ++span;
    } else if (row < old.rows) {
      columns.append(old.row_indices(row));
      values.append(old.row_values(row));
      count = static_cast<std::int64_t>(old.row_indices(row).size());
    }
    starts.push_back(starts.back() + count);
  }
  const std::int64_t width =
      std::max({std::int64_t{width_}, static_cast<std::int64_t>(names_.size()), old.columns});
  const SparseView matrix{collection.items, width, starts, columns.view(), values.view()};
  FeatureRecord record{std::string(kName),
                       true,
                       collection.items,
                       width,
                       source,
                       feature_path(library, collection, kName, true)};
  write_sparse_features(record.file, matrix, names_);
  record_features(library, collection, record);
}

}  // namespace commonplace
