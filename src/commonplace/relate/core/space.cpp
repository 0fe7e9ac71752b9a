#include "commonplace/relate/core/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/comm/together.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

/// The rows of `has` whose items are not held out; the others are empty.
Sparse known_rows(const RelateKind& kind, const std::vector<std::uint8_t>* held) {
  Sparse known;
  known.columns = kind.has.columns;
  const SparseView all = kind.has.view();
  for (std::int64_t row = 0; row < all.rows; ++row) {
    if (held == nullptr || (*held)[static_cast<std::size_t>(row)] == 0)
      known.push_row(all, row);
    else
      known.end_row();
  }
  return known;
}

/// Largest size of an entry; 0 if there is none.
float largest(const Sparse& links) {
  float size = 0;
  for (const float value : links.values) size = std::max(size, std::abs(value));
  return size;
}

bool uses_landmarks(const KindSetting& setting) {
  return setting.kernel != "identity" && setting.kernel != "linear";
}

/// The things that have guidance, as rows of features.
StoredRows linked_rows(const RelateData& data, std::size_t kind, const RelateLinks& links) {
  std::vector<std::uint8_t> linked(static_cast<std::size_t>(data.kinds[kind].things));
  for (const Guidance& guidance : links.guidance) {
    const SparseView& view = guidance.links;
    for (std::int64_t row = 0; row < view.rows; ++row) {
      if (guidance.from == kind && !view.row_indices(row).empty())
        linked[static_cast<std::size_t>(row)] = 1;
      if (guidance.to == kind)
        for (const std::int32_t column : view.row_indices(row))
          linked[static_cast<std::size_t>(column)] = 1;
    }
  }
  std::vector<std::int64_t> which;
  for (std::size_t i = 0; i < linked.size(); ++i)
    if (linked[i] != 0) which.push_back(static_cast<std::int64_t>(i));
  require(!which.empty(), "nothing links ", data.kinds[kind].what.full(),
          " to the others; leave it out, or give links");
  return take_rows(data.kinds[kind].view(), which);
}

/// Whether a projection is of such kinds of the data.
bool fits(const GuidedProjection* projection, const RelateData& data,
          const std::vector<GuidedKind>& kinds) {
  if (projection == nullptr || projection->kinds.size() != kinds.size()) return false;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const bool identity = kinds[k].features == nullptr;
    const std::int64_t features = identity ? data.kinds[k].things : kinds[k].features->columns();
    if (projection->kinds[k].identity != identity ||
        projection->kinds[k].projection.rows() != features)
      return false;
  }
  return true;
}

/// The features of a kind that were made with such a setting, or with the width it got by a rule.
const Matrix* rows_in(const LandmarkCache& cache, std::size_t kind, const KindSetting& setting) {
  for (const double width : {setting.width, 0.0})
    if (const auto found = cache.made.find({kind, setting.kernel, width});
        found != cache.made.end() && found->second.landmarks.options.width == setting.width)
      return &found->second.rows;
  return nullptr;
}

FeatureRows own_part(const FeatureRows& rows, const Comm& comm) {
  const RowRange own = own_rows(rows.rows(), comm);
  return slice(rows, own.begin, own.end - own.begin);
}

/// Chosen among the things that have links. All ranks take those of rank 0, whose rounding may have
/// led to others than theirs.
LandmarkFeatures choose_landmarks(const RelateData& data, std::size_t kind,
                                  const RelateLinks& links, const KindSetting& setting,
                                  std::uint64_t seed, Comm& comm, int jobs) {
  LandmarkFeatures chosen =
      fit_landmark_features(linked_rows(data, kind, links).view(),
                            {setting.kernel, setting.width, setting.landmarks, seed}, jobs);
  if (comm.size() == 1) return chosen;
  const std::string first = comm.rank() == 0 ? to_bytes(chosen) : std::string();
  return load_landmark_features(TensorFile(text_of_first(comm, first), "landmarks of rank 0"));
}

/// The links of this rank's things of `from`.
std::vector<Guidance> own_guidance(const RelateLinks& links, const Comm& comm) {
  std::vector<Guidance> own = links.guidance;
  for (Guidance& each : own) each.links = own_part(each.links, comm).sparse();
  return own;
}

/// Values of this rank's things, put together with those of the other ranks.
VectorD put_together(const VectorD& own, std::int64_t things, Comm& comm) {
  VectorD all = VectorD::Zero(things);
  all.segment(own_rows(things, comm).begin, own.size()) = own;
  comm.sum(std::span<double>(all.data(), static_cast<std::size_t>(things)));
  return all;
}

}  // namespace

RelateLinks links_of(const RelateData& data, HeldItems held) {
  RelateLinks result;
  std::vector<Guidance> guidance;
  const auto add = [&](std::size_t from, std::size_t to, Sparse links, double weight) {
    const float size = largest(links);
    if (size == 0 || weight == 0) return;
    if (size > 1)
      for (float& value : links.values) value /= size;
    guidance.push_back({from, to, {}, weight * std::max(1.0F, size)});
    result.links.push_back(std::move(links));
  };
  for (std::size_t a = 0; a < data.kinds.size(); ++a) {
    const auto* hidden = held.empty() ? nullptr : &held[a];
    const Sparse things = transpose(known_rows(data.kinds[a], hidden).view());
    for (std::size_t b = a + 1; b < data.kinds.size(); ++b)
      if (data.kinds[a].what.collection == data.kinds[b].what.collection)
        add(a, b, multiply(things.view(), known_rows(data.kinds[b], hidden).view()),
            data.kinds[a].weight * data.kinds[b].weight);
  }
  for (const GivenLinks& given : data.given) add(given.from, given.to, given.links, given.weight);
  for (std::size_t i = 0; i < guidance.size(); ++i) {
    guidance[i].links = result.links[i].view();
    result.guidance.push_back(guidance[i]);
  }
  return result;
}

RelateSpace fit_relate_space(const RelateData& data, const RelateLinks& links,
                             const std::vector<KindSetting>& settings,
                             const GuidedProjectionOptions& options, Comm& comm, int jobs,
                             const Progress& progress, const RelateStart& start) {
  require(!links.guidance.empty(),
          "nothing links the kinds that are to be related: no item has two of them");
  RelateSpace space;
  space.settings = settings;
  space.landmarks.resize(data.kinds.size());
  LandmarkCache own;
  LandmarkCache& cache = start.cache != nullptr ? *start.cache : own;
  std::vector<FeatureRows> views;
  views.reserve(data.kinds.size());
  std::vector<GuidedKind> kinds;
  for (std::size_t k = 0; k < data.kinds.size(); ++k) {
    if (uses_landmarks(settings[k])) {
      LandmarkCache::Made& made = cache.made[{k, settings[k].kernel, settings[k].width}];
      if (made.landmarks.count() == 0) {
        made.landmarks = start.landmarks != nullptr ? (*start.landmarks)[k]
                                                    : choose_landmarks(data, k, links, settings[k],
                                                                       options.seed, comm, jobs);
        made.rows = encode(made.landmarks, own_part(data.kinds[k].view(), comm), jobs);
      }
      space.landmarks[k] = made.landmarks;
      space.settings[k].width = made.landmarks.options.width;
      views.emplace_back(made.rows);
    } else {
      views.push_back(own_part(data.kinds[k].view(), comm));
    }
    const bool identity = settings[k].kernel == "identity";
    const RowRange own_things = own_rows(data.kinds[k].things, comm);
    kinds.push_back(
        {identity ? nullptr : &views.back(), own_things.end - own_things.begin, settings[k].gamma});
  }
  GuidedProjectionOptions chosen = options;
  chosen.jobs = jobs;
  GuidedProjectionFit fit = fit_guided_projection(
      kinds, own_guidance(links, comm), chosen, comm,
      fits(start.projection, data, kinds) ? start.projection : nullptr, progress);
  space.projection = std::move(fit.model);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    space.degrees.push_back(put_together(fit.degrees[k], data.kinds[k].things, comm));
    space.mass += space.degrees[k].sum();
  }
  space.largest_residual = fit.residuals.size() == 0 ? 0 : fit.residuals.maxCoeff();
  space.rounds = fit.report.iterations;
  space.converged = fit.report.converged;
  return space;
}

Matrix positions_of_rows(const RelateSpace& space, std::size_t kind, const FeatureRows& rows,
                         int jobs) {
  // In blocks, so that features of landmarks never stand in memory for all rows.
  constexpr std::int64_t kBlock = 8192;
  if (space.landmarks[kind].count() == 0) return encode(space.projection, kind, rows, jobs);
  Matrix result(rows.rows(), space.dim());
  for (std::int64_t begin = 0; begin < rows.rows(); begin += kBlock) {
    const std::int64_t count = std::min(kBlock, rows.rows() - begin);
    const Matrix features = encode(space.landmarks[kind], slice(rows, begin, count), jobs);
    result.middleRows(begin, count) = encode(space.projection, kind, FeatureRows(features), jobs);
  }
  return result;
}

Matrix positions_of(const RelateSpace& space, const RelateData& data, std::size_t kind, Comm& comm,
                    int jobs, const LandmarkCache* cache) {
  const RelateKind& of = data.kinds[kind];
  if (space.projection.kinds[kind].identity) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(of.things));
    std::iota(all.begin(), all.end(), 0);
    Matrix positions = encode_identity(space.projection, kind, all);
    // A name without links is nowhere.
    for (std::int64_t i = 0; i < of.things; ++i)
      if (space.degrees[kind](i) == 0) positions.row(i).setZero();
    return positions;
  }
  const Matrix* made = cache == nullptr ? nullptr : rows_in(*cache, kind, space.settings[kind]);
  Matrix positions = comm.gather_rows(
      made != nullptr ? encode(space.projection, kind, FeatureRows(*made), jobs)
                      : positions_of_rows(space, kind, own_part(of.view(), comm), jobs));
  if (of.what.of == ThingsOf::items || of.what.of == ThingsOf::text)
    for (std::int64_t row = 0; row < of.has.rows() && row < positions.rows(); ++row)
      if (of.has.view().row_indices(row).empty()) positions.row(row).setZero();
  return positions;
}

Matrix affinities(const RelateSpace& space, const Matrix& x, const Matrix& y, int jobs) {
  const Eigen::RowVectorXf strength =
      (space.mass * space.projection.strength.array().max(0.0)).cast<float>().matrix().transpose();
  const Matrix scaled = x.array().rowwise() * strength.array();
  return multiply_transposed(scaled, y, jobs);
}

Matrix positions_of_items(const SparseView& has, const Matrix& positions) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(has.rows));
  std::iota(all.begin(), all.end(), 0);
  return positions_of_items(has, positions, all);
}

Matrix positions_of_items(const SparseView& has, const Matrix& positions,
                          std::span<const std::int64_t> rows) {
  Matrix result = Matrix::Zero(std::ssize(rows), positions.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= has.rows) continue;
    float count = 0;
    auto mean = result.row(static_cast<Eigen::Index>(i));
    for (std::size_t j = 0; j < has.row_indices(rows[i]).size(); ++j) {
      const std::int32_t thing = has.row_indices(rows[i])[j];
      if (has.row_values(rows[i])[j] <= 0 || positions.row(thing).isZero(0)) continue;
      mean += positions.row(thing);
      ++count;
    }
    if (count > 0) mean /= count;
  }
  return result;
}

void cut(RelateSpace& space, std::int64_t dim) {
  if (dim >= space.dim()) return;
  for (ProjectedKind& kind : space.projection.kinds) {
    kind.projection = kind.projection.leftCols(dim).eval();
    kind.shift = kind.shift.head(dim).eval();
  }
  space.projection.eigenvalues = space.projection.eigenvalues.head(dim).eval();
  space.projection.strength = space.projection.strength.head(dim).eval();
}

KindSetting usual_setting(const RelateKind& kind, std::int64_t landmarks) {
  KindSetting setting;
  setting.landmarks = landmarks;
  setting.kernel = kind.kernel;
  setting.width = kind.width;
  switch (kind.what.of) {
    case ThingsOf::tags:
    case ThingsOf::label:
      setting.kernel = "identity";
      setting.gamma = 0.1;
      break;
    case ThingsOf::places:
      if (setting.kernel.empty()) setting.kernel = "laplace";
      if (setting.width == 0) setting.width = 0.003;
      break;
    case ThingsOf::text:
      if (setting.kernel.empty()) setting.kernel = "cosine";
      break;
    case ThingsOf::items:
      if (setting.kernel.empty()) setting.kernel = kind.identity() ? "identity" : "gaussian";
      break;
  }
  return setting;
}

}  // namespace commonplace
