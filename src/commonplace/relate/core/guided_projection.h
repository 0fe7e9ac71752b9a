#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::relate {

/// Items of different modalities, which share neither features nor instances, in one space, guided
/// by links of what belongs together and what apart. With Z = blockdiag of the modalities' features
/// and W the links,
///   Z (D − W) Zᵀ p = λ (B + γ) p,  the smallest λ,
/// where D has the row sums of W. Each guidance adds its links L to W: weight · L between two
/// modalities, and Lᵀ the other way round; weight · (L + Lᵀ) within one.
struct GuidedProjectionOptions {
  std::int64_t dim = 30;  ///< coordinates of the space; fewer if there are fewer features
  /// What B is made of, always of the links as they are given: "all": Z |D| Zᵀ over all modalities
  /// with the sums of absolute weights; "signed": Z D Zᵀ with those of the weights; "first": the
  /// same of the first modality only, the others follow by elimination, as in the paper;
  /// "identity": Z Zᵀ, also of items without links.
  std::string constraint = "all";
  /// Subtract from the links above 0 of each guidance what the degrees of their ends let expect:
  /// t_ij − d_i d_j / Σt. Without it the smallest λ belong to the rarest items.
  bool balanced = true;
  /// Subtract the features' mean, in which an item counts its absolute weights, or 1 for
  /// "identity".
  bool centre = true;
  double tolerance = 1e-9;  ///< of the eigenvectors' residuals
  int max_rounds = 300;
  std::uint64_t seed = 1;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, GuidedProjectionOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("dim", options.dim, "coordinates of the space");
  visit("constraint", options.constraint, "what is held fixed: all, first, signed or identity");
  visit("balanced", options.balanced, "subtract the links that chance lets expect");
  visit("centre", options.centre, "centre the features of each kind");
  visit("tolerance", options.tolerance, "relative residual at which an eigenvector is good enough");
  visit("max_rounds", options.max_rounds, "rounds of the eigenvalue solver at most");
  visit("seed", options.seed, "seed of the solver's start");
}

/// This rank's items of one modality.
struct GuidedModality {
  /// Their features. Nothing for a modality whose items have none of their own, such as tags: item
  /// i of all ranks is then the unit vector i.
  const FeatureRows* features = nullptr;
  std::int64_t items = 0;  ///< this rank's; equals features->rows()
  /// Ridge on this modality's block of B, times the mean size of the block's diagonal. With "first"
  /// the modalities after the first have it on their block of A, which is what is eliminated.
  double gamma = 0.1;
};

/// Links between the modalities `from` and `to`, or within one. Each link stands once, on the rank
/// that has the item of `from`: rows are this rank's items of `from`, columns all ranks' items of
/// `to` in rank order. Weights in [-1, 1].
struct Guidance {
  std::size_t from = 0;
  std::size_t to = 0;
  SparseView links;
  double weight = 1;  ///< times which each counts; above 0
};

struct ProjectedModality {
  MatrixD projection;        ///< features x k
  Eigen::RowVectorXd shift;  ///< k: the mean's projection, to be subtracted
  bool identity = false;
};

struct GuidedProjection {
  GuidedProjectionOptions options;
  std::vector<ProjectedModality> modalities;
  VectorD eigenvalues;  ///< k, ascending
  /// k: pᵀ Z W Zᵀ p, what each coordinate has of the guidance: 1 − λ or −λ where B is made of the
  /// degrees. Affinities weigh the coordinates by it.
  VectorD strength;

  std::int64_t dim() const { return eigenvalues.size(); }
};

struct GuidedProjectionFit {
  GuidedProjection model;
  VectorD residuals;             ///< k: as those of lowest_eigenpairs; "first": after elimination
  std::vector<VectorD> degrees;  ///< of each modality: the absolute weights of this rank's items
  Convergence report;            ///< objective: the largest residual at the end, one value
};

/// Every rank gets the same model. `start` is a model of the same modalities to begin from, such as
/// the one before some links were added; a modality without features may have grown since. A round
/// costs O((nonzeros of Z + links) · vectors), or O(features² · vectors) where that is less; memory
/// O(features² of each dense modality + items · vectors) and at most 300 MB for the latter. Items
/// without links count nothing but in "identity". With "first" all features together must be 4,000
/// or fewer, for the elimination is dense. A centred modality without features always has a vector
/// that places all its items at 0; its λ and strength are 0. Error for modalities or links that do
/// not fit together, no links at all or none of a modality, weights that are not finite or outside
/// [-1, 1], options out of range, and a B, or what is to be eliminated, that is not positive
/// definite (it says to raise gamma).
GuidedProjectionFit fit_guided_projection(std::span<const GuidedModality> modalities,
                                          std::span<const Guidance> guidance,
                                          const GuidedProjectionOptions& options, const Run& run,
                                          const GuidedProjection* start = nullptr);

/// The coordinates of items of `modality`, n x k. The same bits for a row alone as among others.
Matrix encode(const GuidedProjection& model, std::size_t modality, const FeatureRows& rows,
              int jobs = 0);
/// Those of the items of a modality without features.
Matrix encode_identity(const GuidedProjection& model, std::size_t modality,
                       std::span<const std::int64_t> items);

/// A safetensors file of kind "guided-projection".
void save(const GuidedProjection& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const GuidedProjection& model);
GuidedProjection load_guided_projection(const TensorFile& file);

}  // namespace commonplace::relate
