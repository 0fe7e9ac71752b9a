#include <algorithm>

#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

constexpr std::uint64_t kMostLog = 256U << 20U;

std::string log_collection(const Library& library, const Request& request) {
  const std::string name = text(request, "collection");
  return name.empty() ? name : known_collection(library, name).name;
}

Response decision_log_answer(Workspace& workspace, const Request& request) {
  const std::int64_t offset = number(request, "offset", 0, 0, 1LL << 40);
  const std::int64_t limit = number(request, "limit", 100, 0, kMostListed);
  const auto library = workspace.library();
  const std::vector<LoggedDecision> log = decision_log(*library, log_collection(*library, request));
  DecisionsAnswer answer;
  answer.total = std::ssize(log);
  for (std::int64_t i = offset; i < std::min(std::ssize(log), offset + limit); ++i)
    answer.decisions.push_back(log[static_cast<std::size_t>(i)]);
  return json_answer(answer);
}

Response log_export_answer(Workspace& workspace, const Request& request) {
  const auto library = workspace.library();
  Response response;
  response.type = "application/x-ndjson";
  response.body = write_decision_log(decision_log(*library, log_collection(*library, request)));
  response.headers = {{"Content-Disposition", "attachment; filename=\"decisions.jsonl\""}};
  return response;
}

Response log_merge_answer(Workspace& workspace, const Request& request) {
  const std::vector<LoggedDecision> log =
      read_decision_log(demanded_text(json_body(request), "log"));
  MergedAnswer answer;
  workspace.write([&](Library& library) {
    answer.merged = merge_decisions(library, log);
    answer.conflicts = decision_conflicts(library);
  });
  return json_answer(answer);
}

Response conflicts_answer(Workspace& workspace, const Request& request) {
  const auto library = workspace.library();
  return json_answer(
      ConflictsAnswer{decision_conflicts(*library, log_collection(*library, request))});
}

}  // namespace

void add_decision_routes(Router& router, Workspace& workspace) {
  router.add({"GET", "/v1/decisions", [&workspace](const Request& request, const PathValues&) {
                return decision_log_answer(workspace, request);
              }});
  router.add(
      {"GET", "/v1/decisions/export", [&workspace](const Request& request, const PathValues&) {
         return log_export_answer(workspace, request);
       }});
  router.add(
      {"GET", "/v1/decisions/conflicts", [&workspace](const Request& request, const PathValues&) {
         return conflicts_answer(workspace, request);
       }});
  router.add(
      {.method = "POST",
       .pattern = "/v1/decisions/merge",
       .handler = [&workspace](const Request& request,
                               const PathValues&) { return log_merge_answer(workspace, request); },
       .writes = true,
       .most_bytes = kMostLog});
}

}  // namespace commonplace::server
