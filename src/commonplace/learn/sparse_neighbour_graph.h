#pragma once

#include "commonplace/base/matrix.h"
#include "commonplace/learn/neighbour_graph.h"

namespace commonplace {

/// The graph of neighbour_graph.h for sparse rows, by the same rules: rows are scaled to length
/// one, so that distance² = 2 - 2 cos. Only rows of a cosine above 0 are near each other: a row
/// that has this with fewer than are asked for gets fewer, and a row of zeros is tied to nothing.
/// Where every row has enough of them the graph is that of the dense rows. Error for a metric other
/// than "cosine", fewer than 2 rows, or numbers that are not finite. O(products of common columns);
/// memory O(nonzeros + n neighbours).
NeighbourGraph neighbour_graph(const SparseView& rows, const NeighbourGraphOptions& options = {},
                               int jobs = 0);

}  // namespace commonplace
