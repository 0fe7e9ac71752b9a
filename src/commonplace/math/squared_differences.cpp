#include "commonplace/math/squared_differences.h"

#include "commonplace/base/simd.h"

namespace commonplace {

COMMONPLACE_CLONES
void add_squared_differences(double x, const double* z, double* into, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) {
    const double difference = x - z[j];
    into[j] += difference * difference;
  }
}

}  // namespace commonplace
