// suggest::Suggestion in the shape of Annif's REST interface: a project is a suggest model.
#include <cstdio>
#include <span>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/items/import_items.h"

namespace commonplace::server {
namespace {

constexpr std::size_t kMostDocuments = 32;
constexpr std::size_t kMostLearned = 1000;
constexpr std::string_view kUri = "urn:commonplace:tag:";

AnnifProject project_of(const ModelRecord& record) {
  return {.project_id = record.name,
          .name = record.name,
          .language = Json::parse(record.options).value("language", ""),
          .modification_time = record.created};
}

ModelRecord known_project(const Library& library, const std::string& id) {
  for (ModelRecord& record : model_records(library))
    if (record.name == id && record.kind == suggest::kModelKind) return std::move(record);
  throw Problem{404, concat("there is no project '", id, "'")};
}

AnnifResults results_of(const suggest::Answer& answer) {
  AnnifResults results;
  for (const suggest::Suggestion& each : answer.suggestions)
    results.results.push_back(
        {std::string(kUri) + percent_encoded(each.tag), each.tag, {}, each.confidence});
  return results;
}

suggest::Options options_of(std::int64_t limit, std::optional<double> threshold) {
  suggest::Options options;
  options.limit = limit;
  // Annif's default: whoever asks for no threshold gets as many as the limit says.
  options.threshold = threshold.value_or(0);
  return options;
}

std::vector<suggest::Answer> suggest(Workspace& workspace, const std::string& project,
                                     const std::vector<std::string>& documents,
                                     const suggest::Options& options) {
  known_project(*workspace.library(), project);
  std::vector<suggest::EvidenceOf> things;
  for (const std::string& each : documents) things.push_back({each, {}, {}});
  std::vector<suggest::Answer> answers;
  workspace.with_suggester(project, [&](const suggest::Answerer& suggester) {
    answers = suggester.ask(things, options);
  });
  return answers;
}

Response suggest_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  // A form, as Annif has it; its fields are read as a query is.
  Request form;
  const auto fields = parse_form(request.body);
  if (!fields) throw Problem{400, "the body is not a form: text=...&limit=...&threshold=..."};
  form.query = *fields;
  const std::optional<std::string> document = form.value("text");
  if (!document) throw Problem{400, "'text' is missing"};
  const suggest::Options options =
      options_of(number(form, "limit", 10, 1, 1000), share(form, "threshold"));
  return json_answer(results_of(suggest(workspace, path.at("id"), {*document}, options).at(0)));
}

Response batch_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const Json body = json_body(request);
  if (!body.is_object() || !body.contains("documents") || !body["documents"].is_array())
    throw Problem{400, "'documents' is missing: a list of {\"document_id\", \"text\"}"};
  if (body["documents"].size() > kMostDocuments)
    throw Problem{400, concat("at most ", kMostDocuments, " documents at a time")};
  const suggest::Options options =
      options_of(number(request, "limit", 10, 1, 1000), share(request, "threshold"));
  std::vector<std::string> documents;
  std::vector<AnnifDocument> answer;
  for (const Json& each : body["documents"]) {
    documents.push_back(demanded_text(each, "text"));
    const std::string id = text(each, "document_id");
    answer.push_back({id.empty() ? std::nullopt : std::optional(id), {}});
  }
  const std::vector<suggest::Answer> found = suggest(workspace, path.at("id"), documents, options);
  for (std::size_t i = 0; i < found.size(); ++i) answer[i].answer = results_of(found[i]);
  return json_answer(answer);
}

/// Of a text that is learned; the same text is the same item.
std::string id_of(const std::string& text) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(text)));
  char id[40];
  std::snprintf(id, sizeof id, "learned-%016llx", static_cast<unsigned long long>(hash.digest()));
  return id;
}

std::string tag_of(const Json& subject) {
  const std::string label = text(subject, "label");
  if (!label.empty()) return label;
  const std::string uri = text(subject, "uri");
  const auto tag = uri.starts_with(kUri) ? percent_decoded(uri.substr(kUri.size())) : std::nullopt;
  if (!tag || tag->empty())
    throw Problem{400, concat("a subject has neither a label nor a uri that begins with ", kUri)};
  return *tag;
}

Response learn_answer(Workspace& workspace, const Request& request, const PathValues& path) {
  const Json body = json_body(request);
  if (!body.is_array())
    throw Problem{400, "the body is no list of {\"text\", \"subjects\": [{\"uri\", \"label\"}]}"};
  if (body.size() > kMostLearned)
    throw Problem{413, concat("at most ", kMostLearned, " documents at a time")};
  std::vector<Item> items;
  for (const Json& each : body) {
    Item& item = items.emplace_back();
    item.text = demanded_text(each, "text");
    item.id = id_of(item.text);
    if (!each.contains("subjects") || !each["subjects"].is_array())
      throw Problem{400, "'subjects' is missing: a list of {\"uri\", \"label\"}"};
    for (const Json& subject : each["subjects"]) {
      ItemTag& tag = item.tags.emplace_back();
      tag.name = tag_of(subject);
    }
  }
  const ModelRecord record = known_project(*workspace.library(), path.at("id"));
  const std::string of = Json::parse(record.report).value("collection", "");
  workspace.write([&](Library& library) {
    add_items(library, known_collection(library, of), std::move(items));
  });
  workspace.with_suggester(record.name, [](const suggest::Answerer&) {});
  Response nothing;
  nothing.status = 204;
  nothing.type.clear();
  return nothing;
}

}  // namespace

void add_suggest_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/projects", [&workspace](const Request&, const PathValues&) {
                AnnifProjects answer;
                for (const ModelRecord& record : model_records(*workspace.library()))
                  if (record.kind == suggest::kModelKind)
                    answer.projects.push_back(project_of(record));
                return json_answer(answer);
              }});
  router.add({"GET", "/v1/projects/{id}", [&workspace](const Request&, const PathValues& path) {
                return json_answer(project_of(known_project(*workspace.library(), path.at("id"))));
              }});
  router.add({"POST", "/v1/projects/{id}/suggest",
              [&workspace](const Request& request, const PathValues& path) {
                return suggest_answer(workspace, request, path);
              }});
  router.add({"POST", "/v1/projects/{id}/suggest-batch",
              [&workspace](const Request& request, const PathValues& path) {
                return batch_answer(workspace, request, path);
              }});
  router.add({.method = "POST",
              .pattern = "/v1/projects/{id}/learn",
              .handler =
                  [&workspace](const Request& request, const PathValues& path) {
                    return learn_answer(workspace, request, path);
                  },
              .writes = true,
              .most_bytes = 8U << 20U});
}

}  // namespace commonplace::server
