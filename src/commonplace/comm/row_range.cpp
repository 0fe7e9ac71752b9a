#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/comm/comm.h"

namespace commonplace {

RowRange rows_of_rank(std::int64_t count, int rank, int size) {
  require(count >= 0, "cannot share out ", count, " rows; the number must not be negative");
  require(size >= 1 && rank >= 0 && rank < size, "there is no rank ", rank, " of ", size,
          "; ranks go from 0 to size - 1");
  // The first `longer` ranks take one row more than the others.
  const std::int64_t shorter_length = count / size;
  const std::int64_t longer = count % size;
  const std::int64_t begin = rank * shorter_length + std::min<std::int64_t>(rank, longer);
  return {begin, begin + shorter_length + (rank < longer ? 1 : 0)};
}

}  // namespace commonplace
