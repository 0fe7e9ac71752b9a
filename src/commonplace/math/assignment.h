#pragma once

#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// The column of each row, every column once, such that the entries add up to the most (the
/// Hungarian method); among equals the one that it finds first. `gains` is square and finite, else
/// Error. O(n³).
std::vector<int> best_assignment(const MatrixD& gains);

}  // namespace commonplace
