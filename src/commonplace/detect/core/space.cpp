#include "commonplace/detect/core/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/detect/core/axis_eigenmaps_file.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::detect {
namespace {

constexpr const char* kNames[] = {"raw", "smoothed", "axis", "anchors"};

/// Columns of eigenvectors that have length one over `items`: each over the root of its eigenvalue,
/// and rows one long on average.
Eigen::RowVectorXf scale_of(const VectorD& eigenvalues, std::int64_t items) {
  const VectorD penalty = eigenvalues.cwiseMax(1e-9);
  const double sum = penalty.cwiseInverse().sum();
  const double common = std::sqrt(static_cast<double>(items) / sum);
  return (common * penalty.cwiseSqrt().cwiseInverse()).transpose().cast<float>();
}

/// What coordinates of one part are multiplied by, so that parts count alike.
float share_of_part(std::size_t parts) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(parts)));
}

Matrix encode_part(const SpacePart& part, const Eigen::Ref<const Matrix>& rows,
                   std::span<const std::int64_t> items, int jobs) {
  Matrix result;
  switch (part.kind) {
    case SpaceKind::raw:
      result = unit_rows(rows);
      break;
    case SpaceKind::diffused:
      result = encode(part.diffusion, rows, items, jobs);
      break;
    case SpaceKind::axis:
      result = encode(part.axis, rows, jobs);
      break;
    case SpaceKind::anchors:
      result = encode(part.anchors, rows, jobs);
      break;
  }
  parallel_for(
      static_cast<std::size_t>(result.rows()), jobs, [&](std::size_t begin, std::size_t end) {
        for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i)
          result.row(i).array() *= part.scale.array();
      });
  return result;
}

std::int64_t features_of(const SpacePart& part) {
  switch (part.kind) {
    case SpaceKind::raw:
      return part.columns();
    case SpaceKind::diffused:
      return part.diffusion.features();
    case SpaceKind::axis:
      return part.axis.features();
    case SpaceKind::anchors:
      return part.anchors.features();
  }
  return 0;
}

void check_features(const Space& space, ManyFeatures features) {
  for (const SpacePart& part : space.parts) {
    require(part.feature < std::ssize(features), "the space needs ", part.feature + 1,
            " kinds of features, there are ", features.size());
    const auto columns = features[static_cast<std::size_t>(part.feature)].cols();
    require(columns == features_of(part), "features of ", columns,
            " columns do not fit those learned from, of ", features_of(part));
  }
}

}  // namespace

const char* name_of(SpaceKind kind) { return kNames[static_cast<int>(kind)]; }

SpaceKind space_kind(const std::string& name) {
  for (int kind = 0; kind < 4; ++kind)
    if (name == kNames[kind]) return static_cast<SpaceKind>(kind);
  fail("there is no representation '", name, "'; expected raw, smoothed, axis or anchors");
}

std::int64_t Space::columns() const {
  std::int64_t sum = 0;
  for (const SpacePart& part : parts) sum += part.columns();
  return sum;
}

SpacePart fit_part(SpaceKind kind, std::int64_t feature, const MatrixView& rows,
                   const SpaceOptions& options, const Run& run) {
  SpacePart part;
  part.kind = kind;
  part.feature = feature;
  if (kind == SpaceKind::raw) {
    part.scale = Eigen::RowVectorXf::Ones(rows.cols());
  } else if (kind == SpaceKind::diffused) {
    GraphDiffusionOptions chosen;
    chosen.neighbours = options.neighbours;
    chosen.seed = options.seed;
    part.diffusion = fit_graph_diffusion(rows, chosen, run).model;
    part.scale = Eigen::RowVectorXf::Ones(part.diffusion.features());
  } else if (kind == SpaceKind::axis) {
    AxisEigenmapOptions chosen;
    chosen.count = options.count;
    chosen.bins = options.bins;
    AxisEigenmapFit fit = fit_axis_eigenmaps(rows, chosen, run);
    part.axis = std::move(fit.model);
    part.statistics = std::move(fit.statistics);
    part.scale = scale_of(part.axis.eigenvalues, part.axis.items);
  } else {
    AnchorEigenmapOptions chosen;
    chosen.count = options.count;
    chosen.anchors = options.anchors;
    chosen.seed = options.seed;
    part.anchors = fit_anchor_eigenmaps(rows, chosen, run).model;
    part.scale = scale_of(part.anchors.eigenvalues, part.anchors.items);
  }
  return part;
}

Space join_parts(std::vector<SpacePart> parts) {
  for (SpacePart& part : parts) part.scale *= share_of_part(parts.size());
  return {std::move(parts)};
}

SpaceGrowth take_in(Space& space, ManyFeatures features, const Run& run) {
  check_features(space, features);
  SpaceGrowth growth;
  for (SpacePart& part : space.parts) {
    AxisStatistics& statistics = part.statistics;
    if (part.kind != SpaceKind::axis || statistics.items == 0) continue;
    const MatrixView& rows = features[static_cast<std::size_t>(part.feature)];
    const std::int64_t come = rows.rows() - statistics.items;
    require(come >= 0, "there are ", rows.rows(), " items, fewer than the ", statistics.items,
            " that the space is of; learn it again");
    if (come == 0) continue;
    const RowRange own = own_rows(come, run.comm);
    add_rows(statistics, part.axis,
             row_range(rows, {statistics.items + own.begin, statistics.items + own.end}), run);
    growth.items = std::max(growth.items, come);
    if (static_cast<double>(statistics.items - part.axis.items) <
        kRefreshShare * static_cast<double>(part.axis.items))
      continue;
    part.axis = refresh(part.axis, statistics, run.jobs);
    part.scale = scale_of(part.axis.eigenvalues, part.axis.items);
    part.scale *= share_of_part(space.parts.size());
    growth.refreshed = true;
  }
  return growth;
}

Matrix encode(const Space& space, ManyFeatures features, std::int64_t first, std::int64_t count,
              bool known, int jobs) {
  check_features(space, features);
  std::vector<std::int64_t> items(known ? static_cast<std::size_t>(count) : 0);
  std::iota(items.begin(), items.end(), first);
  const auto rows_of = [&](const SpacePart& part) {
    return features[static_cast<std::size_t>(part.feature)].middleRows(first, count);
  };
  if (space.parts.size() == 1)
    return encode_part(space.parts[0], rows_of(space.parts[0]), items, jobs);
  Matrix result(count, space.columns());
  Eigen::Index begin = 0;
  for (const SpacePart& part : space.parts) {
    result.middleCols(begin, part.columns()) = encode_part(part, rows_of(part), items, jobs);
    begin += part.columns();
  }
  return result;
}

Matrix encode_rows(const Space& space, ManyFeatures features, std::span<const std::int64_t> rows,
                   bool known, int jobs) {
  check_features(space, features);
  Matrix result(std::ssize(rows), space.columns());
  Eigen::Index begin = 0;
  for (const SpacePart& part : space.parts) {
    const MatrixView& all = features[static_cast<std::size_t>(part.feature)];
    Matrix taken(std::ssize(rows), all.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      taken.row(static_cast<Eigen::Index>(i)) = all.row(rows[i]);
    result.middleCols(begin, part.columns()) =
        encode_part(part, taken, known ? rows : std::span<const std::int64_t>(), jobs);
    begin += part.columns();
  }
  return result;
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SpacePart>
static void visit_tensors(Self& part, const std::string& prefix, Visit&& visit) {
  visit(prefix + ".scale", part.scale);
  visit(prefix + ".feature", part.feature);
}

void add_space(TensorWriter& writer, const Space& space) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < space.parts.size(); ++i) {
    const SpacePart& part = space.parts[i];
    kinds.push_back(name_of(part.kind));
    const std::string prefix = concat("part.", i);
    if (part.kind != SpaceKind::raw)
      writer.add_bytes(prefix + ".model", part.kind == SpaceKind::diffused
                                              ? to_bytes(part.diffusion)
                                          : part.kind == SpaceKind::axis ? to_bytes(part.axis)
                                                                         : to_bytes(part.anchors));
    if (part.statistics.items > 0)
      writer.add_bytes(prefix + ".statistics", to_bytes(part.statistics));
    visit_tensors(part, prefix, TensorSaver{writer});
  }
  writer.add_strings("parts", kinds);
}

Space read_space(const TensorFile& file) {
  Space space;
  for (const std::string& kind : file.strings("parts")) {
    const std::string prefix = concat("part.", space.parts.size());
    SpacePart part;
    part.kind = space_kind(kind);
    visit_tensors(part, prefix, TensorLoader{file});
    require(part.feature >= 0, file.name(), ": part ", space.parts.size(),
            " of the space is damaged");
    std::int64_t columns = part.columns();
    if (part.kind != SpaceKind::raw) {
      const TensorFile inner = inner_file(file, prefix + ".model");
      if (part.kind == SpaceKind::diffused) {
        part.diffusion = load_graph_diffusion(inner);
        columns = part.diffusion.features();
      } else if (part.kind == SpaceKind::axis) {
        part.axis = load_axis_eigenmaps(inner);
        columns = part.axis.count();
        if (file.has(prefix + ".statistics"))
          part.statistics =
              load_axis_statistics(inner_file(file, prefix + ".statistics"), part.axis);
      } else {
        part.anchors = load_anchor_eigenmaps(inner);
        columns = part.anchors.count();
      }
    }
    require(columns == part.columns(), file.name(), ": part ", space.parts.size(), " has ", columns,
            " coordinates and scales for ", part.columns(), "; the file is damaged");
    space.parts.push_back(std::move(part));
  }
  require(!space.parts.empty(), file.name(), ": the space has no parts; the file is damaged");
  return space;
}

}  // namespace commonplace::detect
