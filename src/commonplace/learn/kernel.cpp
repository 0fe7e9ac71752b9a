#include "commonplace/learn/kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/base/spelling.h"

namespace commonplace {
namespace {

/// By kind; rbf is the squared exponential.
constexpr std::array<std::string_view, 4> kNames = {"rbf", "nn", "linear", "cosine"};

double neural(const Kernel& kernel, double product, double x_square, double z_square) {
  const double square = kernel.length_scale * kernel.length_scale;
  const double both = 2 * (1 + product / square);
  const double alone = (1 + 2 * (1 + x_square / square)) * (1 + 2 * (1 + z_square / square));
  return 2 * kernel.variance / std::numbers::pi *
         std::asin(std::clamp(both / std::sqrt(alone), -1.0, 1.0));
}

void require_finite(const VectorD& norms) {
  for (Eigen::Index i = 0; i < norms.size(); ++i)
    require(std::isfinite(norms[i]), "item ", i + 1,
            " has a feature that is not a number or far too large; give finite features");
}

VectorD finite_norms(const FeatureRows& rows) {
  VectorD norms = squared_norms(rows);
  require_finite(norms);
  return norms;
}

/// What a row of products needs to become a row of kernel values.
class RowKernel {
 public:
  RowKernel(const Kernel& kernel, const VectorD& z_squares) : kernel_(kernel), z_(z_squares) {
    rate_ = 0.5 / (kernel.length_scale * kernel.length_scale);
    scaled_.resize(static_cast<std::size_t>(z_.size()));
    for (Eigen::Index j = 0; j < z_.size(); ++j)
      scaled_[static_cast<std::size_t>(j)] = static_cast<float>(rate_ * z_[j]);
  }

  void apply(float* row, double x_square) const {
    if (kernel_.kind == KernelKind::rbf) {
      exponentials(row, z_.size(), scaled_.data(), static_cast<float>(rate_ * x_square),
                   static_cast<float>(rate_), static_cast<float>(kernel_.variance));
      return;
    }
    for (Eigen::Index j = 0; j < z_.size(); ++j)
      row[j] = static_cast<float>(evaluate(kernel_, static_cast<double>(row[j]), x_square, z_[j]));
  }

 private:
  Kernel kernel_;
  const VectorD& z_;
  double rate_ = 0;
  std::vector<float> scaled_;
};

/// From products to kernel values.
Matrix applied(const Kernel& kernel, const VectorD& x, const VectorD& z, Matrix products,
               int jobs) {
  const RowKernel apply(kernel, z);
  parallel_for(static_cast<std::size_t>(products.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   const auto row = static_cast<Eigen::Index>(i);
                   apply.apply(products.data() + row * products.cols(), x[row]);
                 }
               });
  return products;
}

}  // namespace

// The exponential is 2^n · e^r, |r| <= ln 2 / 2, with a polynomial for e^r. Numbers are compared by
// their bits, so that it is compiled for whole vectors.
COMMONPLACE_CLONES
void exponentials(float* row, std::int64_t count, const float* z, float x, float rate,
                  float scale) {
  constexpr std::int32_t most = std::bit_cast<std::int32_t>(87.F);
  constexpr float to_whole = 12582912.F;  // 1.5 · 2^23: what is added to it is rounded
  constexpr float log2_e = 1.44269504F;
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  for (std::int64_t j = 0; j < count; ++j) {
    const auto distance = std::bit_cast<std::int32_t>(x + z[j] - 2 * rate * row[j]);
    const std::int32_t above_0 = distance & ~(distance >> 31);
    const float e = -std::bit_cast<float>(above_0 < most ? above_0 : most);
    const float shifted = e * log2_e + to_whole;
    const float whole = shifted - to_whole;
    const float r = (e - whole * ln2_high) - whole * ln2_low;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + r + 1;
    const std::int32_t power =
        std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(to_whole);
    const std::int32_t bits = std::bit_cast<std::int32_t>(p) + (power << 23);
    row[j] = scale * std::bit_cast<float>(bits & -static_cast<std::int32_t>(above_0 < most));
  }
}

KernelKind kernel_kind(std::string_view name) {
  const std::string word = current_word(std::string(name));
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == word) return static_cast<KernelKind>(i);
  fail("there is no kernel '", name, "'; expected rbf, nn, linear or cosine");
}

std::string_view to_string(KernelKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

void check(const Kernel& kernel) {
  require(kernel.length_scale > 0 && std::isfinite(kernel.length_scale), "the kernel's length is ",
          kernel.length_scale, "; expected more than 0");
  require(kernel.variance > 0 && std::isfinite(kernel.variance), "the kernel's variance is ",
          kernel.variance, "; expected more than 0");
}

double evaluate(const Kernel& kernel, double product, double x_square, double z_square) {
  const double square = kernel.length_scale * kernel.length_scale;
  switch (kernel.kind) {
    case KernelKind::rbf:
      return kernel.variance *
             std::exp(-std::max(0.0, x_square + z_square - 2 * product) / (2 * square));
    case KernelKind::nn:
      return neural(kernel, product, x_square, z_square);
    case KernelKind::linear:
      return kernel.variance * (1 + product / square);
    case KernelKind::cosine:
      break;
  }
  const double norms = std::sqrt(x_square) * std::sqrt(z_square);
  return norms > 0 ? kernel.variance * std::clamp(product / norms, -1.0, 1.0) : 0;
}

VectorD kernel_diagonal(const Kernel& kernel, const FeatureRows& rows) {
  check(kernel);
  VectorD result = finite_norms(rows);
  for (double& value : result) value = evaluate(kernel, value, value, value);
  return result;
}

Matrix kernel_matrix(const Kernel& kernel, const FeatureRows& a, const FeatureRows& b, int jobs) {
  check(kernel);
  const VectorD x = finite_norms(a);
  const VectorD z = finite_norms(b);
  return applied(kernel, x, z, products(a, b, jobs), jobs);
}

Matrix kernel_matrix(const Kernel& kernel, const FeatureRows& a, const ComparedRows& b, int jobs) {
  check(kernel);
  const VectorD x = finite_norms(a);
  require_finite(b.squared_norms());
  return applied(kernel, x, b.squared_norms(), b.products(a, jobs), jobs);
}

MatrixD kernel_gram(const Kernel& kernel, const FeatureRows& a, int jobs) {
  check(kernel);
  const VectorD squares = finite_norms(a);
  MatrixD result = exact_products(a, a, jobs);
  parallel_for(static_cast<std::size_t>(result.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t r = begin; r < end; ++r) {
                   const auto i = static_cast<Eigen::Index>(r);
                   for (Eigen::Index j = 0; j < i; ++j)
                     result(i, j) = evaluate(kernel, result(i, j), squares[i], squares[j]);
                   result(i, i) = evaluate(kernel, squares[i], squares[i], squares[i]);
                 }
               });
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  return result;
}

}  // namespace commonplace
