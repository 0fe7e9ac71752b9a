#pragma once

#include <string>
#include <vector>

#include "app/cli/answers_json.h"

namespace commonplace::server {

/// A command that may be run as a job, and the options that may be given from outside: none that
/// names a file.
struct JobTask {
  std::string name;                  ///< "learn-suggest"
  std::vector<std::string> command;  ///< {"learn", "LIB", "suggest"}: LIB stands for the library
  std::string about;                 ///< the field that says what it is about
  std::vector<std::string> fields;   ///< field "label_field" becomes --label-field
  std::vector<std::string> demanded;
  bool writes = true;
};

const std::vector<JobTask>& job_tasks();

/// The arguments of the program for a task as it is asked for. Problem 400 for a task or a field
/// that there is not, a field that is missing, or a value that is no option's.
std::vector<std::string> job_arguments(const JobTask& task, const app::Json& asked,
                                       const std::string& library);

}  // namespace commonplace::server
