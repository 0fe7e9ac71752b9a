#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>

#include "commonplace/base/matrix.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::relate {

/// The radial basis function exp(-|x − z|² / 2w²), by the name it has in files and answers.
inline constexpr const char* kRbfKernel = "rbf";

/// Nyström features: a kernel as features. With landmarks Z and K_zz = L Lᵀ, an item's are k(x, Z)
/// L⁻ᵀ, so that their products are the kernel (exactly among the landmarks, by Nyström's rule
/// between others) and a ridge on them is the norm of the kernel's functions.
struct NystromOptions {
  /// kRbfKernel: exp(-|x − z|² / 2w²); "laplace": exp(-|x − z| / w); "cosine": x·z / |x| |z|.
  std::string kernel = kRbfKernel;
  double width = 0;  ///< w; 0: half the median distance of sampled distinct rows; not of the cosine
  std::int64_t landmarks = 1000;  ///< at most the distinct rows
  std::uint64_t seed = 1;         ///< of the choice of landmarks
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, NystromOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("kernel", options.kernel, "rbf, laplace or cosine");
  visit("width", options.width, "of the kernel; 0: half the median distance");
  visit("landmarks", options.landmarks, "rows that all others are compared with");
  visit("seed", options.seed, "seed of the choice of landmarks");
}

struct NystromFeatures {
  NystromOptions options;  ///< with the width that was used
  StoredRows landmarks;
  MatrixD map;  ///< L⁻¹, landmarks x landmarks, lower

  std::int64_t count() const { return map.rows(); }
};

/// All distinct rows if there are few enough; else of dense rows of few columns so many that lie
/// far apart (as k-means++ draws its first centres), of others a sample. Rows of zeros are never
/// landmarks of the cosine. O(n m d + m³). Error for no rows, a number that is not finite, or
/// options out of range.
NystromFeatures fit_nystrom_features(const FeatureRows& rows, const NystromOptions& options,
                                     int jobs = 0);

/// n x landmarks. The same bits for a row alone as among others. Distances are of differences in
/// double where dense rows have 8 columns or fewer, so that places a few metres apart are told
/// apart, and of products in double elsewhere, precise to 1e-7 of the rows' lengths. All is double
/// until the end, as L⁻¹ enlarges errors. O(n m (d + m)). Error for rows that do not fit the
/// landmarks or a number that is not finite.
Matrix encode(const NystromFeatures& model, const FeatureRows& rows, int jobs = 0);

/// A safetensors file of kind "landmark-features".
void save(const NystromFeatures& model, const std::filesystem::path& path);
std::string to_bytes(const NystromFeatures& model);
NystromFeatures load_nystrom_features(const TensorFile& file);

}  // namespace commonplace::relate
