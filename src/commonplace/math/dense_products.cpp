#include "commonplace/math/dense_products.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"

// A product of a left matrix (rows x depth) and a right one (depth x columns): both are packed into
// panels, of as many lines as a tile of the result has rows or columns, in which what is multiplied
// one after the other lies one after the other. Blocks of the result, of some tiles each, go to the
// threads.

namespace commonplace {
namespace {

/// Products are added up in Scalar over this many steps of the depth, and these in double.
constexpr std::int64_t kStretch = 256;
/// Numbers that are packed at once: what stays in the cache of a core, or for several threads so
/// many that it is worth starting them.
constexpr std::int64_t packed_at_once(int jobs) { return std::int64_t{1} << (jobs == 1 ? 18 : 21); }
/// Rows and columns of a block, in panels, where there is enough for all threads.
constexpr std::int64_t kPanelsOfBlock = 8;
/// Multiplications that are not worth another thread.
constexpr double kSmallProduct = 2e6;
/// Triangles up to this size are solved without products of matrices.
constexpr std::int64_t kSmallTriangle = 32;
/// Rows that are solved at once with a larger one.
constexpr std::int64_t kRowsToSolve = 192;
constexpr std::align_val_t kAlignment{64};

/// The rows of a left matrix or the columns of a right one. Either of the strides is 1.
template <class Scalar>
struct Lines {
  const Scalar* values;
  std::int64_t count;
  std::int64_t to_next_line;
  std::int64_t to_next_depth;
  Scalar sign = 1;
};

/// Some rows and columns of a product, from the first of a panel on.
template <class Scalar>
struct Block {
  const Scalar* left;
  const Scalar* right;
  std::int64_t depth;
  std::int64_t rows;
  std::int64_t columns;
  /// Columns that are wanted of the first row; of each row after it, one more.
  std::int64_t last_column;
};

/// A lower triangle.
struct Triangle {
  const double* values;
  std::int64_t size;
  std::int64_t stride;
};

/// The loops that decide the speed, for one instruction set.
template <class Scalar>
struct Kernels {
  std::int64_t tile_rows;
  std::int64_t tile_columns;
  void (*pack_left)(const Lines<Scalar>&, std::int64_t panel, std::int64_t first_depth,
                    std::int64_t depth, Scalar* into);
  void (*pack_right)(const Lines<Scalar>&, std::int64_t panel, std::int64_t first_depth,
                     std::int64_t depth, Scalar* into);
  void (*add_block)(const Block<Scalar>&, double* into, std::int64_t stride);
  void (*set_block)(const Block<Scalar>&, Scalar* into, std::int64_t stride);
  void (*solve_rows)(const Triangle&, double* x, std::int64_t stride, std::int64_t count);
};

#if defined(__clang__)
#define COMMONPLACE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define COMMONPLACE_UNROLL _Pragma("GCC unroll 16")
#endif

#define COMMONPLACE_KERNELS "commonplace/math/dense_kernels.h"
#include "commonplace/math/kernel_sets.h"

std::atomic<int> level_limit{std::numeric_limits<int>::max()};

template <class Scalar>
const Kernels<Scalar>& kernels() {
  return kernels_up_to<Scalar>(level_limit.load(std::memory_order_relaxed));
}

template <class Scalar>
class Buffer {
 public:
  explicit Buffer(std::int64_t size)
      : values_(static_cast<Scalar*>(
            ::operator new[](static_cast<std::size_t>(size) * sizeof(Scalar), kAlignment))) {}
  Scalar* data() const { return values_.get(); }

 private:
  struct Free {
    void operator()(Scalar* values) const { ::operator delete[](values, kAlignment); }
  };
  std::unique_ptr<Scalar[], Free> values_;
};

template <class Scalar>
Lines<Scalar> rows_of(
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>&
        matrix) {
  return {matrix.data(), matrix.rows(), matrix.outerStride(), 1};
}
template <class Scalar>
Lines<Scalar> columns_of(
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>&
        matrix) {
  return {matrix.data(), matrix.cols(), 1, matrix.outerStride()};
}

template <class Scalar>
Lines<Scalar> part(const Lines<Scalar>& lines, std::int64_t first, std::int64_t count) {
  return {lines.values + first * lines.to_next_line, std::min(count, lines.count - first),
          lines.to_next_line, lines.to_next_depth, lines.sign};
}

std::int64_t in_panels(std::int64_t lines, std::int64_t width) {
  return (lines + width - 1) / width;
}

int jobs_for(std::int64_t rows, std::int64_t columns, std::int64_t depth, int jobs) {
  const double multiplications =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
  return multiplications < kSmallProduct ? 1 : resolve_jobs(jobs);
}

template <class Scalar>
using Pack = void (*)(const Lines<Scalar>&, std::int64_t, std::int64_t, std::int64_t, Scalar*);

template <class Scalar>
void pack_all(const Lines<Scalar>& lines, Pack<Scalar> pack, std::int64_t width,
              std::int64_t first_depth, std::int64_t depth, int jobs, Scalar* into) {
  parallel_for(static_cast<std::size_t>(in_panels(lines.count, width)), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (auto panel = static_cast<std::int64_t>(begin);
                      panel < static_cast<std::int64_t>(end); ++panel)
                   pack(lines, panel, first_depth, depth, into + panel * width * depth);
               });
}

/// Calls body(first row, first column, block) for the blocks of a packed product; of the lower
/// triangle alone if `lower`. `whole` has all rows and columns.
template <class Scalar, class Body>
void for_each_block(const Block<Scalar>& whole, bool lower, int jobs, const Body& body) {
  const auto& use = kernels<Scalar>();
  std::int64_t high = use.tile_rows * kPanelsOfBlock;
  std::int64_t wide = use.tile_columns * kPanelsOfBlock;
  const auto count = [&] { return in_panels(whole.rows, high) * in_panels(whole.columns, wide); };
  for (int halvings = 0; halvings < 3 && count() < 4 * jobs; ++halvings) {
    high /= 2;
    wide /= 2;
  }
  const std::int64_t across = in_panels(whole.columns, wide);
  parallel_for(
      static_cast<std::size_t>(count()), jobs,
      [&](std::size_t begin, std::size_t end) {
        for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i) {
          const std::int64_t row = i / across * high;
          const std::int64_t column = i % across * wide;
          if (lower && column > row + high - 1) continue;
          body(row, column,
               Block<Scalar>{whole.left + row * whole.depth, whole.right + column * whole.depth,
                             whole.depth, std::min(high, whole.rows - row),
                             std::min(wide, whole.columns - column),
                             lower ? row - column : whole.columns});
        }
      },
      1);
}

/// into (rows of `stride`) += the product; if `lower`, only its lower triangle, and some of what is
/// above.
template <class Scalar>
void add_product(const Lines<Scalar>& left, const Lines<Scalar>& right, std::int64_t depth,
                 double* into, std::int64_t stride, bool lower, int jobs) {
  if (left.count == 0 || right.count == 0 || depth == 0) return;
  const auto& use = kernels<Scalar>();
  jobs = jobs_for(left.count, right.count, depth, jobs);
  const std::int64_t rows = in_panels(left.count, use.tile_rows) * use.tile_rows;
  const std::int64_t columns = in_panels(right.count, use.tile_columns) * use.tile_columns;
  const std::int64_t stretches = std::max<std::int64_t>(
      1,
      std::min(in_panels(depth, kStretch), packed_at_once(jobs) / (kStretch * (rows + columns))));
  const std::int64_t at_once = std::min(depth, stretches * kStretch);
  const Buffer<Scalar> packed_left(rows * at_once);
  const Buffer<Scalar> packed_right(columns * at_once);
  for (std::int64_t first = 0; first < depth; first += at_once) {
    const std::int64_t here = std::min(at_once, depth - first);
    pack_all(left, use.pack_left, use.tile_rows, first, here, jobs, packed_left.data());
    pack_all(right, use.pack_right, use.tile_columns, first, here, jobs, packed_right.data());
    for_each_block<Scalar>(
        {packed_left.data(), packed_right.data(), here, left.count, right.count, 0}, lower, jobs,
        [&](std::int64_t row, std::int64_t column, const Block<Scalar>& block) {
          use.add_block(block, into + row * stride + column, stride);
        });
  }
}

/// into (rows of `stride`) := a block, through doubles if it is deeper than a stretch.
void set_any_block(const Block<float>& block, float* into, std::int64_t stride) {
  const auto& use = kernels<float>();
  if (block.depth <= kStretch) {
    use.set_block(block, into, stride);
    return;
  }
  MatrixD total = MatrixD::Zero(block.rows, block.columns);
  use.add_block(block, total.data(), block.columns);
  for (std::int64_t i = 0; i < block.rows; ++i)
    for (std::int64_t j = 0; j < block.columns; ++j)
      into[i * stride + j] = static_cast<float>(total(i, j));
}

/// How many lines are packed at once.
std::int64_t lines_at_once(std::int64_t lines, std::int64_t width, std::int64_t depth, int jobs) {
  const std::int64_t panels =
      std::max(kPanelsOfBlock, packed_at_once(jobs) / (width * std::max<std::int64_t>(1, depth)));
  return std::min(in_panels(lines, width), panels) * width;
}

/// into (rows of `stride`) := the left rows times packed columns.
void set_product(const Lines<float>& left, const float* packed_right, std::int64_t columns,
                 std::int64_t depth, float* into, std::int64_t stride, int jobs) {
  const auto& use = kernels<float>();
  const std::int64_t high = lines_at_once(left.count, use.tile_rows, depth, jobs);
  const Buffer<float> packed_left(high * depth);
  for (std::int64_t above = 0; above < left.count; above += high) {
    const Lines<float> rows = part(left, above, high);
    pack_all(rows, use.pack_left, use.tile_rows, 0, depth, jobs, packed_left.data());
    for_each_block<float>({packed_left.data(), packed_right, depth, rows.count, columns, 0}, false,
                          jobs,
                          [&](std::int64_t row, std::int64_t column, const Block<float>& block) {
                            set_any_block(block, into + (above + row) * stride + column, stride);
                          });
  }
}

/// The product, in float.
Matrix product(const Lines<float>& left, const Lines<float>& right, std::int64_t depth, int jobs) {
  Matrix result(left.count, right.count);
  if (depth == 0) result.setZero();
  if (result.size() == 0 || depth == 0) return result;
  const auto& use = kernels<float>();
  jobs = jobs_for(left.count, right.count, depth, jobs);
  const std::int64_t wide = lines_at_once(right.count, use.tile_columns, depth, jobs);
  const Buffer<float> packed_right(wide * depth);
  for (std::int64_t first = 0; first < right.count; first += wide) {
    const Lines<float> columns = part(right, first, wide);
    pack_all(columns, use.pack_right, use.tile_columns, 0, depth, jobs, packed_right.data());
    set_product(left, packed_right.data(), columns.count, depth, result.data() + first, right.count,
                jobs);
  }
  return result;
}

/// Above the diagonal := what is below it.
void mirror(MatrixD& matrix, int jobs) {
  constexpr std::int64_t side = 32;
  const std::int64_t size = matrix.rows();
  parallel_for(static_cast<std::size_t>(in_panels(size, side)), jobs,
               [&](std::size_t begin, std::size_t end) {
                 const std::int64_t last = std::min(size, static_cast<std::int64_t>(end) * side);
                 for (auto i = static_cast<std::int64_t>(begin) * side; i < last; i += side)
                   for (std::int64_t j = i; j < size; j += side)
                     for (std::int64_t k = i; k < std::min(size, i + side); ++k)
                       for (std::int64_t l = std::max(k + 1, j); l < std::min(size, j + side); ++l)
                         matrix(k, l) = matrix(l, k);
               });
}

/// A size of about half, of whole small triangles.
std::int64_t split(std::int64_t size) {
  return in_panels(in_panels(size, 2), kSmallTriangle) * kSmallTriangle;
}

/// X := X L⁻ᵀ for `count` rows X.
void solve_rows(const Triangle& l, double* x, std::int64_t stride, std::int64_t count) {
  if (l.size <= kSmallTriangle) {
    kernels<double>().solve_rows(l, x, stride, count);
    return;
  }
  const std::int64_t half = split(l.size);
  const double* below = l.values + half * l.stride;
  solve_rows({l.values, half, l.stride}, x, stride, count);
  add_product<double>({x, count, stride, 1, -1}, {below, l.size - half, l.stride, 1}, half,
                      x + half, stride, false, 1);
  solve_rows({below + half, l.size - half, l.stride}, x + half, stride, count);
}

bool factorise_small(double* a, std::int64_t stride, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) {
    double* row = a + i * stride;
    for (std::int64_t j = 0; j <= i; ++j) {
      const double* other = a + j * stride;
      double sum = row[j];
      for (std::int64_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i)
        row[j] = sum / other[j];
      else if (!(sum > 0) || !std::isfinite(sum))
        return false;
      else
        row[j] = std::sqrt(sum);
    }
  }
  return true;
}

bool factorise_part(double* a, std::int64_t stride, std::int64_t size, int jobs) {
  if (size <= kSmallTriangle) return factorise_small(a, stride, size);
  const std::int64_t half = split(size);
  const std::int64_t others = size - half;
  double* below = a + half * stride;
  if (!factorise_part(a, stride, half, jobs)) return false;
  parallel_for(
      static_cast<std::size_t>(others), jobs_for(others, half, half / 2, jobs),
      [&](std::size_t begin, std::size_t end) {
        solve_rows({a, half, stride}, below + static_cast<std::int64_t>(begin) * stride, stride,
                   static_cast<std::int64_t>(end - begin));
      },
      static_cast<std::size_t>(kRowsToSolve));
  add_product<double>({below, others, stride, 1, -1}, {below, others, stride, 1}, half,
                      below + half, stride, true, jobs);
  return factorise_part(below + half, stride, others, jobs);
}

/// `into`, of zeros, := L⁻¹ column by column.
void invert_small(const Triangle& l, double* into, std::int64_t stride) {
  for (std::int64_t i = 0; i < l.size; ++i) {
    const double* row = l.values + i * l.stride;
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = i == j ? 1 : 0;
      for (std::int64_t k = j; k < i; ++k) sum -= row[k] * into[k * stride + j];
      into[i * stride + j] = sum / row[i];
    }
  }
}

/// `into`, of zeros, := L⁻¹.
void invert(const Triangle& l, double* into, std::int64_t stride, int jobs) {
  if (l.size <= kSmallTriangle) {
    invert_small(l, into, stride);
    return;
  }
  const std::int64_t half = split(l.size);
  const std::int64_t others = l.size - half;
  const double* below = l.values + half * l.stride;
  double* result = into + half * stride;
  invert({l.values, half, l.stride}, into, stride, jobs);
  invert({below + half, others, l.stride}, result + half, stride, jobs);
  MatrixD product = MatrixD::Zero(others, half);
  add_product<double>({below, others, l.stride, 1}, {into, half, 1, stride}, half, product.data(),
                      half, false, jobs);
  add_product<double>({result + half, others, stride, 1, -1}, {product.data(), half, 1, half},
                      others, result, stride, false, jobs);
}

}  // namespace

Matrix multiply_transposed(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                           int jobs) {
  require(a.cols() == b.cols(), "rows of ", a.cols(), " and of ", b.cols(),
          " columns cannot be multiplied; both need as many");
  return product(rows_of<float>(a), rows_of<float>(b), a.cols(), jobs);
}

struct PackedFactor::Parts {
  std::int64_t rows;
  std::int64_t depth;
  const Kernels<float>* packed_for;
  Buffer<float> values;
};

PackedFactor::PackedFactor(const Eigen::Ref<const Matrix>& b, int jobs) {
  const auto& use = kernels<float>();
  const std::int64_t lines = in_panels(b.rows(), use.tile_columns) * use.tile_columns;
  parts_.reset(new Parts{b.rows(), b.cols(), &use, Buffer<float>(lines * b.cols())});
  if (b.size() > 0)
    pack_all(rows_of<float>(b), use.pack_right, use.tile_columns, 0, b.cols(), jobs,
             parts_->values.data());
}
PackedFactor::~PackedFactor() = default;
PackedFactor::PackedFactor(PackedFactor&&) noexcept = default;

Matrix PackedFactor::multiply(const Eigen::Ref<const Matrix>& a, int jobs) const {
  require(a.cols() == parts_->depth, "rows of ", a.cols(), " and of ", parts_->depth,
          " columns cannot be multiplied; both need as many");
  require(parts_->packed_for == &kernels<float>(), "the factor was packed for other instructions");
  Matrix result(a.rows(), parts_->rows);
  if (parts_->depth == 0) result.setZero();
  if (result.size() == 0 || parts_->depth == 0) return result;
  set_product(rows_of<float>(a), parts_->values.data(), parts_->rows, parts_->depth, result.data(),
              result.cols(), jobs_for(a.rows(), parts_->rows, parts_->depth, jobs));
  return result;
}

Matrix multiply(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b, int jobs) {
  require(a.cols() == b.rows(), "a matrix of ", a.cols(),
          " columns cannot be multiplied by one of ", b.rows(), " rows; it needs as many");
  return product(rows_of<float>(a), columns_of<float>(b), a.cols(), jobs);
}

MatrixD multiply(const Eigen::Ref<const MatrixD>& a, const Eigen::Ref<const MatrixD>& b, int jobs) {
  require(a.cols() == b.rows(), "a matrix of ", a.cols(),
          " columns cannot be multiplied by one of ", b.rows(), " rows; it needs as many");
  MatrixD result = MatrixD::Zero(a.rows(), b.cols());
  add_product(rows_of<double>(a), columns_of<double>(b), a.cols(), result.data(), b.cols(), false,
              jobs);
  return result;
}

void add_gram(const Eigen::Ref<const Matrix>& a, MatrixD& gram, int jobs) {
  require(gram.rows() == a.cols() && gram.cols() == a.cols(), "the Gram matrix of ", a.cols(),
          " columns is as large; this one is ", gram.rows(), " x ", gram.cols());
  const Lines<float> columns = columns_of<float>(a);
  add_product(columns, columns, a.rows(), gram.data(), gram.cols(), true, jobs);
  mirror(gram, jobs_for(gram.rows(), gram.rows(), 1, jobs));
}

void add_transposed_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                            MatrixD& into, int jobs) {
  require(a.rows() == b.rows(), "matrices of ", a.rows(), " and of ", b.rows(),
          " rows cannot be multiplied; both need as many");
  require(into.rows() == a.cols() && into.cols() == b.cols(), "the product is ", a.cols(), " x ",
          b.cols(), "; it was to be added to ", into.rows(), " x ", into.cols());
  add_product(columns_of<float>(a), columns_of<float>(b), a.rows(), into.data(), into.cols(), false,
              jobs);
}

bool factorise(MatrixD& matrix, int jobs) {
  require(matrix.rows() == matrix.cols(), "only a square matrix can be factorised; this one is ",
          matrix.rows(), " x ", matrix.cols());
  if (!factorise_part(matrix.data(), matrix.cols(), matrix.rows(), jobs)) return false;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    std::fill(matrix.data() + i * matrix.cols() + i + 1, matrix.data() + (i + 1) * matrix.cols(),
              0.0);
  return true;
}

MatrixD inverse_of_lower(const Eigen::Ref<const MatrixD>& lower, int jobs) {
  require(lower.rows() == lower.cols(), "only a square matrix has an inverse; this one is ",
          lower.rows(), " x ", lower.cols());
  for (Eigen::Index i = 0; i < lower.rows(); ++i)
    require(lower(i, i) != 0, "a triangle with a zero on its diagonal (row ", i,
            ") has no inverse");
  MatrixD result = MatrixD::Zero(lower.rows(), lower.cols());
  invert({lower.data(), lower.rows(), lower.outerStride()}, result.data(), result.cols(), jobs);
  return result;
}

std::vector<int> levels_of_dense_products() {
  std::vector<int> levels;
  for (const int level : {1, 3, 4})
    if (level <= best_level()) levels.push_back(level);
  return levels;
}

void limit_dense_products(int level) { level_limit = level; }

}  // namespace commonplace
