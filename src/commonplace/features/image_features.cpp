#include "commonplace/features/image_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/features/gist.h"
#include "commonplace/features/image_descriptors.h"
#include "commonplace/features/visual_words.h"
#include "commonplace/io/tensors.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/math/k_means.h"
#include "commonplace/math/principal_axes.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace {
namespace {

constexpr const char* kKind = "image";
constexpr int kLayout = 1;
constexpr int kMostDim = 65536;
constexpr int kMostWords = 65536;
constexpr int kMostVocabularies = 64;
/// A word of fewer sampled descriptors than this is not worth having.
constexpr std::int64_t kDescriptorsAWord = 8;

bool has_words(const ImageFeatureOptions& options) { return options.image != "gist"; }
bool is_whitened(const ImageFeatureOptions& options) { return options.image == "surf"; }

int words_of(const ImageFeatureOptions& options) {
  if (options.words > 0) return options.words;
  return options.image == "surf" ? 128 : 64;
}

int vocabularies_of(const ImageFeatureOptions& options) {
  if (options.vocabularies > 0) return options.vocabularies;
  return options.image == "surf" ? 4 : 1;
}

int descriptor_columns(const ImageFeatureOptions& options) {
  if (options.image == "surf") return 64;
  return options.image == "sift" ? 128 : 384;
}

Matrix descriptors_of(const ImageFeatureOptions& options, const Picture& picture) {
  if (options.image == "surf") return surf_descriptors(picture, options.grid);
  if (options.image == "sift") return sift_descriptors(picture, options.grid);
  return rgb_sift_descriptors(picture, options.grid);
}

std::span<const std::byte> bytes_of(const float* values, std::int64_t count) {
  return std::as_bytes(std::span<const float>(values, static_cast<std::size_t>(count)));
}

}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ImageFeatureModel>
static void visit_tensors(Self& model, Visit&& visit) {
  for (std::size_t i = 0; i < model.vocabularies.size(); ++i)
    visit(concat("vocabulary.", i), model.vocabularies[i],
          TensorShape{-1, descriptor_columns(model.options)});
  const std::int64_t raw = raw_size(model.options, model.vocabularies);
  visit("mean", model.mean, TensorShape{raw});
  visit("axes", model.axes, TensorShape{-1, raw});
  visit("scale", model.scale, TensorShape{model.axes.rows()});
}

void check(const ImageFeatureOptions& options) {
  constexpr std::array<std::string_view, 4> known = {"sift", "rgb-sift", "surf", "gist"};
  require(std::find(known.begin(), known.end(), options.image) != known.end(), "image is '",
          options.image, "'; expected sift, rgb-sift, surf or gist");
  require(options.dim >= 1 && options.dim <= kMostDim, "dim is ", options.dim, "; expected 1 .. ",
          kMostDim);
  require(options.side >= 16 && options.side <= 4096, "side is ", options.side,
          "; expected 16 .. 4096 pixels");
  require(options.grid >= 1 && options.grid <= 256, "grid is ", options.grid,
          "; expected 1 .. 256 pixels");
  require(options.words >= 0 && options.words <= kMostWords, "words is ", options.words,
          "; expected 0 .. ", kMostWords);
  require(options.vocabularies >= 0 && options.vocabularies <= kMostVocabularies,
          "vocabularies is ", options.vocabularies, "; expected 0 .. ", kMostVocabularies);
}

Picture decode_for_features(const ImageFeatureOptions& options, std::string_view bytes,
                            const std::string& name) {
  PictureOptions decoding;
  decoding.side = options.side;
  return decode_picture(bytes, name, decoding);
}

Matrix sample_descriptors(const ImageFeatureOptions& options, const Picture& picture,
                          std::int64_t count, std::uint64_t stream) {
  if (!has_words(options)) return {};
  Matrix all = descriptors_of(options, picture);
  if (all.rows() <= count) return all;
  Matrix sample(count, all.cols());
  // One from each of `count` equal stretches.
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) +
                      random_uniform(options.seed, stream, static_cast<std::uint64_t>(i));
    const auto row = static_cast<std::int64_t>(at * static_cast<double>(all.rows()) /
                                               static_cast<double>(count));
    sample.row(i) = all.row(std::min(row, all.rows() - 1));
  }
  return sample;
}

std::vector<Matrix> learn_vocabularies(const Matrix& descriptors,
                                       const ImageFeatureOptions& options, int jobs,
                                       const Progress& progress) {
  std::vector<Matrix> vocabularies;
  if (!has_words(options)) return vocabularies;
  require(descriptors.rows() >= 1, "there are no descriptors to learn visual words from");
  KMeansOptions k_means_options;
  k_means_options.clusters =
      std::clamp<std::int64_t>(descriptors.rows() / kDescriptorsAWord, 1, words_of(options));
  k_means_options.jobs = jobs;
  for (int i = 0; i < vocabularies_of(options); ++i) {
    k_means_options.seed = random_bits(options.seed, 0, static_cast<std::uint64_t>(i));
    vocabularies.push_back(k_means(descriptors, k_means_options, progress));
  }
  return vocabularies;
}

std::int64_t raw_size(const ImageFeatureOptions& options, const std::vector<Matrix>& vocabularies) {
  return has_words(options) ? vlad_size(vocabularies) : kGistSize;
}

Eigen::RowVectorXf raw_image_features(const ImageFeatureOptions& options,
                                      const std::vector<Matrix>& vocabularies,
                                      const Picture& picture) {
  if (!has_words(options)) return gist(picture);
  return vlad(descriptors_of(options, picture), vocabularies);
}

ImageFeatureModel learn_image_features(const ImageFeatureOptions& options,
                                       std::vector<Matrix> vocabularies, Matrix raw, int jobs) {
  check(options);
  require(raw.rows() >= 1, "there are no pictures to learn from");
  PrincipalAxes found = principal_axes(std::move(raw), {options.dim, options.seed, jobs});
  require(found.axes.rows() >= 1,
          "the pictures all look the same; at least two different ones are needed");
  ImageFeatureModel model;
  model.options = options;
  model.vocabularies = std::move(vocabularies);
  model.mean = std::move(found.mean);
  model.axes = std::move(found.axes);
  model.scale = Eigen::RowVectorXf::Ones(model.axes.rows());
  if (is_whitened(options))
    model.scale = found.variance.cwiseSqrt().cwiseInverse().transpose().cast<float>();
  return model;
}

Matrix encode(const ImageFeatureModel& model, const Eigen::Ref<const Matrix>& raw, int jobs) {
  Matrix result = project(raw, model.mean, model.axes, jobs);
  for (std::int64_t row = 0; row < result.rows(); ++row)
    result.row(row) = result.row(row).cwiseProduct(model.scale);
  return unit_rows(std::move(result), jobs);
}

Eigen::RowVectorXf encode_picture(const ImageFeatureModel& model, std::string_view bytes,
                                  const std::string& name) {
  const Picture picture = decode_for_features(model.options, bytes, name);
  return encode(model, raw_image_features(model.options, model.vocabularies, picture), 1).row(0);
}

std::uint64_t fingerprint(const ImageFeatureModel& model) {
  Xxh64 hash;
  const std::string options = options_to_json(model.options);
  hash.update(std::as_bytes(std::span<const char>(options)));
  for (const Matrix& words : model.vocabularies) hash.update(bytes_of(words.data(), words.size()));
  hash.update(bytes_of(model.mean.data(), model.mean.size()));
  hash.update(bytes_of(model.axes.data(), model.axes.size()));
  hash.update(bytes_of(model.scale.data(), model.scale.size()));
  return hash.digest();
}

void save(const ImageFeatureModel& model, const std::filesystem::path& path) {
  model_writer(model, kKind, kLayout).write(path);
}

std::string to_bytes(const ImageFeatureModel& model) {
  return model_writer(model, kKind, kLayout).bytes();
}

ImageFeatureModel load_image_features(const TensorFile& file) {
  require_kind(file, kKind, kLayout);
  ImageFeatureModel model;
  model.options = options_from_json<ImageFeatureOptions>(file.metadata("options"));
  check(model.options);
  if (has_words(model.options))
    model.vocabularies.resize(static_cast<std::size_t>(vocabularies_of(model.options)));
  visit_tensors(model, TensorLoader{file});
  for (const Matrix& words : model.vocabularies)
    require(words.rows() >= 1, file.name(), ": a vocabulary is empty; the file is damaged");
  require(model.axes.rows() >= 1 && model.axes.rows() <= model.options.dim, file.name(),
          ": the model has ", model.axes.rows(), " axes where 1 to ", model.options.dim,
          " were expected; the file is damaged");
  return model;
}

}  // namespace commonplace
