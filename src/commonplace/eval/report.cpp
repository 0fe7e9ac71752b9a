#include "commonplace/eval/report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

void check_shape(const Table& table) {
  for (const std::vector<Cell>& row : table.rows)
    require(row.size() == table.columns.size(), "a row of ", row.size(), " cells is in a table of ",
            table.columns.size(), " columns");
}

std::string cell_text(const Cell& cell, int digits) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const double number = std::get<double>(cell);
  const bool whole = number == std::floor(number) && std::abs(number) >= 2;
  std::ostringstream out;
  out << std::fixed << std::setprecision(whole ? 0 : digits) << number;
  return out.str();
}

/// The number of characters in UTF-8: all bytes but those that continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

struct TextCell {
  std::string text;
  bool is_number = false;
};

std::string aligned_line(const std::vector<TextCell>& cells,
                         const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - width(cells[i].text), ' ');
    if (i > 0) line += "  ";
    line += cells[i].is_number ? padding + cells[i].text : cells[i].text + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

Table results_table(std::span<const NamedResult> results) {
  const bool intervals = std::any_of(results.begin(), results.end(), [](const NamedResult& result) {
    return result.interval.has_value();
  });
  Table table{{"measure", "value"}, {}};
  if (intervals) table.columns.insert(table.columns.end(), {"low", "high"});
  for (const NamedResult& result : results) {
    std::vector<Cell> row{result.name, result.value};
    if (result.interval) {
      row.emplace_back(result.interval->low);
      row.emplace_back(result.interval->high);
    }
    row.resize(table.columns.size(), std::string());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string to_text(const Table& table, int digits) {
  check_shape(table);
  require(digits >= 0 && digits <= 17, "cannot write ", digits, " digits; give 0 to 17");
  std::vector<std::vector<TextCell>> lines(1);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool numbers = !table.rows.empty() && std::holds_alternative<double>(table.rows[0][i]);
    lines[0].push_back({table.columns[i], numbers});
  }
  for (const std::vector<Cell>& row : table.rows) {
    lines.emplace_back();
    for (const Cell& cell : row)
      lines.back().push_back({cell_text(cell, digits), std::holds_alternative<double>(cell)});
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const std::vector<TextCell>& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width(line[i].text));
  std::string text;
  for (const std::vector<TextCell>& line : lines) text += aligned_line(line, widths);
  return text;
}

std::string to_json(const Table& table) {
  check_shape(table);
  auto rows = nlohmann::ordered_json::array();
  for (const std::vector<Cell>& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      std::visit([&](const auto& value) { object[table.columns[i]] = value; }, row[i]);
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace commonplace
