#include "commonplace/suggest/core/review_questions.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace commonplace::suggest {
namespace {

/// Before any answer: confidence as it is; of tags that were left out, about a fifth of the odds.
constexpr std::array<double, 3> kExpected = {1, 0, -1.5};
/// How many answers, about, it takes to be led by them rather than by that.
constexpr std::array<double, 3> kHold = {20, 1, 0.5};
/// Answers that are older say less: the model has learned since.
constexpr std::size_t kRemembered = 2000;
constexpr int kNewtonSteps = 12;

double log_odds(double share) {
  const double inside = std::clamp(share, 0.002, 0.998);
  return std::log(inside / (1 - inside));
}

}  // namespace

std::vector<std::size_t> useful_order(std::span<const ReviewQuestion> questions) {
  std::unordered_map<std::int64_t, int> of_tag;
  std::unordered_map<std::int64_t, int> of_item;
  const auto worth = [&](std::size_t i) {
    const ReviewQuestion& each = questions[i];
    const double uncertain = 1 - std::abs(2 * each.confidence - 1);
    return uncertain / ((1.0 + of_tag[each.tag]) * (1.0 + of_item[each.item]));
  };
  using Waiting = std::pair<double, std::size_t>;
  const auto later = [](const Waiting& a, const Waiting& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Waiting, std::vector<Waiting>, decltype(later)> waiting(later);
  for (std::size_t i = 0; i < questions.size(); ++i) waiting.emplace(worth(i), i);
  std::vector<std::size_t> order;
  while (!waiting.empty()) {
    const auto [noted, i] = waiting.top();
    waiting.pop();
    // Worth only falls, so the first whose worth is still what was noted is the best.
    if (const double now = worth(i); now < noted) {
      waiting.emplace(now, i);
      continue;
    }
    order.push_back(i);
    ++of_tag[questions[i].tag];
    ++of_item[questions[i].item];
  }
  return order;
}

AnswerCalibration::AnswerCalibration() : weights_(kExpected) {}

void AnswerCalibration::note(double confidence, bool tagged, bool yes, bool more) {
  if (answers_.size() == kRemembered) answers_.erase(answers_.begin());
  answers_.push_back({log_odds(confidence), tagged, yes});
  if (!more) fit();
}

void AnswerCalibration::fit() {
  Eigen::Vector3d weights(weights_[0], weights_[1], weights_[2]);
  const Eigen::Vector3d expected(kExpected[0], kExpected[1], kExpected[2]);
  const Eigen::Vector3d hold(kHold[0], kHold[1], kHold[2]);
  for (int step = 0; step < kNewtonSteps; ++step) {
    Eigen::Vector3d slope = -hold.cwiseProduct(weights - expected);
    Eigen::Matrix3d curvature = hold.asDiagonal();
    for (const Answer& each : answers_) {
      const Eigen::Vector3d x(each.evidence, each.tagged ? 0 : 1, each.tagged ? 1 : 0);
      const double probability = 1 / (1 + std::exp(-weights.dot(x)));
      slope += ((each.yes ? 1 : 0) - probability) * x;
      curvature += probability * (1 - probability) * x * x.transpose();
    }
    const Eigen::Vector3d change = curvature.ldlt().solve(slope);
    weights += change;
    if (change.norm() < 1e-6) break;
  }
  weights(0) = std::max(weights(0), 0.05);  // what is surer stays surer
  weights_ = {weights(0), weights(1), weights(2)};
}

double AnswerCalibration::operator()(double confidence, bool tagged) const {
  const double score = weights_[0] * log_odds(confidence) + weights_[tagged ? 2 : 1];
  return std::clamp(1 / (1 + std::exp(-score)), 0.01, 0.99);
}

}  // namespace commonplace::suggest
