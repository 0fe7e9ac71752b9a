#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"
#include "commonplace/features/picture.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {

/// Vectors that say what pictures look like: descriptors of patches (SIFT, SURF) gathered by visual
/// words (VLAD), or GIST of the whole, along the principal axes of many pictures, at length 1.
struct ImageFeatureOptions {
  std::string image = "sift";  ///< sift, rgb-sift, surf or gist
  int dim = 512;               ///< at most; fewer where the pictures span fewer
  int side = 320;              ///< pixels of the longer side that pictures are reduced to
  int grid = 6;                ///< pixels from patch to patch
  int words = 0;               ///< visual words a vocabulary; 0: 64, for surf 128
  int vocabularies = 0;        ///< 0: 1, for surf 4
  std::uint64_t seed = 1;      ///< of the samples and starts

  bool operator==(const ImageFeatureOptions&) const = default;
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, ImageFeatureOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("image", options.image, "what pictures look like: sift, rgb-sift, surf or gist");
  visit("dim", options.dim, "most numbers a picture");
  visit("side", options.side, "pixels of the longer side that pictures are reduced to");
  visit("grid", options.grid, "pixels from patch to patch");
  visit("words", options.words, "visual words a vocabulary (0: 64, for surf 128)");
  visit("vocabularies", options.vocabularies, "vocabularies (0: 1, for surf 4)");
  visit("seed", options.seed, "seed of the samples and starts");
}

struct ImageFeatureModel {
  ImageFeatureOptions options;
  std::vector<Matrix> vocabularies;  ///< words x columns each; none for gist
  Eigen::RowVectorXf mean;           ///< of the raw vectors
  Matrix axes;                       ///< numbers a picture x raw columns
  Eigen::RowVectorXf scale;          ///< of the numbers along the axes; ones unless whitened
};

/// Error unless the options are ones that features can be made with.
void check(const ImageFeatureOptions& options);

/// The pixels that features are made of.
Picture decode_for_features(const ImageFeatureOptions& options, std::string_view bytes,
                            const std::string& name);

/// Up to `count` descriptors from all over the picture, as a function of (seed, stream); nothing
/// for gist. Vocabularies are learned from such rows of many pictures.
Matrix sample_descriptors(const ImageFeatureOptions& options, const Picture& picture,
                          std::int64_t count, std::uint64_t stream);
std::vector<Matrix> learn_vocabularies(const Matrix& descriptors,
                                       const ImageFeatureOptions& options, int jobs,
                                       const Progress& progress);

/// VLAD or GIST of one picture: `raw_size` numbers.
Eigen::RowVectorXf raw_image_features(const ImageFeatureOptions& options,
                                      const std::vector<Matrix>& vocabularies,
                                      const Picture& picture);
std::int64_t raw_size(const ImageFeatureOptions& options, const std::vector<Matrix>& vocabularies);

/// The model from the raw vectors of many pictures (which are used up). Error if there are not at
/// least two different ones.
ImageFeatureModel learn_image_features(const ImageFeatureOptions& options,
                                       std::vector<Matrix> vocabularies, Matrix raw, int jobs);

/// The features of pictures, given their raw vectors as rows; a row alone gives the bits that it
/// gives among others.
Matrix encode(const ImageFeatureModel& model, const Eigen::Ref<const Matrix>& raw, int jobs = 0);
/// Those of one picture file, the same bits as in a batch. `name` is what errors call it.
Eigen::RowVectorXf encode_picture(const ImageFeatureModel& model, std::string_view bytes,
                                  const std::string& name);

/// A number that differs for models that differ.
std::uint64_t fingerprint(const ImageFeatureModel& model);

/// A safetensors file of kind "image".
void save(const ImageFeatureModel& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const ImageFeatureModel& model);
/// Error if the file is another kind's or its parts do not fit together.
ImageFeatureModel load_image_features(const TensorFile& file);

}  // namespace commonplace
