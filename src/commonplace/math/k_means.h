#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"

namespace commonplace {

struct KMeansOptions {
  std::int64_t clusters = 64;
  int iterations = 25;     ///< at most; it ends sooner when no row changes its centre
  std::uint64_t seed = 1;  ///< of the first centres
  int jobs = 0;            ///< threads, 0: all processors; does not change the result
};

/// For each row the centre that is nearest to it, of equal ones the first.
struct NearestCentres {
  std::vector<std::int32_t> centre;
  std::vector<float> squared_distance;  ///< 0 or more
};

/// O(rows x centres x columns). What a row gets does not depend on the rows beside it nor on
/// `jobs`. Error if the columns differ or there are no centres.
NearestCentres nearest_centres(const Eigen::Ref<const Matrix>& rows,
                               const Eigen::Ref<const Matrix>& centres, int jobs = 0);

/// Centres (clusters x columns) by Lloyd's iteration, from centres drawn as k-means++ draws them
/// from a part of the rows: with a chance in proportion to the squared distance from those drawn
/// before. A centre that loses all its rows gets the row that is farthest from its own centre.
/// Error if there are fewer rows than clusters or numbers that are not finite.
Matrix k_means(const Eigen::Ref<const Matrix>& rows, const KMeansOptions& options,
               const Progress& progress = no_progress);

/// The same, where `find_nearest` finds what nearest_centres(rows, centres) would: for several
/// processes that share that work.
Matrix k_means(const Eigen::Ref<const Matrix>& rows, const KMeansOptions& options,
               const std::function<NearestCentres(const Matrix& centres)>& find_nearest,
               const Progress& progress = no_progress);

}  // namespace commonplace
