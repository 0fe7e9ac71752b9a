#include "app/server/keeper.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "app/server/jobs/child_process.h"
#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/io/folder_state.h"

namespace commonplace::server {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::uint32_t kChanges = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                   IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr milliseconds kStep{200};
constexpr std::size_t kMostComplaint = 1000;

}  // namespace

FolderWatch::FolderWatch() : file_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

FolderWatch::~FolderWatch() {
  if (file_ >= 0) ::close(file_);
}

void FolderWatch::watch(const std::vector<fs::path>& sources) {
  const std::set<fs::path> wanted(sources.begin(), sources.end());
  if (wanted == sources_ || file_ < 0) return;
  for (const auto& [number, folder] : folders_) ::inotify_rm_watch(file_, number);
  folders_.clear();
  sources_ = wanted;
  for (const fs::path& each : wanted) add(each);
}

void FolderWatch::add(const fs::path& source) {
  std::error_code error;
  // A file is watched by its folder: programs put a new one in its place.
  const bool folder = fs::is_directory(source, error);
  const std::vector<fs::path> all =
      folder ? folders_below(source) : std::vector<fs::path>{source.parent_path()};
  for (const fs::path& each : all) {
    const int number = ::inotify_add_watch(file_, each.c_str(), kChanges);
    // Without a watch, as where there are too many, it is seen at the next look.
    if (number >= 0) folders_[number] = each;
  }
}

bool FolderWatch::wait(milliseconds time) {
  if (file_ < 0) {
    std::this_thread::sleep_for(time);
    return false;
  }
  pollfd waits{file_, POLLIN, 0};
  if (::poll(&waits, 1, static_cast<int>(time.count())) <= 0) return false;
  alignas(inotify_event) std::array<char, 1U << 14U> buffer;
  std::vector<fs::path> made;
  bool any = false;
  for (ssize_t size = 0; (size = ::read(file_, buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      any = true;
      const auto folder = folders_.find(event->wd);
      if (folder != folders_.end() && event->len > 0 && (event->mask & IN_ISDIR) != 0 &&
          (event->mask & (IN_CREATE | IN_MOVED_TO)) != 0)
        made.push_back(folder->second / event->name);
      if ((event->mask & IN_IGNORED) != 0) folders_.erase(event->wd);
    }
  }
  for (const fs::path& each : made) add(each);
  return any;
}

Keeper::Keeper(KeeperOptions options) : options_(std::move(options)) {
  thread_ = std::thread([this] { live(); });
}

Keeper::~Keeper() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  thread_.join();
}

Keeper::Work Keeper::work() const {
  const std::scoped_lock lock(mutex_);
  return work_;
}

void Keeper::wake() {
  const std::scoped_lock lock(mutex_);
  woken_ = true;
}

bool Keeper::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stopping_;
}

/// Until something has changed and stays as it is, it is asked to look, or the time has come.
bool Keeper::wait_for_change() {
  const auto begun = Clock::now();
  auto first = begun;
  auto last = begun;
  bool changed = false;
  const auto passed = [](Clock::time_point since) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - since);
  };
  while (!stopping()) {
    {
      const std::scoped_lock lock(mutex_);
      if (std::exchange(woken_, false)) return true;
    }
    if (watch_.wait(kStep)) {
      last = Clock::now();
      if (!changed) first = last;
      changed = true;
    }
    if (changed && (passed(last) >= options_.quiet || passed(first) >= options_.most)) return true;
    if (passed(begun) >= options_.look) return true;
  }
  return false;
}

void Keeper::live() {
  while (wait_for_change()) {
    try {
      look();
    } catch (const std::exception& error) {
      const std::scoped_lock lock(mutex_);
      work_.problem = error.what();
    }
  }
}

void Keeper::look() {
  const Library library(options_.library);
  std::vector<fs::path> sources;
  for (const Collection& each : collections(library))
    if (!each.source.empty()) sources.emplace_back(each.source);
  watch_.watch(sources);
  tools_ = keep_tools();
  const auto due = [&] {
    std::set<Key> keys;
    for (const KeepStep& each : plan_upkeep(library, tools_))
      if (each.state == KeepState::due) keys.insert({each.collection + '\n' + each.step, each.now});
    return keys;
  };
  const std::set<Key> before = due();
  if (std::includes(failed_.begin(), failed_.end(), before.begin(), before.end())) return;
  run_update();
  // What stays due although it was tried is not tried again until it changes.
  failed_ = due();
}

void Keeper::run_update() {
  const auto begun = Clock::now();
  {
    const std::scoped_lock lock(mutex_);
    work_ = {};
    work_.working = true;
  }
  std::string said;
  ChildOptions child;
  child.program = options_.program;
  child.arguments = {"update", options_.library.string(), "--background", "--json"};
  child.environment = {"COMMONPLACE_PROGRESS=json"};
  child.error_line = [&](const std::string& line) {
    const Json step = Json::parse(line, nullptr, false);
    if (!step.is_object() || !step.contains("stage")) {
      if (said.size() < kMostComplaint) said += (said.empty() ? "" : "\n") + line;
      return;
    }
    const std::scoped_lock lock(mutex_);
    work_.stage = step.value("stage", "");
    work_.done = step.value("done", std::uint64_t{0});
    work_.total = step.value("total", std::uint64_t{0});
    work_.unit = step.value("unit", "");
    work_.seconds = seconds_since(begun);
  };
  child.cancelled = [this] { return stopping(); };
  const ChildEnd end = run_child(child);
  const Json answer = Json::parse(end.output, nullptr, false);
  if (answer.is_object())
    for (const Json& each : answer.value("did", Json::array()))
      if (const std::string problem = each.value("problem", ""); !problem.empty())
        said += (said.empty() ? "" : "\n") + each.value("step", "") + ": " + problem;
  const std::scoped_lock lock(mutex_);
  work_ = {};
  if (end.exit_code != 0) work_.problem = said;
}

}  // namespace commonplace::server
