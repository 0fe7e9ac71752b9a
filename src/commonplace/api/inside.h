#pragma once

#include <charconv>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/spelling.h"
#include "commonplace/comm/run.h"
#include "commonplace/library.h"
#include "commonplace/library/library.h"

namespace commonplace::api {

struct Library::Parts {
  commonplace::Library library;
};

inline commonplace::Library& inside(Library& library) { return library.parts().library; }
inline const commonplace::Library& inside(const Library& library) {
  return library.parts().library;
}

/// Tells whoever runs it, and asks whether to stop.
inline commonplace::Run inside(const Run& run) {
  return {.jobs = run.jobs,
          .progress = [progress = run.progress, cancel = run.cancel](const ProgressStep& step) {
            if (cancel && cancel()) throw Cancelled();
            if (progress) progress(step);
          }};
}

/// Each of `values` as `translate` has it.
template <class Values, class Translate>
auto each_of(const Values& values, Translate translate) {
  std::vector<decltype(translate(*values.begin()))> result;
  for (const auto& value : values) result.push_back(translate(value));
  return result;
}

/// Lists what visit_options names.
struct SettingLister {
  std::vector<Setting>& list;

  template <class Value>
  void operator()(const char* name, const Value& value, const char* help) const {
    if constexpr (std::is_same_v<Value, bool>)
      list.push_back({current_spelling(name), value ? "true" : "false", help});
    else
      list.push_back({current_spelling(name), concat(value), help});
  }
};

/// Sets what visit_options names from text.
struct SettingReader {
  const Settings& settings;
  std::set<std::string>& known;

  template <class Value>
  void operator()(const char* names, Value& value, const char* help) const {
    for (const std::string& name : spellings(names)) {
      known.insert(name);
      if (const auto found = settings.find(name); found != settings.end())
        read(name, found->second, value, help);
    }
  }

 private:
  template <class Value>
  static void read(const std::string& name, const std::string& text, Value& value,
                   const char* help) {
    if constexpr (std::is_same_v<Value, std::string>) {
      value = current_value(name.c_str(), text);
    } else if constexpr (std::is_same_v<Value, bool>) {
      require(text == "true" || text == "false", "the setting ", name, " is '", text,
              "'; expected true or false (", help, ")");
      value = text == "true";
    } else {
      const char* end = text.data() + text.size();
      const auto read = std::from_chars(text.data(), end, value);
      require(read.ec == std::errc() && read.ptr == end, "the setting ", name, " is '", text,
              "'; expected ", std::is_integral_v<Value> ? "a whole number" : "a number", " (", help,
              ")");
    }
  }
};

template <class... Options>
std::vector<Setting> list_settings(const Options&... options) {
  std::vector<Setting> list;
  (visit_options(options, SettingLister{list}), ...);
  return list;
}

/// Sets those of the options that `settings` name; Error for a name that none of them has.
template <class... Options>
void apply_settings(const Settings& settings, Options&... options) {
  std::set<std::string> known;
  (visit_options(options, SettingReader{settings, known}), ...);
  for (const auto& [name, value] : settings)
    require(known.contains(name), "there is no setting '", name, "'; there are ", join(known));
}

}  // namespace commonplace::api
