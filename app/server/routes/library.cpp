#include <algorithm>

#include "app/server/http/conditional.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/stored/evaluations.h"
#include "commonplace/library/tags/tag_uses.h"

namespace commonplace::server {
namespace {

namespace fs = std::filesystem;

/// What is known of a collection's tags and items, found once for each state of it.
struct Overview {
  CollectionFacts facts;
  struct Tag {
    std::string name;
    std::string key;  ///< for matching
    std::int64_t items;
  };
  std::vector<Tag> tags;  ///< most used first
};

class Overviews {
 public:
  explicit Overviews(Workspace& workspace) : workspace_(workspace) {}

  std::shared_ptr<const Overview> of(const Library& library, const Collection& collection) {
    return cache_.get(collection.name, state_of(library, collection),
                      [this, collection] { return make(collection); });
  }

 private:
  std::shared_ptr<const Overview> make(const Collection& collection) {
    const auto library = workspace_.library();
    auto made = std::make_shared<Overview>();
    made->facts = facts_of(*library, collection);
    for (TagUse& use : tag_uses(*library, collection))
      made->tags.push_back({use.name, tag_key(use.name), use.items});
    return made;
  }
  Workspace& workspace_;
  RevalidatingCache<const Overview> cache_{256};
};

/// Whether a word of `key` begins with `prefix`.
bool has_word_with(const std::string& key, const std::string& prefix) {
  for (std::size_t at = key.find(prefix); at != std::string::npos; at = key.find(prefix, at + 1))
    if (at == 0 || key[at - 1] == ' ' || key[at - 1] == '/' || key[at - 1] == '-') return true;
  return false;
}

/// The first of the files of map tiles that somebody has put into the library's folder maps/.
fs::path basemap_of(const Workspace& workspace) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const fs::directory_entry& each : fs::directory_iterator(workspace.path() / "maps", error))
    if (each.path().extension() == ".pmtiles" && each.is_regular_file(error))
      found.push_back(each.path());
  return found.empty() ? fs::path() : *std::min_element(found.begin(), found.end());
}

/// A part of it at a time, as the page asks for them.
Response basemap_answer(const Workspace& workspace) {
  const fs::path file = basemap_of(workspace);
  if (file.empty())
    throw Problem{404, "there is no file of map tiles; put one into maps/ of the library"};
  Response response;
  response.type = "application/octet-stream";
  response.file = file;
  response.tag = file_tag(file);
  return response;
}

Response library_answer(Workspace& workspace, bool import) {
  const auto library = workspace.library();
  std::int64_t items = 0;
  const std::vector<Collection> all = collections(*library);
  for (const Collection& each : all) items += each.items;
  const std::filesystem::path whole = std::filesystem::absolute(workspace.path());
  return json_answer(LibraryAnswer{
      (whole.filename().empty() ? whole.parent_path() : whole).filename().string(),
      COMMONPLACE_VERSION, workspace.read_only(), import && !workspace.read_only(),
      !workspace.read_only(), std::ssize(all), items, std::ssize(model_records(*library)),
      basemap_of(workspace).filename().string()});
}

Response collections_answer(Workspace& workspace, Overviews& overviews) {
  const auto library = workspace.library();
  app::CollectionsAnswer answer = app::collections_answer(*library);
  for (app::CollectionAnswer& each : answer.collections) {
    const auto overview = overviews.of(*library, each.collection);
    const auto hidden = std::find_if(overview->tags.begin(), overview->tags.end(),
                                     [](const Overview::Tag& tag) { return tag.key == "hidden"; });
    each.has_facts = true;
    each.facts = {overview->facts.pictures, overview->facts.places, overview->facts.label_fields,
                  hidden == overview->tags.end() ? 0 : hidden->items};
  }
  return json_answer(answer);
}

Response tags_answer(Workspace& workspace, Overviews& overviews, const Request& request,
                     const std::string& name) {
  const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
  const std::int64_t limit = number(request, "limit", 50, 0, kMostListed);
  const std::string prefix = tag_key(text(request, "prefix"));
  const auto library = workspace.library();
  const auto overview = overviews.of(*library, collection(*library, name));
  TagsAnswer answer = {name, 0, {}};
  for (const Overview::Tag& tag : overview->tags) {
    if (!prefix.empty() && !has_word_with(tag.key, prefix)) continue;
    if (answer.total >= offset && answer.total < offset + limit)
      answer.tags.push_back({tag.name, tag.items});
    ++answer.total;
  }
  return json_answer(answer);
}

Response complete_answer(Workspace& workspace, Overviews& overviews, const Request& request) {
  const auto limit = static_cast<std::size_t>(number(request, "limit", 10, 1, 100));
  const std::string prefix = tag_key(text(request, "q"));
  std::map<std::string, TagCount> found;  // by key
  const auto library = workspace.library();
  if (!prefix.empty())
    for (const Collection& each : collections(*library))
      for (const Overview::Tag& tag : overviews.of(*library, each)->tags)
        if (has_word_with(tag.key, prefix)) {
          TagCount& count = found[tag.key];
          count.items += tag.items;
          if (count.tag.empty()) count.tag = tag.name;
        }
  CompleteAnswer answer;
  for (const auto& [key, each] : found) answer.completions.push_back(each);
  std::stable_sort(answer.completions.begin(), answer.completions.end(),
                   [](const TagCount& a, const TagCount& b) { return a.items > b.items; });
  if (answer.completions.size() > limit) answer.completions.resize(limit);
  return json_answer(answer);
}

/// The collection that a model is of, where that is one.
std::string collection_of(const ModelRecord& record) {
  for (const char* name : {"collection", "target"})
    for (const std::string& text : {record.report, record.options}) {
      const Json part = Json::parse(text);
      if (part.is_object() && part.contains(name) && part[name].is_string())
        return part[name].get<std::string>();
    }
  return record.name.starts_with(record.kind + ".") ? record.name.substr(record.kind.size() + 1)
                                                    : "";
}

/// As opposed to indexes, models of features, and names of models that are elsewhere.
bool is_of_a_verb(const std::string& kind) {
  static constexpr const char* kKinds[] = {"search", "suggest",  "detect",
                                           "relate", "transfer", "bridge-choice"};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

Response models_answer(Workspace& workspace) {
  ModelsAnswer answer;
  for (const ModelRecord& record : model_records(*workspace.library()))
    if (is_of_a_verb(record.kind)) answer.models.push_back({record, collection_of(record)});
  return json_answer(answer);
}

}  // namespace

void add_library_routes(Router& router, Workspace& workspace, bool import) {
  const auto overviews = std::make_shared<Overviews>(workspace);
  router.add({"GET", "/v1/library", [&workspace, import](const Request&, const PathValues&) {
                return library_answer(workspace, import);
              }});
  router.add({"GET", "/v1/basemap", [&workspace](const Request&, const PathValues&) {
                return basemap_answer(workspace);
              }});
  router.add({"GET", "/v1/collections", [&workspace, overviews](const Request&, const PathValues&) {
                return collections_answer(workspace, *overviews);
              }});
  router.add({"GET", "/v1/collections/{c}/tags",
              [&workspace, overviews](const Request& request, const PathValues& path) {
                return tags_answer(workspace, *overviews, request,
                                   known_collection(*workspace.library(), path.at("c")).name);
              }});
  router.add(
      {"GET", "/v1/complete", [&workspace, overviews](const Request& request, const PathValues&) {
         return complete_answer(workspace, *overviews, request);
       }});
  router.add({"GET", "/v1/models", [&workspace](const Request&, const PathValues&) {
                return models_answer(workspace);
              }});
  router.add({"GET", "/v1/evaluations", [&workspace](const Request&, const PathValues&) {
                EvaluationsAnswer answer{evaluations(*workspace.library())};
                // What audits found has a route of its own.
                std::erase_if(answer.evaluations, [](const Evaluation& each) {
                  return each.verb.find("audit") != std::string::npos ||
                         each.verb.find("review") != std::string::npos;
                });
                return json_answer(answer);
              }});
}

}  // namespace commonplace::server
