#include "commonplace/eval/suggestion_evaluation.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/eval/ranking_metrics.h"

namespace commonplace {
namespace {

/// How a label of an item turned out.
struct LabelOutcome {
  std::int32_t label = 0;
  LabelCounts counts;  ///< one of the three is 1
};

struct ItemMeasures {
  std::vector<LabelOutcome> outcomes;  ///< of the labels that are relevant or suggested
  LabelCounts counts;
  PrecisionRecall all;
  double f1_at_5 = 0;
  double ndcg = 0;
  double ndcg_at_5 = 0;
  double ndcg_at_10 = 0;
  double precision_at_1 = 0;
  double precision_at_3 = 0;
  double precision_at_5 = 0;
  double label_ranking_average_precision = 0;
  double average_precision = 0;
  double rank_loss = 0;
  double hamming_loss = 0;
  double one_error = 0;
  double coverage = 0;
};

/// Whether each suggestion is relevant, best first, noting every label's outcome on the way.
std::vector<std::uint8_t> note_outcomes(LabelSet relevant, const LabelRanking& ranking,
                                        ItemMeasures& item) {
  std::vector<std::uint8_t> hits;
  hits.reserve(ranking.labels.size());
  for (const std::int32_t label : ranking.labels) {
    const bool hit = std::binary_search(relevant.begin(), relevant.end(), label);
    hits.push_back(hit ? 1 : 0);
    item.outcomes.push_back({label, hit ? LabelCounts{1, 0, 0} : LabelCounts{0, 1, 0}});
  }
  std::vector<std::int32_t> suggested = ranking.labels;
  std::sort(suggested.begin(), suggested.end());
  for (const std::int32_t label : relevant)
    if (!std::binary_search(suggested.begin(), suggested.end(), label))
      item.outcomes.push_back({label, {0, 0, 1}});
  for (const LabelOutcome& outcome : item.outcomes) item.counts += outcome.counts;
  return hits;
}

ItemMeasures measure_item(LabelSet relevant, const LabelRanking& ranking, std::int64_t labels) {
  const std::vector<TieGroup> groups = tie_groups(ranking, relevant, labels);
  ItemMeasures item;
  const std::vector<std::uint8_t> hits = note_outcomes(relevant, ranking, item);
  const auto of_first = [&](std::size_t k) { return std::min(k, hits.size()); };
  item.all = precision_recall(item.counts);
  item.f1_at_5 = f1_at(hits, relevant.size(), of_first(5));
  // A list as long as the longer of the two, since the ideal one may be longer than what was given.
  item.ndcg = ndcg_at(hits, relevant.size(), std::max(hits.size(), relevant.size()));
  item.ndcg_at_5 = ndcg_at(hits, relevant.size(), 5);
  item.ndcg_at_10 = ndcg_at(hits, relevant.size(), 10);
  item.precision_at_1 = precision_at(hits, of_first(1));
  item.precision_at_3 = precision_at(hits, of_first(3));
  item.precision_at_5 = precision_at(hits, of_first(5));
  item.label_ranking_average_precision = label_ranking_average_precision(groups);
  item.average_precision = average_precision(hits, relevant.size());
  item.rank_loss = rank_loss(groups);
  item.hamming_loss = hamming_loss(item.counts, labels);
  item.one_error = one_error(groups);
  item.coverage = coverage(groups);
  return item;
}

/// The means over the items in `rows`, some of them more than once in a resample.
class Summary {
 public:
  Summary(std::span<const ItemMeasures> items, std::span<const std::size_t> rows)
      : items_(items), rows_(rows) {}

  template <class Value>
  double mean_of(Value value) const {
    double total = 0;
    for (const std::size_t row : rows_) total += value(items_[row]);
    return total / static_cast<double>(rows_.size());
  }
  double mean_of(double ItemMeasures::*measure) const {
    return mean_of([measure](const ItemMeasures& item) { return item.*measure; });
  }

  PrecisionRecall item_average() const {
    return {mean_of([](const ItemMeasures& item) { return item.all.precision; }),
            mean_of([](const ItemMeasures& item) { return item.all.recall; }),
            mean_of([](const ItemMeasures& item) { return item.all.f1; })};
  }

  std::vector<LabelCounts> counts_by_label(std::int64_t labels) const {
    std::vector<LabelCounts> counts(static_cast<std::size_t>(labels));
    for (const std::size_t row : rows_)
      for (const LabelOutcome& outcome : items_[row].outcomes)
        counts[static_cast<std::size_t>(outcome.label)] += outcome.counts;
    return counts;
  }

 private:
  std::span<const ItemMeasures> items_;
  std::span<const std::size_t> rows_;
};

void append(std::vector<NamedResult>& results, const PrecisionRecall& average,
            const std::string& kind) {
  results.push_back({"Precision (" + kind + ")", average.precision, {}});
  results.push_back({"Recall (" + kind + ")", average.recall, {}});
  results.push_back({"F1 score (" + kind + ")", average.f1, {}});
}

std::vector<NamedResult> summarise(std::span<const ItemMeasures> items,
                                   std::span<const std::size_t> rows, std::int64_t labels) {
  const Summary summary(items, rows);
  const std::vector<LabelCounts> by_label = summary.counts_by_label(labels);
  const LabelCounts all =
      std::accumulate(by_label.begin(), by_label.end(), LabelCounts{},
                      [](LabelCounts a, const LabelCounts& b) { return a += b; });
  std::vector<NamedResult> results;
  append(results, summary.item_average(), "doc avg");
  append(results, macro_average(by_label), "subj avg");
  append(results, weighted_average(by_label), "weighted subj avg");
  append(results, precision_recall(all), "microavg");
  const auto add_mean = [&](const char* name, double ItemMeasures::*measure) {
    results.push_back({name, summary.mean_of(measure), {}});
  };
  add_mean("F1@5", &ItemMeasures::f1_at_5);
  add_mean("NDCG", &ItemMeasures::ndcg);
  add_mean("NDCG@5", &ItemMeasures::ndcg_at_5);
  add_mean("NDCG@10", &ItemMeasures::ndcg_at_10);
  add_mean("Precision@1", &ItemMeasures::precision_at_1);
  add_mean("Precision@3", &ItemMeasures::precision_at_3);
  add_mean("Precision@5", &ItemMeasures::precision_at_5);
  results.push_back({"True positives", static_cast<double>(all.true_positives), {}});
  results.push_back({"False positives", static_cast<double>(all.false_positives), {}});
  results.push_back({"False negatives", static_cast<double>(all.false_negatives), {}});
  add_mean("LRAP", &ItemMeasures::label_ranking_average_precision);
  add_mean("MAP", &ItemMeasures::average_precision);
  add_mean("Rank loss", &ItemMeasures::rank_loss);
  add_mean("Hamming loss", &ItemMeasures::hamming_loss);
  add_mean("One-error", &ItemMeasures::one_error);
  add_mean("Coverage", &ItemMeasures::coverage);
  return results;
}

void add_intervals(std::span<const ItemMeasures> items, std::int64_t labels,
                   const BootstrapOptions& options, std::vector<NamedResult>& results) {
  const auto values = [&](std::span<const std::size_t> rows) {
    std::vector<double> numbers;
    for (const NamedResult& result : summarise(items, rows, labels))
      numbers.push_back(result.value);
    return numbers;
  };
  const std::vector<Interval> intervals = bootstrap(items.size(), values, options);
  for (std::size_t i = 0; i < results.size(); ++i) results[i].interval = intervals[i];
}

}  // namespace

std::vector<NamedResult> evaluate_suggestions(std::span<const std::vector<std::int32_t>> relevant,
                                              std::span<const LabelRanking> rankings,
                                              std::int64_t labels,
                                              const std::optional<BootstrapOptions>& bootstrap) {
  require(relevant.size() == rankings.size(), "there are the labels of ", relevant.size(),
          " items and suggestions for ", rankings.size(), "; give both for every item");
  require(!relevant.empty(), "there is no item to evaluate");
  require(labels >= 1, "the number of labels is ", labels, "; give the size of the vocabulary");
  std::vector<ItemMeasures> items;
  items.reserve(relevant.size());
  for (std::size_t i = 0; i < relevant.size(); ++i)
    items.push_back(measure_item(relevant[i], rankings[i], labels));

  std::vector<std::size_t> rows(items.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<NamedResult> results = summarise(items, rows, labels);
  if (bootstrap) add_intervals(items, labels, *bootstrap, results);
  results.push_back({"Documents evaluated", static_cast<double>(items.size()), {}});
  return results;
}

}  // namespace commonplace
