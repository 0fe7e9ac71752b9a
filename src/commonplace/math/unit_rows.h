#pragma once

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Each row divided by its length; a row of zeros stays. Lengths are summed in double.
Matrix unit_rows(Matrix rows, int jobs = 1);

}  // namespace commonplace
