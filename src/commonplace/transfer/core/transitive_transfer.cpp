#include "commonplace/transfer/core/transitive_transfer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/assignment.h"
#include "commonplace/transfer/core/base_classifiers.h"
#include "commonplace/transfer/core/same_items.h"
#include "commonplace/transfer/core/simulated_transfer.h"

namespace commonplace::transfer {
namespace {

/// No accuracy is expected to be higher.
constexpr double kMostExpected = 0.99;
/// The least weight of a collection that was labelled on the way.
constexpr double kLeastTrust = 0.01;
/// So many standard errors above chance is more than chance explains.
constexpr double kChanceErrors = 3;
/// A class has collapsed if it keeps less than this of the items that the start gave it, if those
/// were a few at least.
constexpr double kLeastKept = 0.2;
constexpr double kFewItems = 5;
/// Fewer held-out items than these do not tell an accuracy from guessing.
constexpr double kFewestJudged = 30;

std::vector<std::int32_t> labels_or_none(const TransferCollection& collection) {
  return collection.labels.empty()
             ? std::vector<std::int32_t>(static_cast<std::size_t>(collection.items.rows), -1)
             : collection.labels;
}

/// A collection with all that has been found out about it.
struct State {
  SparseView items;
  std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> given;
  std::vector<std::uint8_t> used;  ///< features, over all ranks
  MatrixD classes;
  bool has_labels = false;  ///< on any rank
  bool held = false;        ///< its classes stay as they were told
  double expected = 1;      ///< the share of its classes that is taken for right
};

State state_of(const TransferCollection& from, std::int64_t classes, std::int64_t features,
               Comm& comm) {
  require(from.items.columns == features, "a collection has ", from.items.columns,
          " features, the first has ", features);
  require(from.labels.empty() || std::ssize(from.labels) == from.items.rows, "there are ",
          from.items.rows, " items but ", from.labels.size(), " labels");
  State state{
      from.items, labels_or_none(from), {}, features_in_use(from.items, comm), {}, false, false, 1};
  std::int64_t labelled = 0;
  for (const std::int32_t label : state.labels) {
    require(label >= -1 && label < classes, "there is a label ", label, " but only ", classes,
            " classes");
    state.given.push_back(static_cast<std::uint8_t>(label >= 0));
    labelled += label >= 0 ? 1 : 0;
  }
  state.classes = class_indicators(state.labels, classes);
  comm.sum(std::span<std::int64_t>(&labelled, 1));
  state.has_labels = labelled > 0;
  return state;
}

/// Unlabelled items of a source are of all classes alike to begin with.
void spread_unknown(State& state) {
  for (std::size_t item = 0; item < state.given.size(); ++item)
    if (state.given[item] == 0)
      state.classes.row(static_cast<Eigen::Index>(item))
          .setConstant(1 / static_cast<double>(state.classes.cols()));
}

/// Brings labels along the path, one stage a collection.
class StagedTransfer {
 public:
  StagedTransfer(std::span<const TransferCollection> sources,
                 std::span<const TransferCollection> path, std::int64_t classes,
                 const Options& options, const Run& run)
      : classes_(classes), sources_(sources.size()), options_(options), run_(run) {
    require(!sources.empty() && !path.empty(), "transfer needs a source and a target");
    require(classes >= 2, "transfer needs two classes or more, not ", classes);
    for (const auto part : {sources, path})
      for (const TransferCollection& collection : part)
        states_.push_back(state_of(collection, classes, sources[0].items.columns, run.comm));
    std::vector<double> of_class(static_cast<std::size_t>(classes), 0);
    for (std::size_t which = 0; which < sources_; ++which) {
      require(states_[which].has_labels, "source ", which, " has no labels");
      for (const std::int32_t label : states_[which].labels)
        if (label >= 0) of_class[static_cast<std::size_t>(label)] += 1;
      spread_unknown(states_[which]);
    }
    run.comm.sum(of_class);
    for (std::size_t label = 0; label < of_class.size(); ++label)
      require(of_class[label] > 0, "no labelled item of the sources is of class ", label);
  }

  /// Finds the classes of collection `which` (behind the sources).
  Stage run_stage(std::size_t which, const WatchTransfer& watch) {
    State& state = states_[which];
    Stage stage;
    stage.shared_features = shared_features(which);
    hear(which, stage);
    decide_clustering(which, stage);
    if (stage.clustered)
      cluster(which, stage, watch);
    else
      self_train(state, stage);
    state.held = stage.answer == "start" || stage.answer == "self-training";
    refined_ = stage.answer == "refinement";
    stage.agreement = agreement(state);
    state.expected = mean_confidence(state.classes, run_.comm);
    if (refined_) state.expected = std::min(state.expected, refined_expected_);
    return stage;
  }

  /// Calibrates the classes of the last collection, and leaves none of its probabilities certain.
  double calibrate(MatrixD& probabilities) const {
    const double inverse_temperature = refined_ ? calibrate_refined(probabilities) : 1;
    const State& last = states_.back();
    const double chance = 1 / static_cast<double>(classes_);
    const double kept = (most_sure() - chance) / (1 - chance);
    for (std::size_t item = 0; item < last.given.size(); ++item)
      if (const auto row = static_cast<Eigen::Index>(item); last.given[item] == 0)
        probabilities.row(row) = kept * probabilities.row(row).array() + (1 - kept) * chance;
    return inverse_temperature;
  }

  /// Lets items of the last collection that stand in another one, too, be what they are there.
  std::int64_t take_same_items(MatrixD& probabilities) const {
    if (!options_.refine || !options_.evidence) return 0;
    std::vector<LabelledItems> labelled;
    for (const State& state : states_) labelled.push_back({state.items, state.labels});
    return take_labels_of_same_items(labelled, labelled.back(), probabilities, run_).found;
  }

  std::vector<MatrixD> classes_of_path() const {
    std::vector<MatrixD> result;
    for (std::size_t which = sources_; which < states_.size(); ++which)
      result.push_back(states_[which].classes);
    return result;
  }

 private:
  /// The most that can be said of anything learned from n labels, all of which agree with it: (n +
  /// 1) / (n + 2), the rule of succession, and never more than is ever expected.
  double most_sure() const {
    double labelled = 0;
    for (const State& state : states_)
      labelled += static_cast<double>(std::count(state.given.begin(), state.given.end(), 1));
    labelled = run_.comm.sum(labelled);
    return std::min(kMostExpected, (labelled + 1) / (labelled + 2));
  }

  /// Temperature scaling by held-out items of the sources, and not surer on average than the
  /// simulated transfer is right; other answers are as sure as was expected of them already.
  double calibrate_refined(MatrixD& probabilities) const {
    double sum = 0;
    for (std::size_t which = 0; which < sources_; ++which)
      sum += fit_temperature(states_[which].items, states_[which].labels, classes_,
                             states_[which].used, options_.naive_bayes, run_)
                 .inverse_temperature;
    const double inverse_temperature =
        std::min(sum / static_cast<double>(sources_),
                 inverse_temperature_of(refined_evidence_, refined_expected_, run_.comm));
    const State& last = states_.back();
    const MatrixD calibrated = class_probabilities(refined_evidence_, inverse_temperature);
    for (std::size_t item = 0; item < last.given.size(); ++item)
      if (last.given[item] == 0)
        probabilities.row(static_cast<Eigen::Index>(item)) =
            calibrated.row(static_cast<Eigen::Index>(item));
    return inverse_temperature;
  }

  /// The collections that `which` is paired with: the first with all sources, then each with the
  /// one before.
  std::vector<std::size_t> leading_to(std::size_t which) const {
    if (which > sources_) return {which - 1};
    std::vector<std::size_t> result(sources_);
    std::iota(result.begin(), result.end(), std::size_t{0});
    return result;
  }

  std::vector<std::uint8_t> common_features(std::size_t a, std::size_t b) const {
    std::vector<std::uint8_t> both(states_[a].used.size());
    std::transform(states_[a].used.begin(), states_[a].used.end(), states_[b].used.begin(),
                   both.begin(), [](std::uint8_t in_a, std::uint8_t in_b) {
                     return static_cast<std::uint8_t>(in_a & in_b);
                   });
    return both;
  }

  double shared_features(std::size_t which) const {
    const auto count = [](const std::vector<std::uint8_t>& marks) {
      return static_cast<double>(std::accumulate(marks.begin(), marks.end(), std::int64_t{0}));
    };
    double shared = 0;
    for (const std::size_t from : leading_to(which))
      shared = std::max(shared, count(common_features(from, which)));
    return shared / std::max(1.0, count(states_[which].used));
  }

  /// Finds what the features shared with each collection before say, and the labelled items of this
  /// one; how much of that is right, and the start that follows.
  void hear(std::size_t which, Stage& stage) {
    const State& state = states_[which];
    const auto learn = [&](const ClassifierPool& pool, const State& from, const MatrixD& classes,
                           const std::vector<std::uint8_t>& used) {
      return pooled_evidence(pool, from.items, classes, used, state.items, options_.naive_bayes,
                             run_);
    };
    const auto choose = [&](const State& from, const MatrixD& classes,
                            const std::vector<std::uint8_t>& used) {
      return choose_pool(from.items, classes, used, options_.base_classifier, options_.naive_bayes,
                         run_);
    };
    evidence_ = MatrixD::Zero(state.items.rows, classes_);
    shares_.assign(static_cast<std::size_t>(classes_), 0);
    double trusted = 0;
    double expected = 0;
    for (std::size_t from = 0; from < which; ++from) {
      const std::vector<std::uint8_t> common = common_features(from, which);
      if (std::find(common.begin(), common.end(), 1) == common.end()) continue;
      const State& teacher = states_[from];
      const ClassifierPool pool = choose(teacher, teacher.classes, common);
      const MatrixD said = learn(pool, teacher, teacher.classes, common);
      const double trust = trust_in(from, common);
      const std::vector<double> shares = class_shares(teacher.classes);
      for (std::size_t label = 0; label < shares.size(); ++label)
        shares_[label] += trust * shares[label];
      evidence_ += trust * said;
      expected += trust * expected_accuracy(pool, said, shares, teacher.expected);
      if (trusted <= 0) pool_ = pool;
      trusted += trust;
    }
    if (trusted > 0) {
      evidence_ /= trusted;
      expected /= trusted;
      for (double& share : shares_) share /= trusted;
    }
    if (state.has_labels) {
      const MatrixD known = class_indicators(state.labels, classes_);
      // Few labels cannot choose a classifier: as for the first collection, if there is one.
      if (trusted <= 0) pool_ = choose(state, known, state.used);
      const MatrixD said = learn(pool_, state, known, state.used);
      if (trusted <= 0) {
        shares_ = class_shares(known);
        expected = expected_accuracy(pool_, said, shares_, 1);
      }
      evidence_ += said;
    } else if (trusted <= 0) {
      shares_.assign(static_cast<std::size_t>(classes_), 1 / static_cast<double>(classes_));
    }
    stage.told_by = told_by(pool_);
    stage.expected = std::clamp(expected, 1 / static_cast<double>(classes_), kMostExpected);
    stage.guessing = guessing(pool_);
    start_ = with_confidence(probabilities_with_shares(evidence_, shares_, run_.comm),
                             stage.expected, run_.comm);
  }

  /// The shares of the classes among items, none of them 0.
  std::vector<double> class_shares(const MatrixD& classes) const {
    std::vector<double> shares(static_cast<std::size_t>(classes_));
    for (std::int64_t k = 0; k < classes_; ++k)
      shares[static_cast<std::size_t>(k)] = classes.col(k).sum();
    run_.comm.sum(shares);
    const double all = std::accumulate(shares.begin(), shares.end(), static_cast<double>(classes_));
    for (double& share : shares) share = (share + 1) / all;
    return shares;
  }

  /// What guessing may reach on the items that the pool was judged by: the share of the commonest
  /// class, and two standard errors; 0 where it was not judged.
  double guessing(const ClassifierPool& pool) const {
    if (pool.items < kFewestJudged) return 0;
    const double share = *std::max_element(shares_.begin(), shares_.end());
    return share + 2 * std::sqrt(share * (1 - share) / pool.items);
  }

  /// The weight of what a collection says by the features `common`: 1 for sources; those that were
  /// labelled on the way only repeat what sources say by the same features, so they count by the
  /// share of features that no source has, and by how far they are above chance.
  double trust_in(std::size_t from, const std::vector<std::uint8_t>& common) const {
    if (from < sources_) return 1;
    double all = 0;
    double added = 0;
    for (std::size_t feature = 0; feature < common.size(); ++feature) {
      if (common[feature] == 0) continue;
      all += 1;
      added +=
          std::none_of(states_.begin(), states_.begin() + static_cast<std::ptrdiff_t>(sources_),
                       [&](const State& source) { return source.used[feature] != 0; })
              ? 1
              : 0;
    }
    return std::max(above_chance(states_[from].expected) * added / std::max(1.0, all), kLeastTrust);
  }

  /// 0 for an accuracy that guessing has, 1 for all.
  double above_chance(double accuracy) const {
    const double chance = 1 / static_cast<double>(classes_);
    return (accuracy - chance) / (1 - chance);
  }

  /// Share of items on which two answers agree that are right so often, if they err by themselves.
  double chance_agreement(double a, double b) const {
    return a * b + (1 - a) * (1 - b) / static_cast<double>(classes_ - 1);
  }

  /// The accuracy on a collection without labels, by the difference of confidences (Guillory et al.
  /// 2021): as much less than on held-out items as it is less sure here. Of what the teacher itself
  /// is taught, only so much is right.
  double expected_accuracy(const ClassifierPool& pool, const MatrixD& evidence,
                           const std::vector<double>& shares, double taught) const {
    const double sure =
        mean_confidence(probabilities_with_shares(evidence, shares, run_.comm), run_.comm);
    const double here = pool.items > 0 ? pool.accuracy + sure - pool.confidence : sure;
    return chance_agreement(std::clamp(here, 0.0, 1.0), taught);
  }

  /// Whether `which` is factorised and refined, by how items of those it is paired with fare in a
  /// simulated transfer.
  void decide_clustering(std::size_t which, Stage& stage) {
    stage.clustered = options_.cluster_assumption != "no";
    refined_expected_ = kMostExpected;
    if (options_.cluster_assumption != "auto") return;
    SimulatedTransfer sum;
    for (const std::size_t from : leading_to(which)) {
      const State& teacher = states_[from];
      const SimulatedTransfer found = simulate_transfer(
          only_features(teacher.items, common_features(from, which)).view(),
          most_likely(teacher.classes), shares_, stage.expected, pool_, options_.naive_bayes, run_);
      sum.start += found.start * found.items;
      sum.self_trained += found.self_trained * found.items;
      sum.refined += found.refined * found.items;
      sum.error += found.error * found.items;
      sum.items += found.items;
    }
    if (sum.items > 0) {
      for (double* each : {&sum.start, &sum.self_trained, &sum.refined, &sum.error})
        *each /= sum.items;
      refined_expected_ = std::min(kMostExpected, sum.refined);
    }
    stage.simulation = sum;
    stage.clustered = sum.clusters();
  }

  void start(State& state) const {
    MatrixD begin;
    if (options_.evidence) {
      begin = start_.cwiseMax(kLeastStart);
    } else {
      const std::int64_t before = rows_before(state.items.rows, run_.comm);
      begin = MatrixD::NullaryExpr(
          state.items.rows, classes_, [&](Eigen::Index row, Eigen::Index column) {
            return 0.5 + random_uniform(options_.factors.seed,
                                        static_cast<std::uint64_t>(before + row),
                                        static_cast<std::uint64_t>(column));
          });
    }
    set_unknown(state, begin);
  }

  static void set_unknown(State& state, const MatrixD& classes) {
    for (std::size_t item = 0; item < state.given.size(); ++item)
      if (const auto row = static_cast<Eigen::Index>(item); state.given[item] == 0)
        state.classes.row(row) = classes.row(row) / classes.row(row).sum();
  }

  /// Takes the start, and one cross-fitted step of self-training on top: what the features of the
  /// collection itself say of items, learned from the start of other items, is added to it.
  void self_train(State& state, Stage& stage) const {
    set_unknown(state, start_);
    stage.answer = "start";
    if (!options_.refine || stage.expected * static_cast<double>(classes_) <= 1) return;
    const MatrixD next =
        with_confidence(self_trained(pool_, state.items, start_, state.classes, state.used, shares_,
                                     options_.naive_bayes, run_),
                        stage.expected, run_.comm);
    if (!is_plausible(next)) return;
    set_unknown(state, next);
    stage.answer = "self-training";
  }

  /// Factorises and refines; where either collapses the step before stands.
  void cluster(std::size_t which, Stage& stage, const WatchTransfer& watch) {
    State& state = states_[which];
    std::vector<MatrixD> before;
    for (std::size_t one = 0; one < which; ++one) before.push_back(states_[one].classes);
    start(state);
    factorise(which, stage, watch);
    if (const std::vector<int> permutation = label_permutation(state); !permutation.empty()) {
      permute_labels(state, permutation);
      stage.permuted = true;
      factorise(which, stage, watch);
    }
    stage.answer = options_.refine ? "refinement" : "factors";
    if (!options_.refine || !options_.evidence || is_plausible(state.classes)) return;
    stage.collapsed = true;
    if (is_plausible(factorised_)) {
      set_unknown(state, with_confidence(factorised_, stage.expected, run_.comm));
      stage.answer = "factors";
      return;
    }
    for (std::size_t one = 0; one < which; ++one) states_[one].classes = before[one];
    self_train(state, stage);
  }

  /// Tells whether classes may follow from the start: no class has lost nearly all of its items,
  /// and they agree with the start more often than two independent answers with the same shares
  /// would, by more than chance explains.
  bool is_plausible(const MatrixD& classes) const {
    const std::vector<std::int32_t> first = most_likely(start_);
    const std::vector<std::int32_t> then = most_likely(classes);
    const auto count = static_cast<std::size_t>(classes_);
    // Items of each class before, and after, those that agree, and all.
    std::vector<double> sums(2 * count + 2, 0);
    for (std::size_t item = 0; item < first.size(); ++item) {
      if (first[item] < 0 || then[item] < 0) continue;
      sums[static_cast<std::size_t>(first[item])] += 1;
      sums[count + static_cast<std::size_t>(then[item])] += 1;
      sums[2 * count] += first[item] == then[item] ? 1 : 0;
      sums[2 * count + 1] += 1;
    }
    run_.comm.sum(sums);
    const double all = std::max(1.0, sums[2 * count + 1]);
    double chance = 0;
    for (std::size_t label = 0; label < count; ++label) {
      if (sums[label] >= kFewItems && sums[count + label] < kLeastKept * sums[label]) return false;
      chance += sums[label] / all * sums[count + label] / all;
    }
    return sums[2 * count] / all > chance + kChanceErrors * std::sqrt(chance * (1 - chance) / all);
  }

  void factorise(std::size_t which, Stage& stage, const WatchTransfer& watch) {
    std::vector<CoupledCollection> collections;
    std::vector<std::array<int, 2>> ends;
    for (std::size_t one = 0; one <= which; ++one) {
      const State& state = states_[one];
      collections.push_back(
          {state.items, state.classes,
           state.held ? std::vector<std::uint8_t>(state.given.size(), 1) : state.given});
      if (one >= sources_)
        for (const std::size_t from : leading_to(one))
          ends.push_back({static_cast<int>(from), static_cast<int>(one)});
    }
    CoupledFit fit = fit_coupled_factors(
        collections,
        start_coupled_pairs(ends, states_[0].items.columns, classes_, options_.factors),
        options_.factors, run_,
        [&](int iteration, double objective, const std::vector<MatrixD>& classes) {
          if (watch) watch(which - sources_, iteration, objective, classes.back());
        });
    for (std::size_t one = 0; one <= which; ++one) states_[one].classes = fit.classes[one];
    stage.report = std::move(fit.report);
    if (!options_.refine) return;
    factorised_ = states_[which].classes;
    RefinedClasses refined = refine_classes(states_[which].items, states_[which].classes,
                                            states_[which].given, options_.naive_bayes, run_);
    states_[which].classes = std::move(refined.classes);
    refined_evidence_ = std::move(refined.evidence);
    stage.refinements = refined.report.iterations;
  }

  /// Evidence for each class less its mean over all items of all ranks, since a class that all
  /// items have more evidence for is not told by it.
  MatrixD centred_evidence() const {
    std::vector<double> sums(static_cast<std::size_t>(classes_) + 1,
                             static_cast<double>(evidence_.rows()));
    for (std::int64_t k = 0; k < classes_; ++k)
      sums[static_cast<std::size_t>(k)] = evidence_.col(k).sum();
    run_.comm.sum(sums);
    MatrixD centred = evidence_;
    for (std::int64_t k = 0; k < classes_; ++k)
      centred.col(k).array() -= sums[static_cast<std::size_t>(k)] / sums.back();
    return centred;
  }

  /// The permutation of the labels that the evidence fits best, as an assignment problem; empty if
  /// it is the identity.
  std::vector<int> label_permutation(const State& state) const {
    if (!options_.evidence || state.has_labels) return {};
    MatrixD gains = state.classes.transpose() * centred_evidence();
    run_.comm.sum(gains);
    std::vector<int> permutation = best_assignment(gains);
    std::vector<int> same(permutation.size());
    std::iota(same.begin(), same.end(), 0);
    return permutation == same ? std::vector<int>{} : permutation;
  }

  static void permute_labels(State& state, const std::vector<int>& permutation) {
    MatrixD permuted(state.classes.rows(), state.classes.cols());
    for (std::size_t from = 0; from < permutation.size(); ++from)
      permuted.col(permutation[from]) = state.classes.col(static_cast<Eigen::Index>(from));
    set_unknown(state, permuted.cwiseMax(kLeastStart));
  }

  /// The share of items that are of the class that the start said.
  double agreement(const State& state) const {
    const std::vector<std::int32_t> said = most_likely(start_);
    const std::vector<std::int32_t> found = most_likely(state.classes);
    std::array<double, 2> counts{0, static_cast<double>(said.size())};
    for (std::size_t item = 0; item < said.size(); ++item)
      counts[0] += said[item] == found[item] ? 1 : 0;
    run_.comm.sum(counts);
    return counts[0] / std::max(1.0, counts[1]);
  }

  std::int64_t classes_;
  std::size_t sources_;
  const Options& options_;
  Run run_;
  std::vector<State> states_;
  MatrixD evidence_;                         ///< for the collection that is being reached
  std::vector<double> shares_;               ///< of the classes in those that tell it
  MatrixD start_;                            ///< the probabilities that follow from both
  ClassifierPool pool_;                      ///< that told it
  MatrixD factorised_;                       ///< its classes before they were refined
  MatrixD refined_evidence_;                 ///< its own, after it was refined
  bool refined_ = false;                     ///< the refined classes of the last collection stand
  double refined_expected_ = kMostExpected;  ///< share of them that is expected to be right
};

}  // namespace

Transfer transfer_classes(std::span<const TransferCollection> sources,
                          std::span<const TransferCollection> path, std::int64_t classes,
                          const Options& options, const Run& run, const WatchTransfer& watch) {
  require(options.base_classifier == "auto" || options.base_classifier == "naive-bayes" ||
              options.base_classifier == "logistic",
          "base_classifier is '", options.base_classifier,
          "'; expected auto, naive-bayes or logistic");
  require(options.cluster_assumption == "auto" || options.cluster_assumption == "yes" ||
              options.cluster_assumption == "no",
          "cluster_assumption is '", options.cluster_assumption, "'; expected auto, yes or no");
  StagedTransfer staged(sources, path, classes, options, run);
  Transfer result;
  for (std::size_t step = 0; step < path.size(); ++step)
    result.stages.push_back(staged.run_stage(sources.size() + step, watch));
  result.classes = staged.classes_of_path();
  result.inverse_temperature = staged.calibrate(result.classes.back());
  result.same_items = staged.take_same_items(result.classes.back());
  return result;
}

}  // namespace commonplace::transfer
