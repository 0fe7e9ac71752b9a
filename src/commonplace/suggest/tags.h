#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/library/library.h"

namespace commonplace::suggest {

/// Which tags may be suggested.
struct TagControlOptions {
  std::int64_t min_uses = 2;  ///< tags that fewer items have are not suggested
  std::string include{};      ///< a file of tags, one a line: only these; empty: all
  std::string exclude{};      ///< a file of tags, one a line: never these
  std::string synonyms{};     ///< a file of lines "tag TAB what it is merged into"
  bool parents = false;       ///< an item with a/b/c counts as having a/b and a
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, TagControlOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("min_uses", options.min_uses, "suggest no tag that fewer items have");
  visit("include", options.include, "a file of tags, one a line: suggest only these");
  visit("exclude", options.exclude, "a file of tags, one a line: never suggest these");
  visit("synonyms", options.synonyms, "a file of lines 'tag TAB tag that it is merged into'");
  visit("parents", options.parents, "a tag implies the levels above it: a/b/c is also a/b and a");
}

/// The same with the files read; tags are known by their keys (formats/tag_name.h).
struct TagControl {
  std::int64_t min_uses = 2;
  bool parents = false;
  bool only_included = false;
  bool described = false;  ///< also tags that nobody has used, if they have a description
  std::set<std::string> include;
  std::set<std::string> exclude;
  std::map<std::string, std::string> synonyms;  ///< from a key to the name that is meant

  bool operator==(const TagControl&) const = default;
};

/// Error for a file that cannot be read, a line that cannot be understood (with its number), or
/// synonyms that run in a circle.
TagControl read_tag_control(const TagControlOptions& options);
std::string to_json(const TagControl& control);
TagControl tag_control_from_json(const std::string& text);

/// Makes `dog` and `animals/dog` one tag where both are used and no other path ends in `dog`: what
/// is used by more items, or with parents the path. A tag that a list or a synonym names is left as
/// it is. Returns how many were merged.
std::int64_t merge_leaves(const Library& library, const Collection& collection,
                          TagControl& control);

/// What a tag stands for: itself or its synonym, and with parents the levels above. Names as shown.
std::vector<std::string> meant_by(const TagControl& control, std::string_view tag);

/// The tags that may be suggested, and what is known of a collection's items.
struct Tags {
  std::vector<std::string> names;  ///< by key
  Sparse targets;                  ///< items x names: 1 has the tag, -1 it was rejected
  /// Items whose tags are all too rare to be suggested, ascending.
  std::vector<std::int64_t> strange{};
};

/// The tags with a description that the control lets be suggested, whatever their use.
std::vector<std::string> described_for(const Library& library, const TagControl& control);

/// What a rejected tag stands for: itself or its synonym, but not the levels above.
std::string rejected_by(const TagControl& control, std::string_view tag);

/// By control; `known` (names) come first, in their order, whatever their use is now.
Tags read_tags(const Library& library, const Collection& collection, const TagControl& control,
               const std::vector<std::string>& known = {});

/// Error, with what to do, if no tag of the collection of that name may be suggested.
void require_tags(const Tags& tags, const std::string& collection);

/// What is known of some items only, and `known` are all the tags; row i is for `ids[i]`. Much
/// faster than reading all. Error for an id that there is not.
Tags read_tags(const Library& library, const Collection& collection, const TagControl& control,
               const std::vector<std::string>& known, const std::vector<std::string>& ids);

/// The items that decisions after the one of number `last` are about, in the order of their rows.
/// Nothing if one of them is of a tag that may be suggested but is not in `known`.
std::optional<std::vector<std::string>> decided_since(const Library& library,
                                                      const Collection& collection,
                                                      const TagControl& control,
                                                      const std::vector<std::string>& known,
                                                      std::int64_t last);

}  // namespace commonplace::suggest
