#include "commonplace/learn/labelled_rows.h"

#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"

namespace commonplace {
namespace {

template <class Rows>
void check_any_rows(const Rows& rows) {
  require(rows.rows() > 0 && rows.cols() > 0, "the features are ", rows.rows(), " x ", rows.cols(),
          "; expected an item and a feature or more");
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite(), "row ", row,
            " has a feature that is not a finite number; expected only finite ones");
}

}  // namespace

void check_dense_rows(const Eigen::Ref<const Matrix>& rows) { check_any_rows(rows); }
void check_dense_rows(const Eigen::Ref<const MatrixD>& rows) { check_any_rows(rows); }

void check_labels(const Eigen::Ref<const MatrixD>& labels, std::int64_t items) {
  require(labels.cols() > 0, "there are no concepts to learn; give a column of labels for each");
  require(labels.rows() == items, "there are labels of ", labels.rows(), " items; expected ", items,
          ", one row for each item");
  for (Eigen::Index row = 0; row < labels.rows(); ++row)
    for (Eigen::Index about = 0; about < labels.cols(); ++about) {
      const double label = labels(row, about);
      require(label == 1 || label == -1 || label == 0, "row ", row, " has the label ", label,
              "; expected 1, -1 or, where it has none, 0");
    }
}

void check_items(std::span<const std::int64_t> items, std::int64_t count) {
  for (const std::int64_t item : items)
    require(item >= 0 && item < count, "a label is of item ", item, "; expected 0 .. ", count - 1);
}

}  // namespace commonplace
