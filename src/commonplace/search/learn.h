#pragma once

#include <span>
#include <string>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/comm/run.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/tune.h"
#include "commonplace/library/library.h"
#include "commonplace/search/model.h"

namespace commonplace::search {

/// A lending collection beside the target.
struct LenderSummary {
  std::string name;
  std::int64_t items = 0;
  std::int64_t common_terms = 0;
  double divergence = 0;  ///< Jensen-Shannon, in bits, between the uses of terms
};

/// Quality on hidden tags: the mean average precision and its 95 % interval over the asked tags.
struct HeldOutQuality {
  double map = 0;
  Interval interval;
  double missing_map = 0;  ///< of the items that do not show the tag, see Quality
};

/// Whose items lend: those of the target itself, those of the auxiliaries, or all.
enum class Lending { target, auxiliaries, all };
std::string to_string(Lending lending);

/// What learning found, for people to judge whether borrowing helped.
struct Report {
  std::string model{};   ///< its name in the library
  std::string target{};  ///< the collection that it searches
  std::int64_t items = 0;
  std::int64_t terms = 0;
  std::vector<LenderSummary> lenders;
  std::vector<TuningTrial> tried;  ///< by the MAP of what is hidden
  int shared = 0;                  ///< topics in common
  Lending lending = Lending::target;
  std::int64_t asked = 0;   ///< hidden tags that were asked for; 0: too few tags to test on
  HeldOutQuality words;     ///< own words alone
  HeldOutQuality alone;     ///< learned from the target alone
  HeldOutQuality borrowed;  ///< learned with the auxiliaries; as `alone` without any
  Interval gain;            ///< of borrowed - alone, 95 %
  BorrowingWeights weights;
  Convergence fit;  ///< of the shared subspace
};

/// The target and then the auxiliaries; Error if one is unknown, empty or named twice.
std::vector<Collection> collections_to_learn(const Library& library, const std::string& target,
                                             const std::vector<std::string>& auxiliaries);

/// Learns a model for searching `target`, borrowing from the others if that helps (or as much as
/// options.shared says), and stores it under `name` (empty: "search.TARGET"). All or nothing. Every
/// rank has opened the library, and rank 0 for writing.
Report learn(Library& library, const std::string& target,
             const std::vector<std::string>& auxiliaries, const std::string& name,
             const ModelOptions& options, const Run& run);

/// The report as JSON.
std::string to_json(const Report& report);

/// The part of learning that knows matrices only: makes every choice on tags hidden from the first
/// of `counts` (the target), then fits. The report has neither names nor lenders. Every rank gives
/// all counts; each tries the choices by itself, rank 0 decides, and the topics are found together.
struct LearnedBorrowing {
  Borrowing borrowing;
  Report report;
};
LearnedBorrowing learn_borrowing(const std::vector<Sparse>& counts, std::span<const float> idf,
                                 const ModelOptions& options, const Run& run);

/// A model fitted with so many topics in common, of the target's counts and, unless it lends to
/// itself alone, the others'. Weights are 0.
struct FittedBorrowing {
  Borrowing borrowing;
  Convergence report;
};
FittedBorrowing fit_borrowing(std::span<const SparseView> counts, std::span<const float> idf,
                              Lending lending, int shared, const ModelOptions& options,
                              const Run& run);

/// The row of each of the target's items among the lenders, or empty if they do not lend.
std::vector<std::int64_t> lender_rows(Lending lending, std::int64_t items);

}  // namespace commonplace::search
