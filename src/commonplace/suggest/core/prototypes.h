#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/kernel.h"

namespace commonplace::suggest {

/// How the few items are found that a sparse Gaussian process stands on.
struct PrototypeOptions {
  std::string selection = "descent";  ///< descent, random, or gain
  std::int64_t count = 100;           ///< prototypes, at least one a class
  int settle = 5;                     ///< descent: passes that only draw, each class by itself
  int epochs = 10;                    ///< descent: passes over the items
  double rate = 0.3;                  ///< descent: the first step, falling to 0
  double window = 0.01;               ///< descent: skip items whose loss l has l (1 - l) below this
  double softness = 0.25;             ///< descent: how far responsibilities reach, in distances
  std::uint64_t seed = 1;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, PrototypeOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("selection", options.selection, "how prototypes are found: descent, random or gain");
  visit("prototypes", options.count, "number of prototypes");
  visit("settle", options.settle, "descent: passes that only draw, each class by itself");
  visit("epochs", options.epochs, "descent: passes over the items");
  visit("rate", options.rate, "descent: the first step, falling to 0");
  visit("window", options.window, "descent: skip items whose loss l has l (1 - l) below this");
  visit("softness", options.softness, "descent: reach of a prototype, in distances between them");
  visit("seed", options.seed, "seed of the draws");
}

struct Prototypes {
  StoredRows rows;
  std::vector<std::int32_t> labels;  ///< one a prototype
};

/// Prototypes for items of `classes` classes, by one of three ways; the draws are functions of the
/// seed alone.
///   random   items, from each class in proportion to its size and at least one
///   descent  these, moved: items are taken in random order. At first each only draws the
///   prototypes
///            of its own class towards itself, then it also pushes others away, by how responsible
///            they are for it (softly, by squared distance); then only items near a border count.
///            O(epochs · nonzeros · count), and features x count floats of memory
///   gain     items whose class tells most about the latent functions so far, one after another
///            (as in the informative vector machine, with one covariance for all classes).
///            O(items · count²), and items x count floats of memory
Prototypes select_prototypes(const FeatureRows& items, std::span<const std::int32_t> labels,
                             std::int64_t classes, const Kernel& kernel,
                             const PrototypeOptions& options, const Run& run = {});

/// The mean over the items of l_n = sum of P(m | x_n) over the prototypes m of another class, for
/// P(m | x) proportional to exp(-|x - z_m|² / 2 length²): what the descent lowers.
double prototype_loss(const FeatureRows& items, std::span<const std::int32_t> labels,
                      const FeatureRows& prototypes, std::span<const std::int32_t> prototype_labels,
                      double length_scale);
/// Its gradient by the prototypes, dense.
MatrixD prototype_gradient(const FeatureRows& items, std::span<const std::int32_t> labels,
                           const FeatureRows& prototypes,
                           std::span<const std::int32_t> prototype_labels, double length_scale);

}  // namespace commonplace::suggest
