#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/server/http/http.h"
#include "commonplace/base/fields.h"

namespace commonplace::server {

/// Long work to do: a command of this program, run as a process of its own, so that it can be
/// stopped at any moment, takes no memory afterwards and cannot harm the server.
struct JobRequest {
  std::string task;                             ///< "learn-suggest"
  std::string about;                            ///< for people: the collection
  std::vector<std::string> arguments;           ///< of the program
  std::function<void(bool done)> afterwards{};  ///< called when it has ended, done or not
};

struct Job {
  enum class State { waiting, running, done, failed, cancelled };
  std::int64_t id = 0;
  std::string task;
  std::string about;
  State state = State::waiting;
  std::string stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0: not known
  std::string unit;
  double seconds = 0;
  std::string result;        ///< JSON: what the command printed; empty until it is done
  std::string error;         ///< what it said when it failed
  std::uint64_t change = 0;  ///< grows each time something above changes

  bool ended() const { return state != State::waiting && state != State::running; }
};
constexpr std::array<std::pair<Job::State, const char*>, 5> words_of(Job::State) {
  return {{{Job::State::waiting, "waiting"},
           {Job::State::running, "running"},
           {Job::State::done, "done"},
           {Job::State::failed, "failed"},
           {Job::State::cancelled, "cancelled"}}};
}
template <class Visit>
void visit_fields(const Job& job, Visit&& visit) {
  visit("id", job.id, "of the job");
  visit("task", job.task, "such as learn-suggest");
  visit("about", job.about, "the collection");
  visit("state", job.state, "how far it is");
  visit("stage", job.stage, "what it is at");
  visit("done", job.done, "of the stage");
  visit("total", job.total, "of the stage; 0: not known");
  visit("unit", job.unit, "of the two");
  visit("seconds", job.seconds, "since it began");
  visit("result", JsonText{job.result.empty() ? "null" : job.result},
        "what the command printed; null until it is done");
  visit("error", job.error, "what it said when it failed");
}
struct JobsAnswer {
  std::vector<Job> jobs;
};
template <class Visit>
void visit_fields(const JobsAnswer& answer, Visit&& visit) {
  visit("jobs", answer.jobs, "newest first");
}

/// Runs jobs one after the other, in their order.
class Jobs {
 public:
  explicit Jobs(std::filesystem::path program);
  /// Stops the one that runs, which leaves the library as it was, and forgets those that wait.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Nothing if too many are waiting.
  std::optional<std::int64_t> start(JobRequest request);
  std::optional<Job> find(std::int64_t id) const;
  std::vector<Job> all() const;  ///< newest first; the oldest that have ended are forgotten
  /// False if there is no such job. One that has ended stays as it is.
  bool cancel(std::int64_t id);
  /// Server-sent events: "progress" at each change and "end".
  Stream events(std::int64_t id) const;

 private:
  struct Entry {
    Job job;
    JobRequest request;
    bool cancel = false;
  };
  void work();
  void run(std::int64_t id);
  void change(std::int64_t id, const std::function<void(Job&)>& how);

  std::filesystem::path program_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::int64_t, Entry> entries_;
  std::deque<std::int64_t> waiting_;
  std::int64_t next_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace commonplace::server
