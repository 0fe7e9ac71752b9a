#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/index/scan_index.h"

namespace commonplace {

enum class Similarity {
  inner_product,
  cosine,  ///< 0 where the row or the query is 0
};

struct HnswOptions {
  Similarity similarity = Similarity::inner_product;
  int m = 16;  ///< links of a row in each layer, 2 .. 1,000; twice as many at the base
  int ef_construction = 200;  ///< rows held while linking, 1 .. 100,000: more is better and slower
  int ef_search = 100;        ///< rows held while searching, 1 .. 100,000
  std::uint64_t seed = 1;     ///< of the layers that rows reach
};

/// Rows that are most alike to a query, found fast and not always all of them: a graph of near
/// neighbours in layers (Malkov and Yashunin 2018, by hnswlib), which a search walks. ScanIndex is
/// the exact twin. Inner products become distances by one column more, sqrt(max|x|^2 - |x|^2),
/// which links rows better than the raw products do.
///
/// There is no file of it: it is made anew from the rows, because hnswlib's files can be checked
/// neither for what they are nor for damage.
class HnswIndex {
 public:
  /// `rows` must outlive the index. Holds a copy of them, and about 8 m bytes a row. Made on one
  /// thread the same rows give the same index; on several, links depend on who came first.
  /// O(rows log rows x columns x ef_construction). Error if a value is not finite or an option is
  /// out of range.
  explicit HnswIndex(const MatrixView& rows, const HnswOptions& options = {}, int jobs = 0);
  ~HnswIndex();
  HnswIndex(HnswIndex&&) noexcept;
  HnswIndex& operator=(HnswIndex&&) noexcept;

  /// About the `count` best rows, best first, ties by row, at most `count`. The scores are exact:
  /// computed in double and rounded to float. Any number of threads may search at once.
  /// O(log rows x columns x max(ef_search, count)). Error if `query` does not fit or is not finite.
  std::vector<ScoredRow> search(std::span<const float> query, std::size_t count) const;

  std::int64_t rows() const;
  std::int64_t columns() const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

/// The share of the best `count` rows by `scan` that `index` finds, over all `queries` (one a row);
/// 1 if there is nothing to find. For cosine, `scan` is over rows of length 1.
double recall_at(const HnswIndex& index, const ScanIndex& scan, const MatrixView& queries,
                 std::size_t count, int jobs = 0);

}  // namespace commonplace
