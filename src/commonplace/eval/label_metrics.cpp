#include "commonplace/eval/label_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "commonplace/base/error.h"
#include "commonplace/eval/score_order.h"

namespace commonplace {
namespace {

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

void require_label_set(LabelSet set) {
  const auto at = std::adjacent_find(set.begin(), set.end(), std::greater_equal<>());
  require(at == set.end(), "a set of labels is not ascending at label ", at == set.end() ? 0 : *at,
          "; sort it and remove duplicates");
}

struct Totals {
  std::int64_t relevant = 0;
  std::int64_t size = 0;

  std::int64_t irrelevant() const { return size - relevant; }
};

Totals totals(TieGroups groups) {
  Totals result;
  for (const TieGroup& group : groups) {
    result.relevant += group.relevant;
    result.size += group.size;
  }
  return result;
}

void require_ranking(const LabelRanking& ranking, std::int64_t labels) {
  require(ranking.labels.size() == ranking.scores.size(), "a ranking has ", ranking.labels.size(),
          " labels and ", ranking.scores.size(), " scores; give one for each");
  for (std::size_t i = 0; i < ranking.labels.size(); ++i) {
    const std::int32_t label = ranking.labels[i];
    require(label >= 0 && label < labels, "a ranking holds label ", label, "; labels go from 0 to ",
            labels - 1);
    require(!std::isnan(ranking.scores[i]), "the score of label ", label, " is not a number");
    require(i == 0 || ranking.scores[i] <= ranking.scores[i - 1], "a ranking's scores rise from ",
            i == 0 ? 0 : ranking.scores[i - 1], " to ", ranking.scores[i],
            "; list the best label first");
  }
  std::vector<std::int32_t> sorted = ranking.labels;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  require(twice == sorted.end(), "a ranking lists label ", twice == sorted.end() ? 0 : *twice,
          " twice");
}

}  // namespace

LabelCounts& LabelCounts::operator+=(const LabelCounts& other) {
  true_positives += other.true_positives;
  false_positives += other.false_positives;
  false_negatives += other.false_negatives;
  return *this;
}

PrecisionRecall precision_recall(const LabelCounts& counts) {
  const auto tp = static_cast<double>(counts.true_positives);
  const auto fp = static_cast<double>(counts.false_positives);
  const auto fn = static_cast<double>(counts.false_negatives);
  return {ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn)};
}

LabelCounts count_labels(LabelSet relevant, LabelSet predicted) {
  require_label_set(relevant);
  require_label_set(predicted);
  LabelCounts counts;
  auto truth = relevant.begin();
  for (const std::int32_t label : predicted) {
    while (truth != relevant.end() && *truth < label) ++truth;
    if (truth != relevant.end() && *truth == label) ++counts.true_positives;
  }
  counts.false_positives = std::ssize(predicted) - counts.true_positives;
  counts.false_negatives = std::ssize(relevant) - counts.true_positives;
  return counts;
}

PrecisionRecall macro_average(std::span<const LabelCounts> counts) {
  require(!counts.empty(), "there is nothing to average; evaluate at least one item and label");
  PrecisionRecall sum;
  for (const LabelCounts& entry : counts) {
    const PrecisionRecall one = precision_recall(entry);
    sum.precision += one.precision;
    sum.recall += one.recall;
    sum.f1 += one.f1;
  }
  const auto number = static_cast<double>(counts.size());
  return {sum.precision / number, sum.recall / number, sum.f1 / number};
}

PrecisionRecall weighted_average(std::span<const LabelCounts> counts) {
  PrecisionRecall sum;
  double weight = 0;
  for (const LabelCounts& entry : counts) {
    const PrecisionRecall one = precision_recall(entry);
    const auto support = static_cast<double>(entry.support());
    sum.precision += support * one.precision;
    sum.recall += support * one.recall;
    sum.f1 += support * one.f1;
    weight += support;
  }
  return {ratio(sum.precision, weight), ratio(sum.recall, weight), ratio(sum.f1, weight)};
}

PrecisionRecall micro_average(std::span<const LabelCounts> counts) {
  LabelCounts sum;
  for (const LabelCounts& entry : counts) sum += entry;
  return precision_recall(sum);
}

double hamming_loss(const LabelCounts& item, std::int64_t labels) {
  const std::int64_t wrong = item.false_positives + item.false_negatives;
  require(labels > 0 && wrong <= labels, wrong, " of ", labels,
          " labels cannot be wrong; give the size of the whole vocabulary");
  return static_cast<double>(wrong) / static_cast<double>(labels);
}

double accuracy(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted) {
  require(truth.size() == predicted.size(), "there are ", truth.size(), " true classes and ",
          predicted.size(), " predicted ones; give one of each for every item");
  require(!truth.empty(), "there is no item to evaluate");
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predicted[i] ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

std::vector<TieGroup> tie_groups(std::span<const double> scores,
                                 std::span<const std::uint8_t> relevant) {
  require(scores.size() == relevant.size(), "there are ", scores.size(), " scores for ",
          relevant.size(), " relevance flags; give one for each label");
  const std::vector<std::size_t> order = order_by_falling_score(scores);
  std::vector<TieGroup> groups;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || scores[order[i]] != scores[order[i - 1]]) groups.emplace_back();
    groups.back().relevant += relevant[order[i]] != 0 ? 1 : 0;
    ++groups.back().size;
  }
  return groups;
}

std::vector<TieGroup> tie_groups(const LabelRanking& ranking, LabelSet relevant,
                                 std::int64_t labels) {
  require_ranking(ranking, labels);
  require_label_set(relevant);
  require(relevant.empty() || (relevant.front() >= 0 && relevant.back() < labels),
          "a relevant label is not in 0 .. ", labels - 1);
  std::vector<TieGroup> groups;
  TieGroup unlisted{std::ssize(relevant), labels};
  for (std::size_t i = 0; i < ranking.labels.size(); ++i) {
    if (i == 0 || ranking.scores[i] != ranking.scores[i - 1]) groups.emplace_back();
    const bool hit = std::binary_search(relevant.begin(), relevant.end(), ranking.labels[i]);
    groups.back().relevant += hit ? 1 : 0;
    ++groups.back().size;
    unlisted.relevant -= hit ? 1 : 0;
    --unlisted.size;
  }
  if (unlisted.size > 0) groups.push_back(unlisted);
  return groups;
}

double rank_loss(TieGroups groups) {
  const Totals all = totals(groups);
  if (all.relevant == 0 || all.irrelevant() == 0) return 0;
  const double pairs = static_cast<double>(all.relevant) * static_cast<double>(all.irrelevant());
  double wrong = 0;
  double irrelevant_above = 0;
  for (const TieGroup& group : groups) {
    const auto irrelevant = static_cast<double>(group.size - group.relevant);
    wrong += static_cast<double>(group.relevant) * (irrelevant_above + irrelevant / 2);
    irrelevant_above += irrelevant;
  }
  return wrong / pairs;
}

double one_error(TieGroups groups) {
  if (groups.empty()) return 0;
  const TieGroup& top = groups.front();
  return static_cast<double>(top.size - top.relevant) / static_cast<double>(top.size);
}

double coverage(TieGroups groups) {
  std::int64_t position = 0;
  std::int64_t last = 0;
  for (const TieGroup& group : groups) {
    position += group.size;
    if (group.relevant > 0) last = position;
  }
  return static_cast<double>(last);
}

double label_ranking_average_precision(TieGroups groups) {
  const Totals all = totals(groups);
  if (all.relevant == 0 || all.irrelevant() == 0) return 1;
  double total = 0;
  Totals so_far;
  for (const TieGroup& group : groups) {
    so_far.relevant += group.relevant;
    so_far.size += group.size;
    total += static_cast<double>(group.relevant) * static_cast<double>(so_far.relevant) /
             static_cast<double>(so_far.size);
  }
  return total / static_cast<double>(all.relevant);
}

}  // namespace commonplace
