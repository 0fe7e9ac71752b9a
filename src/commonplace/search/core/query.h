#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace commonplace::search {

/// A condition on items: a tree of what was written.
struct Condition {
  enum class Kind {
    word,      ///< the item has this word, in its tags, title or text
    phrase,    ///< the item has these words next to each other
    tag,       ///< the item has this tag, or one below it
    before,    ///< the item's time is before this one
    after,     ///< the item's time is this one or later
    during,    ///< the item's time is within this year, month or day
    fact,      ///< untagged, tagged, automatic, picture, text, link or placed
    area,      ///< the item's place is within "south,west,north,east", in degrees
    all,       ///< every child holds
    any,       ///< a child holds
    negation,  ///< the one child does not hold
  };
  Kind kind = Kind::word;
  std::string text;  ///< of leaves; times in the form of Item::time, tags as written
  std::vector<Condition> children;

  bool operator==(const Condition&) const = default;
};

struct Query {
  /// What to rank by: the words and phrases that do not stand under a `not`, in order, as written.
  std::vector<std::string> words;
  std::optional<Condition> condition;  ///< what every result must meet

  bool operator==(const Query&) const = default;
};

/// A part of the earth, in degrees; one whose west is greater than its east lies across the line of
/// dates.
struct QueryArea {
  double south = 0;
  double west = 0;
  double north = 0;
  double east = 0;
  bool holds(double latitude, double longitude) const;
};
/// "south,west,north,east"; nothing for what is not.
std::optional<QueryArea> parse_area(std::string_view text);

/// Understands
///   river boat            two words to rank by; neither is demanded
///   "steam boat"          a phrase: demanded, and its words ranked by
///   #harbour  tag:"new york"  tag:harbour    items with that tag
///   before:1950  after:1904-05  in:1904      items of that time
///   is:untagged  is:picture                  items of that kind: also tagged, automatic (a machine
///                                            tagged it), text, link, placed
///   area:40.5,-74.3,40.9,-73.7               items from there: south, west, north, east
///   -sail  not sail       items without the word; also -#tag, not (a or b)
///   river and boat, river or boat, ( ... )   words so joined are demanded, and ranked by
/// `and`, `or`, `not` in any case; `and` binds more than `or`; `not` most; what stands side by side
/// without a joining word is joined by `and`, where a bare word demands nothing. A backslash before
/// '"' inside quotes keeps it. Error, with the place, for what is not closed, a joining word
/// without its sides, a date that cannot be understood, or a query of more than 10,000 bytes.
Query parse_query(std::string_view text);

}  // namespace commonplace::search
