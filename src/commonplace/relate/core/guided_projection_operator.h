#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/relate/core/guided_projection_gram.h"
#include "commonplace/relate/core/guided_projection_items.h"
#include "commonplace/relate/core/guided_projection_links.h"

namespace commonplace::relate {

/// The matrices of a guided projection, A = Z (D − W) Zᵀ and B, as what they make of vectors,
/// features of all modalities x vectors, the same on all ranks. Links between two modalities are
/// applied through the items, or through a matrix features x features that is made once, whichever
/// is estimated to cost less; two identities never make such a matrix. Modalities, guidance and
/// Comm must outlive it.
class GuidedOperator {
 public:
  /// Bytes that the matrices of links may take together.
  static constexpr std::int64_t kMostFormed = 300'000'000;

  GuidedOperator(const GuidedOperator&) = delete;
  GuidedOperator& operator=(const GuidedOperator&) = delete;

  /// With the constraint "first" B is of the first modality only.
  GuidedOperator(std::span<const GuidedModality> modalities, std::span<const Guidance> guidance,
                 const GuidedProjectionOptions& options, const Run& run,
                 std::int64_t most_formed = kMostFormed);

  std::int64_t features() const { return features_; }  ///< of all modalities
  const std::vector<GuidedItems>& modalities() const { return modalities_; }
  const std::vector<GuidedDegrees>& degrees() const { return graph_.degrees; }
  std::int64_t matrices() const { return std::ssize(formed_); }  ///< made of links

  MatrixD multiply_a(const MatrixD& p) const;
  MatrixD multiply_degrees(const MatrixD& p) const;  ///< Z D Zᵀ p
  MatrixD multiply_b(const MatrixD& p) const;
  MatrixD solve_b(const MatrixD& p) const;  ///< about B⁻¹ p

  /// The ridge of a modality's block: gamma times the mean size of what B's weights make its
  /// diagonal.
  double ridge(std::size_t modality) const;

 private:
  /// −(Yᵀ M Y), features of `from` x features of `to`.
  struct Formed {
    std::size_t from;
    std::size_t to;
    MatrixD matrix;
  };

  VectorD weights_of_b(std::size_t modality) const;
  void make_grams();
  bool worth_forming(const GuidedLinks& links) const;
  MatrixD form(const GuidedLinks& links) const;
  void add_formed(const MatrixD& p, MatrixD& result) const;
  MatrixD through_items(const MatrixD& p) const;
  MatrixD part(const MatrixD& p, std::size_t modality) const;

  GuidedProjectionOptions options_;
  Run run_;
  std::int64_t most_formed_;
  std::vector<GuidedItems> modalities_;
  std::vector<double> gammas_;
  GuidedGraph graph_;
  std::int64_t features_ = 0;
  std::vector<std::unique_ptr<WeightedGram>> b_grams_;
  std::vector<std::unique_ptr<WeightedGram>> own_degree_grams_;
  std::vector<const WeightedGram*> degree_grams_;  ///< of D; nothing where D is 0
  std::vector<MetricBlock> metric_;
  std::vector<Formed> formed_;
  std::vector<const GuidedLinks*> unformed_;
  std::int64_t formed_bytes_ = 0;
};

}  // namespace commonplace::relate
