#include "commonplace/transfer/core/bridge_trials.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/top_k.h"
#include "commonplace/learn/label_propagation.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/transfer/core/bridge_graph.h"
#include "commonplace/transfer/core/collection_distance.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace::transfer {
namespace {

void check(std::span<const LabelledCollection> collections, const BridgeTrialOptions& options) {
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
  require(options.alpha > 0 && options.alpha < 1, "alpha is ", options.alpha,
          "; expected more than 0 and less than 1");
  require(options.bandwidth >= 0 && std::isfinite(options.bandwidth), "bandwidth is ",
          options.bandwidth, "; expected 0 (to choose it) or more");
  require(options.among == "each" || options.among == "all", "among is \"", options.among,
          "\"; expected each or all");
  require(options.items >= 2, "items is ", options.items, "; expected 2 or more");
  for (const LabelledCollection& one : collections) {
    require(one.rows.columns == collections[0].rows.columns, one.name, " has ", one.rows.columns,
            " features and ", collections[0].name, " ", collections[0].rows.columns,
            "; give all the same vocabulary");
    require(std::ssize(one.labels) == one.rows.rows(), one.name, " has ", one.labels.size(),
            " labels for ", one.rows.rows(), " items; give one each, -1 where it is not known");
    require(one.rows.rows() >= 2, one.name, " has ", one.rows.rows(), " items; expected 2 or more");
    require(
        std::all_of(one.labels.begin(), one.labels.end(), [](auto label) { return label >= -1; }),
        one.name, " has a label below -1; expected classes from 0 on");
    require(std::all_of(one.rows.values.begin(), one.rows.values.end(),
                        [](float value) { return std::isfinite(value); }),
            one.name, " has a feature that is not a number");
  }
}

/// At most `items` of each collection, scaled to length one.
std::vector<LabelledCollection> sampled(std::span<const LabelledCollection> collections,
                                        const BridgeTrialOptions& options, int jobs) {
  constexpr std::uint64_t sample_column = 0x627269646765ULL;
  std::vector<LabelledCollection> result;
  for (const LabelledCollection& one : collections) {
    std::vector<std::int64_t> rows(one.labels.size());
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    rows = sample_by(std::move(rows), options.items, [&](std::int64_t row) {
      return random_bits(options.seed, static_cast<std::uint64_t>(row), sample_column);
    });
    LabelledCollection kept{one.name, {}, {}};
    kept.rows.columns = one.rows.columns;
    for (const std::int64_t row : rows) {
      kept.rows.push_row(one.rows.view(), row);
      kept.labels.push_back(one.labels[static_cast<std::size_t>(row)]);
    }
    normalise_rows(kept.rows, jobs);
    result.push_back(std::move(kept));
  }
  return result;
}

bool has_labels(const LabelledCollection& collection) {
  return std::any_of(collection.labels.begin(), collection.labels.end(),
                     [](std::int32_t label) { return label >= 0; });
}

/// The share of the labelled items of a target whose class has the highest score; of classes that
/// share the highest score, one is guessed. With two classes there is one column, for class 1.
double accuracy_of(const LabelledCollection& target, const Eigen::Ref<const Matrix>& scores) {
  double right = 0;
  std::int64_t labelled = 0;
  for (std::size_t item = 0; item < target.labels.size(); ++item) {
    const std::int32_t label = target.labels[item];
    if (label < 0) continue;
    ++labelled;
    const auto row = scores.row(static_cast<Eigen::Index>(item));
    if (row.size() == 1) {
      const float score = label == 1 ? row[0] : -row[0];
      right += score > 0 ? 1 : score == 0 ? 0.5 : 0;
    } else if (const float best = row.maxCoeff(); row[label] == best) {
      right += 1 / static_cast<double>((row.array() == best).count());
    }
  }
  return labelled > 0 ? right / static_cast<double>(labelled) : 0;
}

/// Accuracies in one union of collections: member x member, of labels of the row's spread to the
/// column's.
class UnionTrial {
 public:
  UnionTrial(const std::vector<LabelledCollection>& collections, const PairNeighbours& pairs,
             std::int32_t classes, const BridgeTrialOptions& options)
      : collections_(collections),
        pairs_(pairs),
        columns_(classes <= 2 ? 1 : classes),
        options_(options) {}

  MatrixD operator()(const std::vector<std::size_t>& members) const {
    const Union whole = unite(collections_, members);
    const Sparse graph = union_graph(whole, pairs_, options_);
    LabelPropagationOptions how;
    how.alpha = options_.alpha;
    how.tolerance = options_.tolerance;
    how.balanced = true;
    const Matrix scores = propagate_labels(graph.view(), labels_of(whole), how, {.jobs = 1}).scores;
    const auto count = static_cast<Eigen::Index>(members.size());
    MatrixD result = MatrixD::Zero(count, count);
    for (Eigen::Index source = 0; source < count; ++source)
      for (Eigen::Index target = 0; target < count; ++target) {
        if (source == target) continue;
        const auto at = static_cast<std::size_t>(target);
        result(source, target) =
            accuracy_of(collections_[members[at]],
                        scores.block(whole.first[at], source * columns_,
                                     whole.first[at + 1] - whole.first[at], columns_));
      }
    return result;
  }

 private:
  /// Items x (members x columns): the labels of each member as a source.
  MatrixD labels_of(const Union& whole) const {
    MatrixD result = MatrixD::Zero(whole.first.back(), std::ssize(whole.members) * columns_);
    for (std::size_t member = 0; member < whole.members.size(); ++member) {
      const auto& labels = collections_[whole.members[member]].labels;
      for (std::size_t item = 0; item < labels.size(); ++item) {
        if (labels[item] < 0) continue;
        auto row = result.row(whole.first[member] + static_cast<Eigen::Index>(item))
                       .segment(static_cast<Eigen::Index>(member) * columns_, columns_);
        row.setConstant(-1);
        if (columns_ > 1 || labels[item] == 1) row[columns_ > 1 ? labels[item] : 0] = 1;
      }
    }
    return result;
  }

  const std::vector<LabelledCollection>& collections_;
  const PairNeighbours& pairs_;
  Eigen::Index columns_;
  const BridgeTrialOptions& options_;
};

/// Calls act(i) for 0 .. count-1, each on one rank, on several threads, and tells how far it is in
/// between. Several ranks take no more at a time than they have threads, so that none has to wait
/// long for another at the end.
template <class Act>
void in_batches(std::size_t count, const char* stage, const char* unit, const Run& run,
                const Act& act) {
  const std::size_t most =
      (run.comm.size() > 1 ? 1 : 4) * static_cast<std::size_t>(resolve_jobs(run.jobs));
  const auto counter = run.comm.share_work(static_cast<std::int64_t>(count));
  std::vector<std::size_t> batch;
  do {
    batch.clear();
    for (std::int64_t i = 0; batch.size() < most && (i = counter->next()) >= 0;)
      batch.push_back(static_cast<std::size_t>(i));
    run.progress({stage, batch.empty() ? count : batch.front(), count, unit});
    parallel_for(
        batch.size(), run.jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) act(batch[i]);
        },
        1);
  } while (!batch.empty());
}

CollectionMeasures measure(const std::vector<LabelledCollection>& collections,
                           const BridgeTrialOptions& options, const Run& run) {
  const std::size_t count = collections.size();
  CollectionMeasures result;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < count; ++a) {
    result.complexity.push_back(complexity(collections[a].rows.view(), options.rare));
    for (std::size_t b = a + 1; b < count; ++b) pairs.emplace_back(a, b);
  }
  const ADistanceOptions how{options.items, options.folds, options.cost, 0.01, options.seed};
  result.distance = MatrixD::Zero(std::ssize(collections), std::ssize(collections));
  in_batches(pairs.size(), "telling collections apart", "pairs", run, [&](std::size_t i) {
    const auto [a, b] = pairs[i];
    const double found = a_distance(collections[a].rows.view(), collections[b].rows.view(), how, 1);
    result.distance(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = found;
    result.distance(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) = found;
  });
  run.comm.sum(result.distance);  // each pair is 0 but on one rank
  return result;
}

/// The accuracies of all pairs and triples, each set of collections once.
struct Accuracies {
  std::size_t collections = 0;
  std::vector<double> direct;   ///< source, target
  std::vector<double> bridged;  ///< source, bridge, target
};

Accuracies try_all(const std::vector<LabelledCollection>& collections,
                   const BridgeTrialOptions& options, const Run& run) {
  const std::size_t count = collections.size();
  std::int32_t classes = 0;
  for (const LabelledCollection& one : collections)
    for (const std::int32_t label : one.labels) classes = std::max(classes, label + 1);
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      sets.push_back({a, b});
      for (std::size_t c = b + 1; c < count; ++c) sets.push_back({a, b, c});
    }
  const PairNeighbours pairs(collections, options, run);
  const UnionTrial trial(collections, pairs, classes, options);
  Accuracies result{count, std::vector<double>(count * count),
                    std::vector<double>(count * count * count)};
  in_batches(sets.size(), "trying bridges", "graphs", run, [&](std::size_t i) {
    const auto& members = sets[i];
    const MatrixD found = trial(members);
    for (std::size_t s = 0; s < members.size(); ++s)
      for (std::size_t t = 0; t < members.size(); ++t) {
        if (s == t) continue;
        const double value = found(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(t));
        const std::size_t target = members[t];
        if (members.size() == 2)
          result.direct[members[s] * count + target] = value;
        else
          result.bridged[(members[s] * count + members[3 - s - t]) * count + target] = value;
      }
  });
  run.comm.sum(std::span<double>(result.direct));
  run.comm.sum(std::span<double>(result.bridged));
  return result;
}

}  // namespace

LabelledCollection hide_features(const LabelledCollection& collection, int side, double share,
                                 std::uint64_t seed) {
  require(side == 0 || side == 1, "side is ", side, "; expected 0 or 1");
  require(share >= 0 && share <= 1, "the share of features to hide is ", share,
          "; expected 0 .. 1");
  constexpr std::uint64_t hidden_column = 0x686964ULL;
  std::vector<std::uint8_t> kept;
  for (std::int64_t feature = 0; feature < collection.rows.columns; ++feature) {
    const double draw = random_uniform(seed, static_cast<std::uint64_t>(feature), hidden_column);
    const bool hidden = side == 0 ? draw < share / 2 : draw >= share / 2 && draw < share;
    kept.push_back(hidden ? 0 : 1);
  }
  return {collection.name, only_features(collection.rows.view(), kept), collection.labels};
}

CollectionMeasures measure_collections(std::span<const LabelledCollection> collections,
                                       const BridgeTrialOptions& options, const Run& run) {
  check(collections, options);
  return measure(sampled(collections, options, run.jobs), options, run);
}

BridgeTraits traits_of(const CollectionMeasures& measures, std::int32_t source, std::int32_t bridge,
                       std::int32_t target) {
  const auto complexity_of = [&](std::int32_t which) {
    return measures.complexity[static_cast<std::size_t>(which)];
  };
  return {complexity_of(source),
          complexity_of(bridge),
          complexity_of(target),
          measures.distance(source, bridge),
          measures.distance(source, target),
          measures.distance(bridge, target)};
}

BridgeTrials run_bridge_trials(std::span<const LabelledCollection> collections,
                               const BridgeTrialOptions& options, const Run& run) {
  require(collections.size() >= 3, "there are ", collections.size(),
          " collections; a bridge needs 3 or more: a source, a bridge and a target");
  check(collections, options);
  const std::vector<LabelledCollection> some = sampled(collections, options, run.jobs);
  BridgeTrials result;
  result.measures = measure(some, options, run);
  const Accuracies found = try_all(some, options, run);
  const std::size_t count = found.collections;
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t d = 0; d < count; ++d)
      for (std::size_t t = 0; t < count; ++t) {
        if (s == d || s == t || d == t || !has_labels(some[s]) || !has_labels(some[t])) continue;
        BridgeTrial trial{static_cast<std::int32_t>(s),
                          static_cast<std::int32_t>(d),
                          static_cast<std::int32_t>(t),
                          found.direct[s * count + t],
                          found.bridged[(s * count + d) * count + t],
                          {}};
        trial.traits = traits_of(result.measures, trial.source, trial.bridge, trial.target);
        result.trials.push_back(trial);
      }
  return result;
}

std::vector<BridgeExample> bridge_examples(const BridgeTrials& trials) {
  std::vector<BridgeExample> result;
  for (const BridgeTrial& trial : trials.trials)
    result.push_back({trial.traits, trial.direct, trial.bridged, trial.target});
  return result;
}

}  // namespace commonplace::transfer
