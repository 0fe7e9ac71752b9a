#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_models.h"

namespace commonplace {

/// Labels that models gave, in a table of their own: what the source says is never touched.
struct MachineLabel {
  std::string item;
  std::string value;
  double score = 0;  ///< in [0, 1]
};

/// Records `model` (its name, kind, options and report; it has no file) and replaces all that it
/// said of the items of `collection` under `field`; all or nothing.
void store_machine_labels(Library& library, const Collection& collection, const ModelRecord& model,
                          std::string_view field, const std::vector<MachineLabel>& labels);

/// Removes what a model said of a collection, and says how many labels that were.
std::int64_t remove_machine_labels(Library& library, const Collection& collection,
                                   std::string_view model);

struct GivenLabel {
  std::string field;
  std::string value;
  std::string model;
  double score = 0;
};
template <class Visit>
void visit_fields(const GivenLabel& label, Visit&& visit) {
  visit("field", label.field, "such as group");
  visit("value", label.value, "the class");
  visit("model", label.model, "that says so");
  visit("score", label.score, "how sure it is");
}
/// All that models say of one item, by field, then the surest first.
std::vector<GivenLabel> machine_labels_of(const Library& library, const Collection& collection,
                                          std::string_view item);

}  // namespace commonplace
