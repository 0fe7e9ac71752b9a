#include "commonplace/io/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "commonplace/base/join.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/export.h"
#include "commonplace/formats/fields.h"
#include "commonplace/formats/item_values.h"
#include "commonplace/formats/reading.h"

namespace commonplace {
namespace {

constexpr std::size_t kMostColumns = 2'000;

bool is_number(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

struct Column {
  std::string name;
  bool may_hold_json = false;  ///< labels and metadata, as an export writes them
  bool holds_tags = false;
};

/// The names of the columns: those of the first record, unless they are given.
std::vector<std::string> header_cells(CsvRecords& records, const std::string& name,
                                      const ReadOptions& options) {
  if (!options.columns.empty()) return options.columns;
  require(records.next(), name, ": is empty; expected a header with the names of the columns");
  const std::string place = to_string(records.where()) + ": ";
  require(records.problem().empty(), place, records.problem());
  const std::vector<std::string>& cells = records.cells();
  require(!std::all_of(cells.begin(), cells.end(), is_number) && cells.size() <= kMostColumns,
          place, "these are numbers without a header (or more than ", kMostColumns,
          " columns), not a collection; use `commonplace features ... --from` for a matrix");
  return cells;
}

std::vector<Column> read_header(CsvRecords& records, const std::string& name,
                                const FieldNames& names, const ReadOptions& options) {
  const std::vector<std::string> cells = header_cells(records, name, options);
  const std::string place = to_string(records.where()) + ": ";
  std::vector<Column> columns;
  std::set<std::string> seen;
  bool any_known = false;
  for (const std::string& cell : cells) {
    require(invalid_utf8(cell) == std::string::npos, place, "the header is not UTF-8; convert ",
            "the file first, e.g. with iconv -f windows-1252 -t utf-8");
    Column column{std::string(trim(cell))};
    if (column.name.empty()) column.name = concat("column ", columns.size() + 1);
    require(seen.insert(column.name).second, place, "the column ", in_quotes(column.name),
            " appears twice; rename one of them");
    for (const FieldNames::Target& target : names.targets()) {
      if (!target.matches(column.name)) continue;
      any_known = true;
      column.may_hold_json |= target.field == Field::labels || target.field == Field::metadata;
      column.holds_tags |= target.field == Field::tags;
    }
    columns.push_back(std::move(column));
  }
  const std::string list = join(columns, &Column::name);
  for (const FieldNames::Target& target : names.targets())
    require(target.any_case || target.field == Field::metadata || seen.count(target.name) != 0,
            place, "there is no column ", in_quotes(target.name),
            " as the field map says; there is ", list.substr(0, 500));
  require(any_known, place,
          "no column has a name that is known (id, title, text, tags, ...), only ",
          list.substr(0, 500),
          "; say what they are with --map, e.g. --map title=", columns.front().name,
          ", or with --columns id,title,... where there is no header");
  return columns;
}

Json value_of(const std::string& cell, const Column& column, char tag_separator) {
  if (column.holds_tags && tag_separator != '\0') {
    Json tags = Json::array();
    for (const std::string_view tag : split(cell, {&tag_separator, 1})) tags.push_back(tag);
    return tags;
  }
  if (!column.may_hold_json || cell.find_first_of("[{") != 0) return cell;
  try {
    return parse_json(cell);
  } catch (const Error&) {
    return cell;
  }
}

Json object_of(const std::vector<std::string>& cells, const std::vector<Column>& columns,
               char tag_separator) {
  require(cells.size() == columns.size(), "has ", cells.size(), " cells where the header has ",
          columns.size());
  Json object = Json::object();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) continue;
    require_utf8(cells[i]);
    object[columns[i].name] = value_of(cells[i], columns[i], tag_separator);
  }
  return object;
}

/// A cell in quotes where it needs them.
void append_cell(std::string& out, std::string_view text, char separator) {
  const std::array<char, 4> special{separator, '"', '\r', '\n'};
  if (text.find_first_of(special.data(), 0, special.size()) == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

/// Names joined by ';' if reading them back gives the same tags, otherwise JSON.
std::string tags_cell(const std::vector<ItemTag>& tags) {
  std::string cell;
  for (const ItemTag& tag : tags) {
    if (tag.name.find_first_of(";|,") != std::string::npos) return tags_json(tags);
    if (!cell.empty()) cell += ';';
    cell += tag.name;
  }
  if (cell.find_first_of("[{") == 0 || tags_of_cell(cell) != tags) return tags_json(tags);
  return cell;
}

std::string labels_cell(const std::vector<Label>& labels) {
  if (labels.empty()) return {};
  const Label& first = labels.front();
  const bool plain = labels.size() == 1 && first.field == "label" && !first.value.empty() &&
                     first.value.find_first_of("[{") != 0;
  return plain ? first.value : labels_json(labels);
}

}  // namespace

void read_csv(ByteSource& bytes, const std::string& name, char separator,
              const ReadOptions& options, const Sink& sink) {
  const FieldNames names(options.map);
  CsvRecords records(bytes, name, separator);
  const std::vector<Column> columns = read_header(records, name, names, options);
  ReadingProgress progress(sink, name);
  while (records.next()) {
    progress.step(bytes);
    Record record;
    record.where = records.where();
    const auto work = [&] {
      require(records.problem().empty(), records.problem());
      const std::string line_number = std::to_string(record.where.line);
      record.item = item_of(object_of(records.cells(), columns, options.tag_separator), names,
                            options.id_prefix + line_number);
    };
    if (understand(sink, record.where, work)) sink.record(std::move(record));
  }
}

void write_csv(const ItemSource& items, char separator, const Output& out) {
  const auto row = [&](const std::array<std::string, 10>& cells) {
    std::string line;
    for (const std::string& cell : cells) {
      if (&cell != cells.data()) line += separator;
      append_cell(line, cell, separator);
    }
    out(line += "\r\n");
  };
  row({"id", "title", "text", "tags", "image", "lat", "lon", "time", "labels", "metadata"});
  Item item;
  while (items(item))
    row({item.id, item.title, item.text, tags_cell(item.tags), item.image,
         item.place ? number_text(item.place->latitude) : "",
         item.place ? number_text(item.place->longitude) : "", item.time, labels_cell(item.labels),
         item.metadata});
}

}  // namespace commonplace
