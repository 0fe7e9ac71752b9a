#pragma once

#include "commonplace/base/matrix.h"
#include "commonplace/features/picture.h"

namespace commonplace {

constexpr int kGistSize = 3 * 4 * 8 * 4 * 4;

/// GIST (Oliva & Torralba 2001): how strongly red, green and blue answer to Gabor filters of 4
/// scales x 8 orientations in each of 4 x 4 cells of the picture, stretched to a square, after its
/// contrast was made even. kGistSize numbers of 0 or more.
Eigen::RowVectorXf gist(const Picture& picture);

}  // namespace commonplace
