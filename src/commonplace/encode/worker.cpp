#include "commonplace/encode/worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commonplace/base/parallel.h"
#include "commonplace/encode/frames.h"
#include "commonplace/encode/onnx_runtime.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkerSocket = 3;
constexpr const char* kWorkerCommand = "encode-worker";

std::mutex program_mutex;
fs::path& named_program() {
  static fs::path program;
  return program;
}

fs::path worker_program() {
  {
    const std::lock_guard lock(program_mutex);
    if (!named_program().empty()) return named_program();
  }
  const char* variable = std::getenv("COMMONPLACE_PROGRAM");
  return variable != nullptr ? variable : "commonplace";
}

/// Lets a model take most of the memory, but not all of it.
void limit_worker() {
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const auto pages = static_cast<rlim_t>(std::max(1L, sysconf(_SC_PHYS_PAGES)));
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) / 4 * 3;
  const rlimit memory{most, most};
  setrlimit(RLIMIT_DATA, &memory);
#endif
}

WorkerFrame opened_frame(const OnnxSession& session) {
  PayloadWriter payload;
  payload.text(session.version());
  payload.ports(session.inputs());
  payload.ports(session.outputs());
  return {FrameKind::opened, payload.take()};
}

WorkerFrame failed_frame(const char* message) {
  PayloadWriter payload;
  payload.text(message);
  return {FrameKind::failed, payload.take()};
}

/// What a worker makes of one request.
WorkerFrame obey(const WorkerFrame& request, std::unique_ptr<OnnxSession>& session) {
  PayloadReader payload(request.payload);
  if (request.kind == FrameKind::open) {
    const fs::path runtime = payload.text();
    const fs::path model = payload.text();
    session = std::make_unique<OnnxSession>(runtime, model, static_cast<int>(payload.number()));
    return opened_frame(*session);
  }
  require(request.kind == FrameKind::run && session != nullptr, "nothing is open");
  std::vector<Tensor> given = payload.tensors();
  PayloadWriter results;
  results.tensors(session->run(given, payload.texts()));
  return {FrameKind::computed, results.take()};
}

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class SpawnAttributes {
 public:
  /// Signals of the terminal are for this process; a child that inherited blocked ones would not
  /// end.
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

void set_worker_program(fs::path program) {
  const std::lock_guard lock(program_mutex);
  named_program() = std::move(program);
}

bool is_worker(int argc, const char* const* argv) {
  return argc == 2 && std::string_view(argv[1]) == kWorkerCommand;
}

int serve_worker() {
  limit_worker();
  std::unique_ptr<OnnxSession> session;
  try {
    for (WorkerFrame request; read_frame(kWorkerSocket, request);) {
      WorkerFrame reply;
      try {
        reply = obey(request, session);
      } catch (const std::exception& error) {
        reply = failed_frame(error.what());
      }
      if (!write_frame(kWorkerSocket, reply)) break;
    }
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

Worker::Worker(fs::path runtime, fs::path model, int threads, const Wait& wait)
    : runtime_(std::move(runtime)), model_(std::move(model)), threads_(resolve_jobs(threads)) {
  try {
    start(wait);
  } catch (...) {
    stop();
    throw;
  }
}

Worker::~Worker() { stop(); }

void Worker::start(const Wait& wait) {
  stop();
  int sockets[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0,
          "no socket can be made: ", std::strerror(errno));
  socket_ = sockets[0];
  const std::string program = worker_program().string();
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), sockets[1], kWorkerSocket);
  SpawnAttributes attributes;
  std::string name = "commonplace";
  std::string command = kWorkerCommand;
  char* arguments[] = {name.data(), command.data(), nullptr};
  pid_t process = -1;
  const int failure =
      posix_spawnp(&process, program.c_str(), actions.get(), attributes.get(), arguments, environ);
  close(sockets[1]);
  require(failure == 0, "the program that encodes, ", program,
          ", cannot be started: ", std::strerror(failure), "; COMMONPLACE_PROGRAM can name it");
  process_ = process;
  PayloadWriter payload;
  payload.text(fs::absolute(runtime_).string());
  payload.text(fs::absolute(model_).string());
  payload.number(threads_);
  write_frame(socket_, {FrameKind::open, payload.take()});
  const std::string opened = answer(static_cast<std::uint32_t>(FrameKind::opened), wait);
  PayloadReader reader(opened);
  version_ = reader.text();
  inputs_ = reader.ports();
  outputs_ = reader.ports();
}

/// Ends the process, which has nothing to lose.
void Worker::stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  sent_ = false;
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  how_it_ended();
}

std::string Worker::how_it_ended() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  if (WIFSIGNALED(status)) return concat("was ended by signal ", WTERMSIG(status));
  return concat("ended with code ", WEXITSTATUS(status));
}

std::string Worker::answer(std::uint32_t expected, const Wait& wait) {
  WorkerFrame frame;
  bool answered = false;
  try {
    answered = read_frame(socket_, frame, wait);
  } catch (...) {
    stop();
    throw;
  }
  if (!answered) {
    close(socket_);
    socket_ = -1;
    kill(process_, SIGKILL);  // in case it only hung up
    throw WorkerCrash(concat(model_.string(), ": the process that computes it ", how_it_ended(),
                             "; the file may be damaged, the runtime broken, or the memory full"));
  }
  if (static_cast<std::uint32_t>(frame.kind) == expected) return std::move(frame.payload);
  if (frame.kind == FrameKind::failed) fail(PayloadReader(frame.payload).text());
  stop();
  fail(model_.string(), ": the process that computes it says what is not understood");
}

void Worker::begin(const std::vector<Tensor>& given, const std::vector<std::string>& wanted) {
  if (process_ < 0) start({});
  PayloadWriter payload;
  payload.tensors(given);
  payload.texts(wanted);
  // If it has ended, `finish` finds that out.
  write_frame(socket_, {FrameKind::run, payload.take()});
  sent_ = true;
}

std::vector<Tensor> Worker::finish(const Wait& wait) {
  require(std::exchange(sent_, false), "nothing was begun");
  const std::string computed = answer(static_cast<std::uint32_t>(FrameKind::computed), wait);
  return PayloadReader(computed).tensors();
}

}  // namespace commonplace
