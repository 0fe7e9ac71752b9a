#include <algorithm>
#include <cctype>

#include "app/server/http/conditional.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/web_address.h"
#include "commonplace/upkeep/thumbnails.h"

namespace commonplace::server {
namespace {

Response items_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
  const std::int64_t limit = number(request, "limit", 50, 0, kMostListed);
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, path.at("c"));
  ItemReader reader(*library, chosen);
  reader.skip_to(offset);
  ItemsAnswer answer = {chosen.name, chosen.items, {}};
  Item item;
  while (std::ssize(answer.items) < limit && reader.next(item))
    answer.items.push_back(brief(workspace, chosen, item));
  return json_answer(answer);
}

Response item_answer(Workspace& workspace, const PathValues& path) {
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, path.at("c"));
  const std::string id = known_item(*library, chosen, path.at("id")).id;
  return json_answer(ItemAnswer{chosen.name, item(*library, chosen, id, {.machine = true}),
                                machine_labels_of(*library, chosen, id),
                                decision_history(*library, chosen.name, id)});
}

PictureFile known_picture(Workspace& workspace, const PathValues& path) {
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, path.at("c"));
  known_item(*library, chosen, path.at("id"));
  std::optional<PictureFile> picture = picture_file(*library, chosen.name, path.at("id"));
  if (!picture) throw Problem{404, "this item has no picture that can be shown", {}, "no-picture"};
  return std::move(*picture);
}

/// Pictures may be kept by the browser. A drawing may hold a script, which must not run if somebody
/// opens it by itself.
Response picture_answer(std::string type) {
  Response response;
  response.type = std::move(type);
  response.headers = {{"Cache-Control", "private, max-age=3600"},
                      {"Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"}};
  return response;
}

Response thumbnail_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const std::int64_t size = number(request, "size", 256, 64, 512);
  if (size != 64 && size != 128 && size != 256 && size != 512)
    throw Problem{400, concat("'size' is ", size, "; expected 64, 128, 256 or 512")};
  const std::optional<Thumbnail> made =
      thumbnail(workspace.path(), known_picture(workspace, path), static_cast<int>(size));
  if (!made) throw Problem{404, "this picture is broken", {}, "broken-picture"};
  Response response = picture_answer(made->type);
  response.file = made->file;
  response.body = made->bytes;
  response.tag = made->file.empty() ? bytes_tag(made->bytes) : file_tag(made->file);
  return response;
}

Response image_answer(Workspace& workspace, const PathValues& path) {
  const PictureFile picture = known_picture(workspace, path);
  Response response = picture_answer(picture.type);
  response.file = picture.path;
  response.tag = file_tag(picture.path);
  return response;
}

/// Where a word that begins as `word` does stands in `text`, in small or capital letters.
std::size_t find_word(const std::string& text, const std::string& word) {
  // An ending more or less does not matter.
  const std::string_view stem =
      std::string_view(word).substr(0, word.size() > 5 ? word.size() - 2 : word.size());
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), stem.begin(), stem.end(),
                     [&](char a, char b) { return small(a) == small(b); });
    if (at == text.end()) return std::string::npos;
    if (at == text.begin() || !letter(*(at - 1)))
      return static_cast<std::size_t>(at - text.begin());
  }
}

constexpr std::size_t kExcerpt = 280;

/// So much of the text as stands on a few lines, about the first of the words.
std::string excerpt(const std::string& text, const std::vector<std::string>& words) {
  std::size_t first = std::string::npos;
  for (const std::string& word : words)
    if (!word.empty()) first = std::min(first, find_word(text, word));
  std::size_t begin = 0;
  if (first != std::string::npos && first > kExcerpt / 3) {
    begin = text.find_first_of(" \n", first - kExcerpt / 3);
    begin = begin < first ? begin + 1 : first;
  }
  std::size_t end = std::min(text.size(), begin + kExcerpt);
  if (end < text.size()) end = std::max(text.find_last_of(" \n", end), begin + kExcerpt / 2);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  std::string result = begin > 0 ? "… " : "";
  for (std::size_t at = begin; at < end; ++at) {
    const bool blank = text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r';
    if (!blank)
      result += text[at];
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return end < text.size() ? result + " …" : result;
}

}  // namespace

Collection known_collection(const Library& library, const std::string& name) {
  if (name.empty() || !has_collection(library, name)) {
    std::string names;
    for (const Collection& each : collections(library))
      names += (names.empty() ? "there is: " : ", ") + each.name;
    throw Problem{404,
                  concat("there is no collection '", name, "'; ",
                         names.empty() ? "the library is empty" : names),
                  {},
                  "no-collection",
                  {{"collection", name}}};
  }
  return collection(library, name);
}

Item known_item(const Library& library, const Collection& collection, const std::string& id) {
  std::optional<Item> found = ItemReader(library, collection).find(id);
  if (!found)
    throw Problem{404,
                  concat("collection '", collection.name, "' has no item '", id, "'"),
                  {},
                  "no-item",
                  {{"collection", collection.name}, {"item", id}}};
  return std::move(*found);
}

Brief brief(Workspace& workspace, const Collection& collection, const Item& item,
            const std::vector<std::string>& words) {
  const double ratio = workspace.ratio(collection, item.id, item.image);
  Brief brief = {collection.name, item.id,           item.title, ratio > 0, {}, {},
                 item.time,       web_address(item), {}};
  for (const ItemTag& tag : item.tags) brief.tags.push_back(tag.name);
  if (ratio > 0) brief.ratio = ratio;
  if (ratio == 0 && !item.text.empty()) brief.snippet = excerpt(item.text, words);
  return brief;
}

void add_item_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/collections/{c}/items",
              [&workspace](const Request& request, const PathValues& path) {
                return items_answer(workspace, request, path);
              }});
  router.add({"GET", "/v1/collections/{c}/items/{id}",
              [&workspace](const Request&, const PathValues& path) {
                return item_answer(workspace, path);
              }});
  router.add({"GET", "/v1/collections/{c}/items/{id}/thumbnail",
              [&workspace](const Request& request, const PathValues& path) {
                return thumbnail_answer(workspace, request, path);
              }});
  router.add({"GET", "/v1/collections/{c}/items/{id}/image",
              [&workspace](const Request&, const PathValues& path) {
                return image_answer(workspace, path);
              }});
}

}  // namespace commonplace::server
