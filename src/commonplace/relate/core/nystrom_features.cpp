// n rows of d columns, m landmarks; K the kernel among landmarks, L its Cholesky factor.
#include "commonplace/relate/core/nystrom_features.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/spelling.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/squared_differences.h"
#include "commonplace/relate/core/nystrom_choice.h"

namespace commonplace::relate {
namespace {

constexpr const char* kNystromKind = "landmark-features";
constexpr int kNystromLayout = 1;
/// Dense rows of so many columns or fewer are compared by their differences.
constexpr std::int64_t kFewColumns = 8;
constexpr std::int64_t kMostLandmarks = 20000;
/// Widths whose squares are numbers.
constexpr double kLeastWidth = 1e-100;
constexpr double kMostWidth = 1e100;
/// Rows of which the median distance is taken, at most.
constexpr std::int64_t kRowsOfMedian = 1000;
/// Kernel values that are held at a time, 4 MB.
constexpr std::int64_t kValuesAtOnce = 1 << 19;
/// Columns of L⁻ᵀ that are multiplied at a time; the zeros below them are left out.
constexpr std::int64_t kPanel = 256;
/// Of the mean of the kernel's diagonal, added to it: the first that is tried and the last.
constexpr double kLeastJitter = 1e-8;
constexpr double kMostJitter = 0.1;
/// A squared distance that is this part of the two squared lengths or less may be all rounding.
constexpr double kNystromRounding = 1e-14;
/// The kernel is 0 beyond this exponent: e⁻¹⁰⁰ is nothing beside the jitter.
constexpr double kNegligible = 100;
/// Streams of draws, so that no two uses of a seed share one.
constexpr std::uint64_t kLandmarkStream = 1;
constexpr std::uint64_t kMedianStream = 2;

enum class Shape { rbf, laplace, cosine };

Shape shape_of(const NystromOptions& options) {
  const std::string kernel = current_word(options.kernel);
  if (kernel == kRbfKernel) return Shape::rbf;
  if (kernel == "laplace") return Shape::laplace;
  require(kernel == "cosine", "kernel is '", options.kernel, "'; expected rbf, laplace or cosine");
  return Shape::cosine;
}

void check(const NystromOptions& options) {
  shape_of(options);
  require(options.width == 0 || (options.width >= kLeastWidth && options.width <= kMostWidth),
          "width is ", options.width, "; expected ", kLeastWidth, " .. ", kMostWidth,
          ", or 0 for half the median distance");
  require(options.landmarks >= 1 && options.landmarks <= kMostLandmarks, "landmarks is ",
          options.landmarks, "; expected 1 .. ", kMostLandmarks,
          ", as memory and time grow steeply with it");
}

bool few_columns(const FeatureRows& rows) {
  return !rows.is_sparse() && rows.columns() <= kFewColumns;
}

VectorD finite_squares(const FeatureRows& rows) {
  VectorD squares = squared_norms(rows);
  for (Eigen::Index row = 0; row < squares.size(); ++row)
    require(std::isfinite(squares[row]), "item ", row + 1,
            " has a feature that is not a number; give finite features");
  return squares;
}

/// A column of a few dense rows after the other.
MatrixD columns_of(const FeatureRows& rows) { return rows.dense().cast<double>().transpose(); }

/// Rows compared with landmarks that live elsewhere.
class Comparison {
 public:
  Comparison(const NystromOptions& options, const FeatureRows& landmarks)
      : shape_(shape_of(options)),
        width_(options.width),
        landmarks_(landmarks),
        direct_(few_columns(landmarks) && shape_ != Shape::cosine),
        squares_(finite_squares(landmarks)) {
    if (direct_) columns_ = columns_of(landmarks);
  }

  /// k of each row with every landmark, n x m.
  MatrixD kernel(const FeatureRows& rows, int jobs) const {
    return compare(rows, jobs, [this](double* values, double square) {
      if (shape_ == Shape::cosine) return to_cosines(values, square);
      if (!direct_) to_squared_distances(values, square);
      if (shape_ == Shape::laplace)
        for (std::int64_t j = 0; j < squares_.size(); ++j) values[j] = std::sqrt(values[j]);
      to_exponentials(values, shape_ == Shape::rbf ? 0.5 / (width_ * width_) : 1 / width_);
    });
  }

  /// The squared distances instead.
  MatrixD squared_distances(const FeatureRows& rows, int jobs) const {
    return compare(rows, jobs, [this](double* values, double square) {
      if (!direct_) to_squared_distances(values, square);
    });
  }

 private:
  /// Calls finish(values, |x|²) for each row x, whose values are its squared distances from all
  /// landmarks if they are taken directly and its products with them if not. Differences lose
  /// nothing where rows are near each other and far from 0. Products do, but those of floats are
  /// added up in double, which leaves a squared distance precise to 1e-14 of the squared lengths.
  template <class Finish>
  MatrixD compare(const FeatureRows& rows, int jobs, const Finish& finish) const {
    const VectorD squares = finite_squares(rows);
    MatrixD result = direct_ ? MatrixD::Zero(rows.rows(), landmarks_.rows())
                             : exact_products(rows, landmarks_, jobs);
    parallel_for(static_cast<std::size_t>(rows.rows()), jobs,
                 [&](std::size_t begin, std::size_t end) {
                   for (auto row = static_cast<Eigen::Index>(begin);
                        row < static_cast<Eigen::Index>(end); ++row) {
                     double* values = result.data() + row * result.cols();
                     if (direct_) add_differences(rows.dense().row(row).data(), values);
                     finish(values, squares[row]);
                   }
                 });
    return result;
  }

  void add_differences(const float* row, double* values) const {
    for (Eigen::Index column = 0; column < columns_.rows(); ++column)
      add_squared_differences(static_cast<double>(row[column]), columns_.row(column).data(), values,
                              columns_.cols());
  }

  void to_squared_distances(double* products, double square) const {
    for (Eigen::Index j = 0; j < squares_.size(); ++j) {
      const double lengths = square + squares_[j];
      const double distance = lengths - 2 * products[j];
      products[j] = distance > kNystromRounding * lengths ? distance : 0;
    }
  }

  /// exp(-rate · value) of each; 0 where it is negligible, as products of the smallest doubles take
  /// many times as long as others.
  void to_exponentials(double* values, double rate) const {
    for (Eigen::Index j = 0; j < squares_.size(); ++j) {
      const double exponent = rate * values[j];
      values[j] = exponent < kNegligible ? std::exp(-exponent) : 0;
    }
  }

  void to_cosines(double* products, double square) const {
    for (Eigen::Index j = 0; j < squares_.size(); ++j) {
      const double lengths = std::sqrt(square) * std::sqrt(squares_[j]);
      products[j] = lengths > 0 ? std::clamp(products[j] / lengths, -1.0, 1.0) : 0;
    }
  }

  Shape shape_;
  double width_;
  FeatureRows landmarks_;
  bool direct_;
  VectorD squares_;
  MatrixD columns_;  ///< d x m if direct
};

/// Of the rows `from` so many that lie far apart, or point far apart for the cosine.
std::vector<std::int64_t> far_apart(const FeatureRows& rows, const std::vector<std::int64_t>& from,
                                    const NystromOptions& options, int jobs) {
  MatrixD columns = columns_of(take_rows(rows, from).view());
  if (shape_of(options) == Shape::cosine)
    for (Eigen::Index row = 0; row < columns.cols(); ++row) columns.col(row).stableNormalize();
  std::vector<std::int64_t> result =
      draw_far_apart(std::move(columns), options.landmarks, options.seed, jobs);
  for (std::int64_t& row : result) row = from[static_cast<std::size_t>(row)];
  return result;
}

/// 1 if there is one row only.
double half_median_distance(const FeatureRows& rows, const std::vector<std::int64_t>& from,
                            const NystromOptions& options, int jobs) {
  if (from.size() < 2) return 1;
  const StoredRows sample =
      take_rows(rows, draw_rows(from, kRowsOfMedian, options.seed, kMedianStream));
  const MatrixD squared = Comparison(options, sample.view()).squared_distances(sample.view(), jobs);
  std::vector<double> pairs;
  for (Eigen::Index i = 0; i < squared.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) pairs.push_back(squared(i, j));
  const auto middle = pairs.begin() + std::ssize(pairs) / 2;
  std::nth_element(pairs.begin(), middle, pairs.end());
  return *middle > 0 ? std::sqrt(*middle) / 2 : 1;
}

MatrixD factor_of(const MatrixD& kernel, int jobs) {
  for (double share = kLeastJitter; share <= kMostJitter; share *= 10) {
    MatrixD factor = kernel;
    factor.diagonal().array() += share * kernel.diagonal().mean();
    if (factorise(factor, jobs)) return factor;
  }
  fail("the landmarks' kernel matrix is not positive definite; give another kernel or width");
}

}  // namespace

NystromFeatures fit_nystrom_features(const FeatureRows& rows, const NystromOptions& options,
                                     int jobs) {
  check(options);
  require(rows.rows() >= 1 && rows.columns() >= 1, "there are ", rows.rows(), " items of ",
          rows.columns(), " features to take landmarks from; give 1 or more of each");
  finite_squares(rows);
  const bool cosine = shape_of(options) == Shape::cosine;
  const std::vector<std::int64_t> distinct = distinct_rows(rows, cosine);
  require(!distinct.empty(),
          "every item's features are 0, which have no cosine; give items with features");
  NystromFeatures model;
  model.options = options;
  if (!cosine && options.width == 0)
    model.options.width = half_median_distance(rows, distinct, options, jobs);
  if (std::ssize(distinct) <= options.landmarks)
    model.landmarks = take_rows(rows, distinct);
  else if (few_columns(rows))
    model.landmarks = take_rows(rows, far_apart(rows, distinct, options, jobs));
  else
    model.landmarks =
        take_rows(rows, draw_rows(distinct, options.landmarks, options.seed, kLandmarkStream));
  const FeatureRows landmarks = model.landmarks.view();
  const MatrixD kernel = Comparison(model.options, landmarks).kernel(landmarks, jobs);
  model.map = inverse_of_lower(factor_of(kernel, jobs), jobs);
  return model;
}

Matrix encode(const NystromFeatures& model, const FeatureRows& rows, int jobs) {
  const FeatureRows landmarks = model.landmarks.view();
  require(rows.columns() == landmarks.columns(), "items of ", rows.columns(),
          " features cannot be compared with landmarks of ", landmarks.columns(),
          "; give items with the features that were learned from");
  require(rows.is_sparse() == landmarks.is_sparse(), "sparse items go with sparse landmarks and ",
          "dense with dense ones; give items as they were learned from");
  const Comparison comparison(model.options, landmarks);
  const std::int64_t size = model.count();
  const MatrixD turned = model.map.transpose();
  const std::int64_t block = std::max<std::int64_t>(64, kValuesAtOnce / size);
  Matrix result(rows.rows(), size);
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    const std::int64_t count = std::min(block, rows.rows() - first);
    const MatrixD kernel = comparison.kernel(slice(rows, first, count), jobs);
    for (std::int64_t from = 0; from < size; from += kPanel) {
      const std::int64_t width = std::min(kPanel, size - from);
      result.block(first, from, count, width) =
          multiply(kernel.leftCols(from + width), turned.block(0, from, from + width, width), jobs)
              .cast<float>();
    }
  }
  return result;
}

namespace {}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, NystromFeatures>
static void visit_tensors(Self& model, Visit&& visit) {
  visit("landmarks", model.landmarks);
  const std::int64_t size = model.landmarks.view().rows();
  visit("map", model.map, TensorShape{size, size});
}

void save(const NystromFeatures& model, const std::filesystem::path& path) {
  model_writer(model, kNystromKind, kNystromLayout).write(path);
}

std::string to_bytes(const NystromFeatures& model) {
  return model_writer(model, kNystromKind, kNystromLayout).bytes();
}

NystromFeatures load_nystrom_features(const TensorFile& file) {
  NystromFeatures model = read_model<NystromFeatures>(
      file, kNystromKind, kNystromLayout, [](const NystromOptions& options) { check(options); });
  require(model.options.width > 0 || shape_of(model.options) == Shape::cosine, file.name(),
          ": the kernel has no width; the file is damaged");
  require(model.landmarks.view().rows() >= 1 && squared_norms(model.landmarks.view()).allFinite() &&
              model.map.isLowerTriangular(0) && (model.map.diagonal().array() > 0).all(),
          file.name(), ": the landmarks or their map cannot be; the file is damaged");
  return model;
}

}  // namespace commonplace::relate
