#include "commonplace/suggest/core/audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/split.h"
#include "commonplace/learn/small_regression.h"

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kBlock = 512;
constexpr double kRidge = 1e-2;
constexpr std::size_t kFacts = 5;
/// Tags that few items have are judged by those of all tags, as if so many more items had it.
constexpr double kBorrowed = 5;

using Facts = std::array<double, kFacts>;

double logit(double share) {
  const double inside = std::clamp(share, 1e-4, 1 - 1e-4);
  return std::log(inside / (1 - inside));
}

/// How often items have two tags together.
class Company {
 public:
  explicit Company(const SparseView& targets) : targets_(targets), uses_(columns(), 0) {
    for (std::int64_t item = 0; item < targets.rows; ++item) {
      const std::vector<std::int32_t> tags = given(item);
      for (const std::int32_t tag : tags) ++uses_[static_cast<std::size_t>(tag)];
      for (std::size_t i = 0; i < tags.size(); ++i)
        for (std::size_t j = i + 1; j < tags.size(); ++j) ++together_[key(tags[i], tags[j])];
    }
  }

  std::vector<std::int32_t> given(std::int64_t item) const {
    std::vector<std::int32_t> tags;
    const auto all = targets_.row_indices(item);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (targets_.row_values(item)[i] > 0) tags.push_back(all[i]);
    return tags;
  }

  /// Mean, over some tags of an item, of how much oftener than by chance they go with `tag`; the
  /// item itself is left out where it has both.
  double of(std::int32_t tag, const std::vector<std::int32_t>& others, bool has) const {
    const auto items = static_cast<double>(targets_.rows);
    double sum = 0;
    double count = 0;
    for (const std::int32_t other : others) {
      if (other == tag) continue;
      const auto found = together_.find(key(std::min(tag, other), std::max(tag, other)));
      const double both =
          (found == together_.end() ? 0.0 : static_cast<double>(found->second)) - (has ? 1 : 0);
      const double expected =
          static_cast<double>(uses(tag)) * static_cast<double>(uses(other)) / std::max(items, 1.0);
      sum += std::log((both + 0.5) / (expected + 0.5));
      ++count;
    }
    return count > 0 ? sum / std::sqrt(count) : 0;
  }

  std::int64_t uses(std::int32_t tag) const { return uses_[static_cast<std::size_t>(tag)]; }
  std::size_t columns() const { return static_cast<std::size_t>(targets_.columns); }

 private:
  static std::uint64_t key(std::int32_t low, std::int32_t high) {
    return static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint32_t>(high);
  }

  SparseView targets_;
  std::vector<std::int64_t> uses_;
  std::unordered_map<std::uint64_t, std::int64_t> together_;
};

/// Facts as inputs of a regression: a constant, then each about its mean and of deviation one.
class Inputs {
 public:
  explicit Inputs(const std::vector<Facts>& facts) {
    const auto count = static_cast<double>(facts.size());
    for (std::size_t i = 0; i < kFacts; ++i) {
      double sum = 0;
      double squares = 0;
      for (const Facts& each : facts) sum += each[i];
      mean_[i] = count > 0 ? sum / count : 0;
      for (const Facts& each : facts) squares += (each[i] - mean_[i]) * (each[i] - mean_[i]);
      scale_[i] = count > 0 && squares > 0 ? std::sqrt(squares / count) : 1;
    }
  }

  VectorD of(const Facts& facts) const {
    VectorD x(static_cast<Eigen::Index>(kFacts) + 1);
    x(0) = 1;
    for (std::size_t i = 0; i < kFacts; ++i)
      x(static_cast<Eigen::Index>(i) + 1) = (facts[i] - mean_[i]) / scale_[i];
    return x;
  }
  MatrixD of(const std::vector<Facts>& facts) const {
    MatrixD x(std::ssize(facts), static_cast<Eigen::Index>(kFacts) + 1);
    for (std::size_t i = 0; i < facts.size(); ++i)
      x.row(static_cast<Eigen::Index>(i)) = of(facts[i]);
    return x;
  }

 private:
  std::array<double, kFacts> mean_{};
  std::array<double, kFacts> scale_{};
};

class Judging {
 public:
  Judging(const SuggesterData& data, const AuditOptions& options)
      : data_(data),
        options_(options),
        company_(data.targets),
        sum_given_(company_.columns(), 0),
        sum_else_(company_.columns(), 0),
        else_(company_.columns(), 0) {
    for (std::int64_t item = 0; item < data.targets.rows; ++item)
      for (const std::int32_t tag : company_.given(item)) by_use_.push_back(tag);
  }

  void judge(const Suggester& suggester, std::span<const std::int64_t> items, const Run& run) {
    for (std::size_t begin = 0; begin < items.size(); begin += kBlock) {
      const auto part = items.subspan(begin, std::min<std::size_t>(kBlock, items.size() - begin));
      const StoredRows rows = take_rows(data_.features, {part.begin(), part.end()});
      const StoredRows prepared = prepare(suggester, rows.view(), run.jobs);
      const Matrix scores = score(suggester, prepared.view(), {}, run.jobs);
      for (std::size_t i = 0; i < part.size(); ++i)
        judge_item(suggester, part[i],
                   {scores.row(static_cast<Eigen::Index>(i)).data(),
                    static_cast<std::size_t>(scores.cols())});
    }
  }

  Judgement finish() {
    Judgement result;
    const auto by_item = [](const JudgedTag& a, const JudgedTag& b) {
      return a.item != b.item ? a.item < b.item : a.tag < b.tag;
    };
    for (auto* list : {&given_, &missing_, &drawn_}) std::sort(list->begin(), list->end(), by_item);
    for (std::size_t tag = 0; tag < company_.columns(); ++tag) {
      const auto uses = static_cast<double>(company_.uses(static_cast<std::int32_t>(tag)));
      result.usual.push_back(uses > 0 ? sum_given_[tag] / uses : 0);
      result.elsewhere.push_back(else_[tag] > 0 ? sum_else_[tag] / else_[tag] : 0);
    }
    measure_usual();
    doubt();
    for (JudgedTag& each : missing_) each.doubt = each.confidence;
    result.given = std::move(given_);
    result.missing = std::move(missing_);
    return result;
  }

 private:
  void judge_item(const Suggester& suggester, std::int64_t item, std::span<const float> scores) {
    const std::vector<std::int32_t> given = company_.given(item);
    std::set<std::int32_t> said;  // given or rejected
    for (const std::int32_t tag : data_.targets.row_indices(item)) said.insert(tag);
    const std::vector<std::int32_t> order = best_tags(scores, std::ssize(scores));
    std::vector<std::int64_t> rank(scores.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      rank[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    const auto judged = [&](std::int32_t tag, bool has, const std::vector<std::int32_t>& others) {
      const auto place = static_cast<std::size_t>(tag);
      const double sure = confidence(suggester.confidence, static_cast<double>(scores[place]));
      return JudgedTag{item, tag, has, sure, rank[place], company_.of(tag, others, has), 0};
    };
    for (const std::int32_t tag : given) given_.push_back(judged(tag, true, given));
    std::int64_t left = options_.candidates;
    for (const std::int32_t tag : order) {
      if (left == 0) break;
      if (said.contains(tag)) continue;
      missing_.push_back(judged(tag, false, given));
      --left;
    }
    for (std::size_t tag = 0; tag < scores.size(); ++tag)
      if (!said.contains(static_cast<std::int32_t>(tag))) {
        sum_else_[tag] += confidence(suggester.confidence, static_cast<double>(scores[tag]));
        ++else_[tag];
      }
    // As many tags drawn at random, each in the place of one: by use, and any, in turn.
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double draw =
          random_uniform(options_.seed, static_cast<std::uint64_t>(item), 0x6175646974ULL + i);
      const std::int32_t tag =
          i % 2 == static_cast<std::size_t>(item % 2)
              ? by_use_[static_cast<std::size_t>(draw * static_cast<double>(by_use_.size()))]
              : static_cast<std::int32_t>(draw * static_cast<double>(scores.size()));
      if (said.contains(tag)) continue;
      std::vector<std::int32_t> others = given;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      drawn_.push_back(judged(tag, false, others));
    }
    for (const std::int32_t tag : given) {
      const auto place = static_cast<std::size_t>(tag);
      sum_given_[place] += confidence(suggester.confidence, static_cast<double>(scores[place]));
    }
  }

  /// Finds how sure one is of each tag where it is given, on the scale of the regression.
  void measure_usual() {
    usual_.assign(company_.columns(), 0);
    double all = 0;
    for (const JudgedTag& each : given_) {
      usual_[static_cast<std::size_t>(each.tag)] += logit(each.confidence);
      all += logit(each.confidence);
    }
    mean_ = given_.empty() ? 0 : all / static_cast<double>(given_.size());
  }

  Facts facts_of(const JudgedTag& each) const {
    const double sure = logit(each.confidence);
    double uses = static_cast<double>(company_.uses(each.tag));
    double sum = usual_[static_cast<std::size_t>(each.tag)];
    if (each.given) {  // what is said of this one is in question
      sum -= sure;
      uses -= 1;
    }
    const double usual = (sum + kBorrowed * mean_) / (uses + kBorrowed);
    return {sure, std::log1p(static_cast<double>(each.rank)), sure - usual, each.company,
            std::log1p(std::max(uses, 0.0))};
  }

  /// Learns what sets tags that were given apart from others, and doubts by it.
  void doubt() {
    std::vector<Facts> facts;
    for (const auto* list : {&given_, &drawn_})
      for (const JudgedTag& each : *list) facts.push_back(facts_of(each));
    VectorD is_given = VectorD::Zero(std::ssize(facts));
    is_given.head(std::ssize(given_)).setOnes();
    const Inputs inputs(facts);
    const VectorD weights = fit_logistic(inputs.of(facts), is_given, kRidge);
    for (std::size_t i = 0; i < given_.size(); ++i)
      given_[i].doubt = 1 - logistic(weights.dot(inputs.of(facts[i])));
  }

  const SuggesterData& data_;
  const AuditOptions& options_;
  Company company_;
  std::vector<std::int32_t> by_use_;  ///< every tag as often as it is given
  std::vector<JudgedTag> given_;
  std::vector<JudgedTag> missing_;
  std::vector<JudgedTag> drawn_;
  std::vector<double> sum_given_;
  std::vector<double> sum_else_;
  std::vector<double> else_;
  std::vector<double> usual_;
  double mean_ = 0;
};

Sparse targets_of_rows(const SparseView& targets, std::span<const std::int64_t> rows) {
  Sparse result;
  result.columns = targets.columns;
  for (const std::int64_t row : rows) result.push_row(targets, row);
  return result;
}

}  // namespace

Judgement judge_tags(const SuggesterData& data, const SuggesterOptions& how,
                     const AuditOptions& options, const Run& run) {
  require(options.folds >= 2 && options.folds <= 100, "the number of folds is ", options.folds,
          "; expected 2 to 100");
  require(options.candidates >= 1, "the number of candidates is ", options.candidates,
          "; expected 1 or more");
  const std::int64_t items = data.targets.rows;
  require(items >= 2 * options.folds, "there are ", items, " tagged items, too few for ",
          options.folds, " folds");
  Judging judging(data, options);
  for (int fold = 0; fold < static_cast<int>(options.folds); ++fold) {
    const Split split = split_fold(options.seed, items, static_cast<int>(options.folds), fold);
    const StoredRows rows = take_rows(data.features, split.train);
    const Sparse targets = targets_of_rows(data.targets, split.train);
    std::vector<std::string> times;
    if (!data.times.empty())
      for (const std::int64_t row : split.train)
        times.push_back(data.times[static_cast<std::size_t>(row)]);
    run.progress({"judging by the others", static_cast<std::uint64_t>(fold),
                  static_cast<std::uint64_t>(options.folds), "parts"});
    const LearnedSuggester learned =
        learn_suggester({rows.view(), data.blocks, targets.view(), std::move(times)}, how, run);
    judging.judge(learned.suggester, split.test, run);
  }
  return judging.finish();
}

}  // namespace commonplace::suggest
