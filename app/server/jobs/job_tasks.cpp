#include "app/server/jobs/job_tasks.h"

#include <algorithm>

#include "app/server/reading.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"

namespace commonplace::server {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string flag_of(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return "--" + field;
}

std::string written(const std::string& field, const Json& value) {
  if (value.is_number()) return value.dump();
  if (value.is_string()) return value.get<std::string>();
  throw Problem{400, concat("'", field, "' is neither a string nor a number")};
}

/// A value as one argument, so that nothing in it can become another option.
void add_option(const std::string& field, const Json& value, std::vector<std::string>& arguments) {
  if (value.is_null() || (value.is_string() && value.get<std::string>().empty())) return;
  if (value.is_boolean()) {
    if (value.get<bool>()) arguments.push_back(flag_of(field));
    return;
  }
  if (!value.is_array()) {
    arguments.push_back(flag_of(field) + "=" + written(field, value));
    return;
  }
  std::string all;
  for (const Json& each : value) {
    const std::string part = written(field, each);
    if (part.find(',') != std::string::npos)
      throw Problem{400, concat("'", field, "' has a comma in '", part, "'")};
    all += (all.empty() ? "" : ",") + part;
  }
  if (!all.empty()) arguments.push_back(flag_of(field) + "=" + all);
}

}  // namespace

const std::vector<JobTask>& job_tasks() {
  static const std::vector<std::string> kReading = {"features",   "label_field", "language",
                                                    "stop_words", "stem",        "min"};
  static const auto with_reading = [](std::vector<std::string> fields) {
    fields.insert(fields.end(), kReading.begin(), kReading.end());
    return fields;
  };
  static const std::vector<JobTask> kTasks = {
      {"features",
       {"features", "LIB", "COLLECTION"},
       "collection",
       {"name", "image", "text", "tags", "plsa", "dim", "side", "topics", "language"},
       {"collection"}},
      {"learn-search",
       {"learn", "LIB", "search"},
       "target",
       {"target", "auxiliary", "rank", "text", "language"},
       {"target"}},
      {"learn-suggest",
       {"learn", "LIB", "suggest"},
       "collection",
       {"collection", "features", "prototypes", "kernel", "method", "min_uses", "parents",
        "language", "update"},
       {"collection"}},
      {"learn-detect",
       {"learn", "LIB", "detect"},
       "collection",
       {"collection", "features", "concepts_from", "min", "representation", "head", "update"},
       {"collection", "features"}},
      {"learn-relate",
       {"learn", "LIB", "relate"},
       "collections",
       {"collections", "dim", "min", "update"},
       {}},
      {"apply",
       {"apply", "LIB"},
       "collection",
       {"collection", "model", "above", "limit_per_item", "dry_run", "undo", "in_pictures"},
       {"collection"}},
      {"audit",
       {"audit", "LIB", "COLLECTION"},
       "collection",
       {"features", "folds", "limit", "min_uses", "language"},
       {"collection"}},
      {"distances",
       {"bridges", "LIB", "--distances"},
       "",
       {"features", "language", "stop_words", "min"},
       {},
       false},
      {"duplicates",
       {"duplicates", "LIB"},
       "collection",
       {"collection", "by", "likeness"},
       {},
       false},
      {"bridges",
       {"bridges", "LIB"},
       "target",
       with_reading({"source", "target", "candidates", "most"}),
       {"source", "target"},
       false},
      {"transfer",
       {"transfer", "LIB"},
       "target",
       with_reading({"source", "target", "through", "direct", "chain", "candidates", "above",
                     "force", "dry_run", "undo", "clusters"}),
       {"source", "target"}},
      {"evaluate-search",
       {"evaluate", "search", "LIB"},
       "target",
       {"target", "auxiliary", "hide", "repeat", "queries", "rank"},
       {"target"}},
      {"evaluate-suggest",
       {"evaluate", "suggest", "LIB"},
       "collection",
       {"collection", "methods", "baselines", "split", "test_share", "features", "prototypes"},
       {"collection"}},
      {"evaluate-detect",
       {"evaluate", "detect", "LIB"},
       "collection",
       {"collection", "features", "concepts_from", "min", "labelled", "methods", "repeat"},
       {"collection", "features"}},
      {"evaluate-relate",
       {"evaluate", "relate", "LIB"},
       "target",
       {"target", "collections", "methods", "repeat", "groups"},
       {}},
      {"evaluate-transfer",
       {"evaluate", "transfer", "LIB"},
       "target",
       with_reading({"source", "intermediate", "target", "methods", "repeat", "labelled_target"}),
       {"source", "target"}}};
  return kTasks;
}

std::vector<std::string> job_arguments(const JobTask& task, const Json& asked,
                                       const std::string& library) {
  for (const std::string& field : task.demanded)
    if (!asked.contains(field) || asked[field].empty() || asked[field] == "")
      throw Problem{400, concat("the task '", task.name, "' needs '", field, "'")};
  std::vector<std::string> arguments;
  for (const std::string& word : task.command)
    arguments.push_back(word == "LIB"          ? library
                        : word == "COLLECTION" ? demanded_text(asked, "collection")
                                               : word);
  arguments.emplace_back("--json");
  for (const auto& [field, value] : asked.items()) {
    if (field == "task" || (field == "collection" && contains(task.command, "COLLECTION")))
      continue;
    if (!contains(task.fields, field))
      throw Problem{400, concat("the task '", task.name, "' knows no '", field,
                                "'; it knows: ", join(task.fields))};
    add_option(field, value, arguments);
  }
  return arguments;
}

}  // namespace commonplace::server
