#pragma once

#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/run.h"

namespace commonplace::python {

namespace py = pybind11;

/// How far long work is, told by the thread that does it and read by the one that waits.
class Watch {
 public:
  void note(const ProgressStep& step) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) throw Cancelled();
    stage_ = step.stage;
    unit_ = step.unit;
    done_ = step.done;
    total_ = step.total;
    fresh_ = true;
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  /// Calls progress(stage, done, total, unit) if there is something new.
  void tell(const py::object& progress) {
    std::unique_lock lock(mutex_);
    if (!std::exchange(fresh_, false) || progress.is_none()) return;
    const std::string stage = stage_;
    const std::string unit = unit_;
    const std::uint64_t done = done_;
    const std::uint64_t total = total_;
    lock.unlock();
    progress(stage, done, total, unit);
  }

 private:
  std::mutex mutex_;
  std::string stage_;
  std::string unit_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  bool fresh_ = false;
  bool cancelled_ = false;
};

/// Does long work on a thread of its own, without the interpreter's lock, while this one tells
/// `progress` and looks for Ctrl-C. An interrupt, or an exception of `progress`, ends the work and
/// is raised.
template <class Work>
auto watched(int jobs, const py::object& progress, Work&& work) {
  Watch watch;
  const Run run{.jobs = jobs, .progress = [&watch](const ProgressStep& step) { watch.note(step); }};
  auto result = std::async(std::launch::async, [&] { return work(run); });
  for (;;) {
    {
      const py::gil_scoped_release free;
      if (result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) break;
    }
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      watch.tell(progress);
    } catch (...) {
      watch.cancel();
      const py::gil_scoped_release free;
      result.wait();
      throw;
    }
  }
  watch.tell(progress);
  return result.get();
}

/// Does short work without the interpreter's lock.
template <class Work>
auto unlocked(Work&& work) {
  const py::gil_scoped_release free;
  return work();
}

/// Pickles by the bytes that a model is saved as.
template <class Model, class Class, class ToBytes, class FromBytes>
void make_picklable(Class& type, ToBytes to_bytes, FromBytes from_bytes) {
  type.def(py::pickle([to_bytes](const Model& model) { return py::bytes(to_bytes(model)); },
                      [from_bytes](const py::bytes& bytes) {
                        return from_bytes(TensorFile(std::string(bytes), "the pickled model"));
                      }));
}

}  // namespace commonplace::python
