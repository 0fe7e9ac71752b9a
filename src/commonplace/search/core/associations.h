#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::search {

/// What the presence of one term tells about another, learned from well-tagged items.
struct AssociationOptions {
  double smoothing = 20;            ///< as if a term had been seen so often with everything
  double ridge = 40;                ///< penalty of the word-to-word ridge
  std::int64_t ridge_terms = 3000;  ///< the ridge covers so many terms, those of most items
  std::int64_t most = 1000;         ///< keep so many associations of a term, the strongest
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AssociationOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("smoothing", options.smoothing, "as if a term had been seen so often with everything");
  visit("ridge", options.ridge, "penalty of the word-to-word ridge");
  visit("ridge_terms", options.ridge_terms, "the ridge covers so many terms; 0 for no ridge");
  visit("associations", options.most, "keep so many associations of a term, the strongest");
}

/// Two views of the same co-occurrences C = YᵀY of the lending items Y (items x terms).
///
/// The lift of an asked term w by an evidence term v is ln of how much likelier w is beside v, with
/// a smoothed estimate: ln((C_vw + a p_w) / ((d_v + a) p_w)), for a = smoothing, d_v the sum of
/// column v and p_w the mean of column w. It is `unrelated[v] + lift(w, v)`: the first is what v
/// says of a term it was never seen with, the second is nonzero only for pairs seen together, and
/// left out for w beside itself.
///
/// The ridge (EASE, Steck 2019) is the matrix B of zero diagonal that minimises
/// |Y - Y B|² + ridge |B|²: it tells what v adds once the other terms of an item are known.
struct Associations {
  Sparse lift;                   ///< asked term x evidence term
  Sparse ridge;                  ///< asked term x evidence term
  std::vector<float> unrelated;  ///< per evidence term, 0 or less
};

/// O(sum over items of terms²) for the lift, O(ridge_terms³) for the ridge. Error for an option out
/// of range, or when there is nothing to learn from.
Associations fit_associations(const SparseView& lenders, const AssociationOptions& options,
                              const Run& run = {});

/// The zero-diagonal ridge over all columns of `rows`, dense: the baseline by itself. O(columns³).
MatrixD zero_diagonal_ridge(const SparseView& rows, double penalty, int jobs = 0);

/// Puts the associations into a model file and takes them out again; Error if they do not fit
/// together or have another number of terms.
void add_associations(TensorWriter& writer, const Associations& associations);
Associations read_associations(const TensorFile& file, std::int64_t terms);

}  // namespace commonplace::search
