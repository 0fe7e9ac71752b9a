#include "commonplace/relate/overview.h"

#include <algorithm>
#include <sstream>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/comm/serialise.h"
#include "commonplace/math/k_means.h"
#include "commonplace/math/neighbour_layout.h"

namespace commonplace::relate {
namespace {

/// Tags and labels that are written out in a map.
constexpr std::size_t kWritten = 60;

/// A node of a modality.
struct Node {
  std::size_t modality = 0;
  std::int64_t number = 0;
};

/// Everything that has a position.
struct Everything {
  std::vector<Node> nodes;
  Matrix directions;  ///< nodes x dim
};

/// The `most` nodes of each modality, by their links; all of them for 0.
Everything everything(const Model& model, std::int64_t most) {
  Everything all;
  std::vector<Matrix> towards;
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    towards.push_back(directions(model.space, modality.positions));
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < modality.nodes(); ++i)
      if (!towards[k].row(i).isZero(0)) numbers.push_back(i);
    if (most > 0 && std::ssize(numbers) > most) {
      const VectorD& degrees = model.space.degrees[k];
      std::stable_sort(numbers.begin(), numbers.end(),
                       [&](std::int64_t a, std::int64_t b) { return degrees(a) > degrees(b); });
      numbers.resize(static_cast<std::size_t>(most));
      std::sort(numbers.begin(), numbers.end());
    }
    for (const std::int64_t number : numbers) all.nodes.push_back({k, number});
  }
  all.directions.resize(std::ssize(all.nodes), model.space.dim());
  for (std::size_t i = 0; i < all.nodes.size(); ++i)
    all.directions.row(static_cast<Eigen::Index>(i)) =
        towards[all.nodes[i].modality].row(all.nodes[i].number);
  return all;
}

/// The nearest centres of all rows, each rank's own put together. All take the centres of rank 0,
/// for rounding may make theirs others.
NearestCentres nearest_together(const Matrix& rows, Matrix centres, const Run& run) {
  run.comm.broadcast(std::span<float>(centres.data(), static_cast<std::size_t>(centres.size())), 0);
  const RowRange own = own_rows(rows.rows(), run.comm);
  NearestCentres nearest =
      nearest_centres(rows.middleRows(own.begin, own.end - own.begin), centres, run.jobs);
  nearest.centre = all_gather_numbers(run.comm, std::span<const std::int32_t>(nearest.centre));
  nearest.squared_distance =
      all_gather_numbers(run.comm, std::span<const float>(nearest.squared_distance));
  return nearest;
}

/// Error unless all ranks have opened the same model.
void require_same_model(const Model& model, Comm& comm) {
  std::string text = concat(model.space.dim(), ' ', model.space.mass);
  for (const PlacedModality& modality : model.modalities)
    text += concat(' ', modality.what.full(), ' ', modality.nodes());
  require_same(comm, text, "model");
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      result += ' ';
    else
      result += c;
  }
  return result;
}

/// Told apart by most people, on light and on dark ground.
const char* colour_of(std::size_t modality) {
  static constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#999999"};
  return kColours[modality % std::size(kColours)];
}

void write_style(std::ostream& out, std::size_t modalities) {
  out << "<style>\n:root { color-scheme: light dark; }\nbody { font: 16px/1.4 system-ui, "
         "sans-serif; margin: 1rem auto; max-width: 1100px; padding: 0 1rem; }\n"
         "svg { width: 100%; height: auto; border: 1px solid #8886; border-radius: 6px; }\n"
         "circle { opacity: .7; } circle:hover { opacity: 1; stroke: currentColor; }\n"
         "text { font-size: 11px; fill: currentColor; pointer-events: none; }\n"
         "label { margin-right: 1.2rem; white-space: nowrap; }\n"
         ".dot { display: inline-block; width: .8em; height: .8em; border-radius: 50%; }\n";
  for (std::size_t k = 0; k < modalities; ++k)
    out << "#show" << k << ":not(:checked) ~ svg .k" << k << " { display: none; }\n";
  out << "</style>\n";
}

/// How much is linked to it.
double degree(const Model& model, const Map::Point& point) {
  return model.space.degrees[point.modality](point.node);
}

/// After the most linked of its nodes that have names.
std::string name_of_group(const Answerer& relations, const Map& map,
                          std::vector<std::size_t> members) {
  constexpr std::size_t kWords = 3;
  const Model& model = relations.model();
  std::erase_if(members, [&](std::size_t i) {
    return model.modalities[map.points[i].modality].names.empty();
  });
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
    return degree(model, map.points[a]) > degree(model, map.points[b]);
  });
  std::vector<std::string> words;
  for (const std::size_t i : members) {
    std::string name = relations.name_of(map.points[i].modality, map.points[i].node);
    if (std::find(words.begin(), words.end(), name) == words.end())
      words.push_back(std::move(name));
    if (words.size() == kWords) break;
  }
  return join(words);
}

void group_points(const Answerer& relations, const Everything& all, const MapOptions& options,
                  std::int64_t groups, const Run& run, Map& map) {
  KMeansOptions means;
  means.clusters = groups;
  means.seed = options.seed;
  means.jobs = run.jobs;
  const NearestCentres nearest =
      nearest_centres(all.directions, k_means(all.directions, means, run.progress), run.jobs);
  std::vector<std::vector<std::size_t>> members(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    map.points[i].group = nearest.centre[i];
    members[static_cast<std::size_t>(nearest.centre[i])].push_back(i);
  }
  for (const auto& of_group : members) {
    Map::Group& group = map.groups.emplace_back();
    group.nodes = std::ssize(of_group);
    group.name = name_of_group(relations, map, of_group);
    // The median, since a group may lie in several places of the plane.
    auto median = [&](auto coordinate) {
      std::vector<float> values;
      for (const std::size_t i : of_group) values.push_back(map.points[i].*coordinate);
      if (values.empty()) return 0.5F;
      const auto middle = values.begin() + std::ssize(values) / 2;
      std::nth_element(values.begin(), middle, values.end());
      return *middle;
    };
    group.x = median(&Map::Point::x);
    group.y = median(&Map::Point::y);
  }
}

}  // namespace

std::vector<Group> group_relations(const Answerer& relations, std::int64_t groups,
                                   std::int64_t limit, std::uint64_t seed, const Run& run) {
  require(groups >= 1, "--k must be 1 or more, not ", groups);
  require(limit >= 0, "--limit must be 0 or more, not ", limit);
  const Model& model = relations.model();
  require_same_model(model, run.comm);
  const Everything all = everything(model, 0);
  require(std::ssize(all.nodes) >= groups, "there are ", all.nodes.size(), " things, too few for ",
          groups, " groups; give a smaller --k");
  KMeansOptions options;
  options.clusters = groups;
  options.seed = seed;
  options.jobs = run.jobs;
  const auto find_nearest = [&](const Matrix& centres) {
    return nearest_together(all.directions, centres, run);
  };
  const NearestCentres nearest =
      find_nearest(k_means(all.directions, options, find_nearest, run.progress));
  std::vector<std::vector<std::vector<std::size_t>>> members(
      static_cast<std::size_t>(groups),
      std::vector<std::vector<std::size_t>>(model.modalities.size()));
  for (std::size_t i = 0; i < all.nodes.size(); ++i)
    members[static_cast<std::size_t>(nearest.centre[i])][all.nodes[i].modality].push_back(i);
  std::vector<Group> result;
  for (auto& of_group : members) {
    Group group;
    for (std::size_t k = 0; k < model.modalities.size(); ++k) {
      auto& nodes = of_group[k];
      if (nodes.empty()) continue;
      group.nodes += std::ssize(nodes);
      std::stable_sort(nodes.begin(), nodes.end(), [&](std::size_t a, std::size_t b) {
        return nearest.squared_distance[a] < nearest.squared_distance[b];
      });
      GroupedModality& modality = group.modalities.emplace_back();
      modality.modality = model.modalities[k].what.full();
      modality.nodes = std::ssize(nodes);
      for (std::size_t i = 0; i < nodes.size() && std::ssize(modality.nearest) < limit; ++i)
        modality.nearest.push_back(relations.name_of(k, all.nodes[nodes[i]].number));
    }
    result.push_back(std::move(group));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Group& a, const Group& b) { return a.nodes > b.nodes; });
  return result;
}

Map lay_out_map(const Answerer& relations, const MapOptions& options, std::int64_t groups,
                const Run& run) {
  require(options.most >= 10 && options.most <= 20000, "--most must be from 10 to 20,000, not ",
          options.most);
  const Model& model = relations.model();
  const auto modalities = std::ssize(model.modalities);
  const Everything all = everything(model, std::max<std::int64_t>(1, options.most / modalities));
  NeighbourLayoutOptions layout;
  layout.seed = options.seed;
  layout.jobs = run.jobs;
  const Matrix at = neighbour_layout(all.directions, layout);
  Map map;
  for (const PlacedModality& modality : model.modalities)
    map.modalities.push_back(
        {modality.what.full(), modality.what.collection,
         modality.what.of == NodeType::items || modality.what.of == NodeType::text,
         modality.nodes(), 0});
  for (std::size_t i = 0; i < all.nodes.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    map.points.push_back({all.nodes[i].modality, all.nodes[i].number, at(row, 0), at(row, 1), -1});
    ++map.modalities[all.nodes[i].modality].drawn;
  }
  if (groups > 0 && !map.points.empty())
    group_points(relations, all, options, std::min(groups, std::ssize(map.points)), run, map);
  return map;
}

std::string draw_map(const Answerer& relations, const MapOptions& options, int jobs) {
  const Model& model = relations.model();
  const Map map = lay_out_map(relations, options, 0, {.jobs = jobs});
  std::ostringstream out;
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
      << escaped(options.title) << "</title>\n";
  write_style(out, model.modalities.size());
  out << "</head>\n<body>\n<h1>" << escaped(options.title) << "</h1>\n";
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    out << "<input type=\"checkbox\" id=\"show" << k << "\" checked><label for=\"show" << k
        << "\"> <span class=\"dot\" style=\"background:" << colour_of(k) << "\"></span> "
        << escaped(map.modalities[k].name) << " (" << map.modalities[k].drawn << " of "
        << map.modalities[k].nodes << ")</label>\n";
  }
  out << "<svg viewBox=\"0 0 1060 760\" role=\"img\" aria-label=\"" << escaped(options.title)
      << "\">\n";
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const Map::Point& point = map.points[i];
    const bool named = !model.modalities[point.modality].names.empty();
    if (named) written.push_back(i);
    out << "<circle class=\"k" << point.modality << "\" fill=\"" << colour_of(point.modality)
        << "\" cx=\"" << 30 + 1000 * point.x << "\" cy=\"" << 30 + 700 * point.y << "\" r=\""
        << (named ? 5 : 3) << "\"><title>"
        << escaped(map.modalities[point.modality].name + ": " +
                   relations.name_of(point.modality, point.node))
        << "</title></circle>\n";
  }
  std::stable_sort(written.begin(), written.end(), [&](std::size_t a, std::size_t b) {
    return degree(model, map.points[a]) > degree(model, map.points[b]);
  });
  if (written.size() > kWritten) written.resize(kWritten);
  for (const std::size_t i : written) {
    const Map::Point& point = map.points[i];
    out << "<text class=\"k" << point.modality << "\" x=\"" << 37 + 1000 * point.x << "\" y=\""
        << 34 + 700 * point.y << "\">" << escaped(relations.name_of(point.modality, point.node))
        << "</text>\n";
  }
  out << "</svg>\n</body>\n</html>\n";
  return out.str();
}

}  // namespace commonplace::relate
