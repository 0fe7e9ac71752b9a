#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Two items that belong together (weight above 0) or apart (below 0), in [-1, 1]. A link has no
/// direction: (a, b) and (b, a) are the same one.
struct Link {
  std::string a;
  std::string b;
  double weight = 1;

  bool operator==(const Link&) const = default;
};

struct LinkSummary {
  std::int64_t added = 0;
  std::int64_t changed = 0;
  std::int64_t unchanged = 0;
};
template <class Visit>
void visit_fields(const LinkSummary& summary, Visit&& visit) {
  visit("added", summary.added, "links that are new");
  visit("changed", summary.changed, "links that have another weight now");
  visit("unchanged", summary.unchanged, "links that were there already");
}

/// Reads CSV `a,b,weight` (also .tsv, .gz; weight 1 where there is no third column; a header line
/// is recognised) with ids of items of `from` in the first column and of `to` in the second. All
/// or nothing: the first line that names no item, a weight outside [-1, 1], or an item linked to
/// itself is an Error with its place.
LinkSummary import_links(Library& library, const Collection& from, const Collection& to,
                         const std::filesystem::path& file, const Progress& progress);

/// The same from memory. Error for the first that cannot be, with its number from 1.
LinkSummary store_links(Library& library, const Collection& from, const Collection& to,
                        std::span<const Link> links);

/// Calls `visit` with each link between `from` and `to`, the item of `from` first.
void visit_links(const Library& library, const Collection& from, const Collection& to,
                 const std::function<void(const Link&)>& visit);

/// How many links there are between each two collections that have some.
struct LinkCount {
  std::string from;
  std::string to;
  std::int64_t links = 0;

  bool operator==(const LinkCount&) const = default;
};
template <class Visit>
void visit_fields(const LinkCount& count, Visit&& visit) {
  visit("from", count.from, "a collection");
  visit("to", count.to, "another");
  visit("links", count.links, "between their items");
}
std::vector<LinkCount> link_counts(const Library& library);

}  // namespace commonplace
