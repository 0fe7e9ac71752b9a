#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "commonplace/formats/export.h"
#include "commonplace/formats/item_values.h"
#include "commonplace/formats/reading.h"
#include "commonplace/formats/sparse_text.h"

namespace commonplace {
namespace {

/// Names for columns without any are their numbers, but not for any number of them.
constexpr std::int64_t kMostMadeUpNames = 1 << 22;

struct XcHeader {
  std::int64_t items = 0;
  std::int64_t features = 0;
  std::int64_t labels = 0;
};

XcHeader read_xc_header(LineReader& lines) {
  std::string_view line;
  const bool any = lines.next(line);
  std::vector<std::string_view> words;
  if (any) words = split(line, " \t");
  XcHeader header;
  const std::array<std::int64_t*, 3> numbers{&header.items, &header.features, &header.labels};
  bool good = words.size() == numbers.size();
  for (std::size_t i = 0; good && i < numbers.size(); ++i) {
    const auto number = whole_number(words[i]);
    good = number && (i == 0 || *number <= kMostSparseColumns);
    if (good) *numbers[i] = *number;
  }
  require(good, to_string(lines.where()), ": expected the header `items features labels`, three ",
          "numbers, found ", in_quotes(line));
  return header;
}

void check_names(const std::vector<std::string>& names, std::int64_t count, const char* what,
                 const Where& where) {
  require(names.empty() || static_cast<std::int64_t>(names.size()) == count, to_string(where),
          ": the header promises ", count, " ", what, ", but there are names for ", names.size());
}

void tell_feature_names(const std::vector<std::string>& names, std::int64_t count,
                        const Where& where, const Sink& sink) {
  if (!sink.feature_names) return;
  std::vector<std::string> told = names;
  require(!told.empty() || count <= kMostMadeUpNames, to_string(where), ": ", count,
          " features without names; put their names into features.txt beside the file");
  while (static_cast<std::int64_t>(told.size()) < count)
    told.push_back(std::to_string(told.size()));
  sink.feature_names(std::move(told));
}

void add_labels_as_tags(Item& item, std::string_view written, const std::vector<std::string>& names,
                        std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : split(written, ",")) {
    const auto number = whole_number(word);
    if (!number || *number >= count)
      fail("label ", in_quotes(word), " is not a number from 0 to ", count - 1);
    numbers.push_back(*number);
    const bool named = !names.empty() && !names[static_cast<std::size_t>(*number)].empty();
    item.tags.push_back(
        plain_tag(named ? names[static_cast<std::size_t>(*number)] : std::to_string(*number)));
  }
  std::sort(numbers.begin(), numbers.end());
  const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
  if (twice != numbers.end()) fail("label ", *twice, " appears twice");
}

}  // namespace

void read_xc(LineReader& lines, const XcNames& names, const std::string& split_name,
             const Sink& sink) {
  const XcHeader header = read_xc_header(lines);
  const Where header_where = lines.where();
  check_names(names.features, header.features, "features", header_where);
  check_names(names.labels, header.labels, "labels", header_where);
  tell_feature_names(names.features, header.features, header_where, sink);
  ReadingProgress progress(sink, header_where.file);
  std::int64_t count = 0;
  std::string_view line;
  while (lines.next(line)) {
    if (count >= header.items && trim(line).empty()) continue;
    progress.step(lines.source());
    Record record;
    record.where = lines.where();
    const std::string number = std::to_string(count++);
    record.item.id = split_name.empty() ? number : split_name + "/" + number;
    if (!split_name.empty()) record.item.labels.push_back({"split", split_name});
    const auto work = [&] {
      std::string_view rest = line;
      add_labels_as_tags(record.item, take_labels(rest), names.labels, header.labels);
      for (const std::string_view word : split(rest, " \t"))
        add_feature(record.features, word, 0, header.features);
      sort_features(record.features, 0);
    };
    if (understand(sink, record.where, work)) sink.record(std::move(record));
  }
  if (count != header.items)
    report_bad(sink, header_where,
               concat("the header promises ", header.items, " items, but the file has ", count,
                      "; is it cut off?"));
}

bool fits_xc(const Item& item) {
  return item.title.empty() && item.text.empty() && item.image.empty() && !item.place &&
         item.time.empty() && item.metadata.empty() &&
         std::all_of(item.labels.begin(), item.labels.end(),
                     [](const Label& label) { return label.field == "split"; }) &&
         std::all_of(item.tags.begin(), item.tags.end(),
                     [](const ItemTag& tag) { return tag.count == 1; });
}

void write_xc(const ItemSource& items, const SparseView& features,
              const std::vector<std::string>& labels, const Output& out) {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < labels.size(); ++i) positions.emplace(labels[i], i);
  out(concat(features.rows, " ", features.columns, " ", labels.size(), "\n"));
  Item item;
  std::int64_t row = 0;
  for (; items(item); ++row) {
    require(row < features.rows, "more items than rows of features (", features.rows, ")");
    std::vector<std::size_t> numbers;
    for (const ItemTag& tag : item.tags)
      if (const auto found = positions.find(tag.name); found != positions.end())
        numbers.push_back(found->second);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::string line;
    for (const std::size_t number : numbers)
      line += (line.empty() ? "" : ",") + std::to_string(number);
    const auto columns = features.row_indices(row);
    const auto values = features.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      line.append(" ").append(std::to_string(columns[i])).append(":");
      line += number_text(values[i]);
    }
    if (line.empty()) line += ' ';
    out(line += '\n');
  }
  require(row == features.rows, "only ", row, " items for ", features.rows, " rows of features");
}

}  // namespace commonplace
