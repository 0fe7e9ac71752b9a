#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/detect/model.h"
#include "commonplace/library/library.h"

namespace commonplace::detect {

struct Report {
  std::string model;  ///< its name in the library
  std::string collection;
  std::vector<std::string> features;
  std::int64_t items = 0;
  std::int64_t labelled = 0;
  std::int64_t concepts = 0;
  std::string representation;
  std::int64_t columns = 0;  ///< coordinates an item
  HeadSetting head;
  std::vector<TuningTrial> tried;
  double miap = 0;               ///< of the chosen way, on labelled items held out in turn; 0: not
  double calibration_error = 0;  ///< expected, of the confidence on them
  double seconds = 0;
};
std::string to_json(const Report& report);

/// Learns coordinates from stored dense features of all items of a collection, and the concepts
/// that its tags or labels name, and stores model and index under `name` (empty:
/// "detect.COLLECTION") and NAME.index. All or nothing. Error if there are no dense features. Every
/// rank has opened the library, and rank 0 for writing.
Report learn(Library& library, const std::string& collection, const std::string& name,
             const ModelOptions& options, const Run& run);

}  // namespace commonplace::detect
