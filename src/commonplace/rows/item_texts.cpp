#include "commonplace/rows/item_texts.h"

#include <utility>

namespace commonplace {

std::string item_text(const Item& item) {
  std::string text = item.title;
  if (!text.empty() && !item.text.empty()) text += '\n';
  return text += item.text;
}

TextSource texts_of(ItemReader& reader, std::function<void(const Item&)> visit) {
  return [&reader, visit = std::move(visit), item = Item()](std::string& text) mutable {
    if (!reader.next(item)) return false;
    if (visit) visit(item);
    text = item_text(item);
    return true;
  };
}

}  // namespace commonplace
