#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/label_metrics.h"

namespace commonplace {

struct NamedResult {
  std::string name;
  double value = 0;
  std::optional<Interval> interval;
};

/// What `annif eval` prints, under the same names and by the same definitions (everything listed
/// counts as suggested; Precision@k and F1@5 are of the first k, or of all if there are fewer; NDCG
/// is 1 for an item without relevant labels; "subj avg" is over all `labels` labels), then what it
/// does not: LRAP (which its older versions have), MAP, rank loss, Hamming loss, one-error and
/// coverage, each a mean over the items.
///
/// `relevant[i]` holds the labels of item i, ascending; `rankings[i]` those suggested for it. With
/// `bootstrap`, every result but the number of documents has an interval from resampling the items.
/// O(items * labels per item + labels), times the resamples if there are any. Error if the numbers
/// of items differ or are 0, or if a ranking is malformed (see tie_groups).
std::vector<NamedResult> evaluate_suggestions(
    std::span<const std::vector<std::int32_t>> relevant, std::span<const LabelRanking> rankings,
    std::int64_t labels, const std::optional<BootstrapOptions>& bootstrap = std::nullopt);

}  // namespace commonplace
