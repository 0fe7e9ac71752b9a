#include "commonplace/suggest/evaluate_audit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/suggest/audit.h"
#include "commonplace/suggest/rivals/label_errors.h"
#include "commonplace/suggest/targets.h"

namespace commonplace::suggest {
namespace {

constexpr std::size_t kFirst = 100;

using Place = std::pair<std::int64_t, std::int32_t>;  ///< an item and a tag

struct Faults {
  Sparse targets;
  std::set<Place> wrong;
  std::set<Place> missing;
};

Faults plant(const SparseView& targets, double share, std::uint64_t seed) {
  Faults faults;
  faults.targets.columns = targets.columns;
  Rng rng(seed);
  for (std::int64_t item = 0; item < targets.rows; ++item) {
    const std::vector<Target> before = row_of(targets, item);
    std::map<std::int32_t, float> after(before.begin(), before.end());
    for (const auto& [tag, value] : before) {
      if (value <= 0 || rng.uniform() >= share) continue;
      const auto other =
          static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(targets.columns)));
      if (after.contains(other) || faults.missing.contains({item, other})) continue;
      after.erase(tag);
      after.emplace(other, 1.0F);
      faults.wrong.emplace(item, other);
      faults.missing.emplace(item, tag);
    }
    push_targets({after.begin(), after.end()}, faults.targets);
  }
  return faults;
}

/// The share of faults among the first, and how often a fault comes before what is none; `others`
/// that are no faults, and `lost` faults, come after all that are listed, in no order.
std::pair<double, double> quality(const std::vector<JudgedTag>& judged,
                                  const std::vector<double>& doubts, const std::set<Place>& faults,
                                  double others) {
  std::vector<std::size_t> order(judged.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return doubts[a] > doubts[b]; });
  const auto is_fault = [&](std::size_t i) {
    return faults.contains({judged[i].item, judged[i].tag});
  };
  double first = 0;
  const std::size_t count = std::min(kFirst, order.size());
  for (std::size_t i = 0; i < count; ++i) first += is_fault(order[i]) ? 1 : 0;
  double found = 0;   // faults so far
  double before = 0;  // pairs of a fault before what is none
  double clean = 0;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double tied_faults = 0;
    double tied_clean = 0;
    for (; end < order.size() && doubts[order[end]] == doubts[order[i]]; ++end)
      (is_fault(order[end]) ? tied_faults : tied_clean) += 1;
    before += found * tied_clean + tied_faults * tied_clean / 2;
    found += tied_faults;
    clean += tied_clean;
    i = end;
  }
  const double lost = static_cast<double>(faults.size()) - found;
  before += found * others + lost * others / 2;
  const double pairs = static_cast<double>(faults.size()) * (clean + others);
  return {count > 0 ? first / static_cast<double>(count) : 0, pairs > 0 ? before / pairs : 0.5};
}

}  // namespace

AuditTrial audit_trial(const Library& library, const std::string& collection_name,
                       const ModelOptions& options, const Run& run) {
  const ReadSnapshot snapshot = read_snapshot(library);
  AuditMaterial material =
      audit_material(library, collection(library, collection_name), options, run);
  return {std::move(material.rows), std::move(material.targets), std::move(material.blocks)};
}

AuditTrial audit_trial(const Trial& trial) {
  AuditTrial result{trial.train, trial.train_tags, trial.blocks};
  for (std::int64_t row = 0; row < trial.test_tags.rows(); ++row) {
    if (trial.test_tags.view().row_indices(row).empty()) continue;
    result.rows.sparse.push_row(trial.test.sparse.view(), row);
    result.targets.push_row(trial.test_tags.view(), row);
  }
  return result;
}

AuditEvaluation evaluate_audit(const AuditTrial& trial, const SuggesterOptions& how,
                               const AuditOptions& options, const AuditTrialOptions& faults,
                               const Run& run) {
  require(faults.swapped > 0 && faults.swapped < 1, "the share that is exchanged is ",
          faults.swapped, "; expected a share between 0 and 1");
  require(faults.repeat >= 1, "the number of repetitions is ", faults.repeat,
          "; expected 1 or more");
  const auto begin = Clock::now();
  AuditEvaluation result;
  result.items = trial.targets.rows();
  result.tags = trial.targets.columns;
  for (const char* method :
       {"commonplace", "self-confidence", "adjusted margin", "confident learning"})
    result.methods.push_back({.method = method});
  for (std::int64_t round = 0; round < faults.repeat; ++round) {
    AuditOptions each = options;
    each.seed = options.seed + static_cast<std::uint64_t>(round);
    const Faults planted = plant(trial.targets.view(), faults.swapped, 1000 + each.seed);
    const Judgement judgement =
        judge_tags({trial.rows.view(), trial.blocks, planted.targets.view()}, how, each, run);
    result.given = std::ssize(judgement.given);
    result.swapped = std::ssize(planted.wrong);
    const double absent = static_cast<double>(result.items) * static_cast<double>(result.tags) -
                          static_cast<double>(planted.targets.values.size());
    double listed = 0;
    for (const JudgedTag& judged : judgement.missing)
      listed += planted.missing.contains({judged.item, judged.tag}) ? 0 : 1;
    const double others = absent - static_cast<double>(planted.missing.size()) - listed;
    const auto doubts_of = [](const std::vector<JudgedTag>& judged) {
      std::vector<double> doubts;
      for (const JudgedTag& one : judged) doubts.push_back(one.doubt);
      return doubts;
    };
    const std::vector<std::pair<std::vector<double>, std::vector<double>>> all = {
        {doubts_of(judgement.given), doubts_of(judgement.missing)},
        {self_confidence(judgement.given), self_confidence(judgement.missing)},
        {adjusted_margin(judgement.given, judgement),
         adjusted_margin(judgement.missing, judgement)},
        {confident_learning(judgement.given, judgement),
         confident_learning(judgement.missing, judgement)}};
    const auto share = 1 / static_cast<double>(faults.repeat);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto wrong = quality(judgement.given, all[i].first, planted.wrong, 0);
      const auto missing = quality(judgement.missing, all[i].second, planted.missing, others);
      FaultQuality& of = result.methods[i];
      of.wrong_first += share * wrong.first;
      of.wrong_auc += share * wrong.second;
      of.missing_first += share * missing.first;
      of.missing_auc += share * missing.second;
    }
  }
  result.seconds = seconds_since(begin);
  return result;
}

std::string to_json(const AuditEvaluation& evaluation) {
  nlohmann::ordered_json methods = nlohmann::ordered_json::array();
  for (const FaultQuality& each : evaluation.methods)
    methods.push_back({{"method", each.method},
                       {"wrong_precision@100", each.wrong_first},
                       {"wrong_auc", each.wrong_auc},
                       {"missing_precision@100", each.missing_first},
                       {"missing_auc", each.missing_auc}});
  return nlohmann::ordered_json{{"items", evaluation.items},     {"tags", evaluation.tags},
                                {"given", evaluation.given},     {"swapped", evaluation.swapped},
                                {"seconds", evaluation.seconds}, {"methods", methods}}
      .dump();
}

}  // namespace commonplace::suggest
