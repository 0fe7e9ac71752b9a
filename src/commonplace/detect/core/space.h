#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/detect/core/anchor_eigenmaps.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/graph_diffusion.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::detect {

/// How features become coordinates in which concepts are linear.
struct SpaceOptions {
  std::int64_t count = 500;  ///< eigenfunctions of a kind of features, for axis and anchors
  std::int64_t bins = 50;    ///< of an axis
  std::int64_t anchors = 1000;
  std::int64_t neighbours = 5;  ///< of graph diffusion
  std::uint64_t seed = 1;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SpaceOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("count", options.count, "eigenfunctions to keep of each kind of features");
  visit("bins", options.bins, "bins of an axis");
  visit("anchors", options.anchors, "anchors of the anchor graph");
  visit("neighbours", options.neighbours, "features are smoothed with so many neighbours");
  visit("seed", options.seed, "seed of what is drawn");
}

/// The kinds: the features as they are, features after graph diffusion, approximate Laplacian
/// eigenmaps (ALE), eigenvectors of an anchor graph. Users call the second "smoothed".
enum class SpaceKind { raw, diffused, axis, anchors };
const char* name_of(SpaceKind kind);
/// Error, listing the kinds, for another name.
SpaceKind space_kind(const std::string& name);

/// One kind of coordinates of one kind of features. Of the three models one is in use.
struct SpacePart {
  SpaceKind kind = SpaceKind::raw;
  std::int64_t feature = 0;  ///< which of the features
  GraphDiffusion diffusion;
  AxisEigenmaps axis;
  AxisStatistics statistics;  ///< of `axis`, and of items that came later; of none if not kept
  AnchorEigenmaps anchors;
  Eigen::RowVectorXf scale;  ///< of each coordinate

  std::int64_t columns() const { return scale.size(); }
};

/// Coordinates of several kinds side by side. They are scaled so that a smooth function is one of
/// small weights, every coordinate counting alike (the eigenvalues are in the scale), and so that
/// an item is one long on average.
struct Space {
  std::vector<SpacePart> parts;
  std::int64_t columns() const;
};

/// The features of the same items, each items x columns; they may be mapped files larger than
/// memory, which are read in order, in blocks.
using ManyFeatures = std::span<const MatrixView>;

/// Some rows of the features of one kind.
inline MatrixView row_range(const MatrixView& rows, const RowRange& range) {
  return {rows.data() + range.begin * rows.cols(), range.end - range.begin, rows.cols()};
}

/// Coordinates of one kind, from the rows of all ranks.
SpacePart fit_part(SpaceKind kind, std::int64_t feature, const MatrixView& rows,
                   const SpaceOptions& options, const Run& run);
/// Parts side by side, each counting as much as the next.
Space join_parts(std::vector<SpacePart> parts);

/// What became of a space when items had come.
struct SpaceGrowth {
  std::int64_t items = 0;  ///< that were added to the statistics of its axes; 0 if it keeps none
  bool refreshed = false;  ///< coordinates are others now: heads and index must be made anew
};
/// Eigenfunctions are refreshed when the items that they are not of are this share of those that
/// they are of, or more: then all refreshing of a growing collection reads an item 1 + 1 / share
/// times at most.
inline constexpr double kRefreshShare = 0.1;
/// Adds the rows behind those that are in the statistics to these, online (IALE), and refreshes the
/// eigenfunctions if they are many. Every rank gives all features, of which it reads its part.
SpaceGrowth take_in(Space& space, ManyFeatures features, const Run& run);

/// The coordinates of rows first .. first + count - 1, which are those items of the fit
/// if `known`, or new ones. The same bits for a row alone as among others.
Matrix encode(const Space& space, ManyFeatures features, std::int64_t first, std::int64_t count,
              bool known, int jobs = 0);
/// Those of the named rows.
Matrix encode_rows(const Space& space, ManyFeatures features, std::span<const std::int64_t> rows,
                   bool known, int jobs = 0);

/// Puts a space into a model file and takes it out again; Error if it is damaged.
void add_space(TensorWriter& writer, const Space& space);
Space read_space(const TensorFile& file);

}  // namespace commonplace::detect
