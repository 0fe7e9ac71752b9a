#include "app/server/jobs/jobs.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/server/jobs/child_process.h"
#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/io/fields_json.h"

namespace commonplace::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostWaiting = 100;
constexpr std::size_t kRemembered = 100;
constexpr std::size_t kMostError = 4000;

/// What a command prints with --json: one value, or one a line.
std::string result_of(const std::string& output) {
  const Json whole = Json::parse(output, nullptr, false);
  if (!whole.is_discarded()) return whole.dump();
  Json lines = Json::array();
  std::size_t begin = 0;
  while (begin < output.size()) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    Json line = Json::parse(output.substr(begin, end - begin), nullptr, false);
    if (!line.is_discarded()) lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines.dump();
}

bool went_well(int exit_code) {
  return exit_code == app::kSuccess || exit_code == app::kSomeSkipped || exit_code == app::kRefused;
}

std::string event(std::string_view name, const Job& job) {
  return concat("event: ", name, "\ndata: ", to_json(job), "\n\n");
}

}  // namespace

Jobs::Jobs(std::filesystem::path program) : program_(std::move(program)) {
  thread_ = std::thread([this] { work(); });
}

Jobs::~Jobs() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    for (auto& [id, entry] : entries_) entry.cancel = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::optional<std::int64_t> Jobs::start(JobRequest request) {
  std::int64_t id = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() >= kMostWaiting) return std::nullopt;
    id = next_++;
    Entry& entry = entries_[id];
    entry.job.id = id;
    entry.job.task = request.task;
    entry.job.about = request.about;
    entry.request = std::move(request);
    waiting_.push_back(id);
    for (auto each = entries_.begin(); entries_.size() > kRemembered && each != entries_.end();)
      each = each->second.job.ended() ? entries_.erase(each) : std::next(each);
  }
  wake_.notify_all();
  return id;
}

std::optional<Job> Jobs::find(std::int64_t id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return found->second.job;
}

std::vector<Job> Jobs::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Job> result;
  for (auto each = entries_.rbegin(); each != entries_.rend(); ++each)
    result.push_back(each->second.job);
  return result;
}

bool Jobs::cancel(std::int64_t id) {
  std::function<void(bool)> afterwards;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return false;
    found->second.cancel = true;
    const auto place = std::find(waiting_.begin(), waiting_.end(), id);
    if (place == waiting_.end()) return true;
    waiting_.erase(place);
    found->second.job.state = Job::State::cancelled;
    ++found->second.job.change;
    afterwards = found->second.request.afterwards;
  }
  if (afterwards) afterwards(false);
  return true;
}

Stream Jobs::events(std::int64_t id) const {
  auto seen = std::make_shared<std::optional<std::uint64_t>>();
  auto ended = std::make_shared<bool>(false);
  return [this, id, seen, ended]() -> std::optional<std::string> {
    if (*ended) return std::nullopt;
    const std::optional<Job> job = find(id);
    if (!job) return std::nullopt;
    if (job->ended()) {
      *ended = true;
      return event("end", *job);
    }
    if (*seen == job->change) return std::string();
    *seen = job->change;
    return event("progress", *job);
  };
}

void Jobs::change(std::int64_t id, const std::function<void(Job&)>& how) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  how(found->second.job);
  ++found->second.job.change;
}

void Jobs::work() {
  while (true) {
    std::int64_t id = 0;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      id = waiting_.front();
      waiting_.pop_front();
    }
    run(id);
  }
}

void Jobs::run(std::int64_t id) {
  JobRequest request;
  {
    const std::scoped_lock lock(mutex_);
    request = entries_.at(id).request;
    entries_.at(id).job.state = Job::State::running;
    ++entries_.at(id).job.change;
  }
  const auto begin = Clock::now();
  std::string said;
  ChildOptions child;
  child.program = program_;
  child.arguments = request.arguments;
  child.environment = {"COMMONPLACE_PROGRESS=json"};
  child.error_line = [&](const std::string& line) {
    const Json step = Json::parse(line, nullptr, false);
    if (!step.is_object() || !step.contains("stage")) {
      if (said.size() < kMostError) said += (said.empty() ? "" : "\n") + line;
      return;
    }
    change(id, [&](Job& job) {
      job.stage = step.value("stage", "");
      job.done = step.value("done", std::uint64_t{0});
      job.total = step.value("total", std::uint64_t{0});
      job.unit = step.value("unit", "");
      job.seconds = seconds_since(begin);
    });
  };
  child.cancelled = [&] {
    const std::scoped_lock lock(mutex_);
    return entries_.at(id).cancel;
  };
  ChildEnd end;
  try {
    end = run_child(child);
    if (end.cut) end.exit_code = app::kFailure, said += "the answer is too long to be shown";
  } catch (const Error& error) {
    said = error.what();
  }
  const bool done = went_well(end.exit_code);
  const bool cancelled = !done && child.cancelled();
  constexpr std::string_view kPrefix = "commonplace: ";
  if (said.starts_with(kPrefix)) said.erase(0, kPrefix.size());
  if (request.afterwards) request.afterwards(done);
  change(id, [&](Job& job) {
    job.state = done ? Job::State::done : cancelled ? Job::State::cancelled : Job::State::failed;
    job.seconds = seconds_since(begin);
    if (done) job.result = result_of(end.output);
    if (!done && !cancelled) job.error = said.empty() ? "it ended without saying why" : said;
  });
}

}  // namespace commonplace::server
