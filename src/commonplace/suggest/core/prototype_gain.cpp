#include "commonplace/suggest/core/prototype_gain.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/simd.h"
#include "commonplace/suggest/core/probit_site.h"

// v   posterior variance of the latents at each item, the same for every class
// h   posterior means, items x classes
// S   covariance of an item with all others, from the rows of F: K - Fᵀ F
// nu  the mean of the classes' site curvatures at an item

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kCandidates = 500;
constexpr std::size_t kChunk = 1024;

COMMONPLACE_CLONES
void subtract_multiple(float scale, const float* from, float* into, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) into[j] -= scale * from[j];
}

class Posterior {
 public:
  Posterior(const FeatureRows& items, std::span<const std::int32_t> labels, std::int64_t classes,
            const Kernel& kernel, std::int64_t count, int jobs)
      : items_(items),
        labels_(labels),
        classes_(classes),
        kernel_(kernel),
        jobs_(jobs),
        v_(kernel_diagonal(kernel, items)),
        h_(Matrix::Zero(items.rows(), classes)),
        f_(count, items.rows()) {}

  /// How much the entropy falls when the item's class is observed.
  double gain(std::int64_t item) const {
    const double share = std::min(curvature(item) * v_[item], 1 - 1e-9);
    return -0.5 * std::log1p(-share);
  }

  /// Observes the item's class, and says what that amounts to in row `into`.
  void include(std::int64_t item, InformativeItems& chosen, Eigen::Index into) {
    const double nu = std::max(curvature(item), 1e-12);
    chosen.precisions[into] = nu / std::max(1 - nu * v_[item], 1e-9);
    std::vector<double> slopes;
    for (std::int64_t c = 0; c < classes_; ++c) {
      slopes.push_back(site(item, c).slope);
      chosen.means(into, c) = static_cast<double>(h_(item, c)) + slopes.back() / nu;
    }
    const Matrix k = kernel_matrix(kernel_, slice(items_, item, 1), items_, jobs_);
    const Eigen::Index row = included_++;
    const auto root = static_cast<float>(std::sqrt(nu));
    const Eigen::VectorXf before = f_.col(item).head(row);
    parallel_for(
        static_cast<std::size_t>(items_.rows()), jobs_,
        [&](std::size_t begin, std::size_t end) {
          const auto first = static_cast<Eigen::Index>(begin);
          const auto count = static_cast<Eigen::Index>(end - begin);
          float* s = f_.data() + row * f_.cols() + first;
          std::copy_n(k.data() + first, count, s);
          for (Eigen::Index j = 0; j < row; ++j)
            subtract_multiple(before[j], f_.data() + j * f_.cols() + first, s, count);
          for (Eigen::Index n = 0; n < count; ++n) {
            for (std::int64_t c = 0; c < classes_; ++c)
              h_(first + n, c) += static_cast<float>(slopes[static_cast<std::size_t>(c)]) * s[n];
            s[n] *= root;
            const auto moved = static_cast<double>(s[n]);
            v_[first + n] = std::max(0.0, v_[first + n] - moved * moved);
          }
        },
        kChunk);
  }

 private:
  ProbitSite site(std::int64_t item, std::int64_t c) const {
    return probit_site(static_cast<double>(h_(item, c)), v_[item],
                       labels_[static_cast<std::size_t>(item)] == c ? 1 : -1);
  }
  double curvature(std::int64_t item) const {
    double sum = 0;
    for (std::int64_t c = 0; c < classes_; ++c) sum += site(item, c).curvature;
    return sum / static_cast<double>(classes_);
  }

  const FeatureRows& items_;
  std::span<const std::int32_t> labels_;
  std::int64_t classes_;
  const Kernel& kernel_;
  int jobs_;
  VectorD v_;
  Matrix h_;
  Matrix f_;
  Eigen::Index included_ = 0;
};

}  // namespace

InformativeItems choose_informative(const FeatureRows& items, std::span<const std::int32_t> labels,
                                    std::int64_t classes, const Kernel& kernel, std::int64_t count,
                                    std::uint64_t seed, const Run& run) {
  require(items.rows() == std::ssize(labels) && count >= 1 && count <= items.rows(), count, " of ",
          items.rows(), " items with ", labels.size(), " labels cannot be chosen");
  Posterior posterior(items, labels, classes, kernel, count, run.jobs);
  std::vector<std::int64_t> left(static_cast<std::size_t>(items.rows()));
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::int64_t>(i);
  InformativeItems result{{}, MatrixD(count, classes), VectorD(count)};
  Rng rng(seed, 0x6761696eULL);
  for (std::int64_t step = 0; step < count; ++step) {
    run.progress({"choosing prototypes", static_cast<std::uint64_t>(step),
                  static_cast<std::uint64_t>(count), "items"});
    const auto looked_at = static_cast<std::size_t>(std::min(kCandidates, std::ssize(left)));
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < looked_at; ++i) {
      std::swap(left[i], left[i + rng.below(left.size() - i)]);
      const double gain = posterior.gain(left[i]);
      if (gain > most) {
        best = i;
        most = gain;
      }
    }
    posterior.include(left[best], result, step);
    result.items.push_back(left[best]);
    left[best] = left.back();
    left.pop_back();
  }
  return result;
}

}  // namespace commonplace::suggest
