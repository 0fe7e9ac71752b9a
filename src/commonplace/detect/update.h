#pragma once

#include <cstdint>
#include <string>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"

namespace commonplace::detect {

struct Update {
  std::int64_t new_items = 0;         ///< put into the index
  std::int64_t changed_items = 0;     ///< whose tags or labels say something else now
  std::int64_t statistics_items = 0;  ///< added to the statistics of the axes (IALE)
  bool refreshed = false;             ///< eigenfunctions, heads and index are of all items now
  double seconds = 0;
};
template <class Visit>
void visit_fields(const Update& update, Visit&& visit) {
  visit("new_items", update.new_items, "put into the index");
  visit("changed_items", update.changed_items, "whose tags or labels say something else now");
  visit("statistics_items", update.statistics_items, "added to the statistics of the axes");
  visit("refreshed", update.refreshed, "coordinates are of all items now");
  visit("seconds", update.seconds, "that it took");
}
/// Brings a stored model up to date with the labels that have changed and the items that have come.
/// New items are added to the statistics of an axis space (IALE). As long as they are few
/// (kRefreshShare) coordinates stay as they are, and the rest is the same as learning again in that
/// space, without reading the other items; margins do not add up, so an SVM becomes LapRLS. When
/// they are many the eigenfunctions are refreshed, which does not read the other items either, and
/// in the new coordinates the concepts are learned and all items coded anew. Concepts that are new
/// to the collection need learning again.
Update update(Library& library, const std::string& name, const Run& run);

}  // namespace commonplace::detect
