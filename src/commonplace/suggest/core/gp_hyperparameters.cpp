#include "commonplace/suggest/core/gp_hyperparameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/run.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/suggest/core/prototypes.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"

namespace commonplace::suggest {
namespace {

/// ln of (length scale / typical length scale, variance).
using Point = std::array<double, 2>;

constexpr double kWidest = 3.4;          // ln 30
constexpr double kLeastVariance = -4.6;  // ln 0.01
constexpr double kMostVariance = 9.2;    // ln 10,000
constexpr double kNearEnough = 0.02;

void check(const HyperparameterOptions& options) {
  require(options.items >= 1, "tuning_items is ", options.items, "; expected 1 or more");
  require(options.prototypes >= 1, "tuning_prototypes is ", options.prototypes,
          "; expected 1 or more");
  require(options.evaluations >= 3, "tuning_evaluations is ", options.evaluations,
          "; expected 3 or more");
}

/// Some of the items, with prototypes among them, and how likely their classes are.
class Sample {
 public:
  Sample(const FeatureRows& items, std::span<const std::int32_t> labels, std::int64_t classes,
         const HyperparameterOptions& options, int jobs)
      : classes_(classes), jobs_(jobs) {
    check(options);
    require(items.rows() == std::ssize(labels), items.rows(), " items do not fit ", labels.size(),
            " labels");
    std::vector<std::int64_t> drawn(labels.size());
    std::iota(drawn.begin(), drawn.end(), 0);
    const auto bits = [&](std::int64_t row) {
      return random_bits(options.seed, static_cast<std::uint64_t>(row), 0x74756e65ULL);
    };
    std::sort(drawn.begin(), drawn.end(), [&](std::int64_t a, std::int64_t b) {
      return std::pair{bits(a), a} < std::pair{bits(b), b};
    });
    drawn.resize(static_cast<std::size_t>(std::min(options.items, items.rows())));
    std::sort(drawn.begin(), drawn.end());
    rows_ = take_rows(items, drawn);
    for (const std::int64_t row : drawn) labels_.push_back(labels[static_cast<std::size_t>(row)]);
    PrototypeOptions choice;
    choice.selection = "random";
    choice.seed = options.seed;
    choice.count = std::min(std::max(options.prototypes, classes), std::ssize(labels_));
    prototypes_ =
        select_prototypes(rows_.view(), labels_, classes, {}, choice, {.jobs = jobs}).rows;
  }

  FeatureRows items() const { return rows_.view(); }

  double log_likelihood(const Kernel& kernel) const {
    const SparseGpBasis basis = make_basis(kernel, prototypes_, 1e-6, jobs_);
    SoftmaxGpOptions options;
    options.variances = "none";
    options.likelihood = true;
    options.tolerance = 1e-5;
    const SoftmaxGpFit fit = fit_softmax_gp(whiten(basis, rows_.view(), jobs_), labels_, classes_,
                                            options, {.jobs = jobs_});
    return fit.coupled_log_likelihood.value_or(*fit.log_likelihood);
  }

 private:
  std::int64_t classes_;
  int jobs_;
  StoredRows rows_;
  StoredRows prototypes_;
  std::vector<std::int32_t> labels_;
};

/// Points and their values, the best first.
struct Simplex {
  std::vector<Point> points;
  std::vector<double> values;

  void sort() {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    Simplex sorted;
    for (const std::size_t i : order) {
      sorted.points.push_back(points[i]);
      sorted.values.push_back(values[i]);
    }
    *this = std::move(sorted);
  }
};

double spread(const Simplex& simplex) {
  double most = 0;
  for (const Point& point : simplex.points)
    for (std::size_t d = 0; d < 2; ++d)
      most = std::max(most, std::abs(point[d] - simplex.points[0][d]));
  return most;
}

/// from + factor (to - from), within the bounds.
Point along(const Point& from, const Point& to, double factor) {
  Point result{from[0] + factor * (to[0] - from[0]), from[1] + factor * (to[1] - from[1])};
  result[0] = std::clamp(result[0], -kWidest, kWidest);
  result[1] = std::clamp(result[1], kLeastVariance, kMostVariance);
  return result;
}

/// Nelder and Mead's search for the greatest value of `value`, which counts its calls.
template <class Value>
Simplex maximise(const Value& value, const Point& start, int most) {
  Simplex simplex;
  int calls = 0;
  const auto judge = [&](const Point& point) {
    ++calls;
    return value(point, calls);
  };
  for (const Point& point :
       {start, Point{start[0] - 0.7, start[1]}, Point{start[0], start[1] + 1.5}}) {
    simplex.points.push_back(point);
    simplex.values.push_back(judge(point));
  }
  simplex.sort();
  while (calls < most && spread(simplex) > kNearEnough) {
    const Point centre = along(simplex.points[0], simplex.points[1], 0.5);
    const Point& worst = simplex.points[2];
    Point next = along(worst, centre, 2);
    double found = judge(next);
    if (found > simplex.values[0] && calls < most) {
      const Point further = along(worst, centre, 3);
      const double there = judge(further);
      if (there > found) {
        next = further;
        found = there;
      }
    } else if (found <= simplex.values[1] && calls < most) {
      next = along(worst, centre, found > simplex.values[2] ? 1.5 : 0.5);
      found = judge(next);
    }
    if (found > simplex.values[2]) {
      simplex.points[2] = next;
      simplex.values[2] = found;
    } else {
      for (std::size_t i = 1; i < 3 && calls < most; ++i) {
        simplex.points[i] = along(simplex.points[i], simplex.points[0], 0.5);
        simplex.values[i] = judge(simplex.points[i]);
      }
    }
    simplex.sort();
  }
  return simplex;
}

double product_of(const FeatureRows& items, std::int64_t a, std::int64_t b) {
  if (items.is_sparse()) return dot_rows(items.sparse(), a, items.sparse(), b);
  return items.dense().row(a).cast<double>().dot(items.dense().row(b).cast<double>());
}

}  // namespace

double typical_length_scale(const FeatureRows& items, std::uint64_t seed) {
  constexpr std::int64_t pairs = 1000;
  if (items.rows() < 2) return 1;
  const VectorD squares = squared_norms(items);
  std::vector<double> distances;
  Rng rng(seed, 0x6c656e677468ULL);
  const auto count = static_cast<std::uint64_t>(items.rows());
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto a = static_cast<std::int64_t>(rng.below(count));
    const auto b = static_cast<std::int64_t>(rng.below(count));
    const double square = squares[a] + squares[b] - 2 * product_of(items, a, b);
    if (square > 1e-6 * (squares[a] + squares[b])) distances.push_back(std::sqrt(square));
  }
  if (distances.empty()) return 1;
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

TunedKernel tune_kernel(KernelKind kind, const FeatureRows& items,
                        std::span<const std::int32_t> labels, std::int64_t classes,
                        const HyperparameterOptions& options, const Run& run) {
  const Sample sample(items, labels, classes, options, run.jobs);
  const double typical = typical_length_scale(sample.items(), options.seed);
  const auto kernel_at = [&](const Point& point) {
    return Kernel{kind, typical * std::exp(point[0]), std::exp(point[1])};
  };
  TunedKernel result;
  const Simplex found = maximise(
      [&](const Point& point, int calls) {
        run.progress({"choosing the kernel", static_cast<std::uint64_t>(calls),
                      static_cast<std::uint64_t>(options.evaluations), "kernels"});
        result.evaluations = calls;
        return sample.log_likelihood(kernel_at(point));
      },
      {0, std::log(4.0)}, options.evaluations);
  result.kernel = kernel_at(found.points[0]);
  result.log_likelihood = found.values[0];
  return result;
}

MatrixD likelihood_surface(KernelKind kind, const FeatureRows& items,
                           std::span<const std::int32_t> labels, std::int64_t classes,
                           std::span<const double> length_scales, std::span<const double> variances,
                           const HyperparameterOptions& options, const Run& run) {
  const Sample sample(items, labels, classes, options, run.jobs);
  MatrixD result(std::ssize(length_scales), std::ssize(variances));
  for (Eigen::Index i = 0; i < result.rows(); ++i)
    for (Eigen::Index j = 0; j < result.cols(); ++j) {
      run.progress({"measuring kernels", static_cast<std::uint64_t>(i * result.cols() + j),
                    static_cast<std::uint64_t>(result.size()), "kernels"});
      result(i, j) = sample.log_likelihood({kind, length_scales[static_cast<std::size_t>(i)],
                                            variances[static_cast<std::size_t>(j)]});
    }
  return result;
}

}  // namespace commonplace::suggest
