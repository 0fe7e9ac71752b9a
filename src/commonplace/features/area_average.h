#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/features/picture.h"

namespace commonplace {

/// One number of a resized line: a weighted sum of those of the line from `first` on.
struct Share {
  int first = 0;
  std::vector<float> weights;  ///< they sum to 1
};
/// How `to` numbers are made of `from`: by averaging where they become fewer, parts of a number
/// counted by their share, and by linear interpolation where they become more.
std::vector<Share> shares(int from, int to);

/// Makes a smaller picture of rows that come one after the other, with memory for the result alone.
class AreaAverage {
 public:
  /// The result is at most `side` pixels on its longer side, and never larger than width x height.
  AreaAverage(int width, int height, int side);

  /// The next row: red, green, blue for each of the `width` pixels.
  void add_row(const std::uint8_t* pixels);
  /// The picture, once all rows came.
  Picture take() { return std::move(result_); }

 private:
  std::vector<Share> columns_;
  std::vector<Share> rows_;
  std::size_t target_ = 0;  ///< the first row of the result that is not finished
  int row_ = 0;
  Picture result_;
  std::vector<float> line_;  ///< a row at the result's width, one channel after the other
};

}  // namespace commonplace
