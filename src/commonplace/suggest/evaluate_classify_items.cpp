#include "commonplace/suggest/evaluate_classify_items.h"

#include <charconv>
#include <cmath>
#include <map>

#include "commonplace/base/error.h"
#include "commonplace/io/csv.h"

namespace commonplace::suggest {
namespace {

std::string trimmed(const std::string& cell) {
  const std::size_t begin = cell.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
}

bool read_number(const std::string& cell, float& value) {
  const std::string text = trimmed(cell);
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc{} && stop == end && std::isfinite(value);
}

/// The numbers of a record, and its class.
std::string read_record(const CsvRecords& records, std::size_t columns,
                        std::vector<float>& numbers) {
  const auto& cells = records.cells();
  require(records.problem().empty(), to_string(records.where()), ": ", records.problem());
  require(cells.size() == columns, to_string(records.where()), ": ", cells.size(),
          " cells where the first line has ", columns, "; give every line as many");
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    float value = 0;
    require(read_number(cells[i], value), to_string(records.where()), ": '", cells[i],
            "' is not a number; expected numbers and the class in the last column");
    numbers.push_back(value);
  }
  std::string name = trimmed(cells.back());
  require(!name.empty(), to_string(records.where()), ": the last cell, the class, is empty");
  return name;
}

}  // namespace

ClassifiedItems read_classified(const std::filesystem::path& path) {
  const auto source = open_bytes(path);
  CsvRecords records(*source, path.string(), '\0');
  std::vector<float> numbers;
  std::vector<std::string> names;
  std::size_t columns = 0;
  while (records.next()) {
    if (columns == 0) {
      columns = records.cells().size();
      require(columns >= 2, to_string(records.where()),
              ": one column; expected numbers and the class in the last column");
      float value = 0;
      if (!read_number(records.cells()[0], value)) continue;
    }
    names.push_back(read_record(records, columns, numbers));
  }
  require(!names.empty(), path.string(), ": no items; expected lines of numbers and a class");
  ClassifiedItems items;
  items.features = Eigen::Map<const Matrix>(numbers.data(), std::ssize(names),
                                            static_cast<Eigen::Index>(columns - 1));
  std::map<std::string, std::int32_t> ids;
  for (const std::string& name : names) ids.try_emplace(name, 0);
  for (auto& [name, id] : ids) {
    id = static_cast<std::int32_t>(items.classes.size());
    items.classes.push_back(name);
  }
  for (const std::string& name : names) items.labels.push_back(ids.at(name));
  return items;
}

}  // namespace commonplace::suggest
