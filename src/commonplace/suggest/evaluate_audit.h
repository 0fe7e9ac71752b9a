#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/suggest/core/audit.h"
#include "commonplace/suggest/evaluate_trial.h"

namespace commonplace::suggest {

/// How faults are planted before they are looked for.
struct AuditTrialOptions {
  double swapped = 0.05;  ///< share of the tags that are exchanged for others
  std::int64_t repeat = 3;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AuditTrialOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("swapped", options.swapped, "share of the tags that are exchanged at random");
  visit("repeat", options.repeat, "so many times, with other faults each");
}

/// What a way of doubting is worth, mean over the repetitions.
struct FaultQuality {
  std::string method;
  double wrong_first = 0;    ///< of the first 100 that are said to be wrong, the share that are
  double wrong_auc = 0;      ///< among all tags that items have
  double missing_first = 0;  ///< of the first 100 that are said to be missing
  double missing_auc = 0;    ///< among all tags that items have not
};

struct AuditEvaluation {
  std::int64_t items = 0;
  std::int64_t given = 0;
  std::int64_t swapped = 0;  ///< in the last repetition
  std::int64_t tags = 0;
  double seconds = 0;
  std::vector<FaultQuality> methods;
};
std::string to_json(const AuditEvaluation& evaluation);

/// What items are judged on: a collection, or the items of two files together.
struct AuditTrial {
  StoredRows rows;
  Sparse targets;
  std::vector<std::int64_t> blocks;
};
AuditTrial audit_trial(const Library& library, const std::string& collection,
                       const ModelOptions& options, const Run& run);
AuditTrial audit_trial(const Trial& trial);

/// Exchanges tags at random for others that the item has not, looks for them, and says how many are
/// found, beside cleanlab's ways with the same confidence. What was a fault before counts as right.
AuditEvaluation evaluate_audit(const AuditTrial& trial, const SuggesterOptions& how,
                               const AuditOptions& options, const AuditTrialOptions& faults,
                               const Run& run);

}  // namespace commonplace::suggest
