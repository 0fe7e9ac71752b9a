#pragma once

#include <cstdint>
#include <string>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/suggest/model.h"

namespace commonplace::suggest {

/// What bringing a model up to date has changed.
struct Update {
  std::int64_t new_items = 0;      ///< tagged since, learned now
  std::int64_t changed_items = 0;  ///< whose tags or rejections have changed
  std::int64_t new_tags = 0;
  std::int64_t new_names = 0;  ///< of tags: what is said of them has changed
  double seconds = 0;

  bool any() const { return new_items + changed_items + new_tags + new_names > 0; }
};
template <class Visit>
void visit_fields(const Update& update, Visit&& visit) {
  visit("new_items", update.new_items, "tagged since, learned now");
  visit("changed_items", update.changed_items, "whose tags or rejections have changed");
  visit("new_tags", update.new_tags, "that no item had before");
  visit.where(update.new_names > 0, "new_names", update.new_names,
              "of tags that are new or described anew");
  visit("seconds", update.seconds, "that it took");
}

/// Teaches the model, in memory, the tags and decisions that have come since it was learned: the
/// same as learning again with the same prototypes, weights and choices, in O(M² + M tags) an item.
Update update_model(Model& model, const Library& library, const Run& run);

/// The same for the stored model of that name, which is replaced; all or nothing. It takes a
/// moment, so rank 0 does it by itself. Collective.
Update update(Library& library, const std::string& name, const Run& run);

}  // namespace commonplace::suggest
