#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/math/sq8_rows.h"

namespace commonplace::search {

/// Many vectors, made ready for products with one: they are turned onto their principal axes, of
/// which the first, where most of their length is, are scanned in SQ8 (a byte a number). What looks
/// best there is looked at again with all axes in two bytes a number.
struct VectorIndex {
  Matrix axes;   ///< columns x columns, orthonormal columns, those of the longest shadows first
  Sq8Rows head;  ///< the first coordinates
  Sq8Rows tail;  ///< the others; without columns if there are none
  Sq8Rows fine;  ///< of all, what rounding took away

  std::int64_t rows() const { return fine.rows(); }
  std::int64_t columns() const { return axes.rows(); }
};

/// Rows first .. first + count - 1 of what is indexed.
using ReadVectors = std::function<Matrix(std::int64_t first, std::int64_t count)>;
/// Reads everything twice, in blocks. O(rows columns²).
VectorIndex make_vector_index(std::int64_t rows, const ReadVectors& read, int jobs = 0);

/// The products of all rows with `query`: about, from the first coordinates, and to 1e-4 for those
/// that look best there, `refined` (or `rows()` if that is less), whose places are given too.
struct VectorProducts {
  std::vector<float> values;
  std::vector<std::int64_t> refined;
};
VectorProducts products(const VectorIndex& index, const Eigen::RowVectorXf& query,
                        std::int64_t refined = 1000, int jobs = 0);

/// Puts an index into a file under `name` and takes it out again; Error if it does not fit
/// together.
void add_vector_index(TensorWriter& writer, const std::string& name, const VectorIndex& index);
VectorIndex read_vector_index(const TensorFile& file, const std::string& name);

}  // namespace commonplace::search
