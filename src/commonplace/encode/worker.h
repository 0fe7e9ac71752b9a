#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/tensor.h"

namespace commonplace {

/// The process that computes ended before it answered.
class WorkerCrash : public Error {
 public:
  using Error::Error;
};

/// Names the program that, started as `PROGRAM encode-worker`, calls serve_worker. A program that
/// does so itself names /proc/self/exe before its first Worker. Without that it is what
/// COMMONPLACE_PROGRAM names, else `commonplace` on the PATH.
void set_worker_program(std::filesystem::path program);

/// Whether this process was started to be a worker, and if so what its main() should do and return.
bool is_worker(int argc, const char* const* argv);
int serve_worker();

/// An ONNX model open in a process of its own: whatever the runtime or the model's file does there,
/// this process goes on. For one thread at a time.
class Worker {
 public:
  /// Called several times a second while the other process works; it may throw, which ends that.
  using Wait = std::function<void()>;

  /// Error if the runtime or the model cannot be read; WorkerCrash if trying ended the process.
  Worker(std::filesystem::path runtime, std::filesystem::path model, int threads,
         const Wait& wait = {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& version() const { return version_; }
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  /// Sends a batch and returns at once; `finish` waits for its outputs. One at a time. After a
  /// WorkerCrash the next batch starts the process anew. Error if the runtime refuses.
  void begin(const std::vector<Tensor>& given, const std::vector<std::string>& wanted);
  std::vector<Tensor> finish(const Wait& wait = {});
  std::vector<Tensor> run(const std::vector<Tensor>& given, const std::vector<std::string>& wanted,
                          const Wait& wait = {}) {
    begin(given, wanted);
    return finish(wait);
  }

  /// Its process; -1 if there is none now. Tests end it.
  pid_t process() const { return process_; }

 private:
  void start(const Wait& wait);
  void stop();
  std::string how_it_ended();
  std::string answer(std::uint32_t expected, const Wait& wait);

  std::filesystem::path runtime_;
  std::filesystem::path model_;
  int threads_;
  pid_t process_ = -1;
  int socket_ = -1;
  bool sent_ = false;
  std::string version_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

}  // namespace commonplace
