#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// What tags are called now, by all that was done to the vocabulary: for those who remember names,
/// such as models. What was not changed costs nothing.
class TagMeanings {
 public:
  explicit TagMeanings(const Library& library);

  /// The name by which a tag is shown; itself if nothing is known of it, empty if it was deleted.
  std::string now(std::string_view tag) const;
  /// Whether machines may give the tag of that name.
  bool may_be_given(std::string_view tag) const;
  bool is_hidden(std::string_view tag) const;
  /// Whether a machine may propose the tag of that name: it is one, and neither for people alone
  /// nor hidden.
  bool may_be_proposed(std::string_view tag) const;
  /// Calls the tags of a list by their names now. Of those that mean one tag, the one that had its
  /// name, else the first, is called so; the others, and deleted ones, stay as they were.
  void rename(std::vector<std::string>& tags) const;
  /// Nothing was changed, and nothing is manual or hidden.
  bool empty() const { return now_.empty() && manual_.empty() && hidden_.empty(); }

 private:
  std::unordered_map<std::string, std::string> now_;  ///< by key; empty: deleted
  std::unordered_set<std::string> manual_;            ///< keys
  std::unordered_set<std::string> hidden_;
};

/// The names that sources and people gave to items of a collection and that mean another tag now,
/// or none, by the item's id.
std::unordered_map<std::string, std::vector<std::string>> former_names(
    const Library& library, const Collection& collection);

/// Text that changes whenever what tags mean does; empty while nothing was ever changed.
std::string meanings_state(const Library& library);

/// Within a transaction of the caller: lets that text be another.
void change_meanings_state(Database& database);

/// A step by which tags come to mean others: the tag `from`, and all below it, is called `to`.
struct TagMove {
  std::string from;
  std::string to;         ///< empty: deleted
  bool respells = false;  ///< `to` is how the tag is to be written
};

/// Within a transaction of the caller: makes anew what every tag means, from these moves in their
/// order and nothing else, and what items, decisions and machines are shown with.
void mean_by(Library& library, const std::vector<TagMove>& moves);

/// Within a transaction of the caller: makes anew what is shown of the machines that gave any of
/// these tags.
void show_machines_of(Database& database, const std::vector<std::int64_t>& tags);

}  // namespace commonplace
