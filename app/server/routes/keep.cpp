#include <charconv>

#include "app/cli/keep/json.h"
#include "app/server/keeper.h"
#include "app/server/reading.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

/// Looked at anew at most so often, since it takes a stat a file.
constexpr double kFresh = 2;

class UpkeepStatus {
 public:
  UpkeepStatus(Workspace& workspace, const Keeper* keeper)
      : workspace_(workspace), keeper_(keeper) {}

  Json answer() {
    Json json = plan();
    const Keeper::Work work = keeper_ == nullptr ? Keeper::Work{} : keeper_->work();
    json["kept"] = keeper_ != nullptr;
    json["working"] = work.working;
    json["stage"] = work.stage;
    json["done"] = work.done;
    json["total"] = work.total;
    json["unit"] = work.unit;
    json["problem"] = work.problem;
    return json;
  }

 private:
  Json plan() {
    const std::scoped_lock lock(mutex_);
    if (plan_.empty() || seconds_since(looked_) > kFresh) {
      const auto library = workspace_.library();
      plan_ = app::as_json(plan_upkeep(*library, keep_tools()));
      looked_ = Clock::now();
    }
    return plan_;
  }

  Workspace& workspace_;
  const Keeper* keeper_;
  std::mutex mutex_;
  Json plan_;
  Clock::time_point looked_{};
};

std::int64_t run_number(const PathValues& path) {
  const std::string& written = path.at("id");
  std::int64_t id = 0;
  const char* end = written.data() + written.size();
  const auto result = std::from_chars(written.data(), end, id);
  if (result.ec != std::errc() || result.ptr != end)
    throw Problem{404, concat("there is no run '", written, "'")};
  return id;
}

Response runs_answer(Workspace& workspace) {
  Json list = Json::array();
  for (const MachineRun& each : machine_runs(*workspace.library()))
    list.push_back(app::as_json(each));
  return json_answer(Json{{"runs", list}});
}

Response change_answer(Workspace& workspace, const PathValues& path, bool undo) {
  const std::int64_t id = run_number(path);
  Json json;
  workspace.write([&](Library& library) {
    or_not_found([&] { return machine_run(library, id); });
    const std::int64_t changed = undo ? undo_run(library, id) : restore_run(library, id);
    json = app::as_json(machine_run(library, id));
    json["changed"] = changed;
  });
  return json_answer(json);
}

}  // namespace

void add_keep_routes(Router& router, Workspace& workspace, const Keeper* keeper) {
  const auto status = std::make_shared<UpkeepStatus>(workspace, keeper);
  router.add({"GET", "/v1/status", [status](const Request&, const PathValues&) {
                return json_answer(status->answer());
              }});
  router.add({"GET", "/v1/runs",
              [&workspace](const Request&, const PathValues&) { return runs_answer(workspace); }});
  for (const bool undo : {true, false})
    router.add({.method = "POST",
                .pattern = undo ? "/v1/runs/{id}/undo" : "/v1/runs/{id}/restore",
                .handler =
                    [&workspace, undo](const Request&, const PathValues& path) {
                      return change_answer(workspace, path, undo);
                    },
                .writes = true});
}

}  // namespace commonplace::server
