#include "commonplace/task/relate_overview.h"

#include <algorithm>
#include <sstream>

#include "commonplace/base/error.h"
#include "commonplace/math/k_means.h"
#include "commonplace/math/neighbour_layout.h"

namespace commonplace {
namespace {

/// Tags and labels that are written out in a map.
constexpr std::size_t kWritten = 60;

/// A thing of a kind.
struct Thing {
  std::size_t kind = 0;
  std::int64_t number = 0;
};

/// Everything that has a position.
struct Everything {
  std::vector<Thing> things;
  Matrix directions;  ///< things x dim
};

/// The `most` things of each kind, by their links; all of them for 0.
Everything everything(const RelateModel& model, std::int64_t most) {
  Everything all;
  std::vector<Matrix> towards;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const RelatedKind& kind = model.kinds[k];
    towards.push_back(directions(model.space, kind.positions));
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < kind.things(); ++i)
      if (!towards[k].row(i).isZero(0)) numbers.push_back(i);
    if (most > 0 && std::ssize(numbers) > most) {
      const VectorD& degrees = model.space.degrees[k];
      std::stable_sort(numbers.begin(), numbers.end(),
                       [&](std::int64_t a, std::int64_t b) { return degrees(a) > degrees(b); });
      numbers.resize(static_cast<std::size_t>(most));
      std::sort(numbers.begin(), numbers.end());
    }
    for (const std::int64_t number : numbers) all.things.push_back({k, number});
  }
  all.directions.resize(std::ssize(all.things), model.space.dim());
  for (std::size_t i = 0; i < all.things.size(); ++i)
    all.directions.row(static_cast<Eigen::Index>(i)) =
        towards[all.things[i].kind].row(all.things[i].number);
  return all;
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
const char* colour_of(std::size_t kind) {
  static constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#999999"};
  return kColours[kind % std::size(kColours)];
}

void write_style(std::ostream& out, std::size_t kinds) {
  out << "<style>\n:root { color-scheme: light dark; }\nbody { font: 16px/1.4 system-ui, "
         "sans-serif; margin: 1rem auto; max-width: 1100px; padding: 0 1rem; }\n"
         "svg { width: 100%; height: auto; border: 1px solid #8886; border-radius: 6px; }\n"
         "circle { opacity: .7; } circle:hover { opacity: 1; stroke: currentColor; }\n"
         "text { font-size: 11px; fill: currentColor; pointer-events: none; }\n"
         "label { margin-right: 1.2rem; white-space: nowrap; }\n"
         ".dot { display: inline-block; width: .8em; height: .8em; border-radius: 50%; }\n";
  for (std::size_t k = 0; k < kinds; ++k)
    out << "#show" << k << ":not(:checked) ~ svg .k" << k << " { display: none; }\n";
  out << "</style>\n";
}

}  // namespace

std::vector<RelateGroup> group_relations(const Relations& relations, std::int64_t groups,
                                         std::int64_t limit, std::uint64_t seed, int jobs,
                                         const Progress& progress) {
  require(groups >= 1, "--k must be 1 or more, not ", groups);
  require(limit >= 0, "--limit must be 0 or more, not ", limit);
  const RelateModel& model = relations.model();
  const Everything all = everything(model, 0);
  require(std::ssize(all.things) >= groups, "there are ", all.things.size(),
          " things, too few for ", groups, " groups; give a smaller --k");
  KMeansOptions options;
  options.clusters = groups;
  options.seed = seed;
  options.jobs = jobs;
  const Matrix centres = k_means(all.directions, options, progress);
  const NearestCentres nearest = nearest_centres(all.directions, centres, jobs);
  std::vector<std::vector<std::vector<std::size_t>>> members(
      static_cast<std::size_t>(groups), std::vector<std::vector<std::size_t>>(model.kinds.size()));
  for (std::size_t i = 0; i < all.things.size(); ++i)
    members[static_cast<std::size_t>(nearest.centre[i])][all.things[i].kind].push_back(i);
  std::vector<RelateGroup> result;
  for (auto& of_group : members) {
    RelateGroup group;
    for (std::size_t k = 0; k < model.kinds.size(); ++k) {
      auto& things = of_group[k];
      if (things.empty()) continue;
      group.things += std::ssize(things);
      std::stable_sort(things.begin(), things.end(), [&](std::size_t a, std::size_t b) {
        return nearest.squared_distance[a] < nearest.squared_distance[b];
      });
      GroupedKind& kind = group.kinds.emplace_back();
      kind.kind = model.kinds[k].what.full();
      kind.things = std::ssize(things);
      for (std::size_t i = 0; i < things.size() && std::ssize(kind.nearest) < limit; ++i)
        kind.nearest.push_back(relations.name_of(k, all.things[things[i]].number));
    }
    result.push_back(std::move(group));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const RelateGroup& a, const RelateGroup& b) { return a.things > b.things; });
  return result;
}

std::string draw_map(const Relations& relations, const MapOptions& options, int jobs) {
  require(options.most >= 10 && options.most <= 20000, "--most must be from 10 to 20,000, not ",
          options.most);
  const RelateModel& model = relations.model();
  const auto kinds = std::ssize(model.kinds);
  const Everything all = everything(model, std::max<std::int64_t>(1, options.most / kinds));
  NeighbourLayoutOptions layout;
  layout.seed = options.seed;
  layout.jobs = jobs;
  const Matrix at = neighbour_layout(all.directions, layout);
  std::ostringstream out;
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
      << escaped(options.title) << "</title>\n";
  write_style(out, model.kinds.size());
  out << "</head>\n<body>\n<h1>" << escaped(options.title) << "</h1>\n";
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const auto drawn = std::count_if(all.things.begin(), all.things.end(),
                                     [&](const Thing& thing) { return thing.kind == k; });
    out << "<input type=\"checkbox\" id=\"show" << k << "\" checked><label for=\"show" << k
        << "\"> <span class=\"dot\" style=\"background:" << colour_of(k) << "\"></span> "
        << escaped(model.kinds[k].what.full()) << " (" << drawn << " of " << model.kinds[k].things()
        << ")</label>\n";
  }
  out << "<svg viewBox=\"0 0 1060 760\" role=\"img\" aria-label=\"" << escaped(options.title)
      << "\">\n";
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < all.things.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const Thing& thing = all.things[i];
    const bool named = !model.kinds[thing.kind].names.empty();
    if (named) written.push_back(i);
    out << "<circle class=\"k" << thing.kind << "\" fill=\"" << colour_of(thing.kind) << "\" cx=\""
        << 30 + 1000 * at(row, 0) << "\" cy=\"" << 30 + 700 * at(row, 1) << "\" r=\""
        << (named ? 5 : 3) << "\"><title>"
        << escaped(model.kinds[thing.kind].what.full() + ": " +
                   relations.name_of(thing.kind, thing.number))
        << "</title></circle>\n";
  }
  std::stable_sort(written.begin(), written.end(), [&](std::size_t a, std::size_t b) {
    const auto degree = [&](const Thing& thing) {
      return model.space.degrees[thing.kind](thing.number);
    };
    return degree(all.things[a]) > degree(all.things[b]);
  });
  if (written.size() > kWritten) written.resize(kWritten);
  for (const std::size_t i : written) {
    const auto row = static_cast<Eigen::Index>(i);
    out << "<text class=\"k" << all.things[i].kind << "\" x=\"" << 37 + 1000 * at(row, 0)
        << "\" y=\"" << 34 + 700 * at(row, 1) << "\">"
        << escaped(relations.name_of(all.things[i].kind, all.things[i].number)) << "</text>\n";
  }
  out << "</svg>\n</body>\n</html>\n";
  return out.str();
}

}  // namespace commonplace
