#include <algorithm>
#include <map>
#include <set>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/export.h"
#include "commonplace/library/items/item_facts.h"
#include "commonplace/library/tags/change_tags.h"
#include "commonplace/library/tags/tag_uses.h"

namespace commonplace::server {
namespace {

constexpr std::size_t kMostChanges = 100;

/// Rows of each collection that was found in, in the order of what was found.
using FoundRows = std::map<std::string, std::vector<std::int64_t>>;

FoundRows rows_of(const search::Results& results) {
  FoundRows rows;
  results.visit([&](const search::Answerer& searcher, std::int64_t row) {
    rows[searcher.collection()].push_back(row);
  });
  return rows;
}

std::shared_ptr<const search::Results> found(Workspace& workspace, const std::string& query,
                                             const std::vector<std::string>& in, bool words_only) {
  for (const std::string& name : in) known_collection(*workspace.library(), name);
  return workspace.search(query, in, {}, words_only, Workspace::kMostHits);
}

std::shared_ptr<const search::Results> found(Workspace& workspace, const Request& request) {
  return found(workspace, text(request, "q"), request.values("collection"),
               flag(request, "words_only"));
}

using Named = std::set<std::pair<std::string, std::string>>;

Named named_items(const Json& body, const char* field) {
  Named items;
  if (!body.contains(field)) return items;
  if (!body[field].is_array())
    throw Problem{400, concat("'", field, "' is not a list of {\"collection\", \"id\"}")};
  for (const Json& each : body[field])
    items.emplace(demanded_text(each, "collection"), demanded_text(each, "id"));
  return items;
}

/// The items that a body names one by one, or by a search.
std::vector<CollectionItems> selected(Workspace& workspace, const Json& body) {
  std::map<std::string, std::vector<std::string>> ids;
  if (body.contains("search")) {
    const Json& search = body["search"];
    if (!search.is_object()) throw Problem{400, "'search' is not an object"};
    const Named left_out = named_items(body, "except");
    const auto results = search.contains("like")
                             ? workspace.like(text(search, "like_collection"), text(search, "like"),
                                              {}, Workspace::kMostHits)
                             : found(workspace, text(search, "q"), texts(search, "collection"),
                                     flag(search, "words_only"));
    const auto library = workspace.library();
    for (const auto& [name, rows] : rows_of(*results))
      for (std::string& id : ids_of_rows(*library, known_collection(*library, name), rows))
        if (!id.empty() && !left_out.contains({name, id})) ids[name].push_back(std::move(id));
  } else {
    for (const auto& [name, id] : named_items(body, "items")) ids[name].push_back(id);
    if (ids.empty()) throw Problem{400, "give 'items' or a 'search'"};
  }
  std::vector<CollectionItems> result;
  const auto library = workspace.library();
  for (auto& [name, of_collection] : ids)
    result.push_back({known_collection(*library, name), std::move(of_collection)});
  return result;
}

/// What a search finds at this moment by name, so that it stays the same when its tags change.
Response selection_answer(Workspace& workspace, const Request& request) {
  SelectionAnswer answer;
  for (auto& [collection, ids] : selected(workspace, json_body(request)))
    answer.collections.push_back({collection.name, std::move(ids)});
  return json_answer(answer);
}

TagChange change_of(const Json& json) {
  static const std::map<std::string, TagChange::Kind> kKinds = {
      {"add", TagChange::Kind::add},
      {"remove", TagChange::Kind::remove},
      {"accept", TagChange::Kind::accept},
      {"reject", TagChange::Kind::reject}};
  const std::string word = demanded_text(json, "do");
  const auto kind = kKinds.find(word);
  if (kind == kKinds.end())
    throw Problem{400, concat("'do' is '", word, "'; expected add, remove, accept or reject")};
  return {kind->second, text(json, "tag")};
}

Response changes_answer(Workspace& workspace, const Request& request) {
  const Json body = json_body(request);
  if (!body.is_object() || !body.contains("changes") || !body["changes"].is_array())
    throw Problem{400, "'changes' is missing: a list of {\"do\", \"tag\"}"};
  if (body["changes"].size() > kMostChanges)
    throw Problem{413, concat("at most ", kMostChanges, " changes at a time")};
  std::vector<TagChange> changes;
  for (const Json& each : body["changes"]) changes.push_back(change_of(each));
  const std::vector<CollectionItems> items = selected(workspace, body);
  std::int64_t count = 0;
  for (const CollectionItems& each : items) count += std::ssize(each.ids);
  DecisionRun run;
  workspace.write(
      [&](Library& library) { run = decide(library, decisions_for(library, items, changes)); });
  return json_answer(ChangeAnswer{run, count});
}

Response undo_answer(Workspace& workspace, const Request& request) {
  const Json body = json_body(request);
  constexpr std::int64_t most = 1LL << 62;
  const DecisionRun run = {number(body, "first", 0, 0, most), number(body, "last", 0, 0, most), 0};
  if (run.first < 1 || run.last < run.first)
    throw Problem{400, "give 'first' and 'last' as the changes were answered"};
  DecisionRun back;
  workspace.write([&](Library& library) { back = undo(library, run); });
  return json_answer(ChangeAnswer{back});
}

Response export_answer(Workspace& workspace, const Request& request) {
  const Json body = json_body(request);
  const std::string format = demanded_text(body, "format");
  if (format != "jsonl" && format != "csv" && format != "bookmarks")
    throw Problem{400, concat("'format' is '", format, "'; expected jsonl, csv or bookmarks")};
  const std::vector<CollectionItems> items = selected(workspace, body);
  const auto library = workspace.library();
  std::vector<Item> read;
  for (const auto& [collection, ids] : items) {
    ItemReader reader(*library, collection);
    for (const std::string& id : ids)
      if (std::optional<Item> item = reader.find(id)) read.push_back(std::move(*item));
  }
  std::size_t at = 0;
  const ItemSource source = [&](Item& item) {
    if (at == read.size()) return false;
    item = std::move(read[at++]);
    return true;
  };
  Response response;
  const Output out = [&](std::string_view bytes) { response.body += bytes; };
  if (format == "jsonl") write_jsonl(source, out);
  if (format == "csv") write_csv(source, ',', out);
  if (format == "bookmarks") write_bookmarks(source, "Bookmarks", out);
  response.type = format == "jsonl" ? "application/x-ndjson"
                  : format == "csv" ? "text/csv; charset=utf-8"
                                    : "text/html; charset=utf-8";
  response.headers = {
      {"Content-Disposition",
       concat("attachment; filename=\"items.", format == "bookmarks" ? "html" : format, "\"")}};
  return response;
}

/// What facets are counted by, read once for each state of a collection.
struct Countable {
  ItemFacts facts;
  TagMatrix tags;
};

class Countables {
 public:
  explicit Countables(Workspace& workspace) : workspace_(workspace) {}
  std::shared_ptr<const Countable> of(const Library& library, const Collection& collection) {
    return cache_.get(collection.name, state_of(library, collection) + machine_state(library),
                      [this, collection] {
                        const auto reading = workspace_.library();
                        auto made = std::make_shared<Countable>();
                        made->facts = item_facts(*reading, collection);
                        made->tags = tag_matrix(*reading, collection);
                        return std::shared_ptr<const Countable>(made);
                      });
  }

 private:
  Workspace& workspace_;
  RevalidatingCache<const Countable> cache_{64};
};

/// How many items there are of each day, month or year, whichever makes a few dozen bars.
Timeline timeline_of(const std::vector<std::int64_t>& times) {
  constexpr std::int64_t day = 86'400;
  Timeline timeline;
  if (times.empty()) return timeline;
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  const std::int64_t days = (*last - *first) / day;
  const std::size_t length = days <= 92 ? 10 : days <= 8 * 366 ? 7 : 4;
  std::map<std::string, std::int64_t> counts;
  for (const std::int64_t time : times) ++counts[time_of_epoch(time).substr(0, length)];
  for (const auto& [from, items] : counts) timeline.counts.push_back({from, items});
  timeline.step = length == 10 ? TimeStep::day : length == 7 ? TimeStep::month : TimeStep::year;
  return timeline;
}

/// Names and their counts, most first.
template <class Count>
std::vector<Count> most_first(const std::map<std::string, std::int64_t>& counts,
                              std::size_t limit) {
  std::vector<Count> sorted;
  for (const auto& [name, items] : counts) sorted.push_back({name, items});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Count& a, const Count& b) { return a.items > b.items; });
  if (sorted.size() > limit) sorted.resize(limit);
  return sorted;
}

Response facets_answer(Workspace& workspace, Countables& countables, const Request& request) {
  const auto most = static_cast<std::size_t>(number(request, "tags", 30, 0, 1000));
  const auto results = found(workspace, request);
  const auto library = workspace.library();
  FacetsAnswer answer;
  answer.total = std::min(results->total(), Workspace::kMostHits);
  std::map<std::string, std::int64_t> tags;
  std::map<std::string, std::int64_t> years;
  std::vector<std::int64_t> times;
  results->visit([&](const search::Answerer& searcher, std::int64_t row) {
    if (const auto time = searcher.time_of(row)) {
      times.push_back(*time);
      ++years[time_of_epoch(*time).substr(0, 4)];
    }
  });
  for (const auto& [name, rows] : rows_of(*results)) {
    const auto countable = countables.of(*library, known_collection(*library, name));
    answer.collections.push_back({name, std::ssize(rows)});
    std::vector<std::int64_t> uses(countable->tags.names.size());
    const SparseView counts = countable->tags.counts.view();
    for (const std::int64_t row : rows) {
      // The results may be a moment older or newer than what is counted by.
      if (row >= std::ssize(countable->facts.place) || row >= counts.rows) continue;
      const auto at = static_cast<std::size_t>(row);
      ++(countable->facts.picture[at] != 0 ? answer.kinds.picture : answer.kinds.text);
      if (countable->facts.link[at] != 0) ++answer.kinds.link;
      if (countable->facts.automatic[at] != 0) ++answer.automatic;
      if (countable->facts.place[at]) ++answer.placed;
      if (counts.row_indices(row).empty()) ++answer.untagged;
      for (const std::int32_t tag : counts.row_indices(row)) ++uses[static_cast<std::size_t>(tag)];
    }
    for (std::size_t tag = 0; tag < uses.size(); ++tag)
      if (uses[tag] > 0) tags[countable->tags.names[tag]] += uses[tag];
  }
  answer.tags = most_first<TagCount>(tags, most);
  answer.years = most_first<YearCount>(years, most);
  answer.timeline = timeline_of(times);
  return json_answer(answer);
}

Response places_answer(Workspace& workspace, Countables& countables, const Request& request) {
  const auto results = found(workspace, request);
  const auto library = workspace.library();
  PlacesAnswer answer;
  answer.total = std::min(results->total(), Workspace::kMostHits);
  for (const auto& [name, rows] : rows_of(*results)) {
    const Collection chosen = known_collection(*library, name);
    const auto countable = countables.of(*library, chosen);
    std::vector<std::int64_t> placed;
    for (const std::int64_t row : rows)
      if (row < std::ssize(countable->facts.place) &&
          countable->facts.place[static_cast<std::size_t>(row)])
        placed.push_back(row);
    std::vector<std::string> names = ids_of_rows(*library, chosen, placed);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const Place& place = *countable->facts.place[static_cast<std::size_t>(placed[i])];
      answer.points.collection.push_back(answer.collections.size());
      answer.points.id.push_back(std::move(names[i]));
      answer.points.latitude.push_back(place.latitude);
      answer.points.longitude.push_back(place.longitude);
    }
    answer.collections.push_back({name, std::count(countable->facts.picture.begin(),
                                                   countable->facts.picture.end(), 1) > 0});
  }
  return json_answer(answer);
}

}  // namespace

void add_select_routes(Router& router, Workspace& workspace) {
  constexpr std::size_t most_bytes = 16U << 20U;
  const auto countables = std::make_shared<Countables>(workspace);
  router.add(
      {.method = "POST",
       .pattern = "/v1/selection",
       .handler = [&workspace](const Request& request,
                               const PathValues&) { return selection_answer(workspace, request); },
       .most_bytes = most_bytes});
  router.add(
      {.method = "POST",
       .pattern = "/v1/changes",
       .handler = [&workspace](const Request& request,
                               const PathValues&) { return changes_answer(workspace, request); },
       .writes = true,
       .most_bytes = most_bytes});
  router.add(
      {.method = "POST",
       .pattern = "/v1/changes/undo",
       .handler = [&workspace](const Request& request,
                               const PathValues&) { return undo_answer(workspace, request); },
       .writes = true});
  router.add(
      {.method = "POST",
       .pattern = "/v1/export",
       .handler = [&workspace](const Request& request,
                               const PathValues&) { return export_answer(workspace, request); },
       .most_bytes = most_bytes});
  router.add(
      {"GET", "/v1/facets", [&workspace, countables](const Request& request, const PathValues&) {
         return facets_answer(workspace, *countables, request);
       }});
  router.add(
      {"GET", "/v1/places", [&workspace, countables](const Request& request, const PathValues&) {
         return places_answer(workspace, *countables, request);
       }});
}

}  // namespace commonplace::server
