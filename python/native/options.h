#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include <pybind11/pybind11.h>

#include "commonplace/base/error.h"
#include "commonplace/base/spelling.h"

namespace commonplace::python {

namespace py = pybind11;

/// Sets what visit_options lists from keywords; used() then tells which there were.
class KeywordReader {
 public:
  explicit KeywordReader(const py::dict& keywords) : keywords_(keywords) {}

  template <class Value>
  void operator()(const char* names, Value& value, const char* /*help*/) {
    const std::string name = current_spelling(names);
    if (!keywords_.contains(name)) return;
    used_.insert(name);
    const py::object given = keywords_[name.c_str()];
    try {
      value = given.cast<Value>();
    } catch (const py::cast_error&) {
      fail(name, " is ", std::string(py::repr(given)), "; expected a value such as ",
           std::string(py::repr(py::cast(value))));
    }
    if constexpr (std::is_same_v<Value, std::string>) value = current_value(names, value);
  }
  void require_all_used() const {
    for (const auto& each : keywords_)
      require(used_.count(each.first.cast<std::string>()) != 0, "there is no option ",
              each.first.cast<std::string>());
  }

 private:
  const py::dict& keywords_;
  std::set<std::string> used_;
};

/// Sets several lists of options from the same keywords.
template <class... Options>
std::tuple<Options...> all_options_from(const py::dict& keywords) {
  std::tuple<Options...> all;
  KeywordReader reader(keywords);
  std::apply([&](auto&... each) { (visit_options(each, reader), ...); }, all);
  reader.require_all_used();
  return all;
}

template <class Options>
Options options_from(const py::dict& keywords) {
  return std::get<0>(all_options_from<Options>(keywords));
}

/// Lists what visit_options lists: (name, default, help).
template <class... Options>
py::list options_of() {
  py::list list;
  const auto add = [&](const char* names, auto& value, const char* help) {
    list.append(py::make_tuple(current_spelling(names), value, help));
  };
  std::tuple<Options...> all;
  std::apply([&](auto&... each) { (visit_options(each, add), ...); }, all);
  return list;
}

}  // namespace commonplace::python
