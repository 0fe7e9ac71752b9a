#include "commonplace/search/core/trial.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/number_list.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/top_k.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/eval/tune.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::search {
namespace {

/// Keeps these draws apart from others with the same seed.
constexpr std::uint64_t kSampleColumn = 0x73616d706cULL;
constexpr double kRecall = 0.1;
constexpr std::size_t kFirst = 10;
/// A term that more of the items have says little about a ranking.
constexpr double kCommon = 1.0 / 3;

struct Hidden {
  Sparse visible;
  std::vector<std::int64_t> items;   ///< per term: that have it
  std::vector<std::int64_t> hidden;  ///< per term: of which it was hidden
};

Hidden hide(const SparseView& counts, const HidingOptions& options) {
  Hidden result;
  result.visible.columns = counts.columns;
  result.items.resize(static_cast<std::size_t>(counts.columns));
  result.hidden.resize(static_cast<std::size_t>(counts.columns));
  for (std::int64_t row = 0; row < counts.rows; ++row) {
    const auto terms = counts.row_indices(row);
    const auto values = counts.row_values(row);
    auto draw = [&](std::size_t i) {
      return random_uniform(options.seed, static_cast<std::uint64_t>(row),
                            static_cast<std::uint64_t>(terms[i]));
    };
    // The term of the greatest draw stays.
    std::size_t stays = 0;
    for (std::size_t i = 1; i < terms.size(); ++i)
      if (draw(i) > draw(stays)) stays = i;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto term = static_cast<std::size_t>(terms[i]);
      ++result.items[term];
      if (i != stays && draw(i) < options.share)
        ++result.hidden[term];
      else
        result.visible.push(terms[i], values[i]);
    }
    result.visible.end_row();
  }
  return result;
}

std::vector<std::int32_t> choose_asked(const Hidden& hidden, std::int64_t rows,
                                       const HidingOptions& options) {
  std::vector<std::int32_t> able;
  for (std::size_t term = 0; term < hidden.items.size(); ++term)
    if (hidden.hidden[term] > 0 && hidden.items[term] >= options.least &&
        static_cast<double>(hidden.items[term]) <= kCommon * static_cast<double>(rows))
      able.push_back(static_cast<std::int32_t>(term));
  if (std::ssize(able) <= options.most) return able;
  std::stable_sort(able.begin(), able.end(), [&](std::int32_t a, std::int32_t b) {
    return hidden.items[static_cast<std::size_t>(a)] > hidden.items[static_cast<std::size_t>(b)];
  });
  std::vector<std::int32_t> spread;
  for (std::int64_t i = 0; i < options.most; ++i)
    spread.push_back(able[static_cast<std::size_t>(i * std::ssize(able) / options.most)]);
  std::sort(spread.begin(), spread.end());
  return spread;
}

/// Average precision among the items that are not in `showing`, which is ascending.
double missing_precision(const std::vector<double>& scores,
                         const std::vector<std::uint8_t>& relevant,
                         std::span<const std::int32_t> showing) {
  std::vector<double> kept_scores;
  std::vector<std::uint8_t> kept;
  auto next = showing.begin();
  for (std::size_t item = 0; item < scores.size(); ++item) {
    if (next != showing.end() && static_cast<std::size_t>(*next) == item) {
      ++next;
      continue;
    }
    kept_scores.push_back(scores[item]);
    kept.push_back(relevant[item]);
  }
  const auto hits = rank_by_score(kept_scores, kept);
  return average_precision(
      hits, static_cast<std::size_t>(std::count(hits.begin(), hits.end(), std::uint8_t{1})));
}

BorrowingWeights scaled(const BorrowingWeights& weights, double scale) {
  return {weights.topics * scale, weights.lift * scale, weights.ridge * scale,
          weights.votes * scale};
}

}  // namespace

double Quality::map() const { return mean(average_precision); }

Sparse sample_rows(const Sparse& rows, std::int64_t most, std::uint64_t seed) {
  if (rows.rows() <= most) return rows;
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.rows()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  Sparse sample;
  sample.columns = rows.columns;
  for (const std::int64_t row : sample_by(std::move(all), most, [&](std::int64_t each) {
         return random_bits(seed, static_cast<std::uint64_t>(each), kSampleColumn);
       }))
    sample.push_row(rows.view(), row);
  return sample;
}

Trial hide_terms(const SparseView& counts, const HidingOptions& options) {
  require(options.share > 0 && options.share < 1, "cannot hide a share of ", options.share,
          " of the tags; give one between 0 and 1");
  require(options.least >= 1 && options.most >= 1,
          "asks for terms of at least one item, and for at least one term");
  Hidden hidden = hide(counts, options);
  Trial trial;
  trial.asked = choose_asked(hidden, counts.rows, options);
  const Sparse by_term = transpose(counts);
  for (const std::int32_t term : trial.asked) {
    auto& relevant = trial.relevant.emplace_back(static_cast<std::size_t>(counts.rows));
    for (const std::int32_t row : by_term.view().row_indices(term))
      relevant[static_cast<std::size_t>(row)] = 1;
  }
  trial.visible = std::move(hidden.visible);
  return trial;
}

Quality judge(const Trial& trial, const std::vector<std::vector<float>>& scores, int jobs) {
  require(scores.size() == trial.asked.size(), "there are ", scores.size(), " rankings for ",
          trial.asked.size(), " asked terms");
  Quality quality;
  const Sparse by_term = transpose(trial.visible.view());
  quality.average_precision.resize(scores.size());
  quality.missing_average_precision.resize(scores.size());
  quality.precision_at_recall.resize(scores.size());
  quality.precision_at.resize(scores.size());
  quality.curve.resize(scores.size());
  parallel_for(scores.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<double> values(scores[i].begin(), scores[i].end());
      const auto hits = rank_by_score(values, trial.relevant[i]);
      const auto relevant =
          static_cast<std::size_t>(std::count(hits.begin(), hits.end(), std::uint8_t{1}));
      quality.average_precision[i] = average_precision(hits, relevant);
      quality.precision_at_recall[i] = precision_at_recall(hits, relevant, kRecall);
      quality.precision_at[i] = precision_at(hits, kFirst);
      quality.curve[i] = interpolated_precision(hits, relevant);
      quality.missing_average_precision[i] =
          missing_precision(values, trial.relevant[i], by_term.view().row_indices(trial.asked[i]));
    }
  });
  return quality;
}

std::vector<std::vector<float>> own_scores(const Trial& trial, float own) {
  const Sparse by_term = transpose(trial.visible.view());
  std::vector<std::vector<float>> scores;
  for (const std::int32_t term : trial.asked) {
    auto& row = scores.emplace_back(static_cast<std::size_t>(trial.visible.rows()));
    for (const std::int32_t item : by_term.view().row_indices(term))
      row[static_cast<std::size_t>(item)] = own;
  }
  return scores;
}

std::vector<std::vector<float>> read_topics(const Trial& trial, const SharedSubspaceFit& fit) {
  const std::vector<int> topics = fit.model.topics_of(0);
  Eigen::VectorXf weights(static_cast<Eigen::Index>(topics.size()));
  std::vector<std::vector<float>> scores;
  for (const std::int32_t term : trial.asked) {
    for (std::size_t topic = 0; topic < topics.size(); ++topic)
      weights[static_cast<Eigen::Index>(topic)] = fit.model.basis(term, topics[topic]);
    const Eigen::VectorXf read = fit.codes[0] * weights;
    scores.emplace_back(read.data(), read.data() + read.size());
  }
  return scores;
}

std::vector<std::vector<float>> add_scores(std::vector<std::vector<float>> a,
                                           const std::vector<std::vector<float>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t item = 0; item < a[i].size(); ++item) a[i][item] += b[i][item];
  return a;
}

std::vector<BorrowedEvidence> find_evidence(const Trial& trial, const Borrowing& borrowing,
                                            const CodedItems& items, int jobs) {
  const Sparse lenders_by_term = transpose(borrowing.lenders.view());
  std::vector<BorrowedEvidence> evidence(trial.asked.size());
  parallel_for(evidence.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const WeightedTerm asked{trial.asked[i], 1};
      evidence[i] = find_evidence(items, ask(borrowing, lenders_by_term.view(), {&asked, 1}));
    }
  });
  return evidence;
}

std::vector<std::vector<float>> hybrid_scores(const Trial& trial,
                                              const std::vector<BorrowedEvidence>& evidence,
                                              const BorrowingWeights& weights, float own) {
  std::vector<std::vector<float>> scores = own_scores(trial, own);
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t item = 0; item < scores[i].size(); ++item)
      scores[i][item] +=
          static_cast<float>(borrowed_score({evidence[i].topics[item], evidence[i].lift[item],
                                             evidence[i].ridge[item], evidence[i].votes[item]},
                                            weights));
  return scores;
}

BorrowingWeights tune_weights(const Trial& trial, const std::vector<BorrowedEvidence>& evidence,
                              float own, int jobs) {
  const auto precision = [&](const BorrowingWeights& weights, std::vector<double> Quality::*of) {
    return judge(trial, hybrid_scores(trial, evidence, weights, own), jobs).*of;
  };
  const auto weights_of = [](const std::vector<double>& values) {
    return BorrowingWeights{
        .topics = values[3], .lift = values[0], .ridge = values[1], .votes = values[2]};
  };
  const BorrowingWeights usual = kUsualWeights;
  // How the ways compare with each other: by the items that own words cannot find.
  Tuner ways({.jobs = jobs});
  const std::vector<double> factors = {0.0, 0.5, 2.0, 4.0};
  const StackedWay tried[] = {{"lift", factors, true},
                              {"ridge", factors, true},
                              {"votes", factors, true},
                              {"topics", factors, true}};
  const BorrowingWeights whole = weights_of(
      stack_ways(ways, {usual.lift, usual.ridge, usual.votes, usual.topics}, tried, {.rounds = 2},
                 [&](const std::vector<double>& values) {
                   return precision(weights_of(values), &Quality::missing_average_precision);
                 }));
  // How much borrowing counts beside own words, down to nothing: by all items.
  Tuner strength({.jobs = jobs});
  BorrowingWeights best;
  for (const double scale : {1.0, 0.5, 0.25, 0.1})
    if (strength.attempt(short_number(scale), [&] {
          return precision(scaled(whole, scale), &Quality::average_precision);
        }))
      best = scaled(whole, scale);
  return clearly_better(strength.best(), precision({}, &Quality::average_precision))
             ? best
             : BorrowingWeights{};
}

}  // namespace commonplace::search
