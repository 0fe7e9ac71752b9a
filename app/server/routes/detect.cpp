#include "app/cli/keep/json.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/library/tags/lessons.h"

namespace commonplace::server {
namespace {

constexpr std::int64_t kMostFound = 10'000;

/// Where a missing model is a 404 rather than a mistake in the request.
void with_finder(Workspace& workspace, const std::string& model, const std::string& collection,
                 const std::function<void(const detect::Answerer&)>& ask) {
  {
    const auto library = workspace.library();
    if (!collection.empty()) known_collection(*library, collection);
    or_not_found([&] { return detect::model_for(*library, model, collection); }, "no-model",
                 {{"kind", "detect"}, {"collection", collection}});
  }
  workspace.with_finder(model, collection, ask);
}

/// The answer with titles and tags, from `offset` on, without items that have gone meanwhile.
Response found_answer(Workspace& workspace, const detect::Answer& answer, std::int64_t offset) {
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, answer.collection);
  ItemReader reader(*library, chosen);
  FoundAnswer page = {answer, {}};
  for (std::int64_t at = offset; at < std::ssize(answer.items_found); ++at) {
    const detect::Detected& each = answer.items_found[static_cast<std::size_t>(at)];
    if (const std::optional<Item> item = reader.find(each.id))
      page.results.push_back({brief(workspace, chosen, *item), each});
  }
  return json_answer(page);
}

/// Those that are stored, with those that are given in their place or beside them.
std::vector<Lesson> joined(std::vector<Lesson> stored, const Json& body) {
  auto put = [&](const std::string& item, int shows) {
    std::erase_if(stored, [&](const Lesson& each) { return each.item == item; });
    if (shows != 0) stored.push_back({item, shows, ""});
  };
  for (const std::string& item : texts(body, "forget")) put(item, 0);
  for (const std::string& item : texts(body, "yes")) put(item, 1);
  for (const std::string& item : texts(body, "no")) put(item, -1);
  return stored;
}

Response detect_answer(Workspace& workspace, const Request& request) {
  const Json body = json_body(request);
  const std::string name = demanded_text(body, "concept");
  const std::int64_t offset = number(body, "offset", 0, 0, kMostFound);
  detect::Options options;
  options.limit = offset + number(body, "limit", 100, 1, kMostFound);
  options.uncertain = flag(body, "uncertain");
  detect::Answer answer;
  with_finder(workspace, text(body, "model"), text(body, "collection"),
              [&](const detect::Answerer& finder) {
                const auto stored =
                    lessons_in_force(*workspace.library(), finder.collection(), name);
                answer = finder.ask(name, joined(stored, body), options);
              });
  return found_answer(workspace, answer, offset);
}

Response concept_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const std::int64_t offset = number(request, "offset", 0, 0, kMostFound);
  detect::Options options;
  options.limit = offset + number(request, "limit", 100, 1, kMostFound);
  options.uncertain = flag(request, "uncertain");
  detect::Answer answer;
  with_finder(workspace, text(request, "model"), text(request, "collection"),
              [&](const detect::Answerer& finder) {
                answer = or_not_found([&] { return finder.ask(path.at("concept"), options); },
                                      "no-concept", {{"concept", path.at("concept")}});
              });
  return found_answer(workspace, answer, offset);
}

Response concepts_answer(Workspace& workspace, const Request& request) {
  ConceptsAnswer answer;
  with_finder(workspace, text(request, "model"), text(request, "collection"),
              [&](const detect::Answerer& finder) {
                answer = {finder.collection(), finder.concepts()};
              });
  return json_answer(answer);
}

/// The first items of the concept's ranking, or those of at least a probability, get it as a
/// machine's tag, in place of those that had it so before. What people gave, or rejected, stays
/// theirs.
Response tag_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const Json body = json_body(request);
  const std::string& name = path.at("concept");
  detect::ApplyOptions options;
  if (const auto above = body.find("above"); above != body.end()) {
    if (!above->is_number() || above->get<double>() < 0 || above->get<double>() > 1)
      throw Problem{400, "'above' is a probability: a number from 0 to 1"};
    options.above = above->get<double>();
  }
  if (!options.above) options.first = number(body, "items", 0, 1, kMostFound);
  if (!options.above && options.first == 0)
    throw Problem{400, "say how many: give 'items', or 'above' with the least probability"};
  options.dry_run = flag(body, "dry_run");
  Json json;
  with_finder(workspace, text(body, "model"), text(body, "collection"),
              [&](const detect::Answerer& finder) {
                workspace.write([&](Library& library) {
                  json = app::as_json(or_not_found([&] {
                                        return detect::apply(library, finder, name, options, {});
                                      }),
                                      name);
                });
              });
  return json_answer(json);
}

Response untag_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  std::int64_t before = 0;
  workspace.write([&](Library& library) {
    const std::string in = detect::collection_to_teach(library, text(request, "collection"));
    const Collection chosen = known_collection(library, in);
    const std::string given = detect::tags_name(in, path.at("concept"));
    before = undo_runs_of(library, chosen, given);
  });
  return json_answer(TaggedAnswer{path.at("concept"), 0, before});
}

Response lessons_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const Json body = json_body(request);
  std::vector<Lesson> lessons;
  for (const std::string& id : texts(body, "yes")) lessons.push_back({id, 1, ""});
  for (const std::string& id : texts(body, "no")) lessons.push_back({id, -1, ""});
  for (const std::string& id : texts(body, "forget")) lessons.push_back({id, 0, ""});
  if (lessons.empty()) throw Problem{400, "there is nothing to keep: give 'yes', 'no' or 'forget'"};
  workspace.write([&](Library& library) {
    const Collection chosen =
        known_collection(library, detect::collection_to_teach(library, text(body, "collection")));
    teach(library, chosen, path.at("concept"), lessons);
  });
  return json_answer(TaughtAnswer{path.at("concept"), std::ssize(lessons)});
}

}  // namespace

void add_detect_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/concepts", [&workspace](const Request& request, const PathValues&) {
                return concepts_answer(workspace, request);
              }});
  router.add({"GET", "/v1/concepts/{concept}",
              [&workspace](const Request& request, const PathValues& path) {
                return concept_answer(workspace, request, path);
              }});
  router.add({"POST", "/v1/detect", [&workspace](const Request& request, const PathValues&) {
                return detect_answer(workspace, request);
              }});
  router.add({.method = "POST",
              .pattern = "/v1/concepts/{concept}/tags",
              .handler =
                  [&workspace](const Request& request, const PathValues& path) {
                    return tag_answer(workspace, request, path);
                  },
              .writes = true});
  router.add({.method = "DELETE",
              .pattern = "/v1/concepts/{concept}/tags",
              .handler =
                  [&workspace](const Request& request, const PathValues& path) {
                    return untag_answer(workspace, request, path);
                  },
              .writes = true});
  router.add({.method = "POST",
              .pattern = "/v1/concepts/{concept}/lessons",
              .handler =
                  [&workspace](const Request& request, const PathValues& path) {
                    return lessons_answer(workspace, request, path);
                  },
              .writes = true});
}

}  // namespace commonplace::server
