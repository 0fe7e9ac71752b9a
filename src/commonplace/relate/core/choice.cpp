#include "commonplace/relate/core/choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/top_k.h"
#include "commonplace/comm/serialise.h"
#include "commonplace/eval/split.h"

namespace commonplace {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TuningTrial, setting, quality, taken)

namespace relate {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModalitySetting, kernel, width, landmarks, gamma)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetRule, say, popularity, knn_weight, neighbours, quality)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlaceRule, spread, error, blind, neighbours)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Choice, settings, dim, rules, place_rule, quality, asked, tried)

namespace {

constexpr double kHeldShare = 0.2;
constexpr std::int64_t kMostDim = 100;
constexpr std::int64_t kUsualLandmarks = 1000;
/// While choosing, fewer do.
constexpr std::int64_t kLandmarksToChoose = 300;
constexpr std::int64_t kDimToChoose = 40;
/// A setting must be better by so much to be taken.
constexpr double kGain = 0.001;

std::optional<double> number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || read != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::int64_t whole(const std::string& text, const char* flag, std::int64_t for_auto) {
  if (text == "auto") return for_auto;
  const std::optional<double> value = number(text);
  require(value && *value >= 1 && *value <= 1e6 && *value == std::floor(*value), flag,
          " must be auto or a whole number of 1 or more, not '", text, "'");
  return static_cast<std::int64_t>(*value);
}

/// What one try has found.
struct Judged {
  std::vector<TargetRule> rules;
  PlaceRule place_rule;
  double quality = -1;
  std::int64_t dim = 0;
};

class Chooser {
 public:
  /// `least_widths`: per modality, what its kernel must not fall below.
  Chooser(const Data& data, std::vector<double> least_widths, const ModelOptions& options,
          const Run& run)
      : data_(data),
        least_widths_(std::move(least_widths)),
        options_(options),
        run_(run),
        held_(hold_out(data, kHeldShare, options.projection.seed)),
        links_(links_of(data, held_.held)),
        asked_(asked_modalities(data)),
        tuner_(run, {.one_standard_error = false, .least_gain = kGain},
               tuning_budget(options.budget)) {}

  Choice choose();

 private:
  Space fit(const std::vector<ModalitySetting>& settings, std::int64_t most_dim);
  Judged judge(Space space, bool with_rest);
  /// The items that are not held out.
  std::vector<std::int64_t> kept_rows(std::size_t modality) const {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < data_.items_of(modality); ++row)
      if (held_.held[modality][static_cast<std::size_t>(row)] == 0) rows.push_back(row);
    return rows;
  }
  PlaceRule choose_place_rule(const Space& space, const TargetRule& rule, std::size_t modality,
                              const std::vector<Matrix>& positions, const Evidence& evidence,
                              const Sparse& truth) const;
  bool attempt(const std::vector<ModalitySetting>& settings, const std::string& what);
  void improve(std::size_t modality);
  void climb(std::size_t modality, const char* name, double ModalitySetting::*value, int steps,
             double least);

  const Data& data_;
  std::vector<double> least_widths_;
  const ModelOptions& options_;
  Run run_;
  HeldOut held_;
  Links links_;
  std::vector<std::size_t> asked_;
  std::vector<ModalitySetting> best_;
  Tuner tuner_;
  GuidedProjection last_;  ///< of the fit before: settings differ little
  NystromCache cache_;
};

Space Chooser::fit(const std::vector<ModalitySetting>& settings, std::int64_t most_dim) {
  GuidedProjectionOptions options = options_.projection;
  options.dim = whole(options_.dim, "--dim", most_dim);
  options.tolerance = 1e-3;  // enough to compare settings by
  Space space = fit_relate_space(data_, links_, settings, options, {.jobs = run_.jobs},
                                 {nullptr, &last_, &cache_});
  last_ = space.projection;
  return space;
}

Judged Chooser::judge(Space space, bool with_rest) {
  std::vector<Matrix> positions;
  for (std::size_t k = 0; k < data_.modalities.size(); ++k)
    positions.push_back(positions_of(space, data_, k, {.jobs = run_.jobs}, &cache_));
  Judged best;
  std::vector<std::int64_t> dims{space.dim()};
  if (options_.dim == "auto")
    for (const std::int64_t dim : {75, 50, 30, 15})
      if (dim < dims.front()) dims.push_back(dim);
  for (const std::int64_t dim : dims) {
    cut(space, dim);
    for (Matrix& each : positions) each = each.leftCols(dim).eval();
    Judged judged;
    judged.dim = dim;
    judged.rules.resize(data_.modalities.size());
    double sum = 0;
    for (const std::size_t target : asked_) {
      const auto& rows = held_.rows[target];
      judged.rules[target] = choose_rule(space, data_, target, positions[target],
                                         evidence_of(data_, positions, target, rows),
                                         known_of(data_, positions, target, kept_rows(target)),
                                         truth_of(data_.modalities[target], rows), run_.jobs);
      sum += judged.rules[target].quality;
    }
    judged.quality = sum / static_cast<double>(asked_.size());
    if (judged.quality <= best.quality + (best.dim == 0 ? 0 : kGain)) continue;
    if (with_rest)
      for (std::size_t k = 0; k < data_.modalities.size(); ++k) {
        const auto& rows = held_.rows[k];
        const bool is_asked = std::find(asked_.begin(), asked_.end(), k) != asked_.end();
        if (!is_asked) {
          judged.rules[k] = usual_rule(data_, k);
          if (rows.empty()) continue;
          const Evidence evidence = evidence_of(data_, positions, k, rows);
          const Sparse truth = truth_of(data_.modalities[k], rows);
          judged.rules[k] =
              choose_rule(space, data_, k, positions[k], evidence,
                          known_of(data_, positions, k, kept_rows(k)), truth, run_.jobs);
          if (data_.modalities[k].what.of == NodeType::places && judged.place_rule.spread.empty())
            judged.place_rule =
                choose_place_rule(space, judged.rules[k], k, positions, evidence, truth);
        }
      }
    best = std::move(judged);
  }
  return best;
}

/// Affinities or k-NN, whichever is nearer to the truth.
PlaceRule Chooser::choose_place_rule(const Space& space, const TargetRule& rule,
                                     std::size_t modality, const std::vector<Matrix>& positions,
                                     const Evidence& evidence, const Sparse& truth) const {
  const KnownItems known = known_of(data_, positions, modality, kept_rows(modality));
  PlaceRule best;
  Tuner tuner({.jobs = run_.jobs}, {.one_standard_error = false});
  for (const std::int64_t neighbours : {0, 3, 10, 30}) {
    Matrix scores;
    if (!tuner.attempt(concat("k-NN ", neighbours), [&] {
          scores = place_scores(space, rule, neighbours, modality, positions[modality], evidence,
                                known, run_.jobs);
          return std::vector{-median_error(
              place_errors(scores, truth.view(), data_.modalities[modality].places, run_.jobs))};
        }))
      continue;
    best = fit_place_rule(scores, truth.view(), data_.modalities[modality].places, run_.jobs);
    best.neighbours = neighbours;
  }
  return best;
}

bool Chooser::attempt(const std::vector<ModalitySetting>& settings, const std::string& what) {
  const bool taken = tuner_.attempt(
      what, [&] { return std::vector{judge(fit(settings, kDimToChoose), false).quality}; });
  if (taken) best_ = settings;
  return taken;
}

/// Tries a third, and thrice, of a modality's setting, again and again while that helps.
void Chooser::climb(std::size_t modality, const char* name, double ModalitySetting::*value,
                    int steps, double least) {
  for (const double factor : {1.0 / 3, 3.0})
    for (int step = 0; step < steps; ++step) {
      std::vector<ModalitySetting> settings = best_;
      double& changed = settings[modality].*value;
      changed *= factor;
      if (changed < least) break;
      if (!attempt(settings, concat(data_.modalities[modality].what.full(), name, changed))) break;
    }
}

void Chooser::improve(std::size_t modality) {
  const ModalityRows& of = data_.modalities[modality];
  if (of.kernel.empty() && of.what.of == NodeType::items && !of.identity()) {
    for (const char* kernel : {"linear", kRbfKernel, "laplace"}) {
      if (best_[modality].kernel == kernel) continue;
      std::vector<ModalitySetting> settings = best_;
      settings[modality].kernel = kernel;
      settings[modality].width = 0;
      attempt(settings, concat(of.what.full(), " kernel ", kernel));
    }
  }
  if (of.width == 0 && of.what.of == NodeType::places && best_[modality].kernel != "identity")
    climb(modality, " width ", &ModalitySetting::width, 3, least_widths_[modality]);
  if (setting_for(options_.gamma, of.what) == "auto" ||
      setting_for(options_.gamma, of.what).empty())
    climb(modality, " gamma ", &ModalitySetting::gamma, 4, 0);
}

Choice Chooser::choose() {
  const std::int64_t landmarks = whole(options_.landmarks, "--landmarks", kUsualLandmarks);
  std::vector<ModalitySetting> settings;
  for (std::size_t k = 0; k < data_.modalities.size(); ++k) {
    const ModalityRows& modality = data_.modalities[k];
    settings.push_back(usual_setting(modality, std::min(landmarks, kLandmarksToChoose)));
    settings.back().width = std::max(settings.back().width, least_widths_[k]);
    const std::string wish = setting_for(options_.gamma, modality.what);
    if (const std::optional<double> gamma = number(wish)) settings.back().gamma = *gamma;
  }
  Choice choice;
  choice.settings = settings;
  choice.dim = whole(options_.dim, "--dim", 30);
  for (std::size_t k = 0; k < data_.modalities.size(); ++k)
    choice.rules.push_back(usual_rule(data_, k));
  std::int64_t held = 0;
  for (const std::size_t modality : asked_) held += std::ssize(held_.rows[modality]);
  if (!asked_.empty() && held >= 10 && !links_.guidance.empty()) {
    attempt(settings, "the usual");
    for (int pass = 0; pass < 2; ++pass) {
      const std::vector<ModalitySetting> before = best_;
      for (std::size_t k = 0; k < data_.modalities.size(); ++k) improve(k);
      if (best_ == before) break;
    }
    const Judged judged = judge(fit(best_, kMostDim), true);
    choice.settings = best_;
    choice.dim = judged.dim;
    choice.rules = judged.rules;
    choice.place_rule = judged.place_rule;
    choice.quality = judged.quality;
    std::vector<std::string> names;
    for (const std::size_t modality : asked_)
      names.push_back(data_.modalities[modality].what.full());
    choice.asked = join(names);
    choice.tried = tuner_.trials();
  }
  for (ModalitySetting& setting : choice.settings) setting.landmarks = landmarks;
  return choice;
}

/// The least width under which nine of ten places have another within three widths, so that what
/// lies apart from the crowd is not alone in the world; 0 for none.
double least_width(const std::vector<Place>& places) {
  constexpr std::size_t kMostTried = 300;
  const Matrix rows = place_rows(places);
  std::vector<double> nearest;
  const std::size_t step = places.size() / kMostTried + 1;
  for (std::size_t i = 0; i < places.size(); i += step) {
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index j = 0; j < rows.rows(); ++j) {
      const double square =
          static_cast<double>((rows.row(static_cast<Eigen::Index>(i)) - rows.row(j)).squaredNorm());
      if (square > 0) least = std::min(least, square);
    }
    if (std::isfinite(least)) nearest.push_back(std::sqrt(least));
  }
  if (nearest.empty()) return 0;
  const auto place = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() * 9 / 10);
  std::nth_element(nearest.begin(), place, nearest.end());
  return *place / 3;
}

/// Items that have nodes of two modalities at least: others say nothing.
std::vector<std::int64_t> telling_items(const Data& data, const std::string& collection) {
  std::vector<std::int64_t> rows;
  std::int64_t items = 0;
  for (const ModalityRows& modality : data.modalities)
    if (modality.what.collection == collection) items = std::max(items, modality.has.rows());
  for (std::int64_t row = 0; row < items; ++row) {
    int modalities = 0;
    for (const ModalityRows& modality : data.modalities)
      if (modality.what.collection == collection && !modality.has.view().row_indices(row).empty())
        ++modalities;
    if (modalities >= 2) rows.push_back(row);
  }
  return rows;
}

}  // namespace

void check(const ModelOptions& options) {
  whole(options.dim, "--dim", 1);
  whole(options.landmarks, "--landmarks", 1);
  tuning_budget(options.budget);
  require(options.choose_on >= 50, "--choose-on must be 50 or more, not ", options.choose_on);
  for (const std::string& entry : split(options.gamma)) {
    const std::string text = entry.substr(entry.find('=') + 1);
    const std::optional<double> value = number(text);
    require(text == "auto" || (value && *value >= 0), "--gamma '", text,
            "' is not a number of 0 or more, nor auto");
  }
}

std::vector<std::size_t> asked_modalities(const Data& data) {
  std::vector<std::size_t> asked;
  const auto shares_collection = [&](std::size_t k) {
    for (std::size_t e = 0; e < data.modalities.size(); ++e)
      if (e != k && data.modalities[e].what.collection == data.modalities[k].what.collection)
        return true;
    return false;
  };
  for (std::size_t k = 0; k < data.modalities.size(); ++k)
    if ((data.modalities[k].what.of == NodeType::tags ||
         data.modalities[k].what.of == NodeType::label) &&
        shares_collection(k))
      asked.push_back(k);
  if (asked.empty())
    for (std::size_t k = 0; k < data.modalities.size(); ++k)
      if (shares_collection(k)) asked.push_back(k);
  return asked;
}

HeldOut hold_out(const Data& data, double share, std::uint64_t seed) {
  HeldOut result;
  for (const ModalityRows& modality : data.modalities) {
    auto& held = result.held.emplace_back(static_cast<std::size_t>(modality.has.rows()), 0);
    auto& rows = result.rows.emplace_back();
    for (std::int64_t row = 0; row < modality.has.rows(); ++row) {
      if (!is_test_row(seed, row, share)) continue;
      held[static_cast<std::size_t>(row)] = 1;
      if (!modality.has.view().row_indices(row).empty()) rows.push_back(row);
    }
  }
  return result;
}

Evidence evidence_of(const Data& data, const std::vector<Matrix>& positions, std::size_t target,
                     std::span<const std::int64_t> rows) {
  Evidence evidence(data.modalities.size());
  for (std::size_t e = 0; e < data.modalities.size(); ++e)
    if (e != target &&
        data.modalities[e].what.collection == data.modalities[target].what.collection)
      evidence[e] = positions_of_items(data.modalities[e].has.view(), positions[e], rows);
  return evidence;
}

KnownItems known_of(const Data& data, const std::vector<Matrix>& positions, std::size_t target,
                    std::span<const std::int64_t> rows) {
  std::vector<std::int64_t> with;
  for (const std::int64_t row : rows)
    if (!data.modalities[target].has.view().row_indices(row).empty()) with.push_back(row);
  return {evidence_of(data, positions, target, with), truth_of(data.modalities[target], with)};
}

Sparse truth_of(const ModalityRows& modality, std::span<const std::int64_t> rows) {
  Sparse truth;
  truth.columns = modality.has.columns;
  for (const std::int64_t row : rows) truth.push_row(modality.has.view(), row);
  return truth;
}

Choice choose_relation(const Data& data, const ModelOptions& options, const Run& run) {
  check(options);
  std::vector<Modality> names;
  for (const ModalityRows& modality : data.modalities) names.push_back(modality.what);
  check_settings(options.gamma, "--gamma", names);
  std::map<std::string, std::vector<std::int64_t>> of_collection;
  bool all = true;
  for (const ModalityRows& modality : data.modalities) {
    if (of_collection.contains(modality.what.collection)) continue;
    std::vector<std::int64_t> rows = telling_items(data, modality.what.collection);
    if (std::ssize(rows) > options.choose_on) {
      all = false;
      const std::uint64_t seed = options.projection.seed;
      rows = sample_by(std::move(rows), options.choose_on, [&](std::int64_t row) {
        return random_bits(seed, static_cast<std::uint64_t>(row), 0x63686f6f7365ULL);
      });
    }
    of_collection.emplace(modality.what.collection, std::move(rows));
  }
  std::vector<double> least;
  for (const ModalityRows& modality : data.modalities)
    least.push_back(modality.width == 0 ? least_width(modality.places) : 0);
  if (all) return broadcast_value(run.comm, Chooser(data, std::move(least), options, run).choose());
  std::vector<std::vector<std::int64_t>> rows;
  for (const ModalityRows& modality : data.modalities)
    rows.push_back(of_collection[modality.what.collection]);
  const Data part = take_items(data, rows);
  return broadcast_value(run.comm, Chooser(part, std::move(least), options, run).choose());
}

}  // namespace relate

}  // namespace commonplace
