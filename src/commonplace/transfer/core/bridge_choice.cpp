#include "commonplace/transfer/core/bridge_choice.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>

#include <Eigen/Cholesky>

#include "commonplace/base/error.h"
#include "commonplace/base/matrix.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/json.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/small_regression.h"

// z is the standardised inputs of an example, y what is to be predicted, w weights.

namespace commonplace::transfer {
namespace {

using Rows = std::vector<std::size_t>;
/// The least standard deviation that counts as one: below it a trait does not vary.
constexpr double kLeastScale = 1e-9;
constexpr std::array<double, 4> kRidges{1, 10, 100, 1000};
constexpr int kLinearWeights = 1 + kBridgeTraits;
constexpr int kQuadraticWeights = kLinearWeights + kBridgeTraits * (kBridgeTraits + 1) / 2;

/// Refuses options out of range.
void check(const BridgeChoiceOptions& options) {
  require(options.inputs == "traits" || options.inputs == "logs", "inputs is \"", options.inputs,
          "\"; expected traits or logs");
  require(options.margin > 0 && std::isfinite(options.margin), "margin is ", options.margin,
          "; expected more than 0, such as 1.03");
  require(options.quadratic == "auto" || options.quadratic == "yes" || options.quadratic == "no",
          "quadratic is \"", options.quadratic, "\"; expected auto, yes or no");
  require(options.ridge >= 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected 0 (to choose it) or more");
  require(options.samples >= 1 && options.samples <= 10000, "samples is ", options.samples,
          "; expected 1 .. 10,000");
  require(options.folds >= 2, "folds is ", options.folds, "; expected 2 or more");
}

struct Form {
  bool quadratic = false;
  double ridge = 1;
};

/// What is told apart of 100 items at best: errors below count as that.
constexpr double kLeastError = 0.005;

/// The A-distance as the strength of the evidence that two collections differ, which goes on
/// growing where the distance itself comes near 2.
double log_distance(double a_distance) {
  return -std::log(std::max(0.0, (2 - a_distance) / 4) + kLeastError);
}

/// What is standardised, six numbers: the traits, or what BridgeChoiceOptions says of "logs".
VectorD measures_of(const BridgeTraits& traits, const BridgeChoiceOptions& options) {
  const auto array = values(traits);
  VectorD result = Eigen::Map<const VectorD>(array.data(), kBridgeTraits);
  if (options.inputs == "traits") return result;
  for (Eigen::Index i = 3; i < kBridgeTraits; ++i) result[i] = log_distance(result[i]);
  const double nearer = result[4] - std::max(result[3], result[5]);
  result[3] = result[4];
  result[4] = std::max(nearer, 0.0);
  result[5] = std::min(nearer, 0.0);
  return result;
}

/// The inputs of the linear functions: a constant, the standardised measures and, if asked for,
/// their squares and products.
VectorD inputs_of(const VectorD& z, bool quadratic) {
  constexpr Eigen::Index measures = kBridgeTraits;
  VectorD result(quadratic ? kQuadraticWeights : kLinearWeights);
  result[0] = 1;
  result.segment(1, measures) = z;
  Eigen::Index at = 1 + measures;
  if (quadratic)
    for (Eigen::Index i = 0; i < measures; ++i)
      for (Eigen::Index j = i; j < measures; ++j) result[at++] = z[i] * z[j];
  return result;
}

VectorD as_vector(const std::vector<double>& numbers) {
  return Eigen::Map<const VectorD>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

std::vector<double> as_list(const VectorD& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

/// The examples as numbers.
struct Lessons {
  MatrixD linear;     ///< inputs without squares and products
  MatrixD quadratic;  ///< and with them
  VectorD success;    ///< 0 or 1
  VectorD gain;
  std::vector<Rows> targets;  ///< the examples of each

  const MatrixD& inputs(bool with_products) const { return with_products ? quadratic : linear; }
  std::size_t count() const { return static_cast<std::size_t>(gain.size()); }
};

using Solver = VectorD (*)(const MatrixD& x, const VectorD& y, double ridge);

VectorD fit_rows(const Lessons& lessons, const VectorD& y, const Rows& rows, Form form,
                 Solver solver) {
  return solver(lessons.inputs(form.quadratic)(rows, Eigen::all), y(rows), form.ridge);
}

Rows all_but(const Rows& rows, std::size_t count) {
  std::vector<bool> left_out(count);
  for (const std::size_t row : rows) left_out[row] = true;
  Rows result;
  for (std::size_t row = 0; row < count; ++row)
    if (!left_out[row]) result.push_back(row);
  return result;
}

/// Of each example the linear function learned from the other targets.
VectorD held_out_scores(const Lessons& lessons, const VectorD& y, Form form, Solver solver) {
  VectorD result(y.size());
  for (const Rows& rows : lessons.targets) {
    const VectorD w = fit_rows(lessons, y, all_but(rows, lessons.count()), form, solver);
    result(rows) = lessons.inputs(form.quadratic)(rows, Eigen::all) * w;
  }
  return result;
}

double log_loss(const VectorD& scores, const VectorD& y) {
  double sum = 0;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double against = y[i] > 0 ? -scores[i] : scores[i];
    sum += std::max(against, 0.0) + std::log1p(std::exp(-std::abs(against)));
  }
  return sum / static_cast<double>(y.size());
}

double squared_error(const VectorD& scores, const VectorD& y) {
  return (scores - y).squaredNorm() / static_cast<double>(y.size());
}

/// The form that does best on targets held out, and what it says of them; the simplest of equals.
struct Chosen {
  Form form;
  VectorD scores;
};
Chosen choose_form(const Lessons& lessons, const VectorD& y, const BridgeChoiceOptions& options,
                   Solver solver, double (*loss)(const VectorD&, const VectorD&)) {
  Chosen result;
  double best = std::numeric_limits<double>::infinity();
  for (const bool quadratic : {false, true}) {
    if (options.quadratic != "auto" && (options.quadratic == "yes") != quadratic) continue;
    std::vector<double> ridges(kRidges.rbegin(), kRidges.rend());
    if (options.ridge > 0) ridges = {options.ridge};
    for (const double ridge : ridges) {
      VectorD scores = held_out_scores(lessons, y, {quadratic, ridge}, solver);
      const double found = loss(scores, y);
      if (!(found < best)) continue;
      best = found;
      result = {{quadratic, ridge}, std::move(scores)};
    }
  }
  return result;
}

/// `rows` in random order.
Rows shuffled(Rows rows, Rng& rng) {
  for (std::size_t left = rows.size(); left > 1; --left)
    std::swap(rows[left - 1], rows[rng.below(left)]);
  return rows;
}

/// Accuracy by folds of a sample with as many successes as failures: both lists are in random
/// order and of the same length.
double accuracy_by_folds(const Lessons& lessons, const Rows& successes, const Rows& failures,
                         int folds, Form form) {
  const std::size_t parts = std::min(static_cast<std::size_t>(folds), successes.size());
  std::size_t right = 0;
  for (std::size_t fold = 0; fold < parts; ++fold) {
    Rows learn;
    Rows test;
    for (std::size_t i = 0; i < successes.size(); ++i) {
      Rows& side = i % parts == fold ? test : learn;
      side.push_back(successes[i]);
      side.push_back(failures[i]);
    }
    const VectorD w = fit_rows(lessons, lessons.success, learn, form, fit_logistic);
    for (const std::size_t row : test) {
      const auto at = static_cast<Eigen::Index>(row);
      const double score = lessons.inputs(form.quadratic).row(at).dot(w);
      if ((score > 0) == (lessons.success[at] > 0)) ++right;
    }
  }
  return static_cast<double>(right) / static_cast<double>(2 * successes.size());
}

void judge_balanced(const Lessons& lessons, const BridgeChoiceOptions& options, Form form,
                    BridgeQuality& quality) {
  Rows successes;
  Rows failures;
  for (std::size_t row = 0; row < lessons.count(); ++row)
    (lessons.success[static_cast<Eigen::Index>(row)] > 0 ? successes : failures).push_back(row);
  const std::size_t size = std::min(successes.size(), failures.size());
  quality.balanced_accuracy = 0.5;
  quality.balanced_deviation = 0;
  if (size < 2) return;
  VectorD accuracies(options.samples);
  for (int sample = 0; sample < options.samples; ++sample) {
    Rng rng(options.seed, static_cast<std::uint64_t>(sample));
    Rows some_successes = shuffled(successes, rng);
    Rows some_failures = shuffled(failures, rng);
    some_successes.resize(size);
    some_failures.resize(size);
    accuracies[sample] =
        accuracy_by_folds(lessons, some_successes, some_failures, options.folds, form);
  }
  quality.balanced_accuracy = accuracies.mean();
  quality.balanced_deviation =
      std::sqrt((accuracies.array() - quality.balanced_accuracy).square().mean());
}

/// The share of the pairs (success, failure) that are ordered rightly; a tie is a half.
double area_under_curve(const VectorD& scores, const VectorD& success) {
  double right = 0;
  double pairs = 0;
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    for (Eigen::Index j = 0; j < scores.size(); ++j) {
      if (!(success[i] > success[j])) continue;
      ++pairs;
      right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  return pairs > 0 ? right / pairs : 0.5;
}

/// Mean of the shares of both kinds that are on the right side of the share of successes.
double recognised(const VectorD& scores, const VectorD& success) {
  const double positives = success.sum();
  const double negatives = static_cast<double>(success.size()) - positives;
  if (positives == 0 || negatives == 0) return 0.5;
  const double bound = std::log(positives / negatives);
  double above = 0;
  double below = 0;
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    if (success[i] > 0)
      above += scores[i] > bound ? 1 : 0;
    else
      below += scores[i] > bound ? 0 : 1;
  return (above / positives + below / negatives) / 2;
}

double correlation(const VectorD& a, const VectorD& b) {
  const VectorD x = a.array() - a.mean();
  const VectorD y = b.array() - b.mean();
  const double norms = x.norm() * y.norm();
  return norms > 0 ? x.dot(y) / norms : 0;
}

/// Sets mean, scale, range and precision.
void describe_measures(std::span<const BridgeExample> examples, BridgeChoice& choice) {
  constexpr Eigen::Index measures = kBridgeTraits;
  MatrixD found(std::ssize(examples), measures);
  for (Eigen::Index i = 0; i < found.rows(); ++i)
    found.row(i) =
        measures_of(examples[static_cast<std::size_t>(i)].traits, choice.options).transpose();
  const auto count = static_cast<double>(found.rows());
  choice.lowest = as_list(found.colwise().minCoeff().transpose());
  choice.highest = as_list(found.colwise().maxCoeff().transpose());
  const VectorD mean = found.colwise().mean().transpose();
  found.rowwise() -= mean.transpose();
  VectorD scale = (found.colwise().squaredNorm().transpose() / count).cwiseSqrt();
  for (double& value : scale)
    if (value < kLeastScale) value = 1;
  found.array().rowwise() /= scale.transpose().array();
  // A little of the identity, so that measures that hardly vary or follow from others can be there.
  const MatrixD identity = MatrixD::Identity(measures, measures);
  const MatrixD correlations = found.transpose() * found / count + 0.01 * identity;
  const MatrixD inverse = correlations.ldlt().solve(identity);
  choice.mean = as_list(mean);
  choice.scale = as_list(scale);
  choice.precision.assign(inverse.data(), inverse.data() + inverse.size());
}

VectorD standardised(const BridgeChoice& choice, const VectorD& measures) {
  return (measures - as_vector(choice.mean)).cwiseQuotient(as_vector(choice.scale));
}

VectorD within_range(const BridgeChoice& choice, const VectorD& measures) {
  return measures.cwiseMax(as_vector(choice.lowest)).cwiseMin(as_vector(choice.highest));
}

Lessons lessons_of(std::span<const BridgeExample> examples, const BridgeChoice& choice) {
  const auto count = std::ssize(examples);
  Lessons result;
  result.linear.resize(count, kLinearWeights);
  result.quadratic.resize(count, kQuadraticWeights);
  result.success.resize(count);
  result.gain.resize(count);
  std::map<std::int32_t, Rows> targets;
  for (Eigen::Index i = 0; i < count; ++i) {
    const BridgeExample& example = examples[static_cast<std::size_t>(i)];
    const VectorD z = standardised(choice, measures_of(example.traits, choice.options));
    result.linear.row(i) = inputs_of(z, false).transpose();
    result.quadratic.row(i) = inputs_of(z, true).transpose();
    result.success[i] = example.bridged > choice.options.margin * example.direct ? 1 : 0;
    result.gain[i] = example.bridged - example.direct;
    targets[example.target_group].push_back(static_cast<std::size_t>(i));
  }
  for (auto& [group, rows] : targets) result.targets.push_back(std::move(rows));
  require(result.targets.size() >= 2,
          "all examples of bridges are of one target; give examples of 2 targets or more");
  return result;
}

void check_examples(std::span<const BridgeExample> examples) {
  require(examples.size() >= 10, "there are ", examples.size(),
          " examples of bridges to learn from; expected 10 or more");
  for (const BridgeExample& example : examples) {
    const auto traits = values(example.traits);
    const bool finite = std::all_of(traits.begin(), traits.end(),
                                    [](double value) { return std::isfinite(value); });
    require(finite && std::isfinite(example.direct) && std::isfinite(example.bridged),
            "an example of a bridge has a trait or an accuracy that is not a number");
    require(
        example.direct >= 0 && example.direct <= 1 && example.bridged >= 0 && example.bridged <= 1,
        "an example of a bridge has the accuracies ", example.direct, " and ", example.bridged,
        "; expected 0 .. 1");
  }
}

/// The standard error of a gain: that of held-out targets, for measures like those; more for
/// others. The examples of a target count as one, as they share most of what makes their gains
/// differ.
double error_of_gain(const BridgeChoice& choice, const VectorD& measures) {
  const VectorD z = standardised(choice, measures);
  const Eigen::Map<const MatrixD> precision(choice.precision.data(), z.size(), z.size());
  const double unusual = (1 + z.dot(precision * z)) / choice.quality.targets;
  const double usual = static_cast<double>(1 + z.size()) / choice.quality.targets;
  return choice.quality.gain_error * std::sqrt(std::max(1.0, (1 + unusual) / (1 + usual)));
}

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "bridge-choice";
constexpr int kLayout = 1;

/// The one list of the lists of numbers, for both kinds of file.
template <class Choice, class Visit>
void visit_parts(Choice& choice, Visit&& visit) {
  visit("mean", choice.mean);
  visit("scale", choice.scale);
  visit("lowest", choice.lowest);
  visit("highest", choice.highest);
  visit("precision", choice.precision);
  visit("success", choice.success);
  visit("gain", choice.gain);
}

template <class Quality, class Visit>
void visit_quality(Quality& quality, Visit&& visit) {
  visit("examples", quality.examples);
  visit("successes", quality.successes);
  visit("targets", quality.targets);
  visit("balanced_accuracy", quality.balanced_accuracy);
  visit("balanced_deviation", quality.balanced_deviation);
  visit("target_accuracy", quality.target_accuracy);
  visit("target_auc", quality.target_auc);
  visit("gain_error", quality.gain_error);
  visit("gain_deviation", quality.gain_deviation);
  visit("gain_correlation", quality.gain_correlation);
  visit("success_ridge", quality.success_ridge);
  visit("gain_ridge", quality.gain_ridge);
}

void require_size(const std::vector<double>& part, std::initializer_list<int> sizes,
                  const char* name, const std::string& where) {
  require(
      std::any_of(sizes.begin(), sizes.end(), [&](int size) { return std::ssize(part) == size; }),
      where, ": the part ", name, " of a bridge choice has ", part.size(), " numbers, not ",
      *sizes.begin(), "; the file is damaged");
}

/// Error, beginning with `where`, unless the parts fit together.
void check_parts(const BridgeChoice& choice, const std::string& where) {
  check(choice.options);
  constexpr int measures = kBridgeTraits;
  require_size(choice.mean, {measures}, "mean", where);
  require_size(choice.scale, {measures}, "scale", where);
  require_size(choice.lowest, {measures}, "lowest", where);
  require_size(choice.highest, {measures}, "highest", where);
  require_size(choice.precision, {measures * measures}, "precision", where);
  for (const auto& [name, part] :
       {std::pair{"success", &choice.success}, std::pair{"gain", &choice.gain}})
    require_size(*part, {kLinearWeights, kQuadraticWeights}, name, where);
  visit_parts(choice, [&](const char* name, const std::vector<double>& part) {
    for (const double value : part)
      if (!std::isfinite(value))
        fail(where, ": the part ", name, " of a bridge choice holds what is not a number; the file",
             " is damaged");
  });
  for (std::size_t i = 0; i < choice.scale.size(); ++i)
    require(choice.scale[i] > 0 && choice.lowest[i] <= choice.highest[i], where,
            ": a measure of a bridge choice has the scale ", choice.scale[i], " and the range ",
            choice.lowest[i], " .. ", choice.highest[i], "; the file is damaged");
  visit_quality(choice.quality, [&](const char* name, double value) {
    require(std::isfinite(value), where, ": ", name,
            " of a bridge choice is not a number; the file is damaged");
  });
  require(choice.quality.targets >= 1 && choice.quality.gain_error >= 0, where,
          ": a bridge choice was learned from ", choice.quality.targets,
          " targets with an error of ", choice.quality.gain_error, "; the file is damaged");
}

double number(const Json& json, const char* name) {
  require(json.is_number(), "bridge choice: ", name, " holds ", json_excerpt(json),
          "; expected a number");
  return json.get<double>();
}

const Json& member(const Json& json, const char* name) {
  const auto found = json.find(name);
  require(found != json.end(), "bridge choice: ", name, " is missing");
  return *found;
}

}  // namespace

std::array<double, kBridgeTraits> values(const BridgeTraits& traits) {
  return {traits.source_complexity, traits.bridge_complexity, traits.target_complexity,
          traits.source_bridge,     traits.source_target,     traits.bridge_target};
}

BridgeChoiceFit fit_bridge_choice(std::span<const BridgeExample> examples,
                                  const BridgeChoiceOptions& options) {
  check(options);
  check_examples(examples);
  BridgeChoiceFit result;
  BridgeChoice& choice = result.choice;
  choice.options = options;
  describe_measures(examples, choice);
  const Lessons lessons = lessons_of(examples, choice);

  const Chosen success = choose_form(lessons, lessons.success, options, fit_logistic, log_loss);
  const Chosen gain = choose_form(lessons, lessons.gain, options, fit_ridge, squared_error);
  choice.success = as_list(
      fit_logistic(lessons.inputs(success.form.quadratic), lessons.success, success.form.ridge));
  choice.gain =
      as_list(fit_ridge(lessons.inputs(gain.form.quadratic), lessons.gain, gain.form.ridge));

  BridgeQuality& quality = choice.quality;
  quality.examples = static_cast<double>(examples.size());
  quality.successes = lessons.success.sum();
  quality.targets = static_cast<double>(lessons.targets.size());
  judge_balanced(lessons, options, success.form, quality);
  quality.target_accuracy = recognised(success.scores, lessons.success);
  quality.target_auc = area_under_curve(success.scores, lessons.success);
  quality.gain_error = std::sqrt(squared_error(gain.scores, lessons.gain));
  quality.gain_deviation = std::sqrt((lessons.gain.array() - lessons.gain.mean()).square().mean());
  quality.gain_correlation = correlation(gain.scores, lessons.gain);
  quality.success_ridge = success.form.ridge;
  quality.gain_ridge = gain.form.ridge;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    result.held_out.push_back({logistic(success.scores[at]), gain.scores[at],
                               error_of_gain(choice, measures_of(examples[i].traits, options))});
  }
  return result;
}

BridgeForecast predict(const BridgeChoice& choice, const BridgeTraits& traits) {
  const auto given = values(traits);
  require(
      std::all_of(given.begin(), given.end(), [](double value) { return std::isfinite(value); }),
      "a trait of a bridge is not a number");
  const VectorD found = measures_of(traits, choice.options);
  const VectorD z = standardised(choice, within_range(choice, found));
  const auto score = [&](const std::vector<double>& weights) {
    return inputs_of(z, std::ssize(weights) == kQuadraticWeights).dot(as_vector(weights));
  };
  return {logistic(score(choice.success)), score(choice.gain), error_of_gain(choice, found)};
}

void save(const BridgeChoice& choice, const std::filesystem::path& path) {
  check_parts(choice, path.string());
  TensorWriter writer;
  describe_model(writer, kKind, kLayout, options_to_json(choice.options));
  visit_parts(choice, [&](const char* name, const std::vector<double>& part) {
    writer.add(name, std::span<const double>(part));
  });
  std::vector<double> quality;
  visit_quality(choice.quality, [&](const char*, double value) { quality.push_back(value); });
  writer.add("quality", std::span<const double>(quality));
  writer.write(path);
}

BridgeChoice load_bridge_choice(const TensorFile& file) {
  require_kind(file, kKind, kLayout);
  BridgeChoice choice;
  choice.options = options_from_json<BridgeChoiceOptions>(file.metadata("options"));
  visit_parts(choice, [&](const char* name, std::vector<double>& part) {
    const auto numbers = file.doubles(name);
    part.assign(numbers.begin(), numbers.end());
  });
  const auto quality = file.doubles("quality");
  std::size_t at = 0;
  visit_quality(choice.quality, [&](const char* name, double& value) {
    require(at < quality.size(), file.name(), ": ", name, " is missing; the file is damaged");
    value = quality[at++];
  });
  require(at == quality.size(), file.name(), ": ", quality.size(), " numbers of quality, not ", at,
          "; the file is damaged");
  check_parts(choice, file.name());
  return choice;
}

std::string to_json(const BridgeChoice& choice) {
  check_parts(choice, "a bridge choice to write");
  Json json{{"kind", kKind}, {"layout", kLayout}};
  json["options"] = ordered_json_from(options_to_json(choice.options));
  visit_quality(choice.quality,
                [&](const char* name, double value) { json["quality"][name] = value; });
  visit_parts(choice,
              [&](const char* name, const std::vector<double>& part) { json[name] = part; });
  // A line for each member: arrays of numbers are not for reading one by one.
  std::string text = "{";
  for (const auto& [name, value] : json.items())
    text += (text.size() > 1 ? ",\n " : "\n ") + json_text(Json(name)) + ": " + json_text(value);
  return text + "\n}\n";
}

BridgeChoice bridge_choice_from_json(std::string_view text) {
  const Json json = ordered_json_from(text, false);
  require(json.is_object() && json.value("kind", Json()) == kKind,
          "this is not a bridge choice: expected a JSON object of the kind \"", kKind, "\"");
  const Json& layout = member(json, "layout");
  require(layout.is_number_integer() && layout >= 1 && layout <= kLayout,
          "bridge choice: layout is not a number from 1 to ", kLayout,
          "; it may need a newer version");
  BridgeChoice choice;
  choice.options =
      options_from_json<BridgeChoiceOptions>(lenient_json_text(member(json, "options")));
  const Json& quality = member(json, "quality");
  require(quality.is_object(), "bridge choice: quality is not a JSON object");
  visit_quality(choice.quality, [&](const char* name, double& value) {
    value = number(member(quality, name), name);
  });
  visit_parts(choice, [&](const char* name, std::vector<double>& part) {
    const Json& list = member(json, name);
    require(list.is_array(), "bridge choice: ", name, " is not a list of numbers");
    for (const Json& value : list) part.push_back(number(value, name));
  });
  check_parts(choice, "bridge choice");
  return choice;
}

}  // namespace commonplace::transfer
