#include "commonplace/relate/core/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::relate {
namespace {

/// The rows of `has` whose items are not held out; the others are empty.
Sparse known_rows(const ModalityRows& modality, const std::vector<std::uint8_t>* held) {
  Sparse known;
  known.columns = modality.has.columns;
  const SparseView all = modality.has.view();
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

bool uses_landmarks(const ModalitySetting& setting) {
  return setting.kernel != "identity" && setting.kernel != "linear";
}

/// The nodes that have guidance, as rows of features.
StoredRows linked_rows(const Data& data, std::size_t modality, const Links& links) {
  std::vector<std::uint8_t> linked(static_cast<std::size_t>(data.modalities[modality].nodes));
  for (const Guidance& guidance : links.guidance) {
    const SparseView& view = guidance.links;
    for (std::int64_t row = 0; row < view.rows; ++row) {
      if (guidance.from == modality && !view.row_indices(row).empty())
        linked[static_cast<std::size_t>(row)] = 1;
      if (guidance.to == modality)
        for (const std::int32_t column : view.row_indices(row))
          linked[static_cast<std::size_t>(column)] = 1;
    }
  }
  std::vector<std::int64_t> which;
  for (std::size_t i = 0; i < linked.size(); ++i)
    if (linked[i] != 0) which.push_back(static_cast<std::int64_t>(i));
  require(!which.empty(), "nothing links ", data.modalities[modality].what.full(),
          " to the others; leave it out, or give links");
  return take_rows(data.modalities[modality].view(), which);
}

/// Whether a projection is of such modalities of the data.
bool fits(const GuidedProjection* projection, const Data& data,
          const std::vector<GuidedModality>& modalities) {
  if (projection == nullptr || projection->modalities.size() != modalities.size()) return false;
  for (std::size_t k = 0; k < modalities.size(); ++k) {
    const bool identity = modalities[k].features == nullptr;
    const std::int64_t features =
        identity ? data.modalities[k].nodes : modalities[k].features->columns();
    if (projection->modalities[k].identity != identity ||
        projection->modalities[k].projection.rows() != features)
      return false;
  }
  return true;
}

/// The features of a modality that were made with such a setting, or with the width it got by a
/// rule.
const Matrix* rows_in(const NystromCache& cache, std::size_t modality,
                      const ModalitySetting& setting) {
  for (const double width : {setting.width, 0.0})
    if (const auto found = cache.made.find({modality, setting.kernel, width});
        found != cache.made.end() && found->second.landmarks.options.width == setting.width)
      return &found->second.rows;
  return nullptr;
}

FeatureRows own_part(const FeatureRows& rows, const Comm& comm) {
  const RowRange own = own_rows(rows.rows(), comm);
  return slice(rows, own.begin, own.end - own.begin);
}

/// Chosen among the nodes that have links. All ranks take those of rank 0, whose rounding may have
/// led to others than theirs.
NystromFeatures choose_landmarks(const Data& data, std::size_t modality, const Links& links,
                                 const ModalitySetting& setting, std::uint64_t seed,
                                 const Run& run) {
  NystromFeatures chosen =
      fit_nystrom_features(linked_rows(data, modality, links).view(),
                           {setting.kernel, setting.width, setting.landmarks, seed}, run.jobs);
  if (run.comm.size() == 1) return chosen;
  const std::string first = run.comm.rank() == 0 ? to_bytes(chosen) : std::string();
  return load_nystrom_features(TensorFile(broadcast_text(run.comm, first), "landmarks of rank 0"));
}

/// The links of this rank's nodes of `from`.
std::vector<Guidance> own_guidance(const Links& links, const Comm& comm) {
  std::vector<Guidance> own = links.guidance;
  for (Guidance& each : own) each.links = own_part(each.links, comm).sparse();
  return own;
}

/// Values of this rank's nodes, put together with those of the other ranks.
VectorD put_together(const VectorD& own, std::int64_t nodes, Comm& comm) {
  VectorD all = VectorD::Zero(nodes);
  all.segment(own_rows(nodes, comm).begin, own.size()) = own;
  comm.sum(std::span<double>(all.data(), static_cast<std::size_t>(nodes)));
  return all;
}

}  // namespace

Links links_of(const Data& data, HeldItems held) {
  Links result;
  std::vector<Guidance> guidance;
  const auto add = [&](std::size_t from, std::size_t to, Sparse links, double weight) {
    const float size = largest(links);
    if (size == 0 || weight == 0) return;
    if (size > 1)
      for (float& value : links.values) value /= size;
    guidance.push_back({from, to, {}, weight * std::max(1.0F, size)});
    result.links.push_back(std::move(links));
  };
  for (std::size_t a = 0; a < data.modalities.size(); ++a) {
    const auto* hidden = held.empty() ? nullptr : &held[a];
    const Sparse nodes = transpose(known_rows(data.modalities[a], hidden).view());
    for (std::size_t b = a + 1; b < data.modalities.size(); ++b)
      if (data.modalities[a].what.collection == data.modalities[b].what.collection)
        add(a, b, multiply(nodes.view(), known_rows(data.modalities[b], hidden).view()),
            data.modalities[a].weight * data.modalities[b].weight);
  }
  for (const GivenLinks& given : data.given) add(given.from, given.to, given.links, given.weight);
  for (std::size_t i = 0; i < guidance.size(); ++i) {
    guidance[i].links = result.links[i].view();
    result.guidance.push_back(guidance[i]);
  }
  return result;
}

Space fit_relate_space(const Data& data, const Links& links,
                       const std::vector<ModalitySetting>& settings,
                       const GuidedProjectionOptions& options, const Run& run, const Start& start) {
  require(!links.guidance.empty(),
          "nothing links the kinds that are to be related: no item has two of them");
  Space space;
  space.settings = settings;
  space.landmarks.resize(data.modalities.size());
  NystromCache own;
  NystromCache& cache = start.cache != nullptr ? *start.cache : own;
  std::vector<FeatureRows> views;
  views.reserve(data.modalities.size());
  std::vector<GuidedModality> modalities;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    if (uses_landmarks(settings[k])) {
      NystromCache::Made& made = cache.made[{k, settings[k].kernel, settings[k].width}];
      if (made.landmarks.count() == 0) {
        made.landmarks = start.landmarks != nullptr
                             ? (*start.landmarks)[k]
                             : choose_landmarks(data, k, links, settings[k], options.seed, run);
        made.rows = encode(made.landmarks, own_part(data.modalities[k].view(), run.comm), run.jobs);
      }
      space.landmarks[k] = made.landmarks;
      space.settings[k].width = made.landmarks.options.width;
      views.emplace_back(made.rows);
    } else {
      views.push_back(own_part(data.modalities[k].view(), run.comm));
    }
    const bool identity = settings[k].kernel == "identity";
    const RowRange own_nodes = own_rows(data.modalities[k].nodes, run.comm);
    modalities.push_back(
        {identity ? nullptr : &views.back(), own_nodes.end - own_nodes.begin, settings[k].gamma});
  }
  GuidedProjectionFit fit =
      fit_guided_projection(modalities, own_guidance(links, run.comm), options, run,
                            fits(start.projection, data, modalities) ? start.projection : nullptr);
  space.projection = std::move(fit.model);
  for (std::size_t k = 0; k < modalities.size(); ++k) {
    space.degrees.push_back(put_together(fit.degrees[k], data.modalities[k].nodes, run.comm));
    space.mass += space.degrees[k].sum();
  }
  space.largest_residual = fit.residuals.size() == 0 ? 0 : fit.residuals.maxCoeff();
  space.rounds = fit.report.iterations;
  space.converged = fit.report.converged;
  return space;
}

Matrix positions_of_rows(const Space& space, std::size_t modality, const FeatureRows& rows,
                         int jobs) {
  // In blocks, so that features of landmarks never stand in memory for all rows.
  constexpr std::int64_t kBlock = 8192;
  if (space.landmarks[modality].count() == 0) return encode(space.projection, modality, rows, jobs);
  Matrix result(rows.rows(), space.dim());
  for (std::int64_t begin = 0; begin < rows.rows(); begin += kBlock) {
    const std::int64_t count = std::min(kBlock, rows.rows() - begin);
    const Matrix features = encode(space.landmarks[modality], slice(rows, begin, count), jobs);
    result.middleRows(begin, count) =
        encode(space.projection, modality, FeatureRows(features), jobs);
  }
  return result;
}

Matrix positions_of(const Space& space, const Data& data, std::size_t modality, const Run& run,
                    const NystromCache* cache) {
  const ModalityRows& of = data.modalities[modality];
  if (space.projection.modalities[modality].identity) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(of.nodes));
    std::iota(all.begin(), all.end(), 0);
    Matrix positions = encode_identity(space.projection, modality, all);
    // A name without links is nowhere.
    for (std::int64_t i = 0; i < of.nodes; ++i)
      if (space.degrees[modality](i) == 0) positions.row(i).setZero();
    return positions;
  }
  const Matrix* made =
      cache == nullptr ? nullptr : rows_in(*cache, modality, space.settings[modality]);
  Matrix positions = run.comm.gather_rows(
      made != nullptr
          ? encode(space.projection, modality, FeatureRows(*made), run.jobs)
          : positions_of_rows(space, modality, own_part(of.view(), run.comm), run.jobs));
  if (of.what.of == NodeType::items || of.what.of == NodeType::text)
    for (std::int64_t row = 0; row < of.has.rows() && row < positions.rows(); ++row)
      if (of.has.view().row_indices(row).empty()) positions.row(row).setZero();
  return positions;
}

Matrix affinities(const Space& space, const Matrix& x, const Matrix& y, int jobs) {
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
      const std::int32_t node = has.row_indices(rows[i])[j];
      if (has.row_values(rows[i])[j] <= 0 || positions.row(node).isZero(0)) continue;
      mean += positions.row(node);
      ++count;
    }
    if (count > 0) mean /= count;
  }
  return result;
}

void cut(Space& space, std::int64_t dim) {
  if (dim >= space.dim()) return;
  for (ProjectedModality& modality : space.projection.modalities) {
    modality.projection = modality.projection.leftCols(dim).eval();
    modality.shift = modality.shift.head(dim).eval();
  }
  space.projection.eigenvalues = space.projection.eigenvalues.head(dim).eval();
  space.projection.strength = space.projection.strength.head(dim).eval();
}

ModalitySetting usual_setting(const ModalityRows& modality, std::int64_t landmarks) {
  ModalitySetting setting;
  setting.landmarks = landmarks;
  setting.kernel = modality.kernel;
  setting.width = modality.width;
  switch (modality.what.of) {
    case NodeType::tags:
    case NodeType::label:
      setting.kernel = "identity";
      setting.gamma = 0.1;
      break;
    case NodeType::places:
      if (setting.kernel.empty()) setting.kernel = "laplace";
      if (setting.width == 0) setting.width = 0.003;
      break;
    case NodeType::text:
      if (setting.kernel.empty()) setting.kernel = "cosine";
      break;
    case NodeType::items:
      if (setting.kernel.empty()) setting.kernel = modality.identity() ? "identity" : kRbfKernel;
      break;
  }
  return setting;
}

}  // namespace commonplace::relate
