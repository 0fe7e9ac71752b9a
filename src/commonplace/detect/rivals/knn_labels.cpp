#include "commonplace/detect/rivals/knn_labels.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/labelled_rows.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::detect {
namespace {

constexpr std::int64_t kProductsAtOnce = 1 << 23;

/// A labelled row and its cosine less than nothing, so that the nearest is the least.
using Voter = std::pair<float, Eigen::Index>;

/// Voters of a cosine above 0; the nearest `sorted` of them first and in order.
void find_voters(const float* cosines, Eigen::Index count, std::int64_t sorted,
                 std::vector<Voter>& voters) {
  voters.clear();
  for (Eigen::Index row = 0; row < count; ++row)
    if (cosines[row] > 0) voters.emplace_back(-cosines[row], row);
  const auto middle = voters.begin() + std::min<std::ptrdiff_t>(sorted, std::ssize(voters));
  std::partial_sort(voters.begin(), middle, voters.end());
}

double vote(const std::vector<Voter>& voters, const Eigen::Ref<const MatrixD>& labels,
            Eigen::Index which, std::int64_t neighbours) {
  double sum = 0;
  double total = 0;
  std::int64_t heard = 0;
  for (auto voter = voters.begin(); voter != voters.end() && heard < neighbours; ++voter) {
    const double label = labels(voter->second, which);
    if (label == 0) continue;
    const double cosine = -static_cast<double>(voter->first);
    sum += cosine * label;
    total += cosine;
    ++heard;
  }
  return total > 0 ? sum / total : 0;
}

}  // namespace

Matrix knn_labels(const Eigen::Ref<const Matrix>& rows, const Eigen::Ref<const Matrix>& labelled,
                  const Eigen::Ref<const MatrixD>& labels, const KnnLabelOptions& options,
                  int jobs) {
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
  check_dense_rows(rows);
  check_dense_rows(labelled);
  check_labels(labels, labelled.rows());
  require(rows.cols() == labelled.cols(), "the rows have ", rows.cols(),
          " features, the labelled ones ", labelled.cols(), "; give the same of both");
  const Matrix asked = unit_rows(rows, jobs);
  const Matrix known = unit_rows(labelled, jobs);
  // Where each row is labelled for each concept, no more than the voters need to be in order.
  const std::int64_t sorted =
      (labels.array() != 0).all() ? options.neighbours : static_cast<std::int64_t>(known.rows());
  Matrix result(rows.rows(), labels.cols());
  const std::int64_t block = std::max<std::int64_t>(1, kProductsAtOnce / known.rows());
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    const Matrix cosines = multiply_transposed(
        asked.middleRows(first, std::min(block, rows.rows() - first)), known, jobs);
    parallel_for(
        static_cast<std::size_t>(cosines.rows()), jobs, [&](std::size_t begin, std::size_t end) {
          std::vector<Voter> voters;
          for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i) {
            find_voters(cosines.row(i).data(), cosines.cols(), sorted, voters);
            for (Eigen::Index which = 0; which < labels.cols(); ++which)
              result(first + i, which) =
                  static_cast<float>(vote(voters, labels, which, options.neighbours));
          }
        });
  }
  return result;
}

}  // namespace commonplace::detect
