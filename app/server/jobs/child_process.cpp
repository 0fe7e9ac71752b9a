#include "app/server/jobs/child_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

constexpr int kPollMilliseconds = 100;
constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kLongestLine = 1U << 16U;

class Pipe {
 public:
  Pipe() { require(::pipe2(ends_.data(), O_CLOEXEC) == 0, "no pipe: ", std::strerror(errno)); }
  ~Pipe() {
    close_reading();
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) ::close(ends_[which]);
    ends_[which] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Between fork and exec nothing may take memory or a lock.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment,
                         int output, int errors, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(program, arguments, environment);
  ::_exit(127);
}

/// What came; empty at the end or if there is nothing for now, which `ended` tells apart.
std::string read_some(int descriptor, bool& ended) {
  std::array<char, 1U << 16U> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count > 0) return {buffer.data(), static_cast<std::size_t>(count)};
  ended = count == 0 || (errno != EAGAIN && errno != EINTR);
  return {};
}

/// Cuts what comes into lines.
class Lines {
 public:
  explicit Lines(const std::function<void(const std::string&)>& visit) : visit_(visit) {}
  void add(const std::string& bytes) {
    for (const char c : bytes) {
      if (c == '\n' || line_.size() >= kLongestLine) flush();
      if (c != '\n') line_ += c;
    }
  }
  void flush() {
    if (!line_.empty() && visit_) visit_(line_);
    line_.clear();
  }

 private:
  const std::function<void(const std::string&)>& visit_;
  std::string line_;
};

/// Asks the process to stop when it should, and kills it when it does not.
class Stopper {
 public:
  Stopper(pid_t child, const std::function<bool()>& cancelled)
      : child_(child), cancelled_(cancelled) {}
  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (!asked_ && cancelled_ && cancelled_()) {
      asked_ = true;
      since_ = now;
      ::kill(child_, SIGTERM);
    } else if (asked_ && now - since_ > kPatience) {
      ::kill(child_, SIGKILL);
    }
  }

 private:
  pid_t child_;
  const std::function<bool()>& cancelled_;
  bool asked_ = false;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace

ChildEnd run_child(const ChildOptions& options) {
  Pipe output;
  Pipe errors;
  std::vector<std::string> texts = {options.program.string()};
  texts.insert(texts.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> variables = options.environment;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  const std::vector<char*> arguments = pointers(texts);
  const std::vector<char*> environment = pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  require(child >= 0, "no further process can be started: ", std::strerror(errno));
  if (child == 0)
    become(arguments[0], arguments.data(), environment.data(), output.writing(), errors.writing(),
           parent);
  output.close_writing();
  errors.close_writing();

  ChildEnd end;
  Lines lines(options.error_line);
  Stopper stopper(child, options.cancelled);
  bool output_ended = false;
  bool errors_ended = false;
  int status = 0;
  bool exited = false;
  while (!output_ended || !errors_ended) {
    if (!exited) stopper.look();
    exited = exited || ::waitpid(child, &status, WNOHANG) == child;
    std::array<pollfd, 2> waits{{{output_ended ? -1 : output.reading(), POLLIN, 0},
                                 {errors_ended ? -1 : errors.reading(), POLLIN, 0}}};
    const int ready = ::poll(waits.data(), waits.size(), exited ? 0 : kPollMilliseconds);
    // Whatever it has started itself may hold the pipes open for ever.
    if (ready == 0 && exited) break;
    if (ready <= 0) continue;
    if (waits[0].revents != 0) {
      const std::string bytes = read_some(output.reading(), output_ended);
      const std::size_t room = options.most_output - end.output.size();
      end.cut = end.cut || bytes.size() > room;
      end.output.append(bytes, 0, room);
    }
    if (waits[1].revents != 0) lines.add(read_some(errors.reading(), errors_ended));
  }
  lines.flush();
  while (!exited && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace commonplace::server
