#include <algorithm>
#include <map>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/features/picture.h"
#include "commonplace/search/topics.h"

namespace commonplace::server {
namespace {

constexpr std::int64_t kMostAtOnce = 1000;
constexpr std::int64_t kMostExplained = 100;
constexpr std::size_t kMostPicture = 16U << 20U;

/// Which of the hits are asked for, and how.
struct Page {
  explicit Page(const Request& request)
      : explain(flag(request, "explain")),
        words_only(flag(request, "words_only")),
        offset(number(request, "offset", 0, 0, 1LL << 40)),
        limit(number(request, "limit", 50, 0, explain ? kMostExplained : kMostAtOnce)) {}
  std::int64_t until() const { return offset + limit; }

  bool explain;
  bool words_only;
  std::int64_t offset;
  std::int64_t limit;
};

/// A hit with what lists show of its item.
Hit hit_of(Workspace& workspace, const Collection& collection, search::Hit hit,
           const std::vector<std::string>& words) {
  Item item;
  item.id = hit.id;
  item.title = hit.title;
  item.text = std::move(hit.text);
  item.time = std::move(hit.time);
  item.metadata = std::move(hit.metadata);
  item.image = std::move(hit.picture);
  for (const std::string& tag : hit.tags) item.tags.emplace_back().name = tag;
  return {brief(workspace, collection, item, words), std::move(hit)};
}

Response hits_answer(Workspace& workspace, const Page& page, const std::string& query,
                     Clock::time_point begin, const search::Results& results,
                     const std::vector<std::string>& words) {
  search::Options options;
  options.explain = page.explain;
  options.words_only = page.words_only;
  HitsAnswer answer = {
      query, 0, std::min(results.total(), Workspace::kMostHits), results.unknown(), {}};
  const auto library = workspace.library();
  std::map<std::string, Collection> collections;
  for (search::Hit& hit : results.page(page.offset, page.limit, options)) {
    auto known = collections.find(hit.collection);
    if (known == collections.end())
      known = collections.emplace(hit.collection, collection(*library, hit.collection)).first;
    answer.hits.push_back(hit_of(workspace, known->second, std::move(hit), words));
  }
  answer.milliseconds = 1000 * seconds_since(begin);
  return json_answer(answer);
}

/// What is written in the query language; what cannot be understood is said with where it stands.
search::Query understood(const std::string& query) {
  try {
    return search::parse_query(query);
  } catch (const Error& error) {
    throw Problem{400, error.what(), {}, "query", {{"query", query}, {"why", error.what()}}};
  }
}

search::Order search_order(const std::string& word) {
  if (word.empty() || word == "best") return search::Order::best;
  if (word == "newest") return search::Order::newest;
  if (word == "oldest") return search::Order::oldest;
  throw Problem{400, concat("'order' is '", word, "'; expected best, newest or oldest")};
}

Response search_answer(Workspace& workspace, const Request& request) {
  const auto begin = Clock::now();
  const Page page(request);
  const std::string query = text(request, "q");
  const std::vector<std::string> in = request.values("collection");
  for (const std::string& name : in) known_collection(*workspace.library(), name);
  const search::Query read = understood(query);
  return hits_answer(workspace, page, query, begin,
                     *workspace.search(query, in, request.values("model"), page.words_only,
                                       page.until(), search_order(text(request, "order"))),
                     read.words);
}

Response like_answer(Workspace& workspace, const Request& request) {
  const auto begin = Clock::now();
  const Page page(request);
  const std::string id = text(request, "id");
  {
    const auto library = workspace.library();
    known_item(*library, known_collection(*library, text(request, "collection")), id);
  }
  return hits_answer(
      workspace, page, id, begin,
      *workspace.like(text(request, "collection"), id, request.values("in"), page.until()), {});
}

/// Refuses what is no picture, before features are made of it.
void require_picture(const std::string& bytes) {
  try {
    decode_picture(bytes, "the picture");
  } catch (const Error& error) {
    throw Problem{400, error.what(), {}, "broken-picture"};
  }
}

Response like_picture_answer(Workspace& workspace, const Request& request) {
  const auto begin = Clock::now();
  const Page page(request);
  const std::vector<std::string> in = request.values("collection");
  for (const std::string& name : in) known_collection(*workspace.library(), name);
  require_picture(request.body);
  return hits_answer(workspace, page, "", begin,
                     *workspace.like_picture(request.body, in, page.until()), {});
}

Response topics_answer(Workspace& workspace, const Request& request) {
  const std::string wanted = text(request, "model");
  const auto limit = static_cast<std::size_t>(number(request, "limit", 20, 1, 1000));
  const auto terms = static_cast<std::size_t>(number(request, "terms", 10, 1, 100));
  const auto examples = static_cast<std::size_t>(number(request, "examples", 3, 0, 20));
  const auto library = workspace.library();
  TopicsAnswer answer;
  for (const ModelRecord& record : model_records(*library)) {
    if (record.kind != search::kModelKind || (!wanted.empty() && record.name != wanted)) continue;
    const search::Model model = search::load_model(TensorFile(record.file));
    if (!has_collection(*library, model.target)) continue;
    const search::Index index = search::open_index(*library, collection(*library, model.target),
                                                   &record, &model, {.jobs = workspace.jobs()});
    std::vector<search::TopicSummary> found =
        search::topic_summaries(*library, model, index, terms, examples, workspace.jobs());
    if (found.size() > limit) found.resize(limit);
    answer.models.push_back({record.name, std::move(found)});
  }
  if (answer.models.empty() && !wanted.empty())
    throw Problem{404,
                  concat("there is no search model '", wanted, "'"),
                  {},
                  "no-model",
                  {{"kind", "search"}, {"collection", ""}}};
  return json_answer(answer);
}

}  // namespace

void add_search_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/search", [&workspace](const Request& request, const PathValues&) {
                return search_answer(workspace, request);
              }});
  router.add({"GET", "/v1/like", [&workspace](const Request& request, const PathValues&) {
                return like_answer(workspace, request);
              }});
  router.add({.method = "POST",
              .pattern = "/v1/like-picture",
              .handler = [&workspace](
                             const Request& request,
                             const PathValues&) { return like_picture_answer(workspace, request); },
              .any_type = true,
              .most_bytes = kMostPicture});
  router.add({"GET", "/v1/topics", [&workspace](const Request& request, const PathValues&) {
                return topics_answer(workspace, request);
              }});
}

}  // namespace commonplace::server
