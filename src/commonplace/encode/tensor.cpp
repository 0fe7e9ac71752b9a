#include "commonplace/encode/tensor.h"

#include "commonplace/base/error.h"

namespace commonplace {

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::float32:
    case NumberType::int32:
      return 4;
    case NumberType::int64:
      return 8;
    case NumberType::float16:
      return 2;
  }
  return 0;
}

std::int64_t numbers_in(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape)
    require(
        side >= 0 && !__builtin_mul_overflow(count, side, &count) && count <= std::int64_t{1} << 40,
        "a tensor has a side of ", side, ", or more numbers than any memory holds");
  return count;
}

}  // namespace commonplace
