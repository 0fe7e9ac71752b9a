#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/comm/comm.h"
#include "commonplace/task/suggester.h"

namespace commonplace {

/// Makes a suggester part by part, each on what the ones before have made, so that a later part can
/// be made again without the earlier ones. The features and targets must outlive it.
class SuggesterFitting {
 public:
  SuggesterFitting(const FeatureRows& raw, std::vector<std::int64_t> blocks,
                   const SparseView& targets, const SuggesterOptions& options, int jobs,
                   const Progress& progress)
      : raw_(raw),
        blocks_(std::move(blocks)),
        targets_(targets),
        said_(share_say(targets)),
        options_(options),
        jobs_(jobs),
        progress_(progress) {}

  /// Prepares the features.
  void weigh(const FeatureWeighting& weighting);
  /// `rounds` of k-means for those that are not of tags.
  void choose_prototypes(std::int64_t count, int rounds = 8);
  /// Whitens by a kernel of this length, and sums what the items say.
  void gather(double length);
  /// The tags' latents.
  void solve(double ridge);
  /// The categories and their classifier; false, with none made, where there are not two
  /// categories to tell apart.
  bool classify(std::int64_t most = 20000);

  Suggester& suggester() { return suggester_; }
  std::int64_t items() const { return raw_.rows(); }

 private:
  FeatureRows raw_;
  std::vector<std::int64_t> blocks_;
  SparseView targets_;
  Sparse said_;  ///< the same, as the latents learn it
  SuggesterOptions options_;
  int jobs_;
  Progress progress_;
  SelfComm comm_;
  StoredRows prototypes_;
  LatentStatistics statistics_;
  Suggester suggester_;
};

}  // namespace commonplace
