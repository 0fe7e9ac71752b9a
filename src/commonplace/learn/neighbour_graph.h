#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

struct NeighbourGraphOptions {
  std::int64_t neighbours = 10;   ///< of an item; all others if there are fewer
  std::string metric = "cosine";  ///< rows are scaled to length one, or "euclidean": as they are
  double bandwidth = 0;           ///< h of exp(-distance² / 2h²); 0: by the rule below
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, NeighbourGraphOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("neighbours", options.neighbours, "the nearest items, which an item is tied to");
  visit("metric", options.metric, "cosine or euclidean");
  visit("bandwidth", options.bandwidth, "distance at which ties get weak; 0: chosen by the data");
}

struct NeighbourGraph {
  /// n x n, symmetric to the bit, nothing on the diagonal: items are tied if either is among the
  /// nearest of the other. Weights are in [1e-12, 1], so that no item is cut off.
  Sparse weights;
  double bandwidth = 0;  ///< the mean distance of an item from the farthest of its nearest, if 0
};

/// Distances are Euclidean. The nearest are found by products in float, a few more than are asked
/// for, and these are put in order by distances in double; ties go to the lower row. Error for
/// fewer than 2 rows or numbers that are not finite. O(n² d); memory O(n d + n neighbours) and 32
/// MB of products at once.
NeighbourGraph neighbour_graph(const Eigen::Ref<const Matrix>& rows,
                               const NeighbourGraphOptions& options = {}, int jobs = 0);

/// Error for options that are out of range.
void check_graph_options(const NeighbourGraphOptions& options);

/// An item that is near another.
struct Neighbour {
  std::int32_t row;
  double distance;  ///< squared
};

/// Those of smaller distance first, then those of lower rows.
inline bool is_nearer(const Neighbour& a, const Neighbour& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
}

/// The graph in which each item is tied to its nearest, listed nearest first, and they to it. Items
/// whose list is empty do not count in the rule for a `bandwidth` of 0.
NeighbourGraph tie_neighbours(std::vector<std::vector<Neighbour>> nearest, double bandwidth);

/// S = D^-½ W D^-½ of a graph that lives elsewhere, D the sums of the rows of W. Rows of items that
/// are tied to nothing are 0.
class NormalisedGraph {
 public:
  /// Error unless the graph is square and symmetric and its weights are finite and not below 0.
  explicit NormalisedGraph(const SparseView& weights);

  /// S X, n x k, in double. O(nonzeros k).
  MatrixD multiply(const MatrixD& x, int jobs = 0) const;

  std::int64_t items() const { return weights_.rows; }
  const VectorD& degrees() const { return degrees_; }

 private:
  SparseView weights_;
  VectorD degrees_;
  VectorD scale_;  ///< degrees^-½, or 0
};

/// The connected part of each item, numbered without gaps in the order of their first items.
std::vector<std::int32_t> connected_parts(const SparseView& weights);

}  // namespace commonplace
