#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::detect {

/// Eigenmaps of an anchor graph (Liu, He and Chang 2010): items are alike as far as they share
/// near anchors, W = Z Λ⁻¹ Zᵀ, whose eigenvectors follow from those of an m x m matrix.
struct AnchorEigenmapOptions {
  std::int64_t count = 500;     ///< eigenvectors to keep; at most one fewer than the anchors
  std::int64_t anchors = 1000;  ///< centres of k-means; at most the items
  std::int64_t nearest = 3;     ///< anchors of an item
  /// "rbf": by distance; "lae": local anchor embedding, the convex combination of its anchors
  /// that is nearest to the item.
  std::string weights = "rbf";
  std::int64_t sample = 20000;  ///< k-means is of so many items, drawn at random
  int iterations = 10;          ///< of k-means
  std::uint64_t seed = 1;       ///< of the sample and of k-means
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AnchorEigenmapOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("count", options.count, "eigenvectors to keep, the smoothest");
  visit("anchors", options.anchors, "centres of k-means that items are tied to");
  visit("nearest", options.nearest, "anchors of an item");
  visit("weights", options.weights, "how an item is tied to its anchors: rbf or lae");
  visit("sample", options.sample, "find the anchors in so many items, drawn at random");
  visit("iterations", options.iterations, "iterations of k-means");
  visit("seed", options.seed, "seed of the sample and of k-means");
}

struct AnchorEigenmaps {
  AnchorEigenmapOptions options;
  std::int64_t items = 0;
  Matrix anchors;        ///< m x d; anchors that no item is tied to are left out
  double bandwidth = 0;  ///< h of exp(-distance² / 2h²): the mean distance of a sampled item from
                         ///< the farthest of its anchors
  VectorD eigenvalues;   ///< k, ascending, 1 - s; the Σ of LapRLS
  MatrixD projection;    ///< m x k: Λ^-½ V S^-½

  std::int64_t features() const { return anchors.cols(); }
  std::int64_t count() const { return eigenvalues.size(); }
};

struct AnchorEigenmapFit {
  AnchorEigenmaps model;
  Convergence report;
};

/// Each rank gives its own rows; every rank gets the same model. The sample is a function of (seed,
/// row among those of all ranks), and k-means is of the sample alone. The constant eigenvector is
/// left out, and so are those of s < 1e-9. Reads the rows once, in blocks: O(n m d), and m³ for the
/// eigenvectors; memory O(m² + sample d). Error for a number that is not finite, naming the row,
/// for fewer than 2 items and for options out of range.
AnchorEigenmapFit fit_anchor_eigenmaps(const Eigen::Ref<const Matrix>& rows,
                                       const AnchorEigenmapOptions& options, const Run& run);

/// Z, n x m: each row's `nearest` anchors, columns ascending; weights add up to one.
Sparse anchor_weights(const AnchorEigenmaps& model, const Eigen::Ref<const Matrix>& rows,
                      int jobs = 0);

/// U = Z Λ^-½ V S^-½, n x k; over the items of the fit its columns have length one. The same bits
/// for a row alone as among others. O(n m d).
Matrix encode(const AnchorEigenmaps& model, const Eigen::Ref<const Matrix>& rows, int jobs = 0);

/// A safetensors file of kind "anchor-eigenmaps".
void save(const AnchorEigenmaps& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const AnchorEigenmaps& model);
AnchorEigenmaps load_anchor_eigenmaps(const TensorFile& file);

}  // namespace commonplace::detect
