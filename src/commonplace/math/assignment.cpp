#include "commonplace/math/assignment.h"

#include <cstddef>
#include <limits>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// The method of shortest augmenting paths. Rows and columns count from 1; column 0 stands for the
/// row that is being assigned.
class Assigner {
 public:
  explicit Assigner(const MatrixD& gains)
      : gains_(gains),
        count_(static_cast<std::size_t>(gains.rows())),
        row_price_(count_ + 1, 0),
        column_price_(count_ + 1, 0),
        row_of_(count_ + 1, 0),
        came_from_(count_ + 1, 0) {}

  void assign(std::size_t row) {
    row_of_[0] = row;
    std::size_t column = 0;
    std::vector<double> slack(count_ + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> reached(count_ + 1, false);
    do {
      reached[column] = true;
      column = extend(column, slack, reached);
    } while (row_of_[column] != 0);
    while (column != 0) {
      row_of_[column] = row_of_[came_from_[column]];
      column = came_from_[column];
    }
  }

  std::vector<int> columns() const {
    std::vector<int> result(count_);
    for (std::size_t column = 1; column <= count_; ++column)
      result[row_of_[column] - 1] = static_cast<int>(column - 1);
    return result;
  }

 private:
  double cost(std::size_t row, std::size_t column) const {
    return -gains_(static_cast<Eigen::Index>(row - 1), static_cast<Eigen::Index>(column - 1));
  }

  /// The next column on the shortest path, with the prices moved so that it is reached.
  std::size_t extend(std::size_t from, std::vector<double>& slack,
                     const std::vector<bool>& reached) {
    double step = std::numeric_limits<double>::infinity();
    std::size_t next = 0;
    for (std::size_t column = 1; column <= count_; ++column) {
      if (reached[column]) continue;
      const double over =
          cost(row_of_[from], column) - row_price_[row_of_[from]] - column_price_[column];
      if (over < slack[column]) {
        slack[column] = over;
        came_from_[column] = from;
      }
      if (slack[column] < step) {
        step = slack[column];
        next = column;
      }
    }
    for (std::size_t column = 0; column <= count_; ++column) {
      if (reached[column]) {
        row_price_[row_of_[column]] += step;
        column_price_[column] -= step;
      } else {
        slack[column] -= step;
      }
    }
    return next;
  }

  const MatrixD& gains_;
  std::size_t count_;
  std::vector<double> row_price_;
  std::vector<double> column_price_;
  std::vector<std::size_t> row_of_;  ///< of each column, 0: none
  std::vector<std::size_t> came_from_;
};

}  // namespace

std::vector<int> best_assignment(const MatrixD& gains) {
  require(gains.rows() == gains.cols() && gains.allFinite(),
          "an assignment needs a square matrix of finite numbers, not ", gains.rows(), " x ",
          gains.cols());
  Assigner assigner(gains);
  for (Eigen::Index row = 1; row <= gains.rows(); ++row)
    assigner.assign(static_cast<std::size_t>(row));
  return assigner.columns();
}

}  // namespace commonplace
