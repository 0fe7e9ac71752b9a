#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/comm/comm.h"
#include "commonplace/relate/ask.h"

namespace commonplace {

/// The things of one kind in a group.
struct GroupedKind {
  std::string kind;
  std::int64_t things = 0;
  std::vector<std::string> nearest;  ///< to the centre, the nearest first
};

struct RelateGroup {
  std::int64_t things = 0;
  std::vector<GroupedKind> kinds;  ///< those that have things in it
};

/// Groups everything that was related by k-means over the directions of all things together; the
/// largest group first. `limit` names a kind. Each rank compares its own_rows of the things with
/// the centres; all get the same groups. Error for fewer things than groups.
std::vector<RelateGroup> group_relations(const Relations& relations, std::int64_t groups,
                                         std::int64_t limit, std::uint64_t seed, Comm& comm,
                                         int jobs, const Progress& progress);

struct MapOptions {
  std::int64_t most = 3000;  ///< things that are drawn, those of most links first
  std::string title = "What belongs together";
  std::uint64_t seed = 1;
};

/// Everything that is drawn, in the plane.
struct RelateMap {
  struct Kind {
    std::string name;  ///< "photos/tags"
    std::string collection;
    bool items = false;  ///< its things are the items of the collection
    std::int64_t things = 0;
    std::int64_t drawn = 0;
  };
  struct Point {
    std::size_t kind = 0;
    std::int64_t thing = 0;  ///< its number in the kind
    float x = 0;             ///< 0 .. 1
    float y = 0;
    std::int32_t group = -1;
  };
  /// Things that lie together.
  struct Group {
    std::string name;  ///< after its most linked things that have names
    float x = 0;       ///< its centre
    float y = 0;
    std::int64_t things = 0;
  };
  std::vector<Kind> kinds;
  std::vector<Point> points;
  std::vector<Group> groups;
};

/// Lays out the `most` things of most links, of all kinds alike, so that what is near in the space
/// is near in the plane; grouped by their directions into at most `groups`, 0 for none.
RelateMap lay_out_map(const Relations& relations, const MapOptions& options, std::int64_t groups,
                      int jobs, const Progress& progress);

/// An HTML page that draws the space in the plane: kinds by colour, names on hover, a box a kind to
/// show or hide it. It runs no script and asks for no other file. Any text is shown as it is.
std::string draw_map(const Relations& relations, const MapOptions& options, int jobs);

}  // namespace commonplace
