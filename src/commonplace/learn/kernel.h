#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace {

/// How alike two items are. All depend on x·z, x·x and z·z alone, so that sparse rows cost their
/// nonzeros. l is `length_scale`, s `variance`:
///   rbf     s exp(-|x - z|² / 2 l²)
///   nn      (2 s / pi) asin(2 x̃·z̃ / sqrt((1 + 2 x̃·x̃)(1 + 2 z̃·z̃))), x̃ = (1, x / l)
///   linear  s (1 + x·z / l²)
///   cosine  s x·z / (|x| |z|), 0 where either is zero
enum class KernelKind { rbf, nn, linear, cosine };

struct Kernel {
  KernelKind kind = KernelKind::rbf;
  double length_scale = 1;
  double variance = 1;

  bool operator==(const Kernel&) const = default;
};

/// From "rbf", "nn", "linear", "cosine". Error, naming the kinds, for another name.
KernelKind kernel_kind(std::string_view name);
/// The name in models and answers.
std::string_view to_string(KernelKind kind);
/// Error if length scale or variance is not a number above 0.
void check(const Kernel& kernel);

/// k(x, z) from the three products.
double evaluate(const Kernel& kernel, double product, double x_square, double z_square);
/// k(x, x) of each row.
VectorD kernel_diagonal(const Kernel& kernel, const FeatureRows& rows);
/// k of every row of `a` with every row of `b`, n x m in float. O(nonzeros of a · m).
Matrix kernel_matrix(const Kernel& kernel, const FeatureRows& a, const FeatureRows& b,
                     int jobs = 0);
Matrix kernel_matrix(const Kernel& kernel, const FeatureRows& a, const ComparedRows& b,
                     int jobs = 0);
/// The same among the rows of `a` in double, symmetric.
MatrixD kernel_gram(const Kernel& kernel, const FeatureRows& a, int jobs = 0);

/// row[j] becomes scale · exp(-max(0, x + z[j] - 2 rate · row[j])), for every j < count: from
/// products to squared exponentials if x and z are rate times squared norms. Relative error below
/// 2e-7; 0 below e^-87.
void exponentials(float* row, std::int64_t count, const float* z, float x, float rate, float scale);

}  // namespace commonplace
