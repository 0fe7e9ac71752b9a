#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// What people say of a tag, beside where they give it.
struct TagEntry {
  std::string name;
  std::string description;
  bool manual = false;  ///< machines never give it
  bool hidden = false;  ///< it is not shown among others

  bool operator==(const TagEntry&) const = default;
};

/// Every tag that anything is said of, by its key.
std::vector<TagEntry> described_tags(const Library& library);
/// Error if the library has no such tag.
TagEntry tag_entry(const Library& library, std::string_view tag);
/// Says that of the tag of that name, which is made if need be, in place of what was said of it.
/// What changes is noted in the history. Error for a description of more than 10,000 bytes.
void describe_tag(Library& library, const TagEntry& entry);

/// A change of the vocabulary, as the history has it.
struct VocabularyChange {
  std::int64_t id = 0;
  std::string kind;    ///< "describe"
  std::string change;  ///< JSON: all that it takes to do it and to undo it
  std::string who;
  std::string time;
  std::string undone;  ///< when it was taken back; empty: it was not
};

/// The history, newest first.
std::vector<VocabularyChange> vocabulary_history(const Library& library);
/// Changes whenever what is said of tags does.
std::string vocabulary_state(const Library& library);
/// Within a transaction of the caller: notes a change that was made, and returns its number.
std::int64_t note_vocabulary_change(Database& database, std::string_view kind,
                                    std::string_view change);

}  // namespace commonplace
