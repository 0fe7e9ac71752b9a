#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::detect {

/// Approximate Laplacian eigenmaps (ALE; Fergus et al. 2009, Mantziou et al. 2015). If the axes of
/// the items were independent, the eigenfunctions of each axis' own density would be eigenfunctions
/// of the graph of all items, so a small problem an axis replaces the graph.
struct AxisEigenmapOptions {
  std::int64_t count = 500;  ///< eigenfunctions to keep, the smoothest of all axes
  std::int64_t bins = 50;    ///< of an axis, at most a tenth of the items, at least 3
  double bandwidth = 0.5;    ///< of the Gaussian between bin centres, in the unit below
  /// "one": the bandwidth is a length in the features (the authors': 0.2); "widest": a multiple of
  /// the standard deviation of the axis that has the greatest, so that the scale of the features
  /// does not matter; "axis": of each axis' own, which makes narrow axes count as wide ones.
  std::string bandwidth_unit = "widest";
  double smoothing = 0.1;  ///< added to the share of items of every bin
  double clip = 0.025;     ///< items beyond this quantile at either end count as at it
  bool rotate = true;      ///< to the principal axes of all items
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AxisEigenmapOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("count", options.count, "eigenfunctions to keep, the smoothest of all axes");
  visit("bins", options.bins, "bins of an axis; at most a tenth of the items");
  visit("bandwidth", options.bandwidth, "how near two places on an axis are alike");
  visit("bandwidth_unit", options.bandwidth_unit,
        "what the bandwidth is a multiple of: one, widest or axis");
  visit("smoothing", options.smoothing, "added to the share of items of every bin");
  visit("clip", options.clip, "items beyond this quantile at either end count as at it");
  visit("rotate", options.rotate, "rotate to the principal axes first");
}

/// Bins of an axis, at most.
inline constexpr std::int64_t kMostBins = 10000;

/// Error, naming the option, if one is out of range.
void check(const AxisEigenmapOptions& options);

/// The rules of the authors' own program.
AxisEigenmapOptions authors_axis_eigenmaps();

/// Where the axes lie, and the chosen eigenfunctions. d features, a axes (d, or fewer if the items
/// span fewer), B bins, k functions.
struct AxisEigenmaps {
  AxisEigenmapOptions options;
  std::int64_t items = 0;          ///< that the norms are of
  VectorD mean;                    ///< d: taken off before the rotation; zeros without one
  MatrixD rotation;                ///< a x d: a row is an axis, the widest first; 0 x 0 without one
  VectorD low;                     ///< a: where the first bin of an axis begins
  VectorD high;                    ///< a: where the last ends; as low if the axis is constant
  VectorD clip_low;                ///< a
  VectorD clip_high;               ///< a
  VectorD bandwidths;              ///< a, in the features' unit
  std::vector<std::int64_t> axis;  ///< k: the axis of each function
  VectorD eigenvalues;             ///< k, ascending; the Σ of LapRLS
  MatrixD functions;               ///< k x B: values at the bin centres
  VectorD norms;                   ///< k: of the functions over all items; encode divides by them

  std::int64_t features() const { return mean.size(); }
  std::int64_t axes() const { return low.size(); }
  std::int64_t count() const { return eigenvalues.size(); }
  std::int64_t bins() const { return functions.cols(); }
};

/// The centres of the bins of an axis.
VectorD bin_centres(const AxisEigenmaps& model, std::int64_t axis);

/// What is additive in the items, over the rotation, bins and clips of a model: all that its
/// eigenfunctions and norms depend on. Of a clipped item between bin centres i and i + 1, t is the
/// share of the way from i to i + 1.
struct AxisStatistics {
  std::int64_t items = 0;
  VectorD sum;        ///< d: of the features
  MatrixD scatter;    ///< d x d: sum of (x - mean)(x - mean)ᵀ, mean of these items; 0 x 0 if not
                      ///< rotated
  MatrixD histogram;  ///< a x B: items of a bin, not clipped; those outside are in the end bins
  MatrixD between;    ///< a x (B - 1): clipped items between two centres
  MatrixD moment;     ///< a x (B - 1): sum of their t
  MatrixD second;     ///< a x (B - 1): sum of their t²
};

struct AxisEigenmapFit {
  AxisEigenmaps model;
  AxisStatistics statistics;
  Convergence report;
};

/// Each rank gives its own rows; every rank gets the same model and statistics, of all items. The
/// clips are exact: what lies at place `clip` times the number of items from either end,
/// interpolated between neighbouring items, as in the authors' program. Reads the rows three times
/// in order, in blocks, and keeps only blocks: n d² multiplications for the covariance, n d² for
/// each of two rotations, a B³ for the eigenfunctions; memory O(d²) and a few thousand rows. The
/// last value of a function is positive. Fewer functions than `count` if there are no more with
/// eigenvalues between 1e-10 (a constant) and 1 - 1e-9 (rounding alone). Error for a number that is
/// not finite, naming the row, for fewer than 2 items and for options out of range.
AxisEigenmapFit fit_axis_eigenmaps(const Eigen::Ref<const Matrix>& rows,
                                   const AxisEigenmapOptions& options, const Run& run);
/// The same computed in double throughout; for small data.
AxisEigenmapFit fit_axis_eigenmaps(const Eigen::Ref<const MatrixD>& rows,
                                   const AxisEigenmapOptions& options, const Run& run);

/// U, n x k: the functions at the rows, by linear interpolation, over their norms. The same bits
/// for a row alone as among others. O(n (d a + k)), where a is the number of axes in use.
Matrix encode(const AxisEigenmaps& model, const Eigen::Ref<const Matrix>& rows, int jobs = 0);
MatrixD encode(const AxisEigenmaps& model, const Eigen::Ref<const MatrixD>& rows, int jobs = 0);

/// Adds the items `rows` of all ranks, online (IALE), to the statistics of a model's items, without
/// these.
void add_rows(AxisStatistics& statistics, const AxisEigenmaps& model,
              const Eigen::Ref<const Matrix>& rows, const Run& run);
void add_rows(AxisStatistics& statistics, const AxisEigenmaps& model,
              const Eigen::Ref<const MatrixD>& rows, const Run& run);
/// The model with rotation, bins, clips and bandwidths as they are, and eigenfunctions and norms of
/// the items in `statistics`: the same (beyond rounding) as if these items had all been there.
/// Which functions are chosen may change, so what was encoded before must be encoded again.
AxisEigenmaps refresh(const AxisEigenmaps& model, const AxisStatistics& statistics, int jobs = 0);

}  // namespace commonplace::detect
