#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/relate/core/guided_projection_items.h"

// The links of a guided projection. Guidance between two modalities is W = weight (L − u vᵀ e),
// where the rank-one part is what the degrees of the links above 0 let expect: u and v are these
// degrees and e one over their sum. Within one modality it is W = M + Mᵀ, M = weight (L − u vᵀ e),
// where u and v have the degrees of L + Lᵀ and e is half of one over their sum. So both are applied
// alike: M gives to the items of `from` and Mᵀ to those of `to`.

namespace commonplace::relate {

struct GuidedLinks {
  std::size_t from = 0;
  std::size_t to = 0;
  double weight = 1;
  SparseView given;                  ///< this rank's items of `from` x all items of `to`
  std::vector<std::int64_t> starts;  ///< of the view
  VectorD expected_from;             ///< u: this rank's items of `from`; none if not balanced
  VectorD expected_to;               ///< v: all items of `to`
  double expected_scale = 0;         ///< e
  double count = 0;                  ///< links of all ranks

  SparseView links() const {
    return {given.rows, given.columns, starts, given.indices, given.values};
  }
};

/// Sums over the links of each of this rank's items of a modality, times the weights of the
/// guidance.
struct GuidedDegrees {
  VectorD absolute;   ///< of |w|
  VectorD given;      ///< of w
  VectorD resulting;  ///< of what W became by balancing
};

struct GuidedGraph {
  std::vector<GuidedLinks> links;
  std::vector<GuidedDegrees> degrees;  ///< of each modality
  bool degrees_equal = false;          ///< the three sums are the same on all ranks
};

/// Checks the guidance on all ranks. Views into `guidance` stay in use.
GuidedGraph guided_graph(std::span<const GuidedItems> modalities,
                         std::span<const Guidance> guidance, bool balanced, Comm& comm);

/// M y for all items of `to`: this rank's items of `from` x vectors.
MatrixD apply_links(const GuidedLinks& links, const MatrixD& y, int jobs);
/// Mᵀ y for this rank's items of `from`: all items of `to` x vectors, to be added up over ranks.
MatrixD apply_links_back(const GuidedLinks& links, const MatrixD& y, int jobs);

}  // namespace commonplace::relate
