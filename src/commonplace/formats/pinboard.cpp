#include "commonplace/formats/pinboard.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "commonplace/formats/fields.h"
#include "commonplace/formats/reading.h"

namespace commonplace {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 30;

const FieldNames& pinboard_names() {
  static const FieldNames names({{"id", "href"},
                                 {"title", "description"},
                                 {"text", "extended"},
                                 {"tags", "tags"},
                                 {"time", "time"}});
  return names;
}

/// Walks over the elements of one JSON array without making values of all of them at once.
class ArrayElements {
 public:
  ArrayElements(std::string_view content, const std::string& name) : rest_(content), name_(name) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    skip_blanks();
    require(rest_.starts_with('['), to_string(where()), ": expected a JSON array, as Pinboard ",
            "exports it, found ", in_quotes(rest_.substr(0, 20)));
    skip(1);
  }

  bool next(std::string_view& element) {
    skip_blanks();
    if (rest_.starts_with(']')) return false;
    if (started_) {
      require(rest_.starts_with(','), to_string(where()), ": expected ',' or ']' after an element ",
              "of the array, found ", in_quotes(rest_.substr(0, 20)), "; is the file cut off?");
      skip(1);
      skip_blanks();
    }
    started_ = true;
    element_line_ = line_;
    const std::size_t end = json_value_end(rest_);
    require(end != std::string_view::npos && end > 0, to_string(where()),
            ": this element of the array has no end; is the file cut off?");
    element = rest_.substr(0, end);
    skip(end);
    return true;
  }
  /// The place of the element last returned.
  Where element_where() const { return {name_, element_line_}; }

 private:
  Where where() const { return {name_, line_}; }
  void skip(std::size_t count) {
    const std::string_view passed = rest_.substr(0, count);
    line_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
    rest_.remove_prefix(count);
  }
  void skip_blanks() { skip(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  std::string_view rest_;
  std::string name_;
  std::size_t line_ = 1;
  std::size_t element_line_ = 1;
  bool started_ = false;
};

}  // namespace

bool is_pinboard(const Json& object) {
  return object.is_object() && object.contains("href") && object.contains("description") &&
         object.contains("extended");
}

Item pinboard_item(Json object) {
  require(object.is_object(), "expected a JSON object, found ", kind_of(object));
  const auto href = object.find("href");
  require(href != object.end() && href->is_string() && !href->get_ref<const std::string&>().empty(),
          "no href; expected the address of a bookmark. For other JSON write one object a line ",
          "(jq -c '.[]') and read it as jsonl");
  object["url"] = *href;
  const auto tags = object.find("tags");
  if (tags != object.end() && tags->is_string()) {
    Json names = Json::array();
    for (const std::string_view tag : split(tags->get_ref<const std::string&>(), " \t\r\n"))
      names.push_back(std::string(tag));
    *tags = std::move(names);
  }
  return item_of(object, pinboard_names(), {});
}

void read_pinboard(ByteSource& bytes, const std::string& name, const Sink& sink) {
  const std::string content = read_all(bytes, kLimit, name);
  ArrayElements elements(content, name);
  ReadingProgress progress(sink, name);
  std::string_view element;
  while (elements.next(element)) {
    progress.step(bytes);
    Record record;
    record.where = elements.element_where();
    const auto work = [&] { record.item = pinboard_item(parse_json(element)); };
    if (understand(sink, record.where, work)) sink.record(std::move(record));
  }
}

}  // namespace commonplace
