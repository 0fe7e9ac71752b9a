#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/suggest/core/suggester.h"

namespace commonplace::suggest {

/// A classifier of categories learns from at most so many items.
inline constexpr std::int64_t kMostClassified = 20000;

/// How the linear classifiers are learned that join a suggester.
struct LinearChoice {
  const char* name;
  const char* loss;
  double cost;
};

/// A linear classifier of each tag, with sparse weights. Scores of a linear SVM are moved to where
/// 1 has the tag and 0 has it not, as probabilities are.
SparseOneVsRestLinear fit_linear(const SparseView& rows, const SparseView& targets,
                                 const LinearChoice& choice, int jobs);

/// Makes a suggester part by part, each on what the ones before have made, so that a later part can
/// be made again without the earlier ones. The features and targets must outlive it; every rank
/// gives all of them, and learns from its own rows. All but `solve` are collective.
class SuggesterFitting {
 public:
  SuggesterFitting(const FeatureRows& raw, std::vector<std::int64_t> blocks,
                   const SparseView& targets, const SuggesterOptions& options, const Run& run);

  /// Prepares the features.
  void weigh(const FeatureWeighting& weighting);
  /// `rounds` of k-means for those that are not of tags.
  void choose_prototypes(std::int64_t count, int rounds = 8);
  /// Whitens by a kernel of this length scale, and sums what the items say.
  void gather(double length_scale);
  /// The sparse Gaussian process of each tag.
  void solve(double noise_variance);
  /// The categories and their classifier; false, with none made, where there are not two
  /// categories to tell apart.
  bool classify(std::int64_t most = kMostClassified);

  /// The linear classifiers.
  void add_linear(const LinearChoice& choice);
  /// The names of the tags.
  void add_names(const NamedTags& named);

  Suggester& suggester() { return suggester_; }
  std::int64_t items() const { return raw_.rows(); }

 private:
  bool is_alone() const { return run_.comm.size() == 1; }
  SparseView own_targets() const { return is_alone() ? targets_ : own_targets_.view(); }
  FeatureRows own_known() const { return is_alone() ? suggester_.known.view() : own_known_.view(); }

  FeatureRows raw_;
  std::vector<std::int64_t> blocks_;
  SparseView targets_;
  Sparse own_targets_;    ///< this rank's; with a single rank empty, as is the next
  StoredRows own_known_;  ///< this rank's prepared rows
  Sparse said_;           ///< this rank's targets as the tags' processes learn them
  SuggesterOptions options_;
  Run run_;
  StoredRows prototypes_;
  SparseGpStatistics statistics_;
  Suggester suggester_;
};

}  // namespace commonplace::suggest
