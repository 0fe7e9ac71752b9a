#include "commonplace/relate/rivals/methods.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/eval/split.h"
#include "commonplace/eval/tune.h"
#include "commonplace/learn/knn.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/core/nystrom_features.h"
#include "commonplace/relate/rivals/canonical_correlation.h"
#include "commonplace/relate/rivals/kernel_regression.h"
#include "commonplace/relate/rivals/locality_projection.h"
#include "commonplace/relate/rivals/ridge_rows.h"

namespace commonplace::relate {
namespace {

constexpr std::int64_t kUsualDim = 30;
constexpr std::int64_t kBaselineLandmarks = 400;
/// Widths of kernel regression on places, in degrees.
constexpr double kWidths[] = {0.0003, 0.001, 0.003, 0.01};
constexpr double kRidgesTried[] = {0.03, 0.1, 0.3, 1, 3, 10, 30};
constexpr double kNeighbours[] = {3, 5, 10, 20, 40};

const Modality& target_of(const Task& task) { return task.data->modalities[task.target].what; }

/// The modalities of the target's collection but the target, those with features first.
std::vector<std::size_t> evidence_modalities(const Task& task) {
  std::vector<std::size_t> modalities;
  for (std::size_t k = 0; k < task.data->modalities.size(); ++k)
    if (k != task.target &&
        task.data->modalities[k].what.collection == target_of(task).collection &&
        !task.data->modalities[k].identity())
      modalities.push_back(k);
  return modalities;
}

/// The first node that an item has of a modality; -1 if none.
std::int64_t node_of(const ModalityRows& modality, std::int64_t item) {
  return modality.has.view().row_indices(item).empty() ? -1
                                                       : modality.has.view().row_indices(item)[0];
}

/// The features of items by a modality, dense: by the kernel where it needs landmarks. Items
/// without any have zeros.
Matrix item_rows(const Task& task, std::size_t modality, std::span<const std::int64_t> items,
                 std::span<const std::int64_t> known) {
  const ModalityRows& of = task.data->modalities[modality];
  const auto rows_of = [&](std::span<const std::int64_t> which) {
    std::vector<std::int64_t> nodes;
    for (const std::int64_t item : which)
      if (const std::int64_t node = node_of(of, item); node >= 0) nodes.push_back(node);
    return take_rows(of.view(), nodes);
  };
  const StoredRows have = rows_of(items);
  Matrix made;
  if (of.what.of == NodeType::items && !have.is_sparse) {
    made = have.dense;
  } else {
    const ModalitySetting setting = usual_setting(of, kBaselineLandmarks);
    const StoredRows learned_from = rows_of(known);
    const NystromFeatures landmarks = fit_nystrom_features(
        learned_from.view(), {setting.kernel, setting.width, kBaselineLandmarks, 1}, task.run.jobs);
    made = encode(landmarks, have.view(), task.run.jobs);
  }
  Matrix result = Matrix::Zero(std::ssize(items), made.cols());
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (node_of(of, items[i]) >= 0) result.row(static_cast<Eigen::Index>(i)) = made.row(next++);
  return result;
}

/// The rows of known and of asked items, from the same landmarks.
struct BothRows {
  Matrix known;
  Matrix asked;
};

BothRows rows_by(const Task& task, std::span<const std::size_t> modalities) {
  const std::vector<std::int64_t> known = known_items(task);
  std::vector<std::int64_t> all = known;
  all.insert(all.end(), task.asked.begin(), task.asked.end());
  std::vector<Matrix> parts;
  Eigen::Index columns = 0;
  for (const std::size_t modality : modalities) {
    Matrix part = item_rows(task, modality, all, known);
    // Modalities count alike: the mean of their squared lengths is one.
    const float size =
        std::sqrt(part.squaredNorm() / static_cast<float>(std::max<Eigen::Index>(1, part.rows())));
    if (size > 0) part /= size;
    columns += part.cols();
    parts.push_back(std::move(part));
  }
  BothRows both{Matrix(std::ssize(known), columns), Matrix(std::ssize(task.asked), columns)};
  Eigen::Index begin = 0;
  for (const Matrix& part : parts) {
    both.known.middleCols(begin, part.cols()) = part.topRows(both.known.rows());
    both.asked.middleCols(begin, part.cols()) = part.bottomRows(both.asked.rows());
    begin += part.cols();
  }
  return both;
}

/// Known items x nodes: 1 where they have it.
Sparse known_truth(const Task& task) {
  return ones_above_zero(truth_of(task.data->modalities[task.target], known_items(task)).view());
}

Eigen::RowVectorXf counts_of(const SparseView& truth) {
  Eigen::RowVectorXf counts = Eigen::RowVectorXf::Zero(truth.columns);
  for (std::int64_t row = 0; row < truth.rows; ++row)
    for (std::size_t i = 0; i < truth.row_indices(row).size(); ++i)
      counts(truth.row_indices(row)[i]) += truth.row_values(row)[i];
  return counts;
}

/// k-NN: what the nearest rows by the cosine have, and a little of what is common.
Matrix knn_by_rows(const BothRows& rows, const Sparse& truth, std::int64_t count, int jobs) {
  const Eigen::RowVectorXf common =
      counts_of(truth.view()) *
      (1e-6F / static_cast<float>(std::max<Eigen::Index>(1, rows.known.rows())));
  const Matrix asked = unit_rows(rows.asked);
  const Matrix known = unit_rows(rows.known);
  Matrix scores =
      sum_votes(knn_votes(asked, known, {.neighbours = count, .power = 1}, {}, jobs), truth.view());
  scores.rowwise() += common;
  return scores;
}

Said only_scores(Matrix scores) {
  Said said;
  said.scores = std::move(scores);
  return said;
}

std::vector<ItemPair> pairs_of(const Sparse& truth) {
  std::vector<ItemPair> pairs;
  for (std::int64_t row = 0; row < truth.rows(); ++row)
    for (std::size_t i = 0; i < truth.view().row_indices(row).size(); ++i)
      if (truth.view().row_values(row)[i] > 0)
        pairs.emplace_back(row, truth.view().row_indices(row)[i]);
  return pairs;
}

Sparse identity_rows(std::int64_t count) {
  Sparse rows;
  rows.columns = count;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push(static_cast<std::int32_t>(i), 1);
    rows.end_row();
  }
  return rows;
}

/// Positions weighted by coordinate, each of length one; scores are the cosine.
Said nearest_by_cosine(Matrix items, Matrix nodes, const VectorD& weight, int jobs) {
  const auto unit = [&](Matrix m) {
    m.array().rowwise() *= weight.cast<float>().transpose().array();
    return unit_rows(std::move(m));
  };
  Said said;
  said.items = unit(std::move(items));
  said.nodes = unit(std::move(nodes));
  said.scores = multiply_transposed(said.items, said.nodes, jobs);
  return said;
}

Said by_cca(const Task& task, double ridge) {
  const std::vector<std::size_t> modalities = {evidence_modalities(task).front()};
  const BothRows rows = rows_by(task, modalities);
  const Sparse truth = known_truth(task);
  const Sparse units = identity_rows(truth.columns);
  CanonicalCorrelationOptions options;
  options.dim = task.dim > 0 ? task.dim : 100;
  options.ridge = ridge;
  const std::vector<ItemPair> pairs = pairs_of(truth);
  const CanonicalCorrelation model = fit_canonical_correlation(
      FeatureRows(rows.known), FeatureRows(units), pairs, {}, options, task.run.jobs);
  return nearest_by_cosine(encode(model, 0, FeatureRows(rows.asked), task.run.jobs),
                           encode(model, 1, FeatureRows(units), task.run.jobs), model.correlations,
                           task.run.jobs);
}

Said by_lpp(const Task& task, double neighbours) {
  const std::vector<std::size_t> modalities = {evidence_modalities(task).front()};
  BothRows rows = rows_by(task, modalities);
  LocalityProjectionOptions options;
  options.dim = std::min<std::int64_t>(task.dim > 0 ? task.dim : kUsualDim, rows.known.cols());
  const GuidedProjection model =
      fit_locality_projection(FeatureRows(rows.known), options, task.run.jobs).model;
  rows.known = encode(model, 0, FeatureRows(rows.known), task.run.jobs);
  rows.asked = encode(model, 0, FeatureRows(rows.asked), task.run.jobs);
  return only_scores(
      knn_by_rows(rows, known_truth(task), static_cast<std::int64_t>(neighbours), task.run.jobs));
}

Said by_mvlpp(const Task& task, double ridge) {
  const std::vector<std::size_t> modalities = {evidence_modalities(task).front()};
  const BothRows rows = rows_by(task, modalities);
  const Sparse truth = known_truth(task);
  const Sparse units = identity_rows(truth.columns);
  LocalityProjectionOptions options;
  options.dim = task.dim > 0 ? task.dim : kUsualDim;
  options.ridge = ridge;
  const std::vector<ItemPair> pairs = pairs_of(truth);
  const GuidedProjection model =
      fit_paired_locality_projection(FeatureRows(rows.known), FeatureRows(units), pairs, options,
                                     task.run.jobs)
          .model;
  return nearest_by_cosine(encode(model, 0, FeatureRows(rows.asked), task.run.jobs),
                           encode(model, 1, FeatureRows(units), task.run.jobs),
                           VectorD::Ones(model.dim()), task.run.jobs);
}

Said by_ridge(const Task& task, bool all, double ridge) {
  const std::vector<std::size_t> evidence = evidence_modalities(task);
  const BothRows rows = rows_by(task, std::span(evidence).first(all ? evidence.size() : 1));
  const Sparse truth = known_truth(task);
  const RidgeRows model =
      fit_ridge_rows(FeatureRows(rows.known), truth.view(), {ridge}, task.run.jobs);
  return only_scores(score(model, FeatureRows(rows.asked), task.run.jobs));
}

std::optional<std::size_t> places_modality(const Task& task) {
  for (std::size_t k = 0; k < task.data->modalities.size(); ++k)
    if (task.data->modalities[k].what.of == NodeType::places && k != task.target &&
        task.data->modalities[k].what.collection == target_of(task).collection)
      return k;
  return std::nullopt;
}

Said by_places(const Task& task, double width) {
  const ModalityRows& places = task.data->modalities[*places_modality(task)];
  const Sparse truth = known_truth(task);
  const std::vector<std::int64_t> known = known_items(task);
  std::vector<std::int64_t> with;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (node_of(places, known[i]) >= 0) with.push_back(static_cast<std::int64_t>(i));
  Matrix rows(std::ssize(with), 3);
  Sparse their;
  their.columns = truth.columns;
  const Matrix points = place_rows(places.places);
  for (std::size_t i = 0; i < with.size(); ++i) {
    rows.row(static_cast<Eigen::Index>(i)) =
        points.row(node_of(places, known[static_cast<std::size_t>(with[i])]));
    their.push_row(truth.view(), with[i]);
  }
  // An item without a place gets what is common: a point far from all others.
  Matrix asked = Matrix::Zero(std::ssize(task.asked), 3);
  for (std::size_t i = 0; i < task.asked.size(); ++i)
    if (const std::int64_t place = node_of(places, task.asked[i]); place >= 0)
      asked.row(static_cast<Eigen::Index>(i)) = points.row(place);
  KernelRegressionOptions options;
  options.width = width;
  options.common = 0.001;
  return only_scores(
      score(fit_kernel_regression(rows, their.view(), options), asked, task.run.jobs));
}

/// The data without links of held out items, by the paper's guidance: positive only.
Said by_positive(const Task& task, double gamma) {
  const std::vector<std::size_t> evidence = evidence_modalities(task);
  const Links links = links_of(*task.data, task.held);
  std::vector<ModalitySetting> settings;
  for (const ModalityRows& modality : task.data->modalities) {
    settings.push_back(usual_setting(modality, kBaselineLandmarks));
    if (modality.what.of == NodeType::items && settings.back().kernel == kRbfKernel &&
        modality.kernel.empty())
      settings.back().kernel = "linear";
    settings.back().gamma = gamma;
  }
  GuidedProjectionOptions options = task.options.projection;
  options.balanced = false;
  options.dim = task.dim > 0 ? task.dim : kUsualDim;
  options.tolerance = 1e-6;
  const Space space =
      fit_relate_space(*task.data, links, settings, options, {.jobs = task.run.jobs});
  const Matrix places_of_items = positions_of_items(
      task.data->modalities[evidence.front()].has.view(),
      positions_of(space, *task.data, evidence.front(), {.jobs = task.run.jobs}), task.asked);
  const Matrix nodes = positions_of(space, *task.data, task.target, {.jobs = task.run.jobs});
  Said said{Matrix(places_of_items.rows(), nodes.rows()), places_of_items, nodes, ""};
  for (Eigen::Index i = 0; i < said.scores.rows(); ++i)
    said.scores.row(i) =
        -(nodes.rowwise() - places_of_items.row(i)).rowwise().squaredNorm().transpose();
  return said;
}

/// Only these modalities, in this order.
Data only(const Data& data, const std::vector<std::size_t>& modalities) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    auto& all = rows.emplace_back(static_cast<std::size_t>(data.modalities[k].has.rows()));
    std::iota(all.begin(), all.end(), 0);
  }
  Data copy = take_items(data, rows);
  Data part;
  for (const std::size_t k : modalities) part.modalities.push_back(std::move(copy.modalities[k]));
  return part;
}

Said by_ours(const Task& task) {
  const LearnedRelation learned = learn_relation(task);
  const Data& data = *task.data;
  const Evidence evidence = evidence_of(data, learned.positions, task.target, task.asked);
  const TargetRule& rule = learned.choice.rules[task.target];
  Said said;
  said.scores = target_scores(
      learned.space, rule, task.target, learned.positions[task.target], evidence,
      known_of(data, learned.positions, task.target, known_items(task)), task.run.jobs);
  // An item is where its evidence is, each modality as much as it says.
  said.items = Matrix::Zero(std::ssize(task.asked), learned.space.dim());
  for (std::size_t e = 0; e < evidence.size(); ++e)
    if (evidence[e].size() > 0) said.items += static_cast<float>(rule.say[e]) * evidence[e];
  said.items = directions(learned.space, said.items);
  said.nodes = directions(learned.space, learned.positions[task.target]);
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < data.modalities.size(); ++k)
    parts.push_back(concat(
        data.modalities[k].what.full(), " ", learned.space.settings[k].kernel,
        learned.space.settings[k].width > 0 ? concat(":", learned.space.settings[k].width) : "",
        " gamma ", learned.space.settings[k].gamma, " say ", rule.say[k]));
  said.chosen = join(parts) + concat(", popularity ", rule.popularity, ", votes ", rule.knn_weight,
                                     " of ", rule.neighbours, ", dim ", learned.space.dim());
  return said;
}

Said by_first_alone(const Task& task) {
  const Data part = only(*task.data, {evidence_modalities(task).front(), task.target});
  Task smaller = task;
  smaller.data = &part;
  smaller.target = 1;
  smaller.held = {task.held[evidence_modalities(task).front()], task.held[task.target]};
  return by_ours(smaller);
}

using Method = std::function<Said(const Task&, double)>;

struct Parametric {
  Method method;
  std::vector<double> grid;
};

std::optional<Parametric> parametric(const std::string& name) {
  const auto grid = [](std::span<const double> values) {
    return std::vector<double>(values.begin(), values.end());
  };
  if (name == "cca") return Parametric{by_cca, grid(kRidgesTried)};
  if (name == "mvlpp") return Parametric{by_mvlpp, grid(kRidgesTried)};
  if (name == "positive") return Parametric{by_positive, grid(kRidgesTried)};
  if (name == "lpp") return Parametric{by_lpp, grid(kNeighbours)};
  if (name == "kernel-regression") return Parametric{by_places, grid(kWidths)};
  if (name == "ridge" || name == "ridge-all") {
    const bool all = name == "ridge-all";
    return Parametric{[all](const Task& task, double ridge) { return by_ridge(task, all, ridge); },
                      grid(kRidgesTried)};
  }
  if (name == "knn")
    return Parametric{
        [](const Task& task, double count) {
          const std::vector<std::size_t> modalities = {evidence_modalities(task).front()};
          return only_scores(knn_by_rows(rows_by(task, modalities), known_truth(task),
                                         static_cast<std::int64_t>(count), task.run.jobs));
        },
        grid(kNeighbours)};
  return std::nullopt;
}

/// The task of a fifth of the known items, to choose by.
Task inner(const Task& task) {
  Task smaller = task;
  smaller.asked.clear();
  const std::uint64_t seed = task.options.projection.seed + 1000;
  for (const std::int64_t item : known_items(task))
    if (is_test_row(seed, item, 0.2)) {
      smaller.asked.push_back(item);
      for (std::size_t k = 0; k < task.data->modalities.size(); ++k)
        if (task.data->modalities[k].what.collection == target_of(task).collection)
          smaller.held[k][static_cast<std::size_t>(item)] = 1;
    }
  return smaller;
}

}  // namespace

const std::vector<std::string>& methods() {
  static const std::vector<std::string> names = {
      "commonplace", "alone",     "positive",         "cca", "mvlpp", "lpp", "popular", "knn",
      "ridge",       "ridge-all", "kernel-regression"};
  return names;
}

std::vector<std::int64_t> known_items(const Task& task) {
  std::vector<std::int64_t> rows;
  const ModalityRows& modality = task.data->modalities[task.target];
  for (std::int64_t row = 0; row < modality.has.rows(); ++row)
    if (task.held[task.target][static_cast<std::size_t>(row)] == 0 &&
        !modality.has.view().row_indices(row).empty())
      rows.push_back(row);
  return rows;
}

std::string why_not(const Task& task, const std::string& method) {
  const auto& names = methods();
  require(std::find(names.begin(), names.end(), method) != names.end(), "there is no method '",
          method, "'; there are ", join(names));
  if (method == "kernel-regression") return places_modality(task) ? "" : "there are no places";
  if (method == "commonplace" || method == "popular") return "";
  return evidence_modalities(task).empty() ? "there are no features" : "";
}

LearnedRelation learn_relation(const Task& task) {
  const Data& data = *task.data;
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    auto& known = rows.emplace_back();
    for (std::size_t row = 0; row < task.held[k].size(); ++row)
      if (task.held[k][row] == 0) known.push_back(static_cast<std::int64_t>(row));
  }
  ModelOptions options = task.options;
  if (task.dim > 0) options.dim = std::to_string(task.dim);
  LearnedRelation learned;
  learned.choice = choose_relation(take_items(data, rows), options, task.run);
  GuidedProjectionOptions projection = options.projection;
  projection.dim = learned.choice.dim;
  learned.space = fit_relate_space(data, links_of(data, task.held), learned.choice.settings,
                                   projection, task.run);
  for (std::size_t k = 0; k < data.modalities.size(); ++k)
    learned.positions.push_back(positions_of(learned.space, data, k, {.jobs = task.run.jobs}));
  return learned;
}

Said relate_by(const Task& task, const std::string& method) {
  require(why_not(task, method).empty(), "the method ", method,
          " cannot be used: ", why_not(task, method));
  if (method == "commonplace") return by_ours(task);
  if (method == "alone") return by_first_alone(task);
  if (method == "popular") {
    const Sparse truth = known_truth(task);
    return only_scores(counts_of(truth.view()).replicate(std::ssize(task.asked), 1));
  }
  const Parametric way = *parametric(method);
  const Task choosing = inner(task);
  const Sparse truth = truth_of(task.data->modalities[task.target], choosing.asked);
  double best = way.grid.front();
  Tuner tuner({.jobs = task.run.jobs, .progress = task.run.progress},
              {.one_standard_error = false});
  for (const double value : way.grid)
    if (tuner.attempt(concat(method, " ", value), [&] {
          return std::vector{
              mean_ndcg(way.method(choosing, value).scores, truth.view(), true, task.run.jobs)};
        }))
      best = value;
  Said said = way.method(task, best);
  said.chosen = concat(best);
  return said;
}

}  // namespace commonplace::relate
