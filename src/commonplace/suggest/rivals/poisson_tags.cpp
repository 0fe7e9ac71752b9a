// Symbols, for one topic:
//   d_ij  count of word j in item i
//   p_im  probability that item i is of region m
//   s_mj  sum over items of p_im d_ij, with the prior added
//   n_m   sum over items of p_im, with the prior added
//   c_j   the group of word j
//   r_ml  the rate of a word of group l in region m
// The prior is as if each region had had `smoothing` more items with the mean counts of all items.
// It makes what is maximised
//   sum over i of ln (sum over m of share_m prod over j of Poisson(d_ij; r_m,c_j))
//   + smoothing · sum over m and j of (mean_j ln r_m,c_j - r_m,c_j),
// of which the factorials, which depend on the data alone, are left out.
#include "commonplace/suggest/rivals/poisson_tags.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/tagged_rows.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/suggest/rivals/spectral_topics.h"

namespace commonplace::suggest {
namespace {

constexpr double kMostRegions = 1e6;
/// The least rate, lest a word that no item has be impossible.
constexpr double kLeastRate = 1e-9;

void check(const PoissonTagOptions& options) {
  require(options.topics >= 1, "topics is ", options.topics, "; expected 1 or more");
  require(options.regions >= 1 &&
              static_cast<double>(options.regions) * static_cast<double>(options.topics) <=
                  kMostRegions,
          "regions is ", options.regions, "; expected 1 or more, and at most ", kMostRegions,
          " in all topics");
  require(options.groups >= 1 && options.groups <= 65536, "groups is ", options.groups,
          "; expected 1 .. 65536");
  require(options.tag_weight >= 0 && options.tag_weight <= 1, "tag_weight is ", options.tag_weight,
          "; expected 0 .. 1");
  require(options.smoothing > 0 && std::isfinite(options.smoothing), "smoothing is ",
          options.smoothing, "; expected more than 0");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
}

void check_counts(const SparseView& words) {
  for (std::int64_t item = 0; item < words.rows; ++item)
    for (const float value : words.row_values(item))
      require(value >= 0, "item ", item, " has a word with the weight ", value,
              "; a Poisson mixture expects 0 or more");
}

/// Mean count of each word over all items.
VectorD mean_counts(const SparseView& words) {
  VectorD result = VectorD::Zero(words.columns);
  for (std::int64_t item = 0; item < words.rows; ++item) {
    const auto columns = words.row_indices(item);
    const auto values = words.row_values(item);
    for (std::size_t i = 0; i < columns.size(); ++i)
      result(columns[i]) += static_cast<double>(values[i]);
  }
  return result / static_cast<double>(words.rows);
}

struct TopicItems {
  const SparseView& words;
  const std::vector<std::int64_t>& items;
};

/// The mixture of one topic.
class Mixture {
 public:
  /// `first_region` of each item.
  Mixture(const TopicItems& topic, const VectorD& means, const std::vector<std::int32_t>& first,
          std::int64_t regions, const PoissonTagOptions& options)
      : topic_(topic),
        means_(means),
        smoothing_(options.smoothing),
        groups_(options.groups),
        membership_(MatrixD::Zero(std::ssize(topic.items), regions)) {
    for (std::size_t i = 0; i < first.size(); ++i)
      membership_(static_cast<Eigen::Index>(i), first[i]) = 1;
    add_up();
    group_by_rate();
    maximise();
  }

  /// One step; returns what is maximised, before it.
  double improve() {
    const double before = expect();
    add_up();
    regroup();
    maximise();
    return before;
  }

  /// What is maximised, now.
  double expect();

  std::int64_t regions() const { return membership_.cols(); }
  double log_rate(std::int64_t region, std::int64_t word) const {
    return std::log(rate_(region, group_[static_cast<std::size_t>(word)]));
  }
  /// ln of the region's share of the topic, minus the sum of its rates.
  double constant(std::int64_t region) const {
    return std::log(share_(region)) - total_rate_(region);
  }

 private:
  void add_up();
  void group_by_rate();
  void regroup();
  void maximise();

  TopicItems topic_;
  const VectorD& means_;
  double smoothing_;
  std::int64_t groups_;
  MatrixD membership_;               ///< items x regions, p
  MatrixD sums_;                     ///< words x regions, s
  VectorD weight_;                   ///< per region, n
  MatrixD rate_;                     ///< regions x groups, r; 0 for a group without words
  VectorD total_rate_;               ///< per region, over all words
  VectorD share_;                    ///< per region, of the topic's items
  std::vector<std::int32_t> group_;  ///< per word, c
};

double Mixture::expect() {
  const MatrixD log_rates = rate_.array().max(kLeastRate).log().transpose();
  VectorD logs(regions());
  double total = 0;
  for (std::size_t i = 0; i < topic_.items.size(); ++i) {
    for (std::int64_t m = 0; m < regions(); ++m) logs(m) = constant(m);
    const auto columns = topic_.words.row_indices(topic_.items[i]);
    const auto values = topic_.words.row_values(topic_.items[i]);
    for (std::size_t w = 0; w < columns.size(); ++w)
      logs += static_cast<double>(values[w]) *
              log_rates.row(group_[static_cast<std::size_t>(columns[w])]).transpose();
    const double greatest = logs.maxCoeff();
    const double sum = (logs.array() - greatest).exp().sum();
    membership_.row(static_cast<Eigen::Index>(i)) = (logs.array() - greatest).exp() / sum;
    total += greatest + std::log(sum);
  }
  for (Eigen::Index word = 0; word < means_.size(); ++word)
    total +=
        smoothing_ * means_(word) * log_rates.row(group_[static_cast<std::size_t>(word)]).sum();
  return total - smoothing_ * total_rate_.sum();
}

void Mixture::add_up() {
  weight_ = membership_.colwise().sum().transpose();
  share_ = weight_ / static_cast<double>(topic_.items.size());
  weight_.array() += smoothing_;
  sums_ = (smoothing_ * means_).replicate(1, regions());
  for (std::size_t i = 0; i < topic_.items.size(); ++i) {
    const auto columns = topic_.words.row_indices(topic_.items[i]);
    const auto values = topic_.words.row_values(topic_.items[i]);
    for (std::size_t w = 0; w < columns.size(); ++w)
      sums_.row(columns[w]) +=
          static_cast<double>(values[w]) * membership_.row(static_cast<Eigen::Index>(i));
  }
}

/// To begin with, by their counts in the topic.
void Mixture::group_by_rate() {
  const VectorD counts = sums_.rowwise().sum();
  std::vector<std::int32_t> order(static_cast<std::size_t>(counts.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return counts(a) < counts(b); });
  group_.resize(order.size());
  // Each group is smaller than the one before by about the same ratio, as few words are frequent.
  std::size_t from = 0;
  for (std::int64_t l = 0; l < groups_ && from < order.size(); ++l) {
    const std::size_t left = order.size() - from;
    const double part = static_cast<double>(groups_ - l - 1) / static_cast<double>(groups_ - l);
    const std::size_t later =
        std::min(left - 1, l + 1 == groups_ ? 0 : static_cast<std::size_t>(std::pow(left, part)));
    for (; from < order.size() - later; ++from)
      group_[static_cast<std::size_t>(order[from])] = static_cast<std::int32_t>(l);
  }
}

/// Each word to the group that suits it best.
void Mixture::regroup() {
  const MatrixD log_rates = rate_.array().max(kLeastRate).log();
  Eigen::RowVectorXd cost = weight_.transpose() * rate_;
  for (Eigen::Index l = 0; l < cost.size(); ++l)
    if (rate_.col(l).maxCoeff() == 0) cost(l) = std::numeric_limits<double>::infinity();
  const MatrixD gain = multiply(sums_, log_rates, 1);
  for (Eigen::Index word = 0; word < gain.rows(); ++word) {
    Eigen::Index best = 0;
    (gain.row(word) - cost).maxCoeff(&best);
    group_[static_cast<std::size_t>(word)] = static_cast<std::int32_t>(best);
  }
}

void Mixture::maximise() {
  rate_ = MatrixD::Zero(regions(), groups_);
  VectorD sizes = VectorD::Zero(groups_);
  for (std::size_t word = 0; word < group_.size(); ++word) {
    rate_.col(group_[word]) += sums_.row(static_cast<Eigen::Index>(word)).transpose();
    sizes(group_[word]) += 1;
  }
  for (Eigen::Index l = 0; l < groups_; ++l)
    if (sizes(l) > 0)
      rate_.col(l) = (rate_.col(l).array() / (weight_.array() * sizes(l))).max(kLeastRate);
  total_rate_ = rate_ * sizes;
}

/// The items of each topic.
std::vector<std::vector<std::int64_t>> items_by_topic(const SpectralTopics& topics) {
  std::vector<std::vector<std::int64_t>> result(static_cast<std::size_t>(topics.count));
  for (std::size_t item = 0; item < topics.topic.size(); ++item)
    result[static_cast<std::size_t>(topics.topic[item])].push_back(static_cast<std::int64_t>(item));
  return result;
}

/// Clusters of a topic's items, to begin with.
std::vector<std::int32_t> first_regions(const SpectralTopics& topics,
                                        const std::vector<std::int64_t>& items,
                                        const PoissonTagOptions& options) {
  return cluster_rows(topics.places(items, Eigen::all), options.regions, options.seed, 1);
}

/// topics x tags, smoothed with the share of all items.
Matrix shares(const SparseView& tags, const std::vector<std::vector<std::int64_t>>& items,
              double smoothing) {
  MatrixD counts = MatrixD::Zero(std::ssize(items), tags.columns);
  for (std::size_t topic = 0; topic < items.size(); ++topic)
    for (const std::int64_t item : items[topic]) {
      const auto of_item = tags.row_indices(item);
      const auto values = tags.row_values(item);
      for (std::size_t i = 0; i < of_item.size(); ++i)
        if (values[i] > 0) counts(static_cast<Eigen::Index>(topic), of_item[i]) += 1;
    }
  const Eigen::RowVectorXd all = counts.colwise().sum() / static_cast<double>(tags.rows);
  for (std::size_t topic = 0; topic < items.size(); ++topic) {
    auto row = counts.row(static_cast<Eigen::Index>(topic));
    row = (row + smoothing * all) / (static_cast<double>(items[topic].size()) + smoothing);
  }
  return counts.cast<float>();
}

/// Puts the regions of a topic into the model, from `first` on.
void store(const Mixture& mixture, std::int32_t topic, double share, PoissonTags& model) {
  const Eigen::Index first = std::ssize(model.constant);
  for (std::int64_t m = 0; m < mixture.regions(); ++m) {
    model.topic.push_back(topic);
    model.constant.push_back(static_cast<float>(std::log(share) + mixture.constant(m)));
    for (Eigen::Index word = 0; word < model.log_rate.rows(); ++word)
      model.log_rate(word, first + m) = static_cast<float>(mixture.log_rate(m, word));
  }
}

}  // namespace

PoissonTags fit_poisson_tags(const SparseView& words, const SparseView& tags,
                             const PoissonTagOptions& options, const Run& run) {
  check(options);
  check_tagged(words, tags);
  check_counts(words);
  run.progress({"finding topics", 0, 2, "steps"});
  const SpectralTopics topics =
      spectral_topics(words, tags, options.topics, options.tag_weight, options.seed, run.jobs);
  run.progress({"finding topics", 1, 2, "steps"});
  const auto items = items_by_topic(topics);
  const VectorD means = mean_counts(words);
  std::vector<std::unique_ptr<Mixture>> mixtures(items.size());
  MatrixD gains = MatrixD::Zero(std::ssize(items), options.iterations);
  parallel_for(
      items.size(), run.jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t topic = begin; topic < end; ++topic) {
          const auto first = first_regions(topics, items[topic], options);
          mixtures[topic] =
              std::make_unique<Mixture>(TopicItems{words, items[topic]}, means, first,
                                        1 + *std::max_element(first.begin(), first.end()), options);
          for (int i = 0; i < options.iterations; ++i)
            gains(static_cast<Eigen::Index>(topic), i) = mixtures[topic]->improve();
        }
      },
      1);
  PoissonTags model;
  std::int64_t regions = 0;
  for (const auto& mixture : mixtures) regions += mixture->regions();
  model.log_rate = Matrix(words.columns, regions);
  for (std::size_t topic = 0; topic < items.size(); ++topic)
    store(*mixtures[topic], static_cast<std::int32_t>(topic),
          static_cast<double>(items[topic].size()) / static_cast<double>(words.rows), model);
  model.tag_share = shares(tags, items, options.smoothing);
  for (Eigen::Index i = 0; i < gains.cols(); ++i) model.log_posterior.push_back(gains.col(i).sum());
  run.progress({"finding topics", 2, 2, "steps"});
  return model;
}

Matrix topic_probabilities(const PoissonTags& model, const SparseView& rows, int jobs) {
  check_features(rows, model.log_rate.rows());
  check_counts(rows);
  Matrix logs = multiply(rows, model.log_rate, jobs);
  const Eigen::Map<const Eigen::RowVectorXf> constant(
      model.constant.data(), static_cast<Eigen::Index>(model.constant.size()));
  Matrix result = Matrix::Zero(rows.rows, model.tag_share.rows());
  parallel_for(static_cast<std::size_t>(rows.rows), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto item = static_cast<Eigen::Index>(begin); item < static_cast<Eigen::Index>(end);
         ++item) {
      auto row = logs.row(item);
      row += constant;
      row.array() = (row.array() - row.maxCoeff()).exp();
      for (std::size_t region = 0; region < model.topic.size(); ++region)
        result(item, model.topic[region]) += row(static_cast<Eigen::Index>(region));
      result.row(item) /= row.sum();
    }
  });
  return result;
}

Matrix score(const PoissonTags& model, const SparseView& rows, int jobs) {
  return multiply(topic_probabilities(model, rows, jobs), model.tag_share, jobs);
}

}  // namespace commonplace::suggest
