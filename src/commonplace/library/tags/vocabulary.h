#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/library/tags/change_tags.h"

namespace commonplace {

/// What people say of a tag, beside where they give it.
struct TagEntry {
  std::string name;
  std::string description;
  bool manual = false;   ///< machines never give it
  bool hidden = false;   ///< it is not shown among others
  std::string colour{};  ///< "#rrggbb"; empty: none was chosen

  bool operator==(const TagEntry&) const = default;
};

/// Every tag that anything is said of, by its key.
std::vector<TagEntry> described_tags(const Library& library);
/// Error if the library has no such tag.
TagEntry tag_entry(const Library& library, std::string_view tag);
/// Says that of the tag of that name, which is made if need be, in place of what was said of it.
/// What changes is noted in the history. Error for a description of more than 10,000 bytes.
void describe_tag(Library& library, const TagEntry& entry);

/// What somebody does to the vocabulary. Names are matched without regard to case.
struct VocabularyEdit {
  enum class Kind {
    rename,    ///< `tag`, and all below it, is called `to`, which must not be there
    merge,     ///< `tag` means `to` from now on, also where a source says it again
    nest,      ///< `tag` goes below `to`; to the top, where that is empty
    remove,    ///< `tag` and all below it is no tag any more
    split,     ///< `items` that have `tag` get `to` in its place
    describe,  ///< what is given below is said of `tag`
    keep,      ///< `tag` and `to` are not the same, and are not proposed for merging again
  };
  Kind kind = Kind::describe;
  std::string tag;
  std::string to{};
  std::vector<CollectionItems> items{};
  std::optional<std::string> description{};
  std::optional<std::string> colour{};
  std::optional<bool> manual{};
  std::optional<bool> hidden{};
};
constexpr std::array<std::pair<VocabularyEdit::Kind, const char*>, 7> words_of(
    VocabularyEdit::Kind) {
  using Kind = VocabularyEdit::Kind;
  return {{{Kind::rename, "rename"},
           {Kind::merge, "merge"},
           {Kind::nest, "nest"},
           {Kind::remove, "delete"},
           {Kind::split, "split"},
           {Kind::describe, "describe"},
           {Kind::keep, "keep"}}};
}

/// A change of the vocabulary, as the history has it.
struct VocabularyChange {
  std::int64_t id = 0;
  std::string kind;    ///< a word of VocabularyEdit::Kind
  std::string change;  ///< JSON: all that it takes to do it and to undo it
  std::string who;
  std::string time;
  std::string undone;  ///< when it was taken back; empty: it was not
};

/// The history, newest first.
std::vector<VocabularyChange> vocabulary_history(const Library& library);
/// Error if there is no change of that number.
VocabularyChange vocabulary_change(const Library& library, std::int64_t id);

/// Makes changes in their order, all or none, and returns their numbers; what changes nothing has
/// none. Sources and decisions stay as they are: items, models and files are shown with what the
/// tags mean now. Error for a tag that is not there, and for a new name that is.
std::vector<std::int64_t> change_vocabulary(Library& library,
                                            const std::vector<VocabularyEdit>& edits);
/// Takes a change back, or makes it again, whatever came later. Nothing happens to one that is so
/// already.
void undo_vocabulary_change(Library& library, std::int64_t id);
void restore_vocabulary_change(Library& library, std::int64_t id);

/// Pairs of keys, in order, that are not the same.
std::set<std::pair<std::string, std::string>> kept_apart(const Library& library);
/// Changes whenever what is said of tags does.
std::string vocabulary_state(const Library& library);

}  // namespace commonplace
