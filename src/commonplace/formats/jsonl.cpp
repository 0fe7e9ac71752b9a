
#include "commonplace/formats/export.h"
#include "commonplace/formats/fields.h"
#include "commonplace/formats/item_values.h"
#include "commonplace/formats/pinboard.h"
#include "commonplace/formats/reading.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

void append_member(std::string& out, std::string_view name, std::string_view json) {
  out += out.empty() ? "{\"" : ",\"";
  out.append(name).append("\":").append(json);
}

void append_text(std::string& out, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  append_member(out, name, {});
  append_json_string(out, text);
}

std::string line_of(const Item& item) {
  std::string out;
  append_member(out, "id", {});
  append_json_string(out, item.id);
  append_text(out, "title", item.title);
  append_text(out, "text", item.text);
  if (!item.tags.empty()) append_member(out, "tags", tags_json(item.tags));
  append_text(out, "image", item.image);
  if (item.place) {
    append_member(out, "lat", number_text(item.place->latitude));
    append_member(out, "lon", number_text(item.place->longitude));
  }
  append_text(out, "time", item.time);
  if (!item.labels.empty()) append_member(out, "labels", labels_json(item.labels));
  // Parsed and written anew, because a line break within it would end the line.
  if (!item.metadata.empty()) append_member(out, "metadata", json_text(parse_json(item.metadata)));
  return out + "}\n";
}

}  // namespace

void read_jsonl(LineReader& lines, const ReadOptions& options, const Sink& sink) {
  const FieldNames names(options.map);
  ReadingProgress progress(sink, lines.where().file);
  std::string_view line;
  while (lines.next(line)) {
    progress.step(lines.source());
    if (trim(line).empty()) continue;
    Record record;
    record.where = lines.where();
    const auto work = [&] {
      Json object = parse_json(line);
      if (options.map.empty() && is_pinboard(object)) {
        record.item = pinboard_item(std::move(object));
      } else {
        const std::string line_number = std::to_string(record.where.line);
        record.item = item_of(object, names, options.id_prefix + line_number);
      }
    };
    if (understand(sink, record.where, work)) sink.record(std::move(record));
  }
}

void write_jsonl(const ItemSource& items, const Output& out) {
  Item item;
  while (items(item)) out(line_of(item));
}

}  // namespace commonplace
