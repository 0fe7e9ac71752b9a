#include "commonplace/suggest/core/class_probabilities.h"

#include <cmath>
#include <numbers>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"

namespace commonplace::suggest {
namespace {

void check(const Latents& latents) {
  const Eigen::Index classes = latents.mean.cols();
  require(classes >= 1 && latents.variance.rows() == latents.mean.rows() &&
              latents.variance.cols() == classes,
          "means of ", latents.mean.rows(), " x ", classes, " do not fit variances of ",
          latents.variance.rows(), " x ", latents.variance.cols());
  require(latents.covariance.size() == 0 || (latents.covariance.rows() == latents.mean.rows() &&
                                             latents.covariance.cols() == classes * classes),
          "covariances of ", latents.covariance.rows(), " x ", latents.covariance.cols(),
          " do not fit ", classes, " classes");
}

void softmax(VectorD& values) {
  values = (values.array() - values.maxCoeff()).exp();
  values /= values.sum();
}

/// The softmax of the means, each times shrink(its variance).
template <class Shrink>
Matrix softmax_rows(const Latents& latents, const Shrink& shrink) {
  Matrix result(latents.mean.rows(), latents.mean.cols());
  for (Eigen::Index item = 0; item < result.rows(); ++item) {
    VectorD values = latents.mean.row(item).transpose().cast<double>();
    for (Eigen::Index c = 0; c < values.size(); ++c) values[c] *= shrink(latents.variance(item, c));
    softmax(values);
    result.row(item) = values.transpose().cast<float>();
  }
  return result;
}

/// Standard normal numbers, draws x classes (Box and Muller).
MatrixD normal_draws(int draws, Eigen::Index classes, std::uint64_t seed) {
  MatrixD result(draws, classes);
  for (Eigen::Index i = 0; i < draws; ++i)
    for (Eigen::Index c = 0; c < classes; ++c) {
      const auto row = static_cast<std::uint64_t>(i);
      const auto column = static_cast<std::uint64_t>(2 * c);
      const double radius = std::sqrt(-2 * std::log(1 - random_uniform(seed, row, column)));
      result(i, c) =
          radius * std::cos(2 * std::numbers::pi * random_uniform(seed, row, column + 1));
    }
  return result;
}

/// A matrix whose product with its transpose is the covariance, of which rounding may have made a
/// variance a little negative.
MatrixD root_of(const Latents& latents, Eigen::Index item) {
  const Eigen::Index classes = latents.mean.cols();
  MatrixD root = MatrixD::Zero(classes, classes);
  if (latents.covariance.size() == 0) {
    for (Eigen::Index c = 0; c < classes; ++c)
      root(c, c) = std::sqrt(std::max(0.0, static_cast<double>(latents.variance(item, c))));
    return root;
  }
  for (Eigen::Index i = 0; i < classes; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const double rest = static_cast<double>(latents.covariance(item, i * classes + j)) -
                          root.row(i).head(j).dot(root.row(j).head(j));
      if (i == j)
        root(i, i) = std::sqrt(std::max(0.0, rest));
      else
        root(i, j) = root(j, j) > 0 ? rest / root(j, j) : 0;
    }
  return root;
}

}  // namespace

Matrix mode_probabilities(const Latents& latents) {
  check(latents);
  return softmax_rows(latents, [](float) { return 1.0; });
}

Matrix fast_probabilities(const Latents& latents) {
  check(latents);
  return softmax_rows(latents, [](float variance) {
    return 1 / std::sqrt(1 + std::numbers::pi / 8 * std::max(0.0, static_cast<double>(variance)));
  });
}

Matrix sampled_probabilities(const Latents& latents, int draws, std::uint64_t seed, int jobs) {
  check(latents);
  require(draws >= 1, "draws is ", draws, "; expected 1 or more");
  const MatrixD normal = normal_draws(draws, latents.mean.cols(), seed);
  Matrix result(latents.mean.rows(), latents.mean.cols());
  parallel_for(static_cast<std::size_t>(result.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   const auto item = static_cast<Eigen::Index>(i);
                   const MatrixD root = root_of(latents, item);
                   const VectorD mean = latents.mean.row(item).transpose().cast<double>();
                   VectorD sum = VectorD::Zero(mean.size());
                   for (Eigen::Index draw = 0; draw < draws; ++draw) {
                     VectorD values = mean + root * normal.row(draw).transpose();
                     softmax(values);
                     sum += values;
                   }
                   result.row(item) = (sum / draws).transpose().cast<float>();
                 }
               });
  return result;
}

}  // namespace commonplace::suggest
