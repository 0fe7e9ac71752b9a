#include <sstream>

#include "app/server/reading.h"
#include "app/server/routes.h"
#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

/// The model that is asked; Problem 404 if there is none.
std::string known_model(Workspace& workspace, const Request& request) {
  return or_not_found(
      [&] { return relate::model_for(*workspace.library(), text(request, "model")); });
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
  Json json;
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    json = as_json(relations.ask(query));
    // Which kinds are items, so that a page can show them as such.
    for (Json& kind : json["kinds"])
      for (const relate::PlacedModality& each : relations.model().modalities)
        if (each.what.full() == kind["kind"]) {
          kind["collection"] = each.what.collection;
          kind["items"] =
              each.what.of == relate::NodeType::items || each.what.of == relate::NodeType::text;
        }
  });
  return json_answer(json);
}

Response same_tags_answer(Workspace& workspace, const Request& request) {
  const std::int64_t limit = number(request, "limit", 20, 1, 1000);
  Json pairs = Json::array();
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    for (const relate::SameTags& each : relations.same_tags(limit)) pairs.push_back(as_json(each));
  });
  return json_answer({{"pairs", pairs}});
}

Response groups_answer(Workspace& workspace, const Request& request) {
  const std::int64_t count = number(request, "k", 10, 1, 1000);
  const std::int64_t limit = number(request, "limit", 6, 0, 100);
  Json groups = Json::array();
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    for (const relate::Group& group :
         relate::group_relations(relations, count, limit, 1, {.jobs = workspace.jobs()}))
      groups.push_back(as_json(group));
  });
  return json_answer({{"groups", groups}});
}

/// Numbers to four digits, as a screen shows no more.
double short_number(float value) { return std::round(1e4 * double{value}) / 1e4; }

Response map_answer(Workspace& workspace, const Request& request) {
  relate::MapOptions options;
  options.most = number(request, "most", 5000, 10, 20'000);
  const std::int64_t groups = number(request, "groups", 12, 0, 100);
  const std::string model = known_model(workspace, request);
  const std::shared_ptr<const relate::Map> map = workspace.map(model, options, groups);
  Json points = {{"kind", Json::array()},
                 {"x", Json::array()},
                 {"y", Json::array()},
                 {"group", Json::array()},
                 {"name", Json::array()}};
  with_relations(workspace, request, [&](const relate::Answerer& relations) {
    for (const relate::Map::Point& point : map->points) {
      points["kind"].push_back(point.modality);
      points["x"].push_back(short_number(point.x));
      points["y"].push_back(short_number(point.y));
      points["group"].push_back(point.group);
      points["name"].push_back(relations.name_of(point.modality, point.node));
    }
  });
  Json kinds = Json::array();
  for (const relate::Map::Modality& kind : map->modalities)
    kinds.push_back({{"kind", kind.name},
                     {"collection", kind.collection},
                     {"items", kind.items},
                     {"things", kind.nodes},
                     {"drawn", kind.drawn}});
  Json named = Json::array();
  for (const relate::Map::Group& group : map->groups)
    named.push_back({{"name", group.name},
                     {"x", short_number(group.x)},
                     {"y", short_number(group.y)},
                     {"things", group.nodes}});
  return json_answer({{"model", model}, {"kinds", kinds}, {"points", points}, {"groups", named}});
}

}  // namespace

void add_relate_routes(Router& router, Workspace& workspace) {
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
