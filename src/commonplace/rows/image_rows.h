#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/features/image_features.h"
#include "commonplace/rows/image_sources.h"
#include "commonplace/rows/partial_rows.h"

namespace commonplace {

/// What became of an item on the way to its row.
struct RowState {
  bool known = false;             ///< its text or file was read
  std::uint64_t fingerprint = 0;  ///< of the text or file
  std::string problem;            ///< why there is no row; empty if there is
  bool away = false;              ///< the file cannot be read now; what is known is older
};

/// An RowState as bytes, on its way to other ranks.
std::string to_bytes(const RowState& state);
RowState row_state(std::string_view bytes);

/// Calls `make` once for each of `count` pictures, on the threads of whichever rank is free, and
/// returns what was made, by picture, on every rank. Pictures are handed out one by one, since some
/// take far longer than others; the progress counts those of all ranks. Collective.
std::vector<std::string> make_by_picture(std::int64_t count, const std::string& stage,
                                         const Run& run,
                                         const std::function<std::string(std::int64_t)>& make);

/// How a row is made of pixels, and what blocks of such rows become before they are kept.
struct RowMaking {
  std::string stage;  ///< for the progress
  std::function<Eigen::RowVectorXf(const Picture&)> make;
  std::function<Matrix(const Matrix&)> finish;  ///< may be empty; called on one thread
};

/// Makes the rows of the pictures numbered `chosen`, with `jobs` threads of every rank, except
/// those that `rows` has already, and keeps them there block by block: rank 0 has them all at the
/// end. `states` (one for each source) tells every rank what became of each: a picture that cannot
/// be read has a problem, and a row of zeros. If a rank fails, what was kept stays. Collective.
void make_image_rows(const std::vector<ImageSource>& sources, std::span<const std::int64_t> chosen,
                     const ImageFeatureOptions& options, const RowMaking& making, PartialRows& rows,
                     std::vector<RowState>& states, const Run& run);

}  // namespace commonplace
