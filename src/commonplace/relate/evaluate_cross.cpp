#include "commonplace/relate/evaluate_cross.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/eval/contest.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/eval/split.h"
#include "commonplace/io/json.h"
#include "commonplace/io/npy.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/relate/rivals/canonical_correlation.h"
#include "commonplace/relate/rivals/locality_projection.h"
#include "commonplace/relate/rivals/methods.h"

namespace commonplace::relate {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CrossQuality, method, first_to_second, second_to_first, seconds,
                                   chosen)

namespace {

using Json = nlohmann::ordered_json;

constexpr double kRidges[] = {0.01, 0.03, 0.1, 0.3, 1, 3};

ModalityRows modality_of_file(const Matrix& rows, const std::string& name) {
  ModalityRows modality;
  modality.what = {"pairs", NodeType::items, name};
  modality.nodes = rows.rows();
  modality.rows.dense = rows;
  modality.has.columns = rows.rows();
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    modality.has.push(static_cast<std::int32_t>(i), 1);
    modality.has.end_row();
  }
  return modality;
}

ModalityRows modality_of_classes(const Matrix& classes, const std::filesystem::path& path) {
  require(classes.cols() == 1, path.string(), " has ", classes.cols(),
          " columns; expected one class an item");
  ModalityRows modality;
  modality.what = {"pairs", NodeType::label, "class"};
  std::map<float, std::int32_t> numbers;
  for (Eigen::Index i = 0; i < classes.rows(); ++i) {
    const auto [found, is_new] =
        numbers.emplace(classes(i, 0), static_cast<std::int32_t>(numbers.size()));
    if (is_new) modality.names.push_back(concat(classes(i, 0)));
    modality.has.push(found->second, 1);
    modality.has.end_row();
  }
  modality.nodes = std::ssize(modality.names);
  modality.has.columns = modality.nodes;
  return modality;
}

Matrix stacked(const Matrix& a, const Matrix& b, const std::filesystem::path& path) {
  require(a.cols() == b.cols(), path.string(), " has ", b.cols(), " columns, but ", a.cols(),
          " are learned from");
  Matrix both(a.rows() + b.rows(), a.cols());
  both << a, b;
  return both;
}

/// The class of each item.
std::vector<std::int32_t> classes_of(const ModalityRows& label) {
  std::vector<std::int32_t> result;
  for (std::int64_t row = 0; row < label.has.rows(); ++row)
    result.push_back(label.has.view().row_indices(row)[0]);
  return result;
}

/// Scores of asked items by the first modality (rows) and by the second (columns).
using Scores = std::function<Matrix(std::span<const std::int64_t> known,
                                    std::span<const std::int64_t> asked, std::string& chosen)>;

double map_of(const Matrix& scores, std::span<const std::int32_t> classes) {
  std::vector<double> precision;
  std::vector<double> row(static_cast<std::size_t>(scores.cols()));
  std::vector<std::uint8_t> relevant(row.size());
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = static_cast<double>(scores(i, static_cast<Eigen::Index>(j)));
      relevant[j] = classes[j] == classes[static_cast<std::size_t>(i)] ? 1 : 0;
      count += relevant[j];
    }
    precision.push_back(average_precision(rank_by_score(row, relevant), count));
  }
  return mean(precision);
}

Matrix rows_of(const ModalityRows& modality, std::span<const std::int64_t> items) {
  return take_rows(modality.view(), items).dense;
}

Matrix cosines(Matrix first, Matrix second, const VectorD& weight, int jobs) {
  for (Matrix* each : {&first, &second}) {
    each->array().rowwise() *= weight.cast<float>().transpose().array();
    *each = unit_rows(std::move(*each), jobs);
  }
  return multiply_transposed(first, second, jobs);
}

/// Fits one projection for both views by `fit(first, second, pairs)` on the known items, and
/// compares the asked ones in it with the coordinates weighed by `weight(model)`.
template <class Fit, class Weight>
Matrix by_pairs(const Data& data, std::span<const std::int64_t> known,
                std::span<const std::int64_t> asked, int jobs, Fit fit, Weight weight) {
  std::vector<ItemPair> pairs;
  for (std::int64_t i = 0; i < std::ssize(known); ++i) pairs.emplace_back(i, i);
  const Matrix first = rows_of(data.modalities[0], known);
  const Matrix second = rows_of(data.modalities[1], known);
  const auto model = fit(FeatureRows(first), FeatureRows(second), pairs);
  const Matrix one = rows_of(data.modalities[0], asked);
  const Matrix other = rows_of(data.modalities[1], asked);
  return cosines(encode(model, 0, FeatureRows(one), jobs),
                 encode(model, 1, FeatureRows(other), jobs), weight(model), jobs);
}

/// Options with as many coordinates as both views have, `most` at most.
template <class Options>
Options pair_options(const FeatureRows& first, const FeatureRows& second, std::int64_t most,
                     double ridge) {
  Options options;
  options.dim = std::min({most, first.columns(), second.columns()});
  options.ridge = ridge;
  return options;
}

Matrix cca_scores(const Data& data, std::span<const std::int64_t> known,
                  std::span<const std::int64_t> asked, double ridge, int jobs) {
  return by_pairs(
      data, known, asked, jobs,
      [&](const FeatureRows& first, const FeatureRows& second, const auto& pairs) {
        return fit_canonical_correlation(
            first, second, pairs, {},
            pair_options<CanonicalCorrelationOptions>(first, second, 100, ridge), jobs);
      },
      [](const CanonicalCorrelation& model) { return model.correlations; });
}

Matrix mvlpp_scores(const Data& data, std::span<const std::int64_t> known,
                    std::span<const std::int64_t> asked, double ridge, int jobs) {
  return by_pairs(
      data, known, asked, jobs,
      [&](const FeatureRows& first, const FeatureRows& second, const auto& pairs) {
        return fit_paired_locality_projection(
                   first, second, pairs,
                   pair_options<LocalityProjectionOptions>(first, second, 30, ridge), jobs)
            .model;
      },
      [](const GuidedProjection& model) { return VectorD(VectorD::Ones(model.dim())); });
}

/// A fifth of the known items, to choose by, and the others.
struct Inner {
  std::vector<std::int64_t> learn;
  std::vector<std::int64_t> ask;
  std::vector<std::int32_t> classes;  ///< of those asked for
};

Inner inner_of(const Data& data, std::span<const std::int64_t> known) {
  Inner inner;
  const auto all = classes_of(data.modalities[2]);
  for (const std::int64_t item : known) {
    if (!is_test_row(1, item, 0.2)) {
      inner.learn.push_back(item);
      continue;
    }
    inner.ask.push_back(item);
    inner.classes.push_back(all[static_cast<std::size_t>(item)]);
  }
  return inner;
}

double both_ways(const Matrix& scores, std::span<const std::int32_t> classes) {
  return map_of(scores, classes) + map_of(scores.transpose(), classes);
}

/// The ridge that is best on a fifth of the known items, then all of them.
Scores with_ridge(const Data& data,
                  std::function<Matrix(const Data&, std::span<const std::int64_t>,
                                       std::span<const std::int64_t>, double, int)>
                      method,
                  int jobs) {
  return [&data, method, jobs](std::span<const std::int64_t> known,
                               std::span<const std::int64_t> asked, std::string& chosen) {
    const Inner inner = inner_of(data, known);
    double best = -1;
    double ridge = kRidges[0];
    for (const double each : kRidges) {
      const double quality =
          both_ways(method(data, inner.learn, inner.ask, each, jobs), inner.classes);
      if (quality <= best) continue;
      best = quality;
      ridge = each;
    }
    chosen = concat("ridge ", ridge);
    return method(data, known, asked, ridge, jobs);
  };
}

/// Affinities between asked items by the first `dim` coordinates.
Matrix scores_in(const LearnedRelation& learned, const Data& data, std::int64_t dim,
                 std::span<const std::int64_t> asked, int jobs) {
  Space space = learned.space;
  cut(space, dim);
  const auto where = [&](std::size_t k) {
    return positions_of_items(data.modalities[k].has.view(),
                              learned.positions[k].leftCols(space.dim()).eval(), asked);
  };
  return affinities(space, where(0), where(1), jobs);
}

/// Our own method: with the classes of the known items as guidance, or their pairs alone. How many
/// coordinates count is chosen on a fifth of the known items.
Scores ours(const Data& data, bool with_classes, const ModelOptions& options, const Run& run) {
  return [&data, with_classes, &options, &run](std::span<const std::int64_t> known,
                                               std::span<const std::int64_t> asked,
                                               std::string& chosen) {
    Data pairs;
    if (!with_classes)
      for (std::size_t k = 0; k < 2; ++k)
        pairs.modalities.push_back(
            modality_of_file(data.modalities[k].rows.dense, data.modalities[k].what.field));
    const Data& used = with_classes ? data : pairs;
    const auto learn = [&](std::span<const std::int64_t> from) {
      Task task{{.jobs = run.jobs, .progress = run.progress}};
      task.data = &used;
      task.target = used.modalities.size() - 1;
      task.options = options;
      for (std::size_t k = 0; k < used.modalities.size(); ++k) {
        auto& held = task.held.emplace_back(static_cast<std::size_t>(used.items_of(k)), 1);
        for (const std::int64_t item : from) held[static_cast<std::size_t>(item)] = 0;
      }
      return learn_relation(task);
    };
    const Inner inner = inner_of(data, known);
    const LearnedRelation trial = learn(inner.learn);
    double best = -1;
    std::int64_t dim = 0;
    for (const std::int64_t each : {3, 5, 7, 9, 12, 20, 50, 100}) {
      if (each > trial.space.dim()) break;
      const double quality =
          both_ways(scores_in(trial, used, each, inner.ask, run.jobs), inner.classes);
      if (quality <= best) continue;
      best = quality;
      dim = each;
    }
    const LearnedRelation learned = learn(known);
    for (std::size_t k = 0; k < 2; ++k)
      chosen += concat(used.modalities[k].what.field, " ", learned.space.settings[k].kernel,
                       " gamma ", learned.space.settings[k].gamma, ", ");
    chosen += concat("dim ", dim);
    return scores_in(learned, used, dim, asked, run.jobs);
  };
}

}  // namespace

CrossTrial read_cross_trial(const std::vector<std::filesystem::path>& features,
                            const std::filesystem::path& labels,
                            const std::vector<std::filesystem::path>& test_features,
                            const std::filesystem::path& test_labels) {
  require(features.size() == 2 && test_features.size() == 2, "give two files of --features and ",
          "two of --test-features, in the same order");
  CrossTrial trial;
  const Matrix classes = read_npy(labels);
  trial.known = classes.rows();
  const Matrix all = stacked(classes, read_npy(test_labels), test_labels);
  for (std::size_t k = 0; k < 2; ++k) {
    const Matrix known = read_npy(features[k]);
    require(known.rows() == trial.known, features[k].string(), " has ", known.rows(), " rows, but ",
            labels.string(), " has ", trial.known);
    const Matrix rows = stacked(known, read_npy(test_features[k]), test_features[k]);
    require(rows.rows() == all.rows(), test_features[k].string(), " has ",
            rows.rows() - known.rows(), " rows, but ", test_labels.string(), " has ",
            all.rows() - trial.known);
    trial.data.modalities.push_back(modality_of_file(rows, k == 0 ? "first" : "second"));
  }
  trial.data.modalities.push_back(modality_of_classes(all, labels));
  return trial;
}

std::vector<CrossQuality> evaluate_cross(const CrossTrial& trial, const ModelOptions& relate,
                                         const Run& run) {
  check(relate);
  std::vector<std::int64_t> known;
  std::vector<std::int64_t> asked;
  for (std::int64_t i = 0; i < trial.data.items_of(0); ++i)
    (i < trial.known ? known : asked).push_back(i);
  std::vector<std::int32_t> classes;
  const auto all = classes_of(trial.data.modalities[2]);
  for (const std::int64_t item : asked) classes.push_back(all[static_cast<std::size_t>(item)]);
  const std::vector<std::pair<std::string, Scores>> methods = {
      {"commonplace", ours(trial.data, true, relate, run)},
      {"pairs alone", ours(trial.data, false, relate, run)},
      {"cca", with_ridge(trial.data, cca_scores, run.jobs)},
      {"mvlpp", with_ridge(trial.data, mvlpp_scores, run.jobs)}};
  return run_contest(methods, "evaluating", run, [&](const auto& method) {
    const auto begin = Clock::now();
    CrossQuality quality;
    quality.method = method.first;
    const Matrix scores = method.second(known, asked, quality.chosen);
    quality.seconds = seconds_since(begin);
    quality.first_to_second = map_of(scores, classes);
    quality.second_to_first = map_of(scores.transpose(), classes);
    return quality;
  });
}

std::string to_json(const std::vector<CrossQuality>& qualities) {
  Json methods = Json::array();
  for (const CrossQuality& each : qualities)
    methods.push_back({{"method", each.method},
                       {"first_to_second", each.first_to_second},
                       {"second_to_first", each.second_to_first},
                       {"seconds", each.seconds},
                       {"chosen", each.chosen}});
  return json_text(Json{{"methods", methods}});
}

}  // namespace commonplace::relate
