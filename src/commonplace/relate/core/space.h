#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/relate/core/data.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/relate/core/nystrom_features.h"

namespace commonplace::relate {

/// How the nodes of a modality become numbers, and how far these are trusted.
struct ModalitySetting {
  std::string kernel = "linear";  ///< identity, linear, rbf, laplace or cosine
  double width = 0;               ///< of rbf and laplace; 0: by a rule
  std::int64_t landmarks = 1000;
  double gamma = 1;  ///< ridge, times the mean of the diagonal

  bool operator==(const ModalitySetting&) const = default;
};

/// One space for all modalities.
struct Space {
  std::vector<ModalitySetting> settings;
  std::vector<NystromFeatures> landmarks;  ///< of each modality; empty where the kernel needs none
  GuidedProjection projection;
  std::vector<VectorD> degrees;  ///< of each modality: the guidance that each node has
  double mass = 0;               ///< all of it
  double largest_residual = 0;
  int rounds = 0;
  bool converged = false;

  std::int64_t dim() const { return projection.dim(); }
};

/// The guidance: two nodes belong together as often as items have both, for every two modalities of
/// a collection; and what was given. `held`, if not empty, has for each modality's collection which
/// items are held out (not 0) and say nothing.
struct Links {
  std::vector<Sparse> links;
  std::vector<Guidance> guidance;  ///< views of `links`
};
using HeldItems = std::span<const std::vector<std::uint8_t>>;  ///< per modality
Links links_of(const Data& data, HeldItems held = {});

/// Features by landmarks that were made before, by modality, kernel and width: of this rank's
/// nodes.
struct NystromCache {
  struct Made {
    NystromFeatures landmarks;
    Matrix rows;
  };
  std::map<std::tuple<std::size_t, std::string, double>, Made> made;
};

/// What a fit may begin with.
struct Start {
  /// Landmarks to be kept, one of each modality.
  const std::vector<NystromFeatures>* landmarks = nullptr;
  /// A projection to begin from; it is left out of account if its features are others.
  const GuidedProjection* projection = nullptr;
  /// Where features are looked for and left for other fits of the same data.
  NystromCache* cache = nullptr;
};

/// Learns the space, each rank with its own_rows of every modality's nodes; all are given all of
/// the data and get the same space. Landmarks are chosen among the nodes that have links.
Space fit_relate_space(const Data& data, const Links& links,
                       const std::vector<ModalitySetting>& settings,
                       const GuidedProjectionOptions& options, const Run& run,
                       const Start& start = {});

/// The positions of all nodes of a modality, nodes x dim, each rank's own put together. Those that
/// have no features are at 0. Features by landmarks are taken from `cache` if they are there.
Matrix positions_of(const Space& space, const Data& data, std::size_t modality, const Run& run,
                    const NystromCache* cache = nullptr);
/// The positions of other rows of that modality's features.
Matrix positions_of_rows(const Space& space, std::size_t modality, const FeatureRows& rows,
                         int jobs);

/// How much more two nodes belong together than chance would have it: mass Σ strength x y, so that
/// 0 is chance and 1 twice as often. `x` n x dim, `y` m x dim; n x m.
Matrix affinities(const Space& space, const Matrix& x, const Matrix& y, int jobs);

/// Where items are by a modality: the mean of the nodes they have, items x dim; 0 for those with
/// none. `has` is items x nodes, `positions` those of the nodes; of all items, or of `rows`.
Matrix positions_of_items(const SparseView& has, const Matrix& positions);
Matrix positions_of_items(const SparseView& has, const Matrix& positions,
                          std::span<const std::int64_t> rows);

/// The first `dim` coordinates only.
void cut(Space& space, std::int64_t dim);

/// What a modality is given where nobody chose.
ModalitySetting usual_setting(const ModalityRows& modality, std::int64_t landmarks);

}  // namespace commonplace::relate
