#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "commonplace/eval/suggestion_evaluation.h"

namespace commonplace {

using Cell = std::variant<std::string, double>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as `columns`
};

/// Columns "measure" and "value", and "low" and "high" if any result has an interval (blank for
/// those that have none).
Table results_table(std::span<const NamedResult> results);

/// Lines of aligned columns under their names: text to the left, numbers to the right with `digits`
/// after the point (whole numbers, such as counts, with none). Error if a row is not as long as
/// `columns`.
std::string to_text(const Table& table, int digits = 4);

/// A JSON array with an object a row: {"column": cell, ...}. Numbers that JSON cannot express
/// (NaN, infinity) become null; bytes that are not UTF-8 are replaced. Error as above.
std::string to_json(const Table& table);

}  // namespace commonplace
