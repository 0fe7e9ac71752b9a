#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/relate/ask.h"

namespace commonplace::relate {

/// The nodes of one modality in a group.
struct GroupedModality {
  std::string modality;
  std::int64_t nodes = 0;
  std::vector<std::string> nearest;  ///< to the centre, the nearest first
};
template <class Visit>
void visit_fields(const GroupedModality& kind, Visit&& visit) {
  visit("kind", kind.modality, "such as photos/tags");
  visit("things", kind.nodes, "of it in the group");
  visit("nearest", kind.nearest, "to the centre");
}

struct Group {
  std::int64_t nodes = 0;
  std::vector<GroupedModality> modalities;  ///< those that have nodes in it
};
template <class Visit>
void visit_fields(const Group& group, Visit&& visit) {
  visit("things", group.nodes, "of all kinds");
  visit("kinds", group.modalities, "that have things in it");
}

/// Groups everything that was related by k-means over the directions of all nodes together; the
/// largest group first. `limit` names a modality. Each rank compares its own_rows of the nodes with
/// the centres; all get the same groups. Error for fewer nodes than groups.
std::vector<Group> group_relations(const Answerer& relations, std::int64_t groups,
                                   std::int64_t limit, std::uint64_t seed, const Run& run);

struct MapOptions {
  std::int64_t most = 3000;  ///< nodes that are drawn, those of most links first
  std::string title = "What belongs together";
  std::uint64_t seed = 1;
};

/// To four digits, as a screen shows no more.
inline double short_number(float value) { return std::round(1e4 * double{value}) / 1e4; }

/// Everything that is drawn, in the plane.
struct Map {
  struct Modality {
    std::string name;  ///< "photos/tags"
    std::string collection;
    bool items = false;  ///< its nodes are the items of the collection
    std::int64_t nodes = 0;
    std::int64_t drawn = 0;
  };
  struct Point {
    std::size_t modality = 0;
    std::int64_t node = 0;  ///< its number in the modality
    float x = 0;            ///< 0 .. 1
    float y = 0;
    std::int32_t group = -1;
  };
  /// Nodes that lie together.
  struct Group {
    std::string name;  ///< after its most linked nodes that have names
    float x = 0;       ///< its centre
    float y = 0;
    std::int64_t nodes = 0;
  };
  std::vector<Modality> modalities;
  std::vector<Point> points;
  std::vector<Group> groups;
};
template <class Visit>
void visit_fields(const Map::Modality& kind, Visit&& visit) {
  visit("kind", kind.name, "such as photos/tags");
  visit("collection", kind.collection, "that they are of");
  visit("items", kind.items, "they are items of it");
  visit("things", kind.nodes, "that there are");
  visit("drawn", kind.drawn, "of them");
}
template <class Visit>
void visit_fields(const Map::Group& group, Visit&& visit) {
  visit("name", group.name, "of its best known things");
  visit("x", short_number(group.x), "its centre, 0 to 1");
  visit("y", short_number(group.y), "its centre, 0 to 1");
  visit("things", group.nodes, "in it");
}

/// Lays out the `most` nodes of most links, of all modalities alike, so that what is near in the
/// space is near in the plane; grouped by their directions into at most `groups`, 0 for none.
Map lay_out_map(const Answerer& relations, const MapOptions& options, std::int64_t groups,
                const Run& run);

/// An HTML page that draws the space in the plane: modalities by colour, names on hover, a box a
/// modality to show or hide it. It runs no script and asks for no other file. Any text is shown as
/// it is.
std::string draw_map(const Answerer& relations, const MapOptions& options, int jobs);

}  // namespace commonplace::relate
