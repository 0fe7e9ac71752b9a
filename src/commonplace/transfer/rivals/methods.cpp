#include "commonplace/transfer/rivals/methods.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/learn/label_propagation.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "commonplace/learn/sparse_neighbour_graph.h"
#include "commonplace/learn/sparse_one_vs_rest_linear.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/transfer/rivals/co_transfer.h"
#include "commonplace/transfer/rivals/collective_factors.h"
#include "commonplace/transfer/rivals/latent_map.h"

namespace commonplace::transfer {
namespace {

/// Nearest items in the graphs of those methods that have one.
constexpr std::int64_t kNeighbours = 30;
/// How sure `words` is at the start.
constexpr double kWordsStart = 0.4;

struct Task {
  const Trial& trial;
  Options options;
  Run run;  ///< of this rank alone
  const WatchTransfer& watch;

  /// The places of the sources, and of the target behind all that is in between.
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> result(trial.rows.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = i;
    return result;
  }
  std::vector<std::size_t> ends() const {
    std::vector<std::size_t> result = all();
    result.resize(trial.sources);
    result.push_back(trial.target());
    return result;
  }
};

std::vector<std::int32_t> best_classes(const MatrixD& scores) {
  std::vector<std::int32_t> best;
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    Eigen::Index column = 0;
    scores.row(row).maxCoeff(&column);
    best.push_back(static_cast<std::int32_t>(column));
  }
  return best;
}

/// The labelled rows of some collections, one below the other, with their labels.
struct Labelled {
  Sparse rows;
  std::vector<std::int32_t> labels;

  void add(const Sparse& from, const std::vector<std::int32_t>& labels_of) {
    rows.columns = from.columns;
    for (std::size_t item = 0; item < labels_of.size(); ++item) {
      if (labels_of[item] < 0) continue;
      rows.push_row(from.view(), static_cast<std::int64_t>(item));
      labels.push_back(labels_of[item]);
    }
  }
  Sparse one_hot(std::int64_t classes) const {
    Sparse result;
    result.columns = classes;
    for (const std::int32_t label : labels) {
      result.push(label, 1);
      result.end_row();
    }
    return result;
  }
  /// 1 for the class, -1 for the others.
  MatrixD signs(std::int64_t classes) const {
    MatrixD result = MatrixD::Constant(std::ssize(labels), classes, -1);
    for (std::size_t item = 0; item < labels.size(); ++item)
      result(static_cast<Eigen::Index>(item), labels[item]) = 1;
    return result;
  }
};

Labelled labelled_of(const Trial& trial, const std::vector<std::size_t>& which) {
  Labelled result;
  for (const std::size_t one : which) result.add(trial.rows[one], trial.known[one]);
  return result;
}

MatrixD linear_machine(const Labelled& from, const Sparse& to, const Task& task) {
  SparseOneVsRestLinearOptions options;
  options.loss = "svm";
  const SparseOneVsRestLinear model = fit_sparse_one_vs_rest(
      from.rows.view(), from.one_hot(task.trial.classes).view(), options, {.jobs = task.run.jobs});
  return score(model, to.view(), task.run.jobs).cast<double>();
}

MatrixD by_machine(const Task& task) {
  return linear_machine(labelled_of(task.trial, task.ends()), task.trial.rows.back(), task);
}

/// Each collection of the path is labelled by the machine learned from the one before.
MatrixD by_machine_in_steps(const Task& task) {
  std::vector<std::size_t> sources = task.ends();
  sources.pop_back();
  Labelled from = labelled_of(task.trial, sources);
  MatrixD scores;
  for (std::size_t which = task.trial.sources; which < task.trial.rows.size(); ++which) {
    scores = linear_machine(from, task.trial.rows[which], task);
    std::vector<std::int32_t> found = best_classes(scores);
    for (std::size_t item = 0; item < found.size(); ++item)
      if (task.trial.known[which][item] >= 0) found[item] = task.trial.known[which][item];
    from = {};
    from.add(task.trial.rows[which], found);
  }
  return scores;
}

MatrixD by_target_alone(const Task& task) {
  return linear_machine(labelled_of(task.trial, {task.trial.target()}), task.trial.rows.back(),
                        task);
}

/// The learner of this library, along the given collections.
MatrixD transferred(const Task& task, const std::vector<std::size_t>& along, const Options& options,
                    const WatchTransfer& watch = {}) {
  std::vector<TransferCollection> sources;
  std::vector<TransferCollection> path;
  for (const std::size_t one : along)
    (one < task.trial.sources ? sources : path)
        .push_back({task.trial.rows[one].view(), task.trial.known[one]});
  return transfer_classes(sources, path, task.trial.classes, options, task.run, watch)
      .classes.back();
}

MatrixD by_commonplace(const Task& task) {
  return transferred(task, task.all(), task.options, task.watch);
}

MatrixD directly(const Task& task) { return transferred(task, task.ends(), task.options); }

MatrixD as_published(const Task& task) {
  Options options = task.options;
  options.refine = false;
  options.cluster_assumption = "yes";
  options.evidence = false;
  return transferred(task, task.all(), options);
}

MatrixD by_factors_alone(const Task& task) {
  Options options = task.options;
  options.refine = false;
  options.cluster_assumption = "yes";
  return transferred(task, task.all(), options);
}

MatrixD by_pair(const Task& task) {
  Options options = task.options;
  options.refine = false;
  options.cluster_assumption = "yes";
  return transferred(task, task.ends(), options);
}

/// One pair after the other, each with what the last one found as labels.
MatrixD by_pairs_in_steps(const Task& task) {
  Options options = task.options;
  options.refine = false;
  options.cluster_assumption = "yes";
  std::vector<TransferCollection> sources;
  for (std::size_t which = 0; which < task.trial.sources; ++which)
    sources.push_back({task.trial.rows[which].view(), task.trial.known[which]});
  MatrixD scores;
  for (std::size_t which = task.trial.sources; which < task.trial.rows.size(); ++which) {
    const std::vector<TransferCollection> path = {
        {task.trial.rows[which].view(), task.trial.known[which]}};
    scores = transfer_classes(sources, path, task.trial.classes, options, task.run).classes[0];
    sources = {{task.trial.rows[which].view(), best_classes(scores)}};
    std::vector<std::int64_t> of_class(static_cast<std::size_t>(task.trial.classes), 0);
    for (const std::int32_t label : sources[0].labels) ++of_class[static_cast<std::size_t>(label)];
    // A class that nothing was found for cannot be passed on: the rest is as it came.
    if (std::find(of_class.begin(), of_class.end(), 0) != of_class.end() &&
        which + 1 < task.trial.rows.size())
      return MatrixD::Constant(task.trial.rows.back().rows(), task.trial.classes,
                               1 / static_cast<double>(task.trial.classes));
  }
  return scores;
}

/// What shared words say, refined in each collection, without any factorisation.
MatrixD by_naive_bayes_alone(const Task& task) {
  Comm& comm = task.run.comm;
  const NaiveBayesOptions& words = task.options.naive_bayes;
  const auto indicators = [&](std::size_t which) {
    return class_indicators(task.trial.known[which], task.trial.classes);
  };
  std::vector<std::size_t> leading = task.ends();
  leading.pop_back();
  std::vector<MatrixD> found(task.trial.rows.size());
  for (const std::size_t source : leading) found[source] = indicators(source);
  for (std::size_t which = task.trial.sources; which < task.trial.rows.size(); ++which) {
    const SparseView items = task.trial.rows[which].view();
    MatrixD evidence = MatrixD::Zero(items.rows, task.trial.classes);
    std::vector<std::uint8_t> used = features_in_use(items, comm);
    for (const std::size_t from : leading) {
      std::vector<std::uint8_t> both = features_in_use(task.trial.rows[from].view(), comm);
      for (std::size_t i = 0; i < both.size(); ++i) both[i] &= used[i];
      evidence += class_evidence(fit_naive_bayes(task.trial.rows[from].view(), found[from],
                                                 std::move(both), words, {.jobs = task.run.jobs}),
                                 items, words, {.jobs = task.run.jobs});
    }
    found[which] = refine_classes(items, balanced_probabilities(evidence, kWordsStart, comm), {},
                                  words, {.jobs = task.run.jobs})
                       .classes;
    leading = {which};
  }
  return found.back();
}

MatrixD in_latent_space(const Task& task, const std::vector<std::size_t>& which) {
  std::vector<SparseView> views;
  for (const std::size_t one : which) views.push_back(task.trial.rows[one].view());
  LatentMapOptions options;
  const LatentMap map = fit_latent_map(views, options, task.run);
  Labelled labelled;
  std::vector<Eigen::RowVectorXf> rows;
  for (std::size_t i = 0; i < which.size(); ++i)
    for (std::size_t item = 0; item < task.trial.known[which[i]].size(); ++item)
      if (task.trial.known[which[i]][item] >= 0) {
        rows.emplace_back(map.coordinates[i].row(static_cast<Eigen::Index>(item)));
        labelled.labels.push_back(task.trial.known[which[i]][item]);
      }
  Matrix coordinates(std::ssize(rows), map.axes.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    coordinates.row(static_cast<Eigen::Index>(i)) = rows[i];
  const OneVsRestLinear model =
      fit_one_vs_rest(coordinates, labelled.signs(task.trial.classes), {}, {.jobs = task.run.jobs});
  return score(model, map.coordinates.back(), task.run.jobs).cast<double>();
}

MatrixD spread(const Task& task, const std::vector<std::size_t>& which) {
  Sparse joined;
  joined.columns = task.trial.rows[0].columns;
  std::vector<std::int32_t> labels;
  for (const std::size_t one : which) {
    for (std::int64_t row = 0; row < task.trial.rows[one].rows(); ++row)
      joined.push_row(task.trial.rows[one].view(), row);
    labels.insert(labels.end(), task.trial.known[one].begin(), task.trial.known[one].end());
  }
  NeighbourGraphOptions graph;
  graph.neighbours = kNeighbours;
  MatrixD signs = MatrixD::Zero(std::ssize(labels), task.trial.classes);
  for (std::size_t item = 0; item < labels.size(); ++item)
    if (labels[item] >= 0) {
      signs.row(static_cast<Eigen::Index>(item)).setConstant(-1);
      signs(static_cast<Eigen::Index>(item), labels[item]) = 1;
    }
  LabelPropagationOptions propagation;
  propagation.balanced = true;
  MatrixD scores =
      propagate_labels(neighbour_graph(joined.view(), graph, task.run.jobs).weights.view(), signs,
                       propagation, {.jobs = task.run.jobs})
          .scores.bottomRows(task.trial.rows.back().rows())
          .cast<double>();
  // A class that reaches all items more than another is not told by it.
  scores.rowwise() -= scores.colwise().mean().eval();
  return scores;
}

/// Walks within each collection and between neighbours of the path, by cosines.
MatrixD by_walks(const Task& task) {
  std::vector<Sparse> unit = task.trial.rows;
  for (Sparse& rows : unit) normalise_rows(rows, task.run.jobs);
  std::vector<CoTransferBlock> blocks;
  const auto tie = [&](std::size_t a, std::size_t b) {
    std::vector<std::int64_t> self;
    if (a == b)
      for (std::int64_t row = 0; row < unit[a].rows(); ++row) self.push_back(row);
    const Sparse ties =
        nearest_rows(unit[a].view(), unit[b].view(), kNeighbours, self, task.run.jobs);
    blocks.push_back({a, b, ties, 1});
    if (a != b) blocks.push_back({b, a, transpose(ties.view()), 1});
  };
  for (std::size_t which = 0; which < unit.size(); ++which) {
    tie(which, which);
    if (which < task.trial.sources) continue;
    if (which > task.trial.sources) {
      tie(which - 1, which);
      continue;
    }
    for (std::size_t source = 0; source < task.trial.sources; ++source) tie(source, which);
  }
  CoTransferOptions options;
  return co_transfer(blocks, task.trial.known, task.trial.classes, options, task.run)
      .scores.back()
      .cast<double>();
}

/// The columns that a collection has, renumbered; -1 for the others.
std::vector<std::int32_t> columns_of(const Sparse& rows) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(rows.columns), -1);
  for (const std::int32_t column : rows.indices) number[static_cast<std::size_t>(column)] = 0;
  std::int32_t next = 0;
  for (std::int32_t& each : number)
    if (each == 0) each = next++;
  return number;
}

Sparse keep_columns(const Sparse& rows, const std::vector<std::int32_t>& number) {
  Sparse result;
  for (const std::int32_t each : number)
    result.columns = std::max<std::int64_t>(result.columns, each + 1);
  const SparseView view = rows.view();
  for (std::int64_t row = 0; row < view.rows; ++row) {
    for (std::size_t i = 0; i < view.row_indices(row).size(); ++i)
      if (const std::int32_t to = number[static_cast<std::size_t>(view.row_indices(row)[i])];
          to >= 0)
        result.push(to, view.row_values(row)[i]);
    result.end_row();
  }
  return result;
}

/// Features of the target that go with words of the source in the collection between them.
MatrixD by_collective_factors(const Task& task) {
  const std::size_t target = task.trial.target();
  const std::vector<std::int32_t> features = columns_of(task.trial.rows[target]);
  const std::vector<std::int32_t> words = columns_of(task.trial.rows[0]);
  const Sparse& bridge = task.trial.rows[target - 1];
  const Sparse together = multiply(transpose(keep_columns(bridge, features).view()).view(),
                                   keep_columns(bridge, words).view());
  CollectiveFactorOptions options;
  const CollectiveFactors factors = fit_collective_factors(
      together.view(), keep_columns(task.trial.rows[0], words).view(), options, task.run);
  const Sparse images = keep_columns(task.trial.rows[target], features);
  const Matrix rows = encode(factors, FeatureRows(images), task.run.jobs);
  std::vector<Eigen::Index> taken;
  Labelled labelled;
  for (std::size_t item = 0; item < task.trial.known[target].size(); ++item)
    if (task.trial.known[target][item] >= 0) {
      taken.push_back(static_cast<Eigen::Index>(item));
      labelled.labels.push_back(task.trial.known[target][item]);
    }
  const Matrix learned_from = rows(taken, Eigen::all);
  return score(fit_one_vs_rest(learned_from, labelled.signs(task.trial.classes), {},
                               {.jobs = task.run.jobs}),
               rows, task.run.jobs)
      .cast<double>();
}

using Method = std::function<MatrixD(const Task&)>;

struct Entry {
  TransferMethod method;
  Method run;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{"commonplace", "this program: shared words, factors and refinement", false, false},
       by_commonplace},
      {{"direct", "the same without a bridge", true, false}, directly},
      {{"factors", "the same without refinement", false, false}, by_factors_alone},
      {{"naive-bayes", "the same without factors: naive Bayes with EM", false, false},
       by_naive_bayes_alone},
      {{"published", "factors from a random start", false, false}, as_published},
      {{"pair", "source and target factorised together", false, false}, by_pair},
      {{"pair-steps", "pairs one after the other", true, false}, by_pairs_in_steps},
      {{"svm", "a linear SVM from the source", false, false}, by_machine},
      {{"svm-steps", "linear SVMs one after the other", true, false}, by_machine_in_steps},
      {{"latent-map", "a linear SVM in latent space", false, false},
       [](const Task& task) { return in_latent_space(task, task.ends()); }},
      {{"latent-map-bridge", "the same with the bridge in it", true, false},
       [](const Task& task) { return in_latent_space(task, task.all()); }},
      {{"propagation", "label propagation over near items", false, false},
       [](const Task& task) { return spread(task, task.ends()); }},
      {{"propagation-bridge", "the same with the bridge in it", true, false},
       [](const Task& task) { return spread(task, task.all()); }},
      {{"co-transfer", "random walks within and between collections", false, false}, by_walks},
      {{"htlic", "a linear SVM on features and collective factors", true, true},
       by_collective_factors},
      {{"target-svm", "a linear SVM from the target's own labels", false, true}, by_target_alone},
  };
  return all;
}

}  // namespace

const std::vector<TransferMethod>& methods() {
  static const std::vector<TransferMethod> methods = [] {
    std::vector<TransferMethod> result;
    for (const Entry& entry : entries()) result.push_back(entry.method);
    return result;
  }();
  return methods;
}

bool is_possible(const TransferMethod& method, const Trial& trial) {
  if (method.needs_bridge && trial.rows.size() < trial.sources + 2) return false;
  if (!method.needs_target_labels) return true;
  std::vector<std::uint8_t> has(static_cast<std::size_t>(trial.classes), 0);
  for (const std::int32_t label : trial.known.back())
    if (label >= 0) has[static_cast<std::size_t>(label)] = 1;
  return std::count(has.begin(), has.end(), 1) >= 2;
}

MatrixD run_method(const std::string& name, const Trial& trial, const Options& options,
                   const Run& run, const WatchTransfer& watch) {
  const auto found = std::find_if(entries().begin(), entries().end(),
                                  [&](const Entry& entry) { return entry.method.name == name; });
  require(found != entries().end(), "there is no method '", name,
          "'; there are: ", join(methods(), &TransferMethod::name));
  return found->run({trial, options, {.jobs = run.jobs, .progress = run.progress}, watch});
}

}  // namespace commonplace::transfer
