#pragma once

#include <cstdint>
#include <string>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"

namespace commonplace {

struct DetectUpdate {
  std::int64_t new_items = 0;      ///< put into the index
  std::int64_t changed_items = 0;  ///< whose tags or labels say something else now
  double seconds = 0;
};
/// Brings a stored model up to date with the labels that have changed and the items that have come,
/// in its space as it is: the same as learning again in that space, without reading the other
/// items. Margins do not add up, so an SVM becomes LapRLS. Concepts that are new to the
/// collection need learning again.
DetectUpdate update_detect(Library& library, const std::string& name, const Run& run);

}  // namespace commonplace
