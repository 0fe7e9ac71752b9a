#include "commonplace/search/core/vector_index.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::search {
namespace {

/// Coordinates that are scanned: a quarter of most sentence encoders' holds nearly all that ranks.
constexpr std::int64_t kVectorHead = 96;
constexpr std::int64_t kVectorBlock = 8192;
/// Axes are found from so many rows, evenly spread.
constexpr std::int64_t kVectorSample = 20000;

template <class Visit>
void visit_vector_blocks(std::int64_t rows, const ReadVectors& read, const Visit& visit) {
  for (std::int64_t first = 0; first < rows; first += kVectorBlock)
    visit(read(first, std::min(kVectorBlock, rows - first)));
}

/// The principal axes of the rows as they are, without their mean taken off: products stay.
Matrix find_axes(std::int64_t rows, const ReadVectors& read, int jobs) {
  MatrixD gram;
  const std::int64_t blocks = (rows + kVectorBlock - 1) / kVectorBlock;
  const std::int64_t each = std::max<std::int64_t>(1, kVectorSample / blocks);
  for (std::int64_t first = 0; first < rows; first += kVectorBlock) {
    const Matrix some = read(first, std::min({kVectorBlock, rows - first, each}));
    if (gram.size() == 0) gram = MatrixD::Zero(some.cols(), some.cols());
    add_gram(some, gram, jobs);
  }
  require(gram.allFinite(), "a vector has a number that is not finite; expected only finite ones");
  return symmetric_eigen(gram).vectors.rowwise().reverse().cast<float>();
}

Matrix rounded_rows(const Sq8Rows& rows, std::int64_t first, std::int64_t count) {
  Matrix result(count, rows.columns);
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t j = 0; j < rows.columns; ++j)
      result(row, j) = rows.scales[static_cast<std::size_t>(j)] *
                       static_cast<float>(
                           rows.bytes[static_cast<std::size_t>((first + row) * rows.columns + j)]);
  return result;
}

/// Sums in lanes, so that the compiler may take several at once.
COMMONPLACE_CLONES float product_of(const std::int8_t* __restrict bytes,
                                    const float* __restrict weights, std::int64_t columns) {
  constexpr std::int64_t lanes = 16;
  float sums[lanes] = {};
  std::int64_t j = 0;
  for (; j + lanes <= columns; j += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += weights[j + lane] * static_cast<float>(bytes[j + lane]);
  for (; j < columns; ++j) sums[0] += weights[j] * static_cast<float>(bytes[j]);
  float sum = 0;
  for (const float each : sums) sum += each;
  return sum;
}

float product_with(const Sq8Rows& rows, std::int64_t row, const float* weights) {
  return product_of(rows.bytes.data() + row * rows.columns, weights, rows.columns);
}

/// The query's coordinates times the scales of the columns.
std::vector<float> weights_of(const Sq8Rows& rows, const Eigen::RowVectorXf& turned,
                              std::int64_t first) {
  std::vector<float> weights;
  for (std::int64_t j = 0; j < rows.columns; ++j)
    weights.push_back(turned[first + j] * rows.scales[static_cast<std::size_t>(j)]);
  return weights;
}

void add_sq8_rows(TensorWriter& writer, const std::string& name, const Sq8Rows& rows) {
  writer.add(name + ".bytes",
             std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(rows.bytes.data()),
                                           rows.bytes.size()));
  writer.add(name + ".scales", std::span<const float>(rows.scales));
  writer.add(name + ".worst", std::span<const float>(rows.worst));
}

Sq8Rows read_sq8_rows(const TensorFile& file, const std::string& name) {
  Sq8Rows rows;
  const auto bytes = file.small(name + ".bytes");
  rows.bytes.assign(reinterpret_cast<const std::int8_t*>(bytes.data()),
                    reinterpret_cast<const std::int8_t*>(bytes.data()) + bytes.size());
  const auto scales = file.floats(name + ".scales");
  rows.scales.assign(scales.begin(), scales.end());
  const auto worst = file.floats(name + ".worst");
  rows.worst.assign(worst.begin(), worst.end());
  rows.columns = std::ssize(rows.scales);
  const auto finite = [](float value) { return std::isfinite(value) && value >= 0; };
  require(rows.worst.size() == rows.scales.size() &&
              (rows.columns == 0 ? bytes.empty() : std::ssize(bytes) % rows.columns == 0) &&
              std::all_of(scales.begin(), scales.end(), finite) &&
              std::all_of(worst.begin(), worst.end(), finite),
          file.name(), ": the parts of its vectors do not fit together; the file is damaged");
  return rows;
}

}  // namespace

VectorIndex make_vector_index(std::int64_t rows, const ReadVectors& read, int jobs) {
  VectorIndex index;
  if (rows == 0) return index;
  index.axes = find_axes(rows, read, jobs);
  const std::int64_t columns = index.axes.cols();
  const std::int64_t head = std::min(columns, kVectorHead);
  const Matrix turn = index.axes.transpose();
  const auto turned = [&](const Matrix& block) { return multiply_transposed(block, turn, jobs); };
  std::vector<float> magnitudes;
  visit_vector_blocks(rows, read,
                      [&](const Matrix& block) { add_magnitudes(turned(block), magnitudes); });
  const auto middle = magnitudes.begin() + head;
  index.head = sq8_rows(std::vector<float>(magnitudes.begin(), middle));
  index.tail = sq8_rows(std::vector<float>(middle, magnitudes.end()));
  // Rounding takes away half a step at most.
  std::vector<float> halves;
  for (const auto* part : {&index.head, &index.tail})
    for (const float scale : part->scales) halves.push_back(scale / 2);
  index.fine = sq8_rows(halves);
  std::int64_t at = 0;
  visit_vector_blocks(rows, read, [&](const Matrix& block) {
    Matrix rest = turned(block);
    append(index.head, rest.leftCols(head), jobs);
    rest.leftCols(head) -= rounded_rows(index.head, at, rest.rows());
    if (head < columns) {
      append(index.tail, rest.rightCols(columns - head), jobs);
      rest.rightCols(columns - head) -= rounded_rows(index.tail, at, rest.rows());
    }
    append(index.fine, rest, jobs);
    at += rest.rows();
  });
  return index;
}

VectorProducts products(const VectorIndex& index, const Eigen::RowVectorXf& query,
                        std::int64_t refined, int jobs) {
  require(query.size() == index.columns() || index.rows() == 0, "a query of ", query.size(),
          " numbers was given to vectors of ", index.columns());
  VectorProducts result;
  if (index.rows() == 0) return result;
  const Eigen::RowVectorXf turned = query * index.axes;
  const std::int64_t head = index.head.columns;
  std::vector<double> weights(turned.data(), turned.data() + head);
  result.values = scan(index.head.view(), weights, jobs);
  result.refined = best_scores(result.values, refined, jobs);
  const std::vector<float> in_head = weights_of(index.head, turned, 0);
  const std::vector<float> in_tail = weights_of(index.tail, turned, head);
  const std::vector<float> in_fine = weights_of(index.fine, turned, 0);
  parallel_for(
      result.refined.size(), jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::int64_t row = result.refined[i];
          result.values[static_cast<std::size_t>(row)] =
              product_with(index.head, row, in_head.data()) +
              (in_tail.empty() ? 0 : product_with(index.tail, row, in_tail.data())) +
              product_with(index.fine, row, in_fine.data());
        }
      },
      64);
  return result;
}

void add_vector_index(TensorWriter& writer, const std::string& name, const VectorIndex& index) {
  writer.add(name + ".axes", index.axes);
  add_sq8_rows(writer, name + ".head", index.head);
  add_sq8_rows(writer, name + ".tail", index.tail);
  add_sq8_rows(writer, name + ".fine", index.fine);
}

VectorIndex read_vector_index(const TensorFile& file, const std::string& name) {
  VectorIndex index;
  index.axes = file.matrix(name + ".axes");
  index.head = read_sq8_rows(file, name + ".head");
  index.tail = read_sq8_rows(file, name + ".tail");
  index.fine = read_sq8_rows(file, name + ".fine");
  const std::int64_t rows = index.rows();
  require(index.axes.rows() == index.axes.cols() && index.axes.allFinite() &&
              index.fine.columns == index.columns() &&
              index.head.columns + index.tail.columns == index.columns() &&
              index.head.rows() == rows && (index.tail.columns == 0 || index.tail.rows() == rows),
          file.name(), ": the parts of its vectors do not fit together; the file is damaged");
  return index;
}

}  // namespace commonplace::search
