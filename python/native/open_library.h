#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include "commonplace/api/inside.h"
#include "commonplace/detect/ask.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/relate/ask.h"
#include "commonplace/search/ask.h"
#include "commonplace/suggest/ask.h"
#include "watched.h"

namespace commonplace::python {

/// A library open for reading, with the models that were asked; what writes opens it once more.
/// Answers are JSON, the same as `--json` has on the command line.
class OpenLibrary {
 public:
  explicit OpenLibrary(const std::string& path) : library_(std::filesystem::path(path)) {}

  const Library& reading() const { return api::inside(library_); }
  const api::Library& front() const { return library_; }
  std::string path() const { return library_.path().string(); }

  /// Calls work(library, run) with the library open for writing, while Ctrl-C is looked for.
  template <class Work>
  auto front_writing(int jobs, const py::object& progress, Work work) {
    return watched(jobs, progress, [&](const Run& run) {
      api::Library library(library_.path(), api::Library::Access::write);
      return work(library, run);
    });
  }
  template <class Work>
  auto writing(int jobs, const py::object& progress, Work work) {
    return front_writing(jobs, progress, [&](api::Library& library, const Run& run) {
      return work(api::inside(library), run);
    });
  }

  /// What a model says is asked of the model as it is now, and open since it was first asked.
  std::shared_ptr<const search::Answerer> searcher(const search::SearchPlace& place,
                                                   const Run& run);
  const suggest::Answerer& suggester(const std::string& model, const std::string& collection,
                                     const Run& run);
  const detect::Answerer& finder(const std::string& model, const std::string& collection,
                                 const Run& run);
  const relate::Answerer& relation(const std::string& model, int jobs);

  /// Lets one thread of Python at a time use it; the others wait without the interpreter's lock.
  std::unique_lock<std::recursive_mutex> alone() {
    std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock.owns_lock()) {
      const py::gil_scoped_release free;
      lock.lock();
    }
    return lock;
  }

 private:
  /// Closes what is open if the library's models or collections are others than then.
  void heed_changes();

  using Names = std::pair<std::string, std::string>;
  api::Library library_;
  std::recursive_mutex busy_;
  std::string opened_at_;
  std::map<Names, std::shared_ptr<const search::Answerer>> searchers_;
  std::map<Names, std::unique_ptr<suggest::Answerer>> suggesters_;
  std::map<Names, std::unique_ptr<detect::Answerer>> finders_;
  std::map<std::string, std::unique_ptr<relate::Answerer>> relations_;
};

/// Binds a function of an OpenLibrary so that one thread at a time is in it.
template <class Result, class... Arguments>
auto one_at_a_time(Result (*function)(OpenLibrary&, Arguments...)) {
  return [function](OpenLibrary& self, Arguments... arguments) {
    const auto lock = self.alone();
    return function(self, std::forward<Arguments>(arguments)...);
  };
}

/// What a dictionary has of that name, or something else where it has nothing or None.
template <class Value>
Value given(const py::dict& from, const char* name, Value otherwise) {
  return from.contains(name) && !py::object(from[name]).is_none()
             ? py::object(from[name]).cast<Value>()
             : otherwise;
}

using LibraryClass = py::class_<OpenLibrary>;

/// Adds what learns, answers and measures.
void bind_verbs(py::module_& module, LibraryClass& library);

}  // namespace commonplace::python
