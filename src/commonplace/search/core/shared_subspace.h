#pragma once

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
#include "commonplace/learn/checkpoint.h"
#include "commonplace/math/nonnegative.h"

namespace commonplace::search {

/// Joint nonnegative factorisation of several collections over one vocabulary (Gupta et al., KDD
/// 2010, for two collections). Each collection d is a matrix X_d, items x terms, and X_d ~ H_d F_dᵀ
/// with everything nonnegative. The topics, columns of F, come in blocks: a block belongs to some
/// of the collections, which share it. One block of one member is NMF; one block with all members
/// is the fully joint factorisation.
struct TopicBlock {
  std::vector<int> members;  ///< collections, ascending
  int topics = 0;

  bool operator==(const TopicBlock&) const = default;
};

/// Two or more collections of which the first is the target: `shared` topics common to all, then
/// for each auxiliary (when there are two or more) `pairwise` topics shared by it and the target,
/// then the rest private, so that the target has `rank` topics and each auxiliary
/// `auxiliary_rank`. Blocks without topics are left out. One collection has one block of `rank`.
/// Error if the numbers do not fit, or for `pairwise` topics without two auxiliaries.
std::vector<TopicBlock> shared_blocks(int collections, int rank, int auxiliary_rank, int shared,
                                      int pairwise = 0);

struct SharedSubspaceOptions {
  std::string solver = "hals";  ///< "hals" (block coordinate descent) or "mu" (multiplicative)
  int iterations = 200;         ///< at most
  double tolerance = 1e-4;      ///< stop when an iteration gains no more than this share; 0: never
  std::uint64_t seed = 1;       ///< of the start
  CheckpointOptions checkpoint{};
};
/// The name of the fit in the folder of its checkpoint.
inline constexpr const char* kSharedSubspaceCheckpoint = "shared-subspace";

/// `checkpoint` is the machine's matter, not the model's, so it is not in the list.
template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SharedSubspaceOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("solver", options.solver, "hals, or mu for the paper's multiplicative updates");
  visit("iterations", options.iterations, "most iterations");
  visit("tolerance", options.tolerance, "stop when an iteration gains less than this share");
  visit("seed", options.seed, "seed of the start");
}

/// What is learned: the topics. Codes of items are made from it by `encode`.
struct SharedSubspace {
  Matrix basis;  ///< terms x topics of all blocks, columns of length one, or zero if unused
  std::vector<TopicBlock> blocks;  ///< in the order of the columns
  SharedSubspaceOptions options;

  int collections() const;
  /// The columns of `basis` that collection d uses, ascending.
  std::vector<int> topics_of(int collection) const;
};

/// Error, saying that the file `name` is damaged, if the parts of a loaded model do not fit.
void check(const SharedSubspace& model, const std::string& name);

struct SharedSubspaceFit {
  SharedSubspace model;
  std::vector<Matrix> codes;  ///< per collection: this rank's items x topics_of(d)
  Convergence report;
};

/// Each rank gives its own items of every collection (items x terms, nonnegative). Every rank gets
/// the same model. The objective, after each iteration, is
///   sum over d of weight_d |X_d - H_d F_dᵀ|²,  weight_d = |X_0|² / |X_d|²,
/// and never rises beyond rounding. An iteration is O((nonzeros + (items + terms) topics) topics),
/// sums terms x topics doubles over the ranks, and never forms a dense items x terms matrix.
SharedSubspaceFit fit_shared_subspace(std::span<const SparseView> collections,
                                      std::vector<TopicBlock> blocks,
                                      const SharedSubspaceOptions& options, const Run& run);

/// Codes of unseen items of a collection: nonnegative least squares against its topics, solved to
/// optimality on their Gram matrix, which is made once, in O(terms topics²). The model must outlive
/// the encoder.
class SharedSubspaceEncoder {
 public:
  SharedSubspaceEncoder(const SharedSubspace& model, int collection);

  /// Items x topics_of(collection), for items x terms. An item without a term that a topic has gets
  /// zeros. About O(nonzeros topics + topics²) an item.
  Matrix encode(const SparseView& items, int jobs = 0) const;

 private:
  const SharedSubspace* model_;
  std::vector<int> topics_;
  NonnegativeQuadratic<double> quadratic_;
};

/// The same with an encoder made for this call.
Matrix encode(const SharedSubspace& model, int collection, const SparseView& items, int jobs = 0);

/// A safetensors file of kind "shared-subspace".
void save(const SharedSubspace& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const SharedSubspace& model);
/// Error if the file is another kind's or its parts do not fit together.
SharedSubspace load_shared_subspace(const TensorFile& file);

}  // namespace commonplace::search
