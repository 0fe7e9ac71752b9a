#include "commonplace/library/stored/feature_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/io/csv.h"
#include "commonplace/io/lines.h"
#include "commonplace/io/npy.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

bool parse_number(std::string_view cell, float& value) {
  while (cell.starts_with(' ')) cell.remove_prefix(1);
  while (cell.ends_with(' ')) cell.remove_suffix(1);
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value);
}

/// Of several files, all must have as many.
void set_columns(FeatureFile& content, std::int64_t columns, const std::string& where) {
  require(content.rows == 0 || columns == content.columns, where, ": has rows of ", columns,
          " numbers, and the files before it of ", content.columns);
  content.columns = columns;
}

void read_npy(const fs::path& file, FeatureFile& content, const Progress& progress) {
  read_npy_blocks(file, [&](std::int64_t, const Matrix& rows) {
    set_columns(content, rows.cols(), file.string());
    content.rows += rows.rows();
    content.values.append({rows.data(), static_cast<std::size_t>(rows.size())});
    progress({"reading vectors", static_cast<std::uint64_t>(content.rows), 0, "rows"});
  });
}

/// Which cells of a record are not finite numbers.
struct BadCells {
  std::size_t count = 0;
  std::size_t first = 0;
};

BadCells parse_cells(const std::vector<std::string>& cells, std::vector<float>& values) {
  values.assign(cells.size(), 0);
  BadCells bad;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!parse_number(cells[i], values[i]) && bad.count++ == 0) bad.first = i;
  return bad;
}

void read_csv_numbers(const fs::path& file, FeatureFile& content, const Progress& progress) {
  const std::unique_ptr<ByteSource> bytes = open_bytes(file);
  CsvRecords records(*bytes, file.string(), '\0');
  std::vector<float> values;
  std::size_t first = 0;  // 1 where the first column holds ids
  for (std::int64_t record = 0; records.next(); ++record) {
    const std::vector<std::string>& cells = records.cells();
    const BadCells bad = parse_cells(cells, values);
    if (record == 0) {
      const bool with_ids =
          cells[0] == "id" || (bad.count == 1 && bad.first == 0 && cells.size() > 1);
      first = with_ids ? 1 : 0;
      set_columns(content, static_cast<std::int64_t>(cells.size() - first), file.string());
      if (bad.count == cells.size()) continue;  // a header
    }
    require(bad.count == 0 || (first == 1 && bad.count == 1 && bad.first == 0),
            to_string(records.where()), ": '", cells[bad.first], "' is not a finite number");
    require(cells.size() - first == static_cast<std::size_t>(content.columns),
            to_string(records.where()), ": has ", cells.size() - first, " numbers, the first line ",
            content.columns);
    if (first == 1) content.ids.push_back(cells[0]);
    content.values.append(std::span<const float>(values).subspan(first));
    ++content.rows;
    if (content.rows % 4096 == 0)
      progress({"reading vectors", bytes->consumed(), bytes->total(), "bytes"});
  }
}

void read_vectors(const fs::path& file, FeatureFile& content, const Progress& progress) {
  const std::string name = file.filename().string();
  if (name.ends_with(".npy")) return read_npy(file, content, progress);
  require(name.find(".csv") != std::string::npos || name.find(".tsv") != std::string::npos ||
              name.find(".txt") != std::string::npos,
          file.string(), ": vectors are read from .npy, .csv or .tsv (also .gz)");
  read_csv_numbers(file, content, progress);
}

/// The parts of a matrix: the files of a folder, by name, without hidden ones.
std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
      parts.push_back(entry.path());
  std::sort(parts.begin(), parts.end());
  require(!parts.empty(), folder.string(), ": there are no files in it");
  return parts;
}

}  // namespace

FeatureFile read_feature_file(const Library& library, const fs::path& file, const fs::path& ids,
                              const Progress& progress) {
  FeatureFile content(library.path() / "features");
  if (fs::is_directory(file))
    for (const fs::path& part : parts_in(file)) read_vectors(part, content, progress);
  else
    read_vectors(file, content, progress);
  require(content.ids.empty() || std::ssize(content.ids) == content.rows, file.string(),
          ": some of its files have ids and others have none");
  require(content.rows > 0 && content.columns > 0, file.string(), ": there are no numbers in it");
  if (ids.empty()) return content;
  content.ids.clear();
  LineReader lines(open_bytes(ids), ids.string());
  for (std::string_view line; lines.next(line);) content.ids.emplace_back(line);
  require(static_cast<std::int64_t>(content.ids.size()) == content.rows, ids.string(), ": has ",
          content.ids.size(), " ids, but ", file.string(), " has ", content.rows, " rows");
  return content;
}

std::vector<std::int64_t> rows_in_item_order(const Library& library, const Collection& collection,
                                             const FeatureFile& content, const fs::path& file) {
  const auto items = static_cast<std::size_t>(collection.items);
  std::vector<std::int64_t> order(items, -1);
  if (content.ids.empty()) {
    require(content.rows == collection.items, file.string(), ": has ", content.rows,
            " rows, but collection '", collection.name, "' has ", collection.items,
            " items; give --ids FILE to say which row is whose");
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::unordered_map<std::string_view, std::int64_t> row_of;
  for (std::size_t row = 0; row < content.ids.size(); ++row)
    require(row_of.emplace(content.ids[row], static_cast<std::int64_t>(row)).second, file.string(),
            ": there are two rows for item '", content.ids[row], "'");
  Statement query = library.database().prepare("SELECT key, row FROM item WHERE collection = ?");
  query.bind(collection.id);
  while (query.step()) {
    const auto found = row_of.find(query.text(0));
    require(found != row_of.end(), file.string(), ": there is no row for item '", query.text(0),
            "' of collection '", collection.name, "'");
    order[static_cast<std::size_t>(query.integer(1))] = found->second;
  }
  require(content.rows == collection.items, file.string(), ": has rows for ",
          content.rows - collection.items, " items that collection '", collection.name,
          "' does not have");
  return order;
}

}  // namespace commonplace
