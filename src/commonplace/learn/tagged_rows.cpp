#include "commonplace/learn/tagged_rows.h"

#include <cmath>

#include "commonplace/base/error.h"

namespace commonplace {

void check_tagged(const SparseView& features, const SparseView& tags) {
  require(features.rows > 0, "there are no items to learn from; give some");
  require(features.rows == tags.rows, "there are features of ", features.rows,
          " items and tags of ", tags.rows, "; give both of the same items");
  require(tags.columns > 0, "there are no tags to learn; give items that have some");
  check_features(features, features.columns);
  for (std::int64_t item = 0; item < tags.rows; ++item)
    for (const float value : tags.row_values(item))
      require(std::isfinite(value) && value >= 0, "item ", item, " has a tag with the weight ",
              value, "; expected 0 or more");
}

void check_features(const SparseView& rows, std::int64_t columns) {
  require(rows.columns == columns, "the items have ", rows.columns, " features; the model knows ",
          columns, "; give the features that it was learned from");
  for (std::int64_t item = 0; item < rows.rows; ++item)
    for (const float value : rows.row_values(item))
      require(std::isfinite(value), "item ", item, " has a feature of ", value,
              "; expected a number");
}

}  // namespace commonplace
