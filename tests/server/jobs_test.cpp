#include "app/server/jobs/jobs.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "app/server/jobs/child_process.h"
#include "app/server/jobs/job_tasks.h"
#include "app/server/reading.h"
#include "commonplace/base/error.h"

namespace commonplace::server {
namespace jobs_test {

using namespace std::chrono_literals;

/// What a shell does; the jobs of these tests are such.
JobRequest shell(const std::string& script) { return {"test", "", {"-c", script}}; }

Job wait_for(const Jobs& jobs, std::int64_t id) {
  for (int tries = 0; tries < 6000; ++tries) {
    const Job job = *jobs.find(id);
    if (job.ended()) return job;
    std::this_thread::sleep_for(10ms);
  }
  throw Error("the job did not end");
}

TEST(ChildProcess, GivesWhatIsPrintedAndHowItEnded) {
  std::vector<std::string> lines;
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", "echo out; echo one >&2; printf two >&2; echo $NAME; exit 7"};
  options.environment = {"NAME=value"};
  options.error_line = [&](const std::string& line) { lines.push_back(line); };
  const ChildEnd end = run_child(options);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.output, "out\nvalue\n");
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
  options.arguments = {"-c", "kill -9 $$"};
  EXPECT_EQ(run_child(options).exit_code, -1);
  options.program = "/does/not/exist";
  EXPECT_EQ(run_child(options).exit_code, 127);
}

TEST(ChildProcess, DoesNotWaitForWhatItHasStartedItself) {
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", "sleep 1000 & echo $!"};
  const ChildEnd end = run_child(options);
  EXPECT_EQ(end.exit_code, 0);
  ::kill(std::stoi(end.output), SIGKILL);
}

TEST(ChildProcess, KeepsNoMoreThanItMay) {
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", "head -c 300000 /dev/zero"};
  options.most_output = 1000;
  const ChildEnd end = run_child(options);
  EXPECT_EQ(end.output.size(), 1000U);
  EXPECT_TRUE(end.cut);
  EXPECT_EQ(end.exit_code, 0);
}

TEST(JobsTest, RunOneAfterTheOtherAndTellTheirProgress) {
  Jobs jobs("/bin/sh");
  const std::int64_t first =
      *jobs.start(shell("echo '{\"stage\":\"fitting\",\"done\":3,\"total\":9,\"unit\":\"items\"}' "
                        ">&2; echo '{\"a\":1}'"));
  const std::int64_t second = *jobs.start(shell("echo 'commonplace: it is wrong' >&2; exit 1"));
  const std::int64_t third = *jobs.start(shell("echo '{\"a\":1}'; echo '{\"a\":2}'; exit 3"));
  const Job done = wait_for(jobs, first);
  EXPECT_EQ(done.state, Job::State::done);
  EXPECT_EQ(done.result, "{\"a\":1}");
  EXPECT_EQ(done.stage, "fitting");
  EXPECT_EQ(done.done, 3U);
  EXPECT_EQ(done.total, 9U);
  const Job failed = wait_for(jobs, second);
  EXPECT_EQ(failed.state, Job::State::failed);
  EXPECT_EQ(failed.error, "it is wrong");
  EXPECT_EQ(wait_for(jobs, third).result, "[{\"a\":1},{\"a\":2}]");
  ASSERT_EQ(jobs.all().size(), 3U);
  EXPECT_EQ(jobs.all()[0].id, third);
  EXPECT_FALSE(jobs.find(99).has_value());
}

TEST(JobsTest, AreCancelledRunningOrWaiting) {
  Jobs jobs("/bin/sh");
  const std::int64_t running = *jobs.start(shell("exec sleep 1000"));
  bool told = false;
  JobRequest request = shell("echo");
  request.afterwards = [&](bool done) { told = !done; };
  const std::int64_t waiting = *jobs.start(request);
  while (jobs.find(running)->state == Job::State::waiting) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(jobs.cancel(waiting));
  EXPECT_EQ(jobs.find(waiting)->state, Job::State::cancelled);
  EXPECT_TRUE(told);
  EXPECT_TRUE(jobs.cancel(running));
  EXPECT_EQ(wait_for(jobs, running).state, Job::State::cancelled);
  EXPECT_FALSE(jobs.cancel(99));
}

TEST(JobsTest, EventsEndWithTheJob) {
  Jobs jobs("/bin/sh");
  const std::int64_t id = *jobs.start(shell("echo '{}'"));
  const Stream events = jobs.events(id);
  std::string all;
  while (const std::optional<std::string> next = events()) {
    all += *next;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_NE(all.find("event: end\ndata: {\"id\":1"), std::string::npos);
  EXPECT_EQ(all.find("event: end"), all.rfind("event: end"));
  EXPECT_FALSE(jobs.events(99)().has_value());
}

TEST(JobsTest, ManyThatWaitAreRefused) {
  Jobs jobs("/bin/sh");
  int started = 0;
  while (started < 1000 && jobs.start(shell("exec sleep 1000"))) ++started;
  EXPECT_GE(started, 100);
  EXPECT_LT(started, 110);
}

const JobTask& task_named(const std::string& name) {
  for (const JobTask& task : job_tasks())
    if (task.name == name) return task;
  throw Error("no task " + name);
}

TEST(JobTasks, BecomeArgumentsInWhichNoValueIsAnOption) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(job_arguments(task_named("learn-suggest"),
                          {{"task", "learn-suggest"},
                           {"collection", "--json"},
                           {"features", {"text", "clip"}},
                           {"min_uses", 3},
                           {"parents", true},
                           {"update", false},
                           {"kernel", ""},
                           {"method", nullptr}},
                          "/lib"),
            (Words{"learn", "/lib", "suggest", "--json", "--collection=--json",
                   "--features=text,clip", "--min-uses=3", "--parents"}));
  EXPECT_EQ(job_arguments(task_named("features"), {{"collection", "c"}, {"image", "gist"}}, "/lib"),
            (Words{"features", "/lib", "c", "--json", "--image=gist"}));
  for (const Json& wrong :
       {Json{{"collection", "c"}, {"include", "/etc/passwd"}}, Json{{"collection", ""}},
        Json{{"x", 1}}, Json{{"collection", "c"}, {"features", {"a,b"}}},
        Json{{"collection", Json::object()}}})
    EXPECT_THROW(job_arguments(task_named("learn-suggest"), wrong, "/lib"), Problem) << wrong;
}

}  // namespace jobs_test
}  // namespace commonplace::server
