#include "app/item_json.h"

#include <string>

#include <nlohmann/json.hpp>

#include "commonplace/formats/export.h"

namespace commonplace::app {

nlohmann::ordered_json item_json(const Item& item) {
  std::string line;
  bool given = false;
  write_jsonl(
      [&](Item& next) {
        if (std::exchange(given, true)) return false;
        next = item;
        return true;
      },
      [&](std::string_view bytes) { line += bytes; });
  return nlohmann::ordered_json::parse(line);
}

}  // namespace commonplace::app
