#include "commonplace/detect/core/detector.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/number_list.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/collectives.h"

namespace commonplace::detect {
namespace {

constexpr int kFolds = 5;
/// Fewer labelled items tell nothing about which way is best.
constexpr std::int64_t kFewestLabelled = 20;
constexpr double kLambdas[] = {1, 0.3, 3, 10};

/// The labelled items in `kFolds` parts, each with about as many of every concept: in the order of
/// the rarest concept that they show they are dealt out in turn.
std::vector<int> folds_of(const MatrixD& labels, std::uint64_t seed) {
  std::vector<std::int64_t> uses(static_cast<std::size_t>(labels.cols()));
  for (Eigen::Index c = 0; c < labels.cols(); ++c)
    uses[static_cast<std::size_t>(c)] = (labels.col(c).array() > 0).count();
  struct Place {
    std::int64_t rarest;
    Eigen::Index concept_number;
    std::uint64_t bits;
    Eigen::Index row;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> order;
  for (Eigen::Index row = 0; row < labels.rows(); ++row) {
    Place place{labels.rows() + 1, labels.cols(),
                random_bits(seed, static_cast<std::uint64_t>(row), 0x666fU), row};
    for (Eigen::Index c = 0; c < labels.cols(); ++c)
      if (labels(row, c) > 0 && uses[static_cast<std::size_t>(c)] < place.rarest) {
        place.rarest = uses[static_cast<std::size_t>(c)];
        place.concept_number = c;
      }
    order.push_back(place);
  }
  std::sort(order.begin(), order.end());
  std::vector<int> folds(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    folds[static_cast<std::size_t>(order[i].row)] = static_cast<int>(i % kFolds);
  return folds;
}

std::vector<Eigen::Index> rows_where(const std::vector<int>& folds, int fold, bool in) {
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < folds.size(); ++i)
    if ((folds[i] == fold) == in) rows.push_back(static_cast<Eigen::Index>(i));
  return rows;
}

/// What each item is scored by heads that were learned without it.
Matrix held_out_scores(const Matrix& coordinates, const MatrixD& labels,
                       const std::vector<int>& folds, const HeadSetting& setting, int jobs) {
  Matrix scores = Matrix::Zero(labels.rows(), labels.cols());
  for (int fold = 0; fold < kFolds; ++fold) {
    const std::vector<Eigen::Index> held = rows_where(folds, fold, true);
    const std::vector<Eigen::Index> rest = rows_where(folds, fold, false);
    if (held.empty() || rest.empty()) continue;
    const ConceptHeads heads = fit_heads(Matrix(coordinates(rest, Eigen::all)),
                                         MatrixD(labels(rest, Eigen::all)), setting, jobs);
    scores(held, Eigen::all) = score(heads, Matrix(coordinates(held, Eigen::all)), jobs);
  }
  return scores;
}

using Kinds = std::vector<SpaceKind>;

std::vector<Kinds> candidates(const DetectorOptions& options, std::int64_t items) {
  if (options.representation != "auto") {
    Kinds kinds;
    for (const std::string& name : split(options.representation, '+'))
      kinds.push_back(space_kind(name));
    return {kinds};
  }
  if (items > kManyItems) return {{SpaceKind::raw}, {SpaceKind::axis}};
  return {{SpaceKind::diffused},
          {SpaceKind::raw},
          {SpaceKind::axis},
          {SpaceKind::anchors},
          {SpaceKind::diffused, SpaceKind::axis}};
}

std::string title_of(const Kinds& kinds) {
  std::string title;
  for (const SpaceKind kind : kinds)
    title += (title.empty() ? "" : "+") + std::string(name_of(kind));
  return title;
}

/// Fits spaces, tries heads on them, and keeps the best.
class Choosing {
 public:
  Choosing(ManyFeatures features, const LabelledItems& labelled, const DetectorOptions& options,
           const Run& run)
      : features_(features),
        labelled_(labelled),
        options_(options),
        run_(run),
        folds_(folds_of(labelled_.labels, options.space.seed)),
        tuner_(run, {.one_standard_error = false}, tuning_budget(options.budget)) {}

  Detector run() {
    const std::vector<Kinds> ways = candidates(options_, features_[0].rows());
    const bool can_choose = std::ssize(labelled_.rows) >= kFewestLabelled && anything_to_tell();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (i > 0 && !tuner_.has_time(longest_space_)) break;
      run_.progress({"trying representations", i, ways.size(), "ways"});
      const auto begin = Clock::now();
      Space space = make_space(ways[i]);
      longest_space_ = std::max(longest_space_, seconds_since(begin));
      if (can_choose) {
        try_heads(title_of(ways[i]), space);
        continue;
      }
      best_.space = std::move(space);
      best_.representation = title_of(ways[i]);
      best_.head = {options_.head == "svm", options_.lambda > 0 ? options_.lambda : kLambdas[0],
                    options_.cost};
      break;
    }
    best_.tried = tuner_.trials();
    return std::move(best_);
  }

 private:
  bool anything_to_tell() const {
    for (Eigen::Index c = 0; c < labelled_.labels.cols(); ++c)
      if (has_both(labelled_.labels, c)) return true;
    return false;
  }

  Space make_space(const Kinds& kinds) {
    std::vector<SpacePart> parts;
    for (std::size_t feature = 0; feature < features_.size(); ++feature)
      for (const SpaceKind kind : kinds) parts.push_back(part_of(kind, feature));
    return join_parts(std::move(parts));
  }

  /// Parts are fitted once, however many ways they are in.
  const SpacePart& part_of(SpaceKind kind, std::size_t feature) {
    for (const SpacePart& part : fitted_)
      if (part.kind == kind && part.feature == static_cast<std::int64_t>(feature)) return part;
    const RowRange own = own_rows(features_[feature].rows(), run_.comm);
    fitted_.push_back(fit_part(kind, static_cast<std::int64_t>(feature),
                               row_range(features_[feature], own), options_.space, run_));
    return fitted_.back();
  }

  std::vector<HeadSetting> heads() const {
    std::vector<HeadSetting> result;
    if (options_.head != "svm") {
      if (options_.lambda > 0)
        result.push_back({false, options_.lambda, options_.cost});
      else
        for (const double lambda : kLambdas) result.push_back({false, lambda, options_.cost});
    }
    if (options_.head != "laprls") result.push_back({true, 0, options_.cost});
    return result;
  }

  void try_heads(const std::string& title, const Space& space) {
    const Matrix coordinates = encode_rows(space, features_, labelled_.rows, true, run_.jobs);
    for (const HeadSetting& setting : heads()) {
      Matrix scores;
      if (!tuner_.attempt(
              concat(title, setting.svm ? ", svm" : ", laprls, lambda ",
                     setting.svm ? "" : short_number(setting.lambda)),
              [&] {
                scores = held_out_scores(coordinates, labelled_.labels, folds_, setting, run_.jobs);
                return std::vector{mean_interpolated_precision(scores, labelled_.labels)};
              }))
        continue;
      // All ranks have the same labelled items; what one of them found counts.
      run_.comm.broadcast(std::span<float>(scores.data(), static_cast<std::size_t>(scores.size())),
                          0);
      best_.space = space;
      best_.representation = title;
      best_.head = setting;
      keep_outcomes(scores);
    }
  }

  void keep_outcomes(const Matrix& scores) {
    best_.held_scores.clear();
    best_.held_outcomes.clear();
    for (Eigen::Index c = 0; c < scores.cols(); ++c) {
      if (!has_both(labelled_.labels, c)) continue;
      for (Eigen::Index row = 0; row < scores.rows(); ++row) {
        if (labelled_.labels(row, c) == 0) continue;
        best_.held_scores.push_back(scores(row, c));
        best_.held_outcomes.push_back(labelled_.labels(row, c) > 0 ? 1 : 0);
      }
    }
  }

  ManyFeatures features_;
  const LabelledItems& labelled_;
  const DetectorOptions& options_;
  Run run_;
  std::vector<int> folds_;
  std::vector<SpacePart> fitted_;
  double longest_space_ = 0;  ///< seconds
  Tuner tuner_;
  Detector best_;
};

void check_input(ManyFeatures features, const LabelledItems& labelled) {
  require(!features.empty(), "there are no features to detect by");
  for (const MatrixView& rows : features)
    require(rows.rows() == features[0].rows(), "features of ", rows.rows(), " and ",
            features[0].rows(), " items do not fit together");
  require(std::ssize(labelled.rows) == labelled.labels.rows(), labelled.rows.size(),
          " labelled items do not fit labels of ", labelled.labels.rows());
  for (const std::int64_t row : labelled.rows)
    require(row >= 0 && row < features[0].rows(), "there is no item ", row, " among ",
            features[0].rows());
}

}  // namespace

void check(const DetectorOptions& options) {
  if (options.representation != "auto")
    for (const std::string& name : split(options.representation, '+')) space_kind(name);
  require(options.head == "auto" || options.head == "laprls" || options.head == "svm", "head is '",
          options.head, "'; expected laprls, svm or auto");
  require(options.lambda >= 0 && std::isfinite(options.lambda), "lambda is ", options.lambda,
          "; expected more than 0, or 0 to choose it");
  require(options.cost > 0 && std::isfinite(options.cost), "cost is ", options.cost,
          "; expected more than 0");
  require(options.choose_on >= 1, "choose_on is ", options.choose_on, "; expected 1 or more");
}

Detector fit_detector(ManyFeatures features, const LabelledItems& labelled,
                      const DetectorOptions& options, const Run& run) {
  check(options);
  check_input(features, labelled);
  return Choosing(features, labelled, options, run).run();
}

}  // namespace commonplace::detect
