#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"

namespace commonplace::api {

/// How long work is done: on how many threads, who is told how far it is, and who may stop it. One
/// process; the work of many is `commonplace-mpi`'s.
struct Run {
  int jobs = 0;                    ///< threads; 0: as many as there are processors
  Progress progress{};             ///< called from one thread at a time; empty: nobody is told
  std::function<bool()> cancel{};  ///< asked from time to time; true ends it with Cancelled
};

/// Options of a learner by name, such as {{"rank", "80"}, {"stop_words", "true"}}: those that
/// `commonplace learn LIB VERB --help` lists, and settings() of each verb. Error for a name that
/// there is not, or a value that it cannot take.
using Settings = std::map<std::string, std::string>;

/// An option that Settings may name.
struct Setting {
  std::string name;
  std::string value;  ///< the default
  std::string help;
};

}  // namespace commonplace::api

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
using api::Run;
using api::Setting;
using api::Settings;
}  // namespace commonplace
#endif
