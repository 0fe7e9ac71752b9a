#include "commonplace/suggest/core/prototype_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/simd.h"

// x  an item                   z_m  a prototype, held as scale_m · column m of the table
// P  responsibilities          l    the item's loss: what prototypes of other classes answer for
// c  how far z_m goes towards x: rate · P_m · (l - [another class]), negative for away

namespace commonplace::suggest {
namespace {

/// A gigabyte of floats.
constexpr std::int64_t kMostNumbers = 250'000'000;
/// A prototype stays where it is rather than make a step so small.
constexpr float kSmallestStep = 1e-6F;
constexpr double kSettleRate = 0.3;
constexpr float kSmallestScale = 1e-2F;
constexpr float kLargestScale = 1e2F;
/// Further than anything that answers for an item.
constexpr float kFar = 1e30F;

COMMONPLACE_CLONES
void add_multiple(float scale, const float* from, float* into, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) into[j] += scale * from[j];
}

/// The entries of a row that may not be zero.
struct Row {
  std::span<const std::int32_t> columns;  ///< empty: all, in order
  std::span<const float> values;

  std::int64_t column(std::size_t i) const {
    return columns.empty() ? static_cast<std::int64_t>(i) : columns[i];
  }
};

Row row_of(const FeatureRows& rows, std::int64_t row) {
  if (rows.is_sparse()) return {rows.sparse().row_indices(row), rows.sparse().row_values(row)};
  const MatrixView& dense = rows.dense();
  return {{}, {dense.data() + row * dense.cols(), static_cast<std::size_t>(dense.cols())}};
}

/// Prototypes by feature, so that an item meets all of them at once.
class Movable {
 public:
  explicit Movable(const FeatureRows& rows)
      : count_(rows.rows()), table_(Matrix::Zero(rows.columns(), rows.rows())) {
    require(rows.rows() * rows.columns() <= kMostNumbers, rows.rows(), " prototypes of ",
            rows.columns(), " features are too many to move; give fewer, or selection random");
    scale_.assign(static_cast<std::size_t>(count_), 1);
    for (std::int64_t m = 0; m < count_; ++m) {
      const Row row = row_of(rows, m);
      for (std::size_t i = 0; i < row.values.size(); ++i) table_(row.column(i), m) = row.values[i];
    }
    refresh_squares();
  }

  std::int64_t count() const { return count_; }
  const std::vector<float>& squares() const { return squares_; }

  /// x · z_m for every m.
  void products(const Row& x, std::vector<float>& into) const {
    into.assign(static_cast<std::size_t>(count_), 0);
    for (std::size_t i = 0; i < x.values.size(); ++i)
      if (x.values[i] != 0)
        add_multiple(x.values[i], table_.data() + x.column(i) * count_, into.data(), count_);
    for (std::size_t m = 0; m < into.size(); ++m) into[m] *= scale_[m];
  }

  /// z_m += steps[m] (x - z_m) for every m; `with` are the products with x, `square` is |x|².
  void move(const Row& x, const std::vector<float>& steps, const std::vector<float>& with,
            float square) {
    moves_.assign(steps.size(), 0);
    for (std::size_t m = 0; m < steps.size(); ++m) {
      if (steps[m] == 0) continue;
      const float keep = 1 - steps[m];
      squares_[m] = std::max(0.F, keep * keep * squares_[m] + 2 * keep * steps[m] * with[m] +
                                      steps[m] * steps[m] * square);
      scale_[m] *= keep;
      if (scale_[m] < kSmallestScale || scale_[m] > kLargestScale) fold(m);
      moves_[m] = steps[m] / scale_[m];
    }
    for (std::size_t i = 0; i < x.values.size(); ++i)
      if (x.values[i] != 0)
        add_multiple(x.values[i], moves_.data(), table_.data() + x.column(i) * count_, count_);
  }

  /// Squared norms anew, since rounding adds up in those kept along.
  void refresh_squares() {
    squares_.assign(static_cast<std::size_t>(count_), 0);
    VectorD sums = VectorD::Zero(count_);
    for (Eigen::Index f = 0; f < table_.rows(); ++f)
      sums += table_.row(f).cast<double>().cwiseAbs2().transpose();
    for (std::int64_t m = 0; m < count_; ++m) {
      const auto scale = static_cast<double>(scale_[static_cast<std::size_t>(m)]);
      squares_[static_cast<std::size_t>(m)] = static_cast<float>(sums[m] * scale * scale);
    }
  }

  StoredRows rows(bool sparse) const {
    StoredRows result;
    result.is_sparse = sparse;
    Matrix dense = table_.transpose();
    for (Eigen::Index m = 0; m < count_; ++m) dense.row(m) *= scale_[static_cast<std::size_t>(m)];
    if (!sparse) {
      result.dense = std::move(dense);
      return result;
    }
    result.sparse.columns = dense.cols();
    for (Eigen::Index m = 0; m < count_; ++m) {
      for (Eigen::Index f = 0; f < dense.cols(); ++f)
        if (dense(m, f) != 0) result.sparse.push(static_cast<std::int32_t>(f), dense(m, f));
      result.sparse.end_row();
    }
    return result;
  }

 private:
  void fold(std::size_t m) {
    table_.col(static_cast<Eigen::Index>(m)) *= scale_[m];
    scale_[m] = 1;
  }

  std::int64_t count_;
  Matrix table_;              ///< features x prototypes
  std::vector<float> scale_;  ///< z_m is scale_m · column m
  std::vector<float> squares_;
  std::vector<float> moves_;
};

/// The mean distance from an item to the nearest prototype other than itself, over some items.
double typical_distance(const FeatureRows& items, const Movable& prototypes,
                        const VectorD& squares) {
  constexpr std::int64_t most = 1000;
  const std::int64_t stride = std::max<std::int64_t>(1, items.rows() / most);
  std::vector<float> with;
  double sum = 0;
  std::int64_t counted = 0;
  for (std::int64_t n = 0; n < items.rows(); n += stride) {
    prototypes.products(row_of(items, n), with);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < with.size(); ++m) {
      const double square = squares[n] + static_cast<double>(prototypes.squares()[m]) -
                            2 * static_cast<double>(with[m]);
      if (square > 1e-6 * (1 + squares[n])) least = std::min(least, square);
    }
    if (!std::isfinite(least)) continue;
    sum += std::sqrt(least);
    ++counted;
  }
  return counted == 0 || sum == 0 ? 1 : sum / static_cast<double>(counted);
}

std::vector<std::int64_t> shuffled(std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(seed, stream);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

/// Everything that one item's step needs.
class Descent {
 public:
  Descent(const FeatureRows& items, std::span<const std::int32_t> labels,
          const PrototypeOptions& options, const Prototypes& start)
      : items_(items),
        labels_(labels),
        options_(options),
        of_(start.labels),
        prototypes_(start.rows.view()),
        squares_(squared_norms(items)) {
    measure();
  }

  /// Fits the reach of prototypes to the distance at which they now lie.
  void measure() {
    const double length_scale = options_.softness * typical_distance(items_, prototypes_, squares_);
    reach_ = static_cast<float>(0.5 / (length_scale * length_scale));
  }

  /// Draws the prototypes of the item's own class towards it, as k-means does, softly.
  void settle(std::int64_t n, double rate) {
    answer_for(n, labels_[static_cast<std::size_t>(n)]);
    for (float& p : p_) p *= static_cast<float>(rate);
    move(n);
  }

  void step(std::int64_t n, double rate) {
    answer_for(n, kAnyClass);
    const std::int32_t label = labels_[static_cast<std::size_t>(n)];
    float loss = 0;
    for (std::size_t m = 0; m < p_.size(); ++m)
      if (of_[m] != label) loss += p_[m];
    if (static_cast<double>(loss * (1 - loss)) <= options_.window) return;
    for (std::size_t m = 0; m < p_.size(); ++m)
      p_[m] *= static_cast<float>(rate) * (loss - (of_[m] != label ? 1.F : 0.F));
    move(n);
  }

  Movable& prototypes() { return prototypes_; }

 private:
  static constexpr std::int32_t kAnyClass = -1;

  /// The responsibilities for the item, of the prototypes of a class or of all.
  void answer_for(std::int64_t n, std::int32_t only) {
    prototypes_.products(row_of(items_, n), with_);
    scaled_.resize(with_.size());
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t m = 0; m < with_.size(); ++m) {
      scaled_[m] = only == kAnyClass || of_[m] == only ? reach_ * prototypes_.squares()[m] : kFar;
      least = std::min(least, scaled_[m] - 2 * reach_ * with_[m]);
    }
    // The nearest one's exponent is set to 0, so that not all are too far.
    p_ = with_;
    exponentials(p_.data(), std::ssize(p_), scaled_.data(), -least, reach_, 1);
    float total = 0;
    for (const float value : p_) total += value;
    for (float& value : p_) value /= total;
  }

  void move(std::int64_t n) {
    for (float& step : p_)
      if (std::abs(step) < kSmallestStep) step = 0;
    prototypes_.move(row_of(items_, n), p_, with_, static_cast<float>(squares_[n]));
  }

  const FeatureRows& items_;
  std::span<const std::int32_t> labels_;
  const PrototypeOptions& options_;
  std::vector<std::int32_t> of_;
  Movable prototypes_;
  VectorD squares_;
  float reach_ = 0;
  std::vector<float> with_;
  std::vector<float> p_;
  std::vector<float> scaled_;
};

/// P, items x prototypes, and the loss of each item.
struct Responsible {
  MatrixD p;
  VectorD loss;
};

Responsible responsible(const FeatureRows& items, std::span<const std::int32_t> labels,
                        const FeatureRows& prototypes,
                        std::span<const std::int32_t> prototype_labels, double length_scale) {
  require(length_scale > 0 && std::isfinite(length_scale), "length_scale is ", length_scale,
          "; expected more than 0");
  require(items.rows() == std::ssize(labels) && prototypes.rows() == std::ssize(prototype_labels),
          "the labels do not fit the items or the prototypes");
  require(items.rows() >= 1 && prototypes.rows() >= 1, "there are no items or no prototypes");
  const VectorD z = squared_norms(prototypes);
  Responsible result{exact_products(items, prototypes), VectorD::Zero(items.rows())};
  for (Eigen::Index n = 0; n < result.p.rows(); ++n) {
    VectorD exponents = (2 * result.p.row(n).transpose() - z) / (2 * length_scale * length_scale);
    exponents = (exponents.array() - exponents.maxCoeff()).exp();
    result.p.row(n) = exponents.transpose() / exponents.sum();
    for (Eigen::Index m = 0; m < z.size(); ++m)
      if (prototype_labels[static_cast<std::size_t>(m)] != labels[static_cast<std::size_t>(n)])
        result.loss[n] += result.p(n, m);
  }
  return result;
}

}  // namespace

void descend(const FeatureRows& items, std::span<const std::int32_t> labels,
             const PrototypeOptions& options, Prototypes& prototypes, const Run& run) {
  Descent descent(items, labels, options, prototypes);
  const auto pass_over = [&](int passes, double rate, std::uint64_t stream, auto step) {
    const double steps = static_cast<double>(passes) * static_cast<double>(items.rows());
    double done = 0;
    for (int pass = 0; pass < passes; ++pass) {
      run.progress({"moving prototypes", static_cast<std::uint64_t>(pass),
                    static_cast<std::uint64_t>(passes), "passes"});
      for (const std::int64_t n :
           shuffled(items.rows(), options.seed, stream + static_cast<std::uint64_t>(pass)))
        step(n, rate * (1 - done++ / steps));
      descent.prototypes().refresh_squares();
    }
  };
  pass_over(options.settle, kSettleRate, 1'000'000,
            [&](std::int64_t n, double rate) { descent.settle(n, rate); });
  descent.measure();
  pass_over(options.epochs, options.rate, 1,
            [&](std::int64_t n, double rate) { descent.step(n, rate); });
  prototypes.rows = descent.prototypes().rows(items.is_sparse());
}

double prototype_loss(const FeatureRows& items, std::span<const std::int32_t> labels,
                      const FeatureRows& prototypes, std::span<const std::int32_t> prototype_labels,
                      double length_scale) {
  return responsible(items, labels, prototypes, prototype_labels, length_scale).loss.mean();
}

MatrixD prototype_gradient(const FeatureRows& items, std::span<const std::int32_t> labels,
                           const FeatureRows& prototypes,
                           std::span<const std::int32_t> prototype_labels, double length_scale) {
  const Responsible at = responsible(items, labels, prototypes, prototype_labels, length_scale);
  MatrixD result = MatrixD::Zero(prototypes.rows(), prototypes.columns());
  const auto add = [&](Eigen::Index m, const Row& row, double weight) {
    for (std::size_t i = 0; i < row.values.size(); ++i)
      result(m, row.column(i)) += weight * static_cast<double>(row.values[i]);
  };
  const double scale = 1 / (length_scale * length_scale * static_cast<double>(items.rows()));
  for (Eigen::Index n = 0; n < items.rows(); ++n)
    for (Eigen::Index m = 0; m < prototypes.rows(); ++m) {
      const bool other =
          prototype_labels[static_cast<std::size_t>(m)] != labels[static_cast<std::size_t>(n)];
      const double weight = scale * at.p(n, m) * ((other ? 1 : 0) - at.loss[n]);
      add(m, row_of(items, n), weight);
      add(m, row_of(prototypes, m), -weight);
    }
  return result;
}

}  // namespace commonplace::suggest
