#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// What a user showed of a concept: an item that has it, or one that has it not. Lessons are not
/// tags: they teach a detector and change no item.
struct Lesson {
  std::string item;
  int shows = 1;  ///< 1 the item shows the concept, -1 it does not, 0 takes an earlier lesson back
  std::string time;

  bool operator==(const Lesson&) const = default;
};

/// Adds to the log of lessons, all or none. Each item must be in the collection.
void teach(Library& library, const Collection& collection, std::string_view concept_name,
           const std::vector<Lesson>& lessons);

/// The lessons in force of a concept (matched without regard to case), oldest first; empty if there
/// are none. They are kept by names and so outlive items and collection.
std::vector<Lesson> lessons_in_force(const Library& library, std::string_view collection,
                                     std::string_view concept_name);

struct TaughtConcept {
  std::string name;  ///< as it was written last
  std::int64_t shown = 0;
  std::int64_t not_shown = 0;
};
/// The concepts of a collection that have lessons in force, by name.
std::vector<TaughtConcept> taught_concepts(const Library& library, std::string_view collection);

}  // namespace commonplace
