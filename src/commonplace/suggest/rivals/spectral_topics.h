#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace::suggest {

/// The left singular vectors of the `rank` largest singular values of A, the largest first, by
/// randomised subspace iteration: n x rank, fewer columns where A is smaller or of lower rank.
/// Close values mix. O(nonzeros · rank) a step, and O(n rank²).
MatrixD leading_vectors(const SparseView& a, std::int64_t rank, std::uint64_t seed, int jobs = 0);

/// A cluster of each row by k-means from seeds drawn far apart (k-means++): at most `count`, fewer
/// where there are fewer different rows, numbered without gaps in the order of their first rows.
/// O(rows · columns · count) a step.
std::vector<std::int32_t> cluster_rows(const Matrix& rows, std::int64_t count, std::uint64_t seed,
                                       int jobs = 0);

/// Clusters of items that share words and tags: both are one bipartite graph, of items and
/// (words and tags), in which the edges of an item to words weigh 1 - `tag_weight` together and
/// those to tags `tag_weight`; k-means in the leading singular vectors of the normalised graph.
struct SpectralTopics {
  std::vector<std::int32_t> topic;  ///< of each item
  std::int64_t count = 0;
  Matrix places;  ///< items x vectors, rows of length one
};
SpectralTopics spectral_topics(const SparseView& words, const SparseView& tags, std::int64_t count,
                               double tag_weight, std::uint64_t seed, int jobs = 0);

}  // namespace commonplace::suggest
