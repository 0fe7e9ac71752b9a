#include "commonplace/detect/rivals/knn_labels.h"

#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace knn_labels_test {

using namespace detect;

using test::normal_matrix;

MatrixD random_labels(Eigen::Index rows, Eigen::Index concepts, double unlabelled) {
  MatrixD result(rows, concepts);
  Rng rng(3);
  for (double& label : result.reshaped())
    label = rng.uniform() < unlabelled ? 0 : rng.uniform() < 0.4 ? 1 : -1;
  return result;
}

KnnLabelOptions voters(std::int64_t neighbours) { return {neighbours}; }

TEST(KnnLabels, AreThoseOfASort) {
  Matrix rows = normal_matrix(40, 5, 1).cast<float>();
  rows.row(7).setZero();
  const Matrix known = normal_matrix(25, 5, 2).cast<float>();
  for (const double unlabelled : {0.0, 0.4}) {
    const MatrixD labels = random_labels(25, 3, unlabelled);
    for (const std::int64_t neighbours : {1, 4, 100}) {
      const Matrix found = knn_labels(rows, known, labels, voters(neighbours));
      const MatrixD expected =
          test::naive_knn_labels(rows.cast<double>(), known.cast<double>(), labels, neighbours);
      EXPECT_LT((found.cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-5)
          << unlabelled << ' ' << neighbours;
      EXPECT_EQ(found.row(7), Matrix::Zero(1, 3));
    }
  }
}

TEST(KnnLabels, OfOneNeighbourAreItsLabels) {
  const Matrix known = normal_matrix(20, 4, 2).cast<float>();
  const MatrixD labels = random_labels(20, 3, 0);
  EXPECT_EQ(knn_labels(3 * known, known, labels, voters(1)).cast<double>(), labels);
}

TEST(KnnLabels, DoNotDependOnJobsNorOnTheOrder) {
  const Matrix rows = normal_matrix(50, 6, 1).cast<float>();
  const Matrix known = normal_matrix(30, 6, 2).cast<float>();
  const MatrixD labels = random_labels(30, 4, 0.2);
  const Matrix once = knn_labels(rows, known, labels, voters(5), 1);
  EXPECT_EQ(once, knn_labels(rows, known, labels, voters(5), 3));
  const auto order = test::random_order(50, 1);
  EXPECT_EQ(test::dense_in_order(once, order),
            knn_labels(test::dense_in_order(rows, order), known, labels, voters(5)));
  const auto other = test::random_order(30, 2);
  EXPECT_LT((once - knn_labels(rows, test::dense_in_order(known, other),
                               MatrixD(labels(other, Eigen::all)), voters(5)))
                .cwiseAbs()
                .maxCoeff(),
            1e-6F);
}

TEST(KnnLabels, BadInputIsRefused) {
  const Matrix rows = normal_matrix(5, 3, 1).cast<float>();
  const MatrixD labels = random_labels(5, 2, 0);
  EXPECT_TRUE(test::message_of([&] {
                knn_labels(rows, rows, labels, voters(0));
              }).starts_with("neighbours is 0"));
  EXPECT_THROW(knn_labels(rows, rows, MatrixD(labels.topRows(4))), Error);
  EXPECT_THROW(knn_labels(rows, rows.leftCols(2), labels), Error);
  EXPECT_THROW(knn_labels(rows, Matrix(0, 3), MatrixD(0, 2)), Error);
  EXPECT_THROW(knn_labels(rows, rows, 2 * labels), Error);
  Matrix holed = rows;
  holed(1, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(knn_labels(holed, rows, labels), Error);
  EXPECT_THROW(knn_labels(rows, holed, labels), Error);
}

}  // namespace knn_labels_test
}  // namespace commonplace
