#include "commonplace/task/learn_image_features.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSampledPictures = 1024;
constexpr std::size_t kSampleBatch = 64;
constexpr std::int64_t kSampledDescriptors = 1 << 17;
constexpr std::int64_t kLeastFromAPicture = 128;
constexpr std::int64_t kMostLearningBytes = std::int64_t{1} << 30;
constexpr std::uint64_t kOrderStream = 77;
constexpr const char* kKind = "image_words";
constexpr const char* kWordsFile = "words.safetensors";

/// All row numbers in random order, a function of the seed.
std::vector<std::int64_t> random_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  auto draw = [&](std::int64_t row) {
    return random_bits(seed, kOrderStream, static_cast<std::uint64_t>(row));
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const std::uint64_t first = draw(a);
    const std::uint64_t second = draw(b);
    return first != second ? first < second : a < b;
  });
  return order;
}

/// Descriptors of a sample of the pictures, and what they were taken from.
struct Sample {
  std::vector<Matrix> parts;
  std::vector<std::int64_t> fingerprints;  ///< of all files that were tried, 0 for none
  std::size_t good = 0;
};

struct SampledPicture {
  Matrix descriptors;
  bool good = false;
  std::uint64_t fingerprint = 0;
};

SampledPicture sample_one(const ImageSource& source, const ImageFeatureOptions& options,
                          std::int64_t count) {
  SampledPicture result;
  try {
    const ImageBytes image = read_image(source);
    result.fingerprint = image.fingerprint;
    const Picture picture = decode_for_features(options, image.bytes, source.location);
    result.descriptors = sample_descriptors(options, picture, count, image.fingerprint);
    result.good = true;
  } catch (const StorageError&) {
    throw;
  } catch (const Error&) {
    // It is reported when its row is made.
  }
  return result;
}

Sample sample_pictures(const std::vector<ImageSource>& sources, std::span<const std::int64_t> order,
                       const ImageFeatureOptions& options, int jobs, const Progress& progress) {
  const std::size_t wanted = std::min(kSampledPictures, order.size());
  const std::int64_t each =
      std::max(kLeastFromAPicture, kSampledDescriptors / static_cast<std::int64_t>(wanted));
  Sample sample;
  ImageMeter meter("sampling pictures", static_cast<std::int64_t>(wanted), progress);
  for (std::size_t first = 0; first < order.size() && sample.good < wanted; first += kSampleBatch) {
    const auto batch = order.subspan(first, std::min(kSampleBatch, order.size() - first));
    std::vector<SampledPicture> found(batch.size());
    parallel_for(
        batch.size(), jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            found[i] = sample_one(sources[static_cast<std::size_t>(batch[i])], options, each);
            meter.step();
          }
        },
        1);
    for (SampledPicture& picture : found) {
      sample.fingerprints.push_back(static_cast<std::int64_t>(picture.fingerprint));
      if (!picture.good) continue;
      ++sample.good;
      sample.parts.push_back(std::move(picture.descriptors));
    }
  }
  return sample;
}

Matrix stacked(std::vector<Matrix> parts) {
  std::int64_t rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  Matrix result(rows, parts.empty() ? 0 : parts.front().cols());
  std::int64_t first = 0;
  for (Matrix& part : parts) {
    result.middleRows(first, part.rows()) = part;
    first += part.rows();
    part = {};
  }
  return result;
}

/// Whether the files that a stored vocabulary came from are still the same.
bool same_files(const std::vector<ImageSource>& sources, std::span<const std::int64_t> order,
                std::span<const std::int64_t> fingerprints, int jobs) {
  if (fingerprints.size() > order.size()) return false;
  std::vector<std::int64_t> now(fingerprints.size(), 0);
  parallel_for(now.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      try {
        const ImageSource& source = sources[static_cast<std::size_t>(order[i])];
        now[i] = static_cast<std::int64_t>(read_image(source).fingerprint);
      } catch (const Error&) {
        now[i] = 0;
      }
    }
  });
  return std::equal(now.begin(), now.end(), fingerprints.begin());
}

std::string words_key(const ImageFeatureOptions& options, std::size_t pictures) {
  return concat(options_to_json(options), " ", pictures);
}

/// The vocabularies that an earlier run stored, if they are what this one would learn.
bool load_words(const fs::path& path, const std::vector<ImageSource>& sources,
                std::span<const std::int64_t> order, const ImageFeatureOptions& options, int jobs,
                std::vector<Matrix>& vocabularies) {
  if (!fs::exists(path)) return false;
  try {
    const TensorFile file(path);
    require_kind(file, kKind, 1);
    if (file.metadata("options") != words_key(options, sources.size())) return false;
    if (!same_files(sources, order, file.longs("fingerprints"), jobs)) return false;
    const std::span<const std::int32_t> count = file.ints("count");
    for (std::int32_t i = 0; i < count[0]; ++i)
      vocabularies.emplace_back(file.matrix(concat("vocabulary.", i)));
    return true;
  } catch (const Error&) {
    vocabularies.clear();
    return false;
  }
}

void save_words(const fs::path& path, const ImageFeatureOptions& options, std::size_t pictures,
                const std::vector<std::int64_t>& fingerprints,
                const std::vector<Matrix>& vocabularies) {
  TensorWriter writer;
  describe_model(writer, kKind, 1, words_key(options, pictures));
  writer.add("fingerprints", std::span<const std::int64_t>(fingerprints));
  const std::vector<std::int32_t> count = {static_cast<std::int32_t>(vocabularies.size())};
  writer.add("count", std::span<const std::int32_t>(count));
  for (std::size_t i = 0; i < vocabularies.size(); ++i)
    writer.add(concat("vocabulary.", i), vocabularies[i]);
  writer.write(path);
}

std::vector<Matrix> words_of(const std::vector<ImageSource>& sources,
                             std::span<const std::int64_t> order,
                             const ImageFeatureOptions& options, const fs::path& folder, int jobs,
                             const Progress& progress) {
  std::vector<Matrix> vocabularies;
  if (options.image == "gist") return vocabularies;
  const fs::path path = folder / kWordsFile;
  if (load_words(path, sources, order, options, jobs, vocabularies)) return vocabularies;
  Sample sample = sample_pictures(sources, order, options, jobs, progress);
  if (sample.good == 0) return vocabularies;
  vocabularies = learn_vocabularies(stacked(std::move(sample.parts)), options, jobs, progress);
  save_words(path, options, sources.size(), sample.fingerprints, vocabularies);
  return vocabularies;
}

std::string raw_key(const ImageFeatureOptions& options, const std::vector<Matrix>& vocabularies) {
  Xxh64 hash;
  for (const Matrix& words : vocabularies)
    hash.update(std::as_bytes(
        std::span<const float>(words.data(), static_cast<std::size_t>(words.size()))));
  return concat(options_to_json(options), " ", hash.digest());
}

[[noreturn]] void fail_without_pictures(const std::vector<ImageState>& states) {
  const auto first = std::find_if(states.begin(), states.end(),
                                  [](const ImageState& state) { return !state.problem.empty(); });
  fail("none of the ", states.size(), " items has a picture that can be read",
       first == states.end() ? "" : "; of the first: " + first->problem);
}

}  // namespace

LearnedImageModel learn_image_model(const std::vector<ImageSource>& sources,
                                    const ImageFeatureOptions& options, const fs::path& folder,
                                    int jobs, std::vector<ImageState>& states,
                                    const Progress& progress) {
  fs::create_directories(folder);
  const std::vector<std::int64_t> order = random_order(sources.size(), options.seed);
  std::vector<Matrix> vocabularies = words_of(sources, order, options, folder, jobs, progress);
  const std::int64_t columns = std::max<std::int64_t>(1, raw_size(options, vocabularies));

  const std::int64_t most = std::max<std::int64_t>(
      1, kMostLearningBytes / (columns * static_cast<std::int64_t>(sizeof(float))));
  std::vector<std::int64_t> chosen(order.begin(),
                                   order.begin() + std::min<std::int64_t>(most, std::ssize(order)));
  std::sort(chosen.begin(), chosen.end());
  LearnedImageModel learned;
  learned.raw =
      std::make_unique<PartialRows>(folder, "raw", raw_key(options, vocabularies), columns);
  auto make = [&](const Picture& picture) {
    return raw_image_features(options, vocabularies, picture);
  };
  make_image_rows(sources, chosen, options, {"describing pictures", make, {}}, jobs, *learned.raw,
                  states, progress);

  std::vector<std::uint64_t> good;
  for (const std::int64_t row : chosen) {
    const ImageState& state = states[static_cast<std::size_t>(row)];
    if (state.known && state.problem.empty()) good.push_back(state.fingerprint);
  }
  if (good.empty()) fail_without_pictures(states);
  progress({"finding axes", 0, 0, ""});
  Matrix raw(std::ssize(good), columns);
  for (std::size_t i = 0; i < good.size(); ++i)
    raw.row(static_cast<std::int64_t>(i)) =
        Eigen::Map<const Eigen::RowVectorXf>(learned.raw->row(good[i]).data(), columns);
  learned.model = learn_image_features(options, std::move(vocabularies), std::move(raw), jobs);
  return learned;
}

}  // namespace commonplace
