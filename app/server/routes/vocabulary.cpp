#include <algorithm>
#include <charconv>
#include <set>

#include "app/cli/library/vocabulary_json.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/item_facts.h"
#include "commonplace/library/tags/tag_meanings.h"
#include "commonplace/library/tags/tag_tree.h"
#include "commonplace/upkeep/merge_candidates.h"
#include "commonplace/upkeep/thesaurus.h"

namespace commonplace::server {
namespace {

constexpr std::size_t kMostEdits = 1000;
constexpr std::size_t kMostSplit = 100'000;
constexpr std::uint64_t kMostThesaurus = 64U << 20U;

/// Whether a word of the tag begins so.
bool word_begins(const std::string& key, const std::string& prefix) {
  for (std::size_t at = key.find(prefix); at != std::string::npos; at = key.find(prefix, at + 1))
    if (at == 0 || key[at - 1] == ' ' || key[at - 1] == '/' || key[at - 1] == '-') return true;
  return false;
}

std::int64_t vocabulary_change_number(const PathValues& path) {
  const std::string& written = path.at("change");
  std::int64_t id = 0;
  const char* end = written.data() + written.size();
  const auto result = std::from_chars(written.data(), end, id);
  if (result.ec != std::errc() || result.ptr != end)
    throw Problem{404, concat("there is no change '", written, "'")};
  return id;
}

std::vector<CollectionItems> split_items(const Library& library, const Json& json) {
  std::vector<CollectionItems> items;
  if (!json.contains("items") || !json["items"].is_array())
    throw Problem{400, "'items' is missing: a list of {\"collection\", \"id\"}"};
  if (json["items"].size() > kMostSplit)
    throw Problem{413, concat("at most ", kMostSplit, " items at a time")};
  for (const Json& each : json["items"]) {
    const std::string name = demanded_text(each, "collection");
    auto of = std::find_if(items.begin(), items.end(), [&](const CollectionItems& known) {
      return known.collection.name == name;
    });
    if (of == items.end()) of = items.insert(items.end(), {known_collection(library, name), {}});
    of->ids.push_back(demanded_text(each, "id"));
  }
  return items;
}

std::optional<bool> chosen_flag(const Json& json, const char* name) {
  return json.contains(name) ? std::optional(flag(json, name)) : std::nullopt;
}

VocabularyEdit vocabulary_edit_of(const Library& library, const Json& json) {
  using Kind = VocabularyEdit::Kind;
  const std::string word = demanded_text(json, "do");
  const auto kind = from_word<Kind>(word);
  if (!kind)
    throw Problem{400, concat("'do' is '", word, "'; expected one of ", all_words<Kind>())};
  VocabularyEdit edit{.kind = *kind, .tag = demanded_text(json, "tag"), .to = text(json, "to")};
  if (*kind == Kind::split) edit.items = split_items(library, json);
  if (*kind != Kind::describe) return edit;
  if (json.contains("description")) edit.description = text(json, "description");
  if (json.contains("colour")) edit.colour = text(json, "colour");
  edit.manual = chosen_flag(json, "manual");
  edit.hidden = chosen_flag(json, "hidden");
  return edit;
}

Response vocabulary_change_made(Workspace& workspace,
                                const std::function<std::vector<std::int64_t>(Library&)>& by) {
  Json changes;
  workspace.write([&](Library& library) { changes = app::changes_json(library, by(library)); });
  return json_answer(Json{{"changes", changes}});
}

class VocabularyRoutes {
 public:
  explicit VocabularyRoutes(Workspace& workspace) : workspace_(workspace) {}

  Response tree(const Request& request) {
    const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
    const std::int64_t limit = number(request, "limit", 200, 0, kMostListed);
    const std::string prefix = fold(text(request, "prefix"));
    const std::string under = tag_key(tag_name(text(request, "under")));
    const bool hidden = flag(request, "hidden");
    const auto all = trees_.get("", state(), [this] {
      return std::make_shared<const std::vector<TagNode>>(
          tag_tree(*workspace_.library(), {.hidden = true}));
    });
    VocabularyAnswer answer;
    for (const TagNode& each : *all) {
      const std::string key = tag_key(each.name);
      if ((each.hidden && !hidden) || (!prefix.empty() && !word_begins(key, prefix)) ||
          (!under.empty() && key != under && !key.starts_with(under + '/')))
        continue;
      if (answer.total++ >= offset && std::ssize(answer.tags) < limit) answer.tags.push_back(each);
    }
    return json_answer(answer);
  }

  Response candidates(const Request& request) {
    const std::int64_t limit = number(request, "limit", 100, 0, kMostListed);
    const auto all = candidates_.get("", state(), [this] {
      return std::make_shared<const std::vector<MergeCandidate>>(
          merge_candidates(*workspace_.library(), {}));
    });
    MergeCandidatesAnswer answer;
    for (const MergeCandidate& each : *all)
      if (std::ssize(answer.candidates) < limit) answer.candidates.push_back(each);
    return json_answer(answer);
  }

 private:
  std::string state() {
    const auto library = workspace_.library();
    // What machines gave is counted too.
    return tag_tree_state(*library) + '\n' + machine_state(*library);
  }

  Workspace& workspace_;
  RevalidatingCache<const std::vector<TagNode>> trees_{1};
  RevalidatingCache<const std::vector<MergeCandidate>> candidates_{1};
};

Response vocabulary_changed(Workspace& workspace, const Request& request) {
  const Json body = json_body(request);
  if (!body.is_object() || !body.contains("changes") || !body["changes"].is_array() ||
      body["changes"].empty())
    throw Problem{400, "'changes' is missing: a list of {\"do\", \"tag\", ...}"};
  if (body["changes"].size() > kMostEdits)
    throw Problem{413, concat("at most ", kMostEdits, " changes at a time")};
  return vocabulary_change_made(workspace, [&](Library& library) {
    std::vector<VocabularyEdit> edits;
    for (const Json& each : body["changes"]) edits.push_back(vocabulary_edit_of(library, each));
    return change_vocabulary(library, edits);
  });
}

Response vocabulary_history_answer(Workspace& workspace, const Request& request) {
  const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
  const std::int64_t limit = number(request, "limit", 100, 0, kMostListed);
  const std::vector<VocabularyChange> all = vocabulary_history(*workspace.library());
  Json list = Json::array();
  for (std::int64_t i = offset; i < std::min(std::ssize(all), offset + limit); ++i)
    list.push_back(app::change_json(all[static_cast<std::size_t>(i)]));
  return json_answer(Json{{"total", all.size()}, {"changes", list}});
}

Response vocabulary_undo_answer(Workspace& workspace, const PathValues& path, bool undo) {
  const std::int64_t id = vocabulary_change_number(path);
  Json json;
  workspace.write([&](Library& library) {
    or_not_found([&] { return vocabulary_change(library, id); });
    (undo ? undo_vocabulary_change : restore_vocabulary_change)(library, id);
    json = app::change_json(vocabulary_change(library, id));
  });
  return json_answer(json);
}

Response dismissed_answer(Workspace& workspace, const Request& request) {
  const Json body = json_body(request);
  const VocabularyEdit edit{.kind = VocabularyEdit::Kind::keep,
                            .tag = demanded_text(body, "tag"),
                            .to = demanded_text(body, "into")};
  Json json;
  workspace.write([&](Library& library) {
    json = app::change_json(vocabulary_change(library, change_vocabulary(library, {edit}).at(0)));
  });
  return json_answer(json);
}

Response thesaurus_answer(Workspace& workspace, const Request& request) {
  const std::string format = text(request, "format");
  if (!format.empty() && format != "turtle" && format != "ntriples")
    throw Problem{400, concat("'format' is '", format, "'; expected turtle or ntriples")};
  const bool turtle = format != "ntriples";
  const auto library = workspace.library();
  Response response;
  response.type = "text/turtle; charset=utf-8";  // of which N-Triples is a part
  response.body = write_skos(library->path().filename().string(), thesaurus_of(*library),
                             turtle ? SkosFormat::turtle : SkosFormat::ntriples);
  response.headers = {
      {"Content-Disposition", concat("attachment; filename=\"tags.", turtle ? "ttl" : "nt", "\"")}};
  return response;
}

}  // namespace

void add_vocabulary_routes(Router& router, Workspace& workspace) {
  const auto shared = std::make_shared<VocabularyRoutes>(workspace);
  const std::string changes = "/v1/vocabulary/changes";
  router.add({"GET", "/v1/vocabulary", [shared](const Request& request, const PathValues&) {
                return shared->tree(request);
              }});
  router.add(
      {"GET", "/v1/vocabulary/candidates", [shared](const Request& request, const PathValues&) {
         return shared->candidates(request);
       }});
  router.add(
      {"GET", "/v1/vocabulary/history", [&workspace](const Request& request, const PathValues&) {
         return vocabulary_history_answer(workspace, request);
       }});
  router.add({.method = "POST",
              .pattern = changes,
              .handler = [&workspace](
                             const Request& request,
                             const PathValues&) { return vocabulary_changed(workspace, request); },
              .writes = true,
              .most_bytes = kMostThesaurus});
  for (const bool undo : {true, false})
    router.add({.method = "POST",
                .pattern = changes + (undo ? "/{change}/undo" : "/{change}/restore"),
                .handler =
                    [&workspace, undo](const Request&, const PathValues& path) {
                      return vocabulary_undo_answer(workspace, path, undo);
                    },
                .writes = true});
  router.add(
      {.method = "POST",
       .pattern = "/v1/vocabulary/candidates/dismiss",
       .handler = [&workspace](const Request& request,
                               const PathValues&) { return dismissed_answer(workspace, request); },
       .writes = true});
  router.add(
      {"GET", "/v1/vocabulary/skos", [&workspace](const Request& request, const PathValues&) {
         return thesaurus_answer(workspace, request);
       }});
  router.add({.method = "POST",
              .pattern = "/v1/vocabulary/skos",
              .handler =
                  [&workspace](const Request& request, const PathValues&) {
                    const Json body = json_body(request);
                    const std::vector<SkosConcept> concepts =
                        read_skos(demanded_text(body, "text"), text(body, "language"));
                    return vocabulary_change_made(workspace, [&](Library& library) {
                      return change_vocabulary(library, edits_for(library, concepts));
                    });
                  },
              .writes = true,
              .most_bytes = kMostThesaurus});
}

}  // namespace commonplace::server
