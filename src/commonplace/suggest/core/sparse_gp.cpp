// A   whitened items           items x M
// Y   targets                  items x tags
// G   AᵀA + σ² I               M x M
// V   posterior means          M x tags, G⁻¹ AᵀY
#include "commonplace/suggest/core/sparse_gp.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kGramBlock = 2048;

Eigen::Map<const Eigen::VectorXf> as_vector(std::span<const float> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

void check_size(const SparseGp& gp, std::span<const float> whitened) {
  require(static_cast<Eigen::Index>(whitened.size()) == gp.inverse.rows(), "an item of ",
          whitened.size(), " coordinates does not fit ", gp.inverse.rows(), " prototypes");
}

void check_tags(const SparseGp& gp, std::span<const std::pair<std::int32_t, float>> changes) {
  for (const auto& [tag, value] : changes)
    require(tag >= 0 && tag < gp.tags(), "there is no tag ", tag, " among ", gp.tags());
}

/// Adds an item to the inverse by Sherman and Morrison: with k = G⁻¹ a, (G + a aᵀ)⁻¹ is
/// G⁻¹ - k kᵀ / (1 + aᵀ k). Returns k / (1 + aᵀ k): V moves by this times (y - Vᵀ a)ᵀ.
Eigen::VectorXf add_to_inverse(SparseGp& gp, std::span<const float> whitened) {
  const VectorD a = as_vector(whitened).cast<double>();
  const VectorD k = gp.inverse * a;
  const VectorD gain = k / (1 + a.dot(k));
  gp.inverse.noalias() -= gain * k.transpose();
  return gain.cast<float>();
}

}  // namespace

float say_of_each(std::int64_t tags) {
  return static_cast<float>(std::pow(static_cast<double>(std::max<std::int64_t>(tags, 1)), -0.25));
}

Sparse share_say(const SparseView& targets) {
  Sparse result = copy(targets);
  for (std::int64_t row = 0; row < targets.rows; ++row) {
    const auto values = targets.row_values(row);
    const float say =
        say_of_each(std::count_if(values.begin(), values.end(), [](float v) { return v > 0; }));
    for (auto i = static_cast<std::size_t>(targets.starts[static_cast<std::size_t>(row)]);
         i < static_cast<std::size_t>(targets.starts[static_cast<std::size_t>(row) + 1]); ++i)
      if (targets.values[i] > 0) result.values[i] = say;
  }
  return result;
}

SparseGpStatistics gather_statistics(const SparseGpBasis& basis, const FeatureRows& items,
                                     const SparseView& targets, const Run& run) {
  require(targets.rows == items.rows(), "targets of ", targets.rows, " items do not fit ",
          items.rows(), " rows of features");
  SparseGpStatistics result;
  result.gram = MatrixD::Zero(basis.size(), basis.size());
  // Added up as tags x M: a tag's row is contiguous, and an item touches few of them.
  MatrixD by_tag = MatrixD::Zero(targets.columns, basis.size());
  for (std::int64_t begin = 0; begin < items.rows(); begin += kGramBlock) {
    run.progress({"learning tags", static_cast<std::uint64_t>(begin),
                  static_cast<std::uint64_t>(items.rows()), "items"});
    const std::int64_t count = std::min(kGramBlock, items.rows() - begin);
    const Matrix whitened = whiten(basis, slice(items, begin, count), run.jobs);
    add_gram(whitened, result.gram, run.jobs);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto tags = targets.row_indices(begin + i);
      const auto values = targets.row_values(begin + i);
      for (std::size_t k = 0; k < tags.size(); ++k)
        by_tag.row(tags[k]) += static_cast<double>(values[k]) * whitened.row(i).cast<double>();
    }
  }
  run.comm.sum(result.gram);
  run.comm.sum(by_tag);
  result.targets = by_tag.transpose();
  return result;
}

SparseGp solve_sparse_gp(const SparseGpStatistics& statistics, double noise_variance, int jobs) {
  require(noise_variance > 0 && std::isfinite(noise_variance), "the ridge is ", noise_variance,
          "; expected more than 0");
  MatrixD factor = statistics.gram;
  factor.diagonal().array() += noise_variance;
  require(factorise(factor, jobs), "the tags' latents cannot be solved with a ridge of ",
          noise_variance, "; give a greater one");
  const MatrixD lower = inverse_of_lower(factor, jobs);
  SparseGp result;
  result.noise_variance = noise_variance;
  result.inverse = multiply(MatrixD(lower.transpose()), lower, jobs);
  result.weights = multiply(result.inverse, statistics.targets, jobs).cast<float>();
  return result;
}

void learn_item(SparseGp& gp, std::span<const float> whitened,
                std::span<const std::pair<std::int32_t, float>> targets) {
  check_size(gp, whitened);
  check_tags(gp, targets);
  const auto a = as_vector(whitened);
  const Eigen::VectorXf gain = add_to_inverse(gp, whitened);
  Eigen::RowVectorXf surprise = -(a.transpose() * gp.weights);
  for (const auto& [tag, value] : targets) surprise(tag) += value;
  gp.weights.noalias() += gain * surprise;
}

void learn_targets(SparseGp& gp, std::span<const float> whitened,
                   std::span<const std::pair<std::int32_t, float>> targets) {
  check_size(gp, whitened);
  check_tags(gp, targets);
  // As learn_item with the targets that are not known at what is expected of them.
  const auto a = as_vector(whitened);
  const Eigen::VectorXf gain = add_to_inverse(gp, whitened);
  for (const auto& [tag, value] : targets)
    gp.weights.col(tag) += (value - a.dot(gp.weights.col(tag))) * gain;
}

void change_targets(SparseGp& gp, std::span<const float> whitened,
                    std::span<const std::pair<std::int32_t, float>> differences) {
  check_size(gp, whitened);
  check_tags(gp, differences);
  const Eigen::VectorXf k = (gp.inverse * as_vector(whitened).cast<double>()).cast<float>();
  for (const auto& [tag, difference] : differences) gp.weights.col(tag) += difference * k;
}

void add_tags(SparseGp& gp, std::int64_t count) {
  require(count >= 0, "cannot add ", count, " tags; give 0 or more");
  const Eigen::Index before = gp.weights.cols();
  gp.weights.conservativeResize(Eigen::NoChange, before + count);
  gp.weights.rightCols(count).setZero();
}

template <class Gp, class Visit>
requires std::is_same_v<std::remove_const_t<Gp>, SparseGp>
static void visit_tensors(Gp& gp, std::int64_t size, Visit&& visit) {
  visit("latents.inverse", gp.inverse, TensorShape{size, size});
  visit("latents.weights", gp.weights, TensorShape{size, -1});
  visit("latents.ridge", gp.noise_variance);
}

void add_sparse_gp(TensorWriter& writer, const SparseGp& gp) {
  visit_tensors(gp, -1, TensorSaver{writer});
}

SparseGp read_sparse_gp(const TensorFile& file, std::int64_t size) {
  SparseGp result;
  visit_tensors(result, size, TensorLoader{file});
  require(result.noise_variance > 0, file.name(), ": the noise variance is ", result.noise_variance,
          "; the file is damaged");
  return result;
}

}  // namespace commonplace::suggest
