#include <algorithm>
#include <charconv>

#include "app/server/jobs/job_tasks.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/io/paths.h"

namespace commonplace::server {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostUploaded = 4ULL << 30U;

std::int64_t id_of(const PathValues& path) {
  const std::string& written = path.at("id");
  std::int64_t id = 0;
  const char* end = written.data() + written.size();
  const auto result = std::from_chars(written.data(), end, id);
  if (result.ec != std::errc() || result.ptr != end)
    throw Problem{404, concat("there is no job '", written, "'")};
  return id;
}

Job known_job(const Jobs& jobs, const PathValues& path) {
  std::optional<Job> job = jobs.find(id_of(path));
  if (!job) throw Problem{404, concat("there is no job '", path.at("id"), "'")};
  return std::move(*job);
}

/// The file or folder that was asked for, if it lies below one that may be imported from.
fs::path allowed_source(const std::string& asked, const std::vector<fs::path>& folders) {
  if (folders.empty())
    throw Problem{
        403,
        "paths cannot be added here; start with: commonplace serve LIB --allow-import DIR",
        {},
        "no-import"};
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path root = fs::canonical(folder, error);
    if (error) continue;
    const fs::path whole =
        fs::canonical(fs::path(asked).is_absolute() ? fs::path(asked) : root / asked, error);
    if (error) continue;
    if (is_within(whole, root)) return whole;
  }
  throw Problem{
      403,
      concat("'", asked, "' is not below a folder that may be imported from, or it is not there"),
      {},
      "not-below",
      {{"path", asked}}};
}

/// What `add` may take, and whom it tells.
struct Sources {
  Uploads& uploads;
  std::vector<fs::path> folders;
  std::function<void()> added;
};

JobRequest add_request(Workspace& workspace, const Sources& sources, const Json& asked) {
  for (const auto& [field, value] : asked.items())
    if (field != "task" && field != "collection" && field != "path" && field != "upload" &&
        field != "format" && field != "labels_from_folders" && field != "map")
      throw Problem{400, concat("the task 'add' knows no '", field, "'")};
  JobRequest request;
  request.about = demanded_text(asked, "collection");
  check_collection_name(request.about);
  const std::string upload = text(asked, "upload");
  const std::string path = text(asked, "path");
  if (upload.empty() == path.empty()) throw Problem{400, "give either 'path' or 'upload'"};
  const fs::path source = upload.empty() ? allowed_source(path, sources.folders)
                                         : sources.uploads.source(upload, request.about);
  request.arguments = {"add", "--json"};
  if (const std::string format = text(asked, "format"); !format.empty())
    request.arguments.push_back("--format=" + format);
  if (const std::string map = text(asked, "map"); !map.empty())
    request.arguments.push_back("--map=" + map);
  if (flag(asked, "labels_from_folders")) request.arguments.emplace_back("--labels-from-folders");
  for (const std::string& each :
       {std::string("--"), workspace.path().string(), request.about, source.string()})
    request.arguments.push_back(each);
  request.afterwards = [&uploads = sources.uploads, added = sources.added, upload](bool done) {
    if (!done) return;
    if (!upload.empty()) uploads.remove(upload);
    if (added) added();
  };
  return request;
}

JobRequest request_of(Workspace& workspace, const Sources& sources, const Json& asked) {
  const std::string name = demanded_text(asked, "task");
  JobRequest request;
  if (name == "add") {
    request = add_request(workspace, sources, asked);
  } else {
    const auto& tasks = job_tasks();
    const auto task = std::find_if(tasks.begin(), tasks.end(),
                                   [&](const JobTask& each) { return each.name == name; });
    if (task == tasks.end())
      throw Problem{400, concat("there is no task '", name, "'; there are: add, ",
                                join(tasks, &JobTask::name))};
    const bool harmless = !task->writes || name.starts_with("evaluate-") || flag(asked, "dry_run");
    if (workspace.read_only() && !harmless)
      throw Problem{403, "the server is read-only: nothing can be changed", {}, "read-only"};
    request.arguments = job_arguments(*task, asked, workspace.path().string());
    const auto about = asked.find(task->about);
    if (about != asked.end())
      request.about = about->is_string() ? about->get<std::string>() : about->dump();
  }
  request.task = name;
  return request;
}

Response start_answer(Workspace& workspace, Jobs& jobs, const Sources& sources,
                      const Request& request) {
  const Json asked = json_body(request);
  if (!asked.is_object()) throw Problem{400, "the body is no object of JSON"};
  const std::optional<std::int64_t> id = jobs.start(request_of(workspace, sources, asked));
  if (!id) throw Problem{503, "too many jobs are waiting", {{"Retry-After", "30"}}, "many-jobs"};
  Response response = json_answer(*jobs.find(*id), 202);
  response.headers.emplace_back("Location", concat("/v1/jobs/", *id));
  return response;
}

Response events_answer(const Jobs& jobs, const PathValues& path) {
  const Job job = known_job(jobs, path);
  Response response;
  response.type = "text/event-stream";
  response.stream = jobs.events(job.id);
  return response;
}

/// A page of the groups that the newest ended search for copies found.
Response duplicates_answer(const Jobs& jobs, const Request& request) {
  const std::string about = text(request, "collection");
  const std::int64_t offset = number(request, "offset", 0, 0, 1'000'000'000);
  const std::int64_t limit = number(request, "limit", 50, 1, 1000);
  for (const Job& job : jobs.all()) {
    if (job.task != "duplicates" || job.state != Job::State::done || job.about != about) continue;
    Json found = Json::parse(job.result);
    Json& groups = found["groups"];
    const std::int64_t total = std::ssize(groups);
    Json page = Json::array();
    for (std::int64_t i = offset; i < std::min(total, offset + limit); ++i)
      page.push_back(std::move(groups[static_cast<std::size_t>(i)]));
    groups = std::move(page);
    found["job"] = job.id;
    found["total"] = total;
    return json_answer(found);
  }
  // Nobody has looked yet: there is no job of the number 0.
  return json_answer(Json{{"job", 0},
                          {"total", 0},
                          {"groups", Json::array()},
                          {"compared", {{"pictures", 0}, {"texts", 0}, {"links", 0}}},
                          {"candidates", 0},
                          {"skipped", Json::array()},
                          {"seconds", 0}});
}

Response upload_answer(Uploads& uploads, const Request& request) {
  uploads.sweep();
  std::error_code error;
  const auto bytes = fs::file_size(request.body_file, error);
  if (error) throw Problem{400, "the body is missing: send the file as it is"};
  const std::string id =
      uploads.take(request.body_file, text(request, "name"), text(request, "to"));
  return json_answer(UploadAnswer{id, bytes}, 201);
}

}  // namespace

void add_job_routes(Router& router, Workspace& workspace, Jobs& jobs, Uploads& uploads,
                    const std::vector<fs::path>& folders, const std::function<void()>& added) {
  const Sources sources{uploads, folders, added};
  // What a job may do when nothing may be written is decided by its task.
  router.add(
      {"POST", "/v1/jobs", [&workspace, &jobs, sources](const Request& request, const PathValues&) {
         return start_answer(workspace, jobs, sources, request);
       }});
  router.add({"GET", "/v1/jobs", [&jobs](const Request&, const PathValues&) {
                return json_answer(JobsAnswer{jobs.all()});
              }});
  router.add({"GET", "/v1/jobs/{id}", [&jobs](const Request&, const PathValues& path) {
                return json_answer(known_job(jobs, path));
              }});
  router.add({"GET", "/v1/jobs/{id}/events", [&jobs](const Request&, const PathValues& path) {
                return events_answer(jobs, path);
              }});
  router.add({"DELETE", "/v1/jobs/{id}", [&jobs](const Request&, const PathValues& path) {
                const Job job = known_job(jobs, path);
                jobs.cancel(job.id);
                return json_answer(*jobs.find(job.id));
              }});
  router.add({"GET", "/v1/duplicates", [&jobs](const Request& request, const PathValues&) {
                return duplicates_answer(jobs, request);
              }});
  router.add({"GET", "/v1/uploads/{id}", [&uploads](const Request&, const PathValues& path) {
                const std::string& id = path.at("id");
                return json_answer(UploadFilesAnswer{
                    id, or_not_found([&] { return uploads.files(id); }, "no-upload")});
              }});
  Route upload;
  upload.method = "POST";
  upload.pattern = "/v1/uploads";
  upload.handler = [&uploads](const Request& request, const PathValues&) {
    return upload_answer(uploads, request);
  };
  upload.writes = true;
  upload.to_file = true;
  upload.most_bytes = kMostUploaded;
  router.add(std::move(upload));
}

}  // namespace commonplace::server
