#include <sstream>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/relate/place_by_time.h"

namespace commonplace::server {
namespace {

/// The model that is asked; Problem 404 if there is none.
std::string known_model(Workspace& workspace, const Request& request) {
  return or_not_found(
      [&] { return relate::model_for(*workspace.library(), text(request, "model")); }, "no-model",
      {{"kind", "relate"}, {"collection", text(request, "collection")}});
}

void with_relations(Workspace& workspace, const Request& request,
                    const std::function<void(const relate::Answerer&)>& ask) {
  workspace.with_relations(known_model(workspace, request), ask);
}

Response relate_answer(Workspace& workspace, const Request& request) {
  relate::Query query;
  query.item = text(request, "item");
  query.collection = text(request, "collection");
  query.tag = text(request, "tag");
  query.text = text(request, "text");
  if (const std::string at = text(request, "at"); !at.empty()) query.at = relate::parse_place(at);
  std::istringstream kinds(text(request, "kinds"));
  for (std::string kind; std::getline(kinds, kind, ',');)
    if (!kind.empty()) query.modalities.push_back(kind);
  query.limit = number(request, "limit", 10, 1, 1000);
  query.explain = flag(request, "explain");
  if (!query.collection.empty()) {
    const auto library = workspace.library();
    const Collection chosen = known_collection(*library, query.collection);
    if (!query.item.empty()) known_item(*library, chosen, query.item);
  }
  relate::Answer answer;
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    answer = relations.ask(query);
    // Which kinds are items, so that a page can show them as such.
    for (relate::RelatedNodes& kind : answer.modalities)
      for (const relate::PlacedModality& each : relations.model().modalities)
        if (each.what.full() == kind.modality) {
          kind.collection = each.what.collection;
          kind.items =
              each.what.of == relate::NodeType::items || each.what.of == relate::NodeType::text;
        }
  });
  return json_answer(answer);
}

/// What a model of relations tells of an item from its contents; nothing where there is none.
std::optional<relate::PlaceWithin> told_by_contents(Workspace& workspace, const Request& request,
                                                    const Collection& collection,
                                                    const std::string& id) {
  std::optional<relate::PlaceWithin> guess;
  try {
    with_relations(workspace, request, [&](const relate::Answerer& relations) {
      relate::Query query;
      query.item = id;
      query.collection = collection.name;
      query.limit = 1;
      if (const auto told = relate::told(relations.ask(query).guess))
        guess = relate::PlaceWithin{told->place, told->radius};
    });
  } catch (const Problem&) {
    return std::nullopt;  // there is no model
  } catch (const StorageError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;  // it knows nothing of this collection, or of items so new
  }
  return guess;
}

Response place_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const auto library = workspace.library();
  const Collection chosen = known_collection(*library, path.at("c"));
  const Item item = known_item(*library, chosen, path.at("id"));
  std::optional<relate::PlaceWithin> by_contents;
  if (!item.place) by_contents = told_by_contents(workspace, request, chosen, item.id);
  return json_answer(relate::place_of(relate::PlacesByTime(*library, chosen), item, by_contents));
}

Response same_tags_answer(Workspace& workspace, const Request& request) {
  const std::int64_t limit = number(request, "limit", 20, 1, 1000);
  SameTagsAnswer answer;
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    answer.pairs = relations.same_tags(limit);
  });
  return json_answer(answer);
}

Response groups_answer(Workspace& workspace, const Request& request) {
  const std::int64_t count = number(request, "k", 10, 1, 1000);
  const std::int64_t limit = number(request, "limit", 6, 0, 100);
  GroupsAnswer answer;
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    answer.groups = relate::group_relations(relations, count, limit, 1, {.jobs = workspace.jobs()});
  });
  return json_answer(answer);
}

Response map_answer(Workspace& workspace, const Request& request) {
  relate::MapOptions options;
  options.most = number(request, "most", 5000, 10, 20'000);
  const std::int64_t groups = number(request, "groups", 12, 0, 100);
  const std::string model = known_model(workspace, request);
  const std::shared_ptr<const relate::Map> map = workspace.map(model, options, groups);
  MapAnswer answer = {model, map->modalities, {}, map->groups};
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    for (const relate::Map::Point& point : map->points) {
      answer.points.kind.push_back(point.modality);
      answer.points.x.push_back(relate::short_number(point.x));
      answer.points.y.push_back(relate::short_number(point.y));
      answer.points.group.push_back(point.group);
      answer.points.name.push_back(relations.name_of(point.modality, point.node));
    }
  });
  return json_answer(answer);
}

}  // namespace

void add_relate_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/collections/{c}/items/{id}/place",
              [&workspace](const Request& request, const PathValues& path) {
                return place_answer(workspace, request, path);
              }});
  router.add({"GET", "/v1/relate", [&workspace](const Request& request, const PathValues&) {
                return relate_answer(workspace, request);
              }});
  router.add({"GET", "/v1/same-tags", [&workspace](const Request& request, const PathValues&) {
                return same_tags_answer(workspace, request);
              }});
  router.add({"GET", "/v1/groups", [&workspace](const Request& request, const PathValues&) {
                return groups_answer(workspace, request);
              }});
  router.add({"GET", "/v1/map", [&workspace](const Request& request, const PathValues&) {
                return map_answer(workspace, request);
              }});
}

}  // namespace commonplace::server
