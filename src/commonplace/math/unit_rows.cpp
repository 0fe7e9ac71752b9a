#include "commonplace/math/unit_rows.h"

#include "commonplace/base/parallel.h"

namespace commonplace {

Matrix unit_rows(Matrix rows, int jobs) {
  parallel_for(static_cast<std::size_t>(rows.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (auto row = static_cast<Eigen::Index>(begin);
                      row < static_cast<Eigen::Index>(end); ++row) {
                   const double length = rows.row(row).cast<double>().norm();
                   if (length > 0)
                     rows.row(row) = (rows.row(row).cast<double>() / length).cast<float>();
                 }
               });
  return rows;
}

}  // namespace commonplace
