#pragma once

#include <cstdint>

namespace commonplace {

/// into[j] += (x - z[j])², for every j < count: a column at a time, the squared distances of one
/// row from many. Nothing is lost where rows are near each other and far from 0.
void add_squared_differences(double x, const double* z, double* into, std::int64_t count);

}  // namespace commonplace
