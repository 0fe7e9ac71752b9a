#include "commonplace/rows/learn_image_features.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/files.h"
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
/// Far more than any vocabularies take.
constexpr std::uint64_t kMostWordsBytes = std::uint64_t{1} << 36;
constexpr std::uint64_t kOrderStream = 77;
constexpr const char* kImageWordsKind = "image_words";
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
  std::vector<Matrix> parts;               ///< on rank 0 alone
  std::vector<std::int64_t> fingerprints;  ///< of all files that were tried, 0 for none
  std::size_t good = 0;
};

/// How the descriptors of one picture go to other ranks: this, then the numbers.
struct SampledPicture {
  std::uint64_t fingerprint = 0;
  std::int64_t good = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

std::string sample_one(const ImageSource& source, const ImageFeatureOptions& options,
                       std::int64_t count) {
  SampledPicture head;
  Matrix descriptors;
  try {
    const ImageBytes image = read_image(source);
    head.fingerprint = image.fingerprint;
    const Picture picture = decode_for_features(options, image.bytes, source.location);
    descriptors = sample_descriptors(options, picture, count, image.fingerprint);
    head.good = 1;
  } catch (const StorageError&) {
    throw;
  } catch (const Error&) {
    // It is reported when its row is made.
  }
  head.rows = descriptors.rows();
  head.columns = descriptors.cols();
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(descriptors.data()),
               static_cast<std::size_t>(descriptors.size()) * sizeof(float));
  return bytes;
}

void add_to(Sample& sample, const std::string& bytes, bool keep) {
  SampledPicture head;
  std::memcpy(&head, bytes.data(), sizeof head);
  sample.fingerprints.push_back(static_cast<std::int64_t>(head.fingerprint));
  if (head.good == 0) return;
  ++sample.good;
  if (!keep) return;
  Matrix& part = sample.parts.emplace_back(head.rows, head.columns);
  std::memcpy(part.data(), bytes.data() + sizeof head, bytes.size() - sizeof head);
}

Sample sample_pictures(const std::vector<ImageSource>& sources, std::span<const std::int64_t> order,
                       const ImageFeatureOptions& options, const Run& run) {
  const std::size_t wanted = std::min(kSampledPictures, order.size());
  const std::int64_t each =
      std::max(kLeastFromAPicture, kSampledDescriptors / static_cast<std::int64_t>(wanted));
  Sample sample;
  // As many as are wanted, then some more for those that cannot be read.
  for (std::size_t first = 0, count = wanted; first < order.size() && sample.good < wanted;
       first += count, count = kSampleBatch) {
    const auto batch = order.subspan(first, std::min(count, order.size() - first));
    std::vector<std::string> found =
        make_by_picture(std::ssize(batch), "sampling pictures", run, [&](std::int64_t number) {
          const std::int64_t row = batch[static_cast<std::size_t>(number)];
          return sample_one(sources[static_cast<std::size_t>(row)], options, each);
        });
    for (std::string& bytes : found) {
      add_to(sample, bytes, run.comm.rank() == 0);
      bytes = {};
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

std::vector<Matrix> words_in(const TensorFile& file) {
  std::vector<Matrix> vocabularies;
  const std::span<const std::int32_t> count = file.ints("count");
  for (std::int32_t i = 0; i < count[0]; ++i)
    vocabularies.emplace_back(file.matrix(concat("vocabulary.", i)));
  return vocabularies;
}

/// The file of vocabularies that an earlier run stored, if they are what this one would learn;
/// otherwise empty.
std::string stored_words(const fs::path& path, const std::vector<ImageSource>& sources,
                         std::span<const std::int64_t> order, const ImageFeatureOptions& options,
                         int jobs) {
  if (!fs::exists(path)) return {};
  try {
    std::string bytes = read_file(path, kMostWordsBytes);
    const TensorFile file(bytes, path.string());
    require_kind(file, kImageWordsKind, 1);
    if (file.metadata("options") != words_key(options, sources.size())) return {};
    if (!same_files(sources, order, file.longs("fingerprints"), jobs)) return {};
    words_in(file);
    return bytes;
  } catch (const Error&) {
    return {};
  }
}

std::string words_file(const ImageFeatureOptions& options, std::size_t pictures,
                       const std::vector<std::int64_t>& fingerprints,
                       const std::vector<Matrix>& vocabularies) {
  TensorWriter writer;
  describe_model(writer, kImageWordsKind, 1, words_key(options, pictures));
  writer.add("fingerprints", std::span<const std::int64_t>(fingerprints));
  const std::vector<std::int32_t> count = {static_cast<std::int32_t>(vocabularies.size())};
  writer.add("count", std::span<const std::int32_t>(count));
  for (std::size_t i = 0; i < vocabularies.size(); ++i)
    writer.add(concat("vocabulary.", i), vocabularies[i]);
  return writer.bytes();
}

/// The same bits on every rank: rank 0 learns them, from what all have sampled.
std::vector<Matrix> words_of(const std::vector<ImageSource>& sources,
                             std::span<const std::int64_t> order,
                             const ImageFeatureOptions& options, const fs::path& folder,
                             const Run& run) {
  if (options.image == "gist") return {};
  const fs::path path = folder / kWordsFile;
  std::string bytes;
  if (run.comm.rank() == 0) bytes = stored_words(path, sources, order, options, run.jobs);
  if (!run.comm.broadcast(!bytes.empty(), 0)) {
    Sample sample = sample_pictures(sources, order, options, run);
    if (sample.good == 0) return {};
    if (run.comm.rank() == 0) {
      bytes = words_file(
          options, sources.size(), sample.fingerprints,
          learn_vocabularies(stacked(std::move(sample.parts)), options, run.jobs, run.progress));
      AtomicFile file(path);
      file.write(bytes);
      file.commit();
    }
  }
  return words_in(TensorFile(broadcast_text(run.comm, bytes), "the visual words"));
}

std::string raw_key(const ImageFeatureOptions& options, const std::vector<Matrix>& vocabularies) {
  Xxh64 hash;
  for (const Matrix& words : vocabularies)
    hash.update(std::as_bytes(
        std::span<const float>(words.data(), static_cast<std::size_t>(words.size()))));
  return concat(options_to_json(options), " ", hash.digest());
}

[[noreturn]] void fail_without_pictures(const std::vector<RowState>& states) {
  const auto first = std::find_if(states.begin(), states.end(),
                                  [](const RowState& state) { return !state.problem.empty(); });
  fail("none of the ", states.size(), " items has a picture that can be read",
       first == states.end() ? "" : "; of the first: " + first->problem);
}

}  // namespace

LearnedImageModel learn_image_model(const std::vector<ImageSource>& sources,
                                    const ImageFeatureOptions& options, const fs::path& folder,
                                    std::vector<RowState>& states, const Run& run) {
  on_root(run.comm, [&] { fs::create_directories(folder); });
  const std::vector<std::int64_t> order = random_order(sources.size(), options.seed);
  std::vector<Matrix> vocabularies = words_of(sources, order, options, folder, run);
  const std::int64_t columns = std::max<std::int64_t>(1, raw_size(options, vocabularies));

  const std::int64_t most = std::max<std::int64_t>(
      1, kMostLearningBytes / (columns * static_cast<std::int64_t>(sizeof(float))));
  std::vector<std::int64_t> chosen(order.begin(),
                                   order.begin() + std::min<std::int64_t>(most, std::ssize(order)));
  std::sort(chosen.begin(), chosen.end());
  LearnedImageModel learned;
  learned.raw = std::make_unique<PartialRows>(folder, "raw", raw_key(options, vocabularies),
                                              columns, run.comm);
  auto make = [&](const Picture& picture) {
    return raw_image_features(options, vocabularies, picture);
  };
  make_image_rows(sources, chosen, options, {"describing pictures", make, {}}, *learned.raw, states,
                  run);

  std::vector<std::uint64_t> good;
  for (const std::int64_t row : chosen) {
    const RowState& state = states[static_cast<std::size_t>(row)];
    if (state.known && state.problem.empty()) good.push_back(state.fingerprint);
  }
  if (good.empty()) fail_without_pictures(states);
  if (run.comm.rank() == 0) {
    run.progress({"finding axes", 0, 0, ""});
    Matrix raw(std::ssize(good), columns);
    for (std::size_t i = 0; i < good.size(); ++i)
      raw.row(static_cast<std::int64_t>(i)) =
          Eigen::Map<const Eigen::RowVectorXf>(learned.raw->row(good[i]).data(), columns);
    learned.model =
        learn_image_features(options, std::move(vocabularies), std::move(raw), run.jobs);
  }
  learned.model = broadcast_model(run.comm, learned.model);
  return learned;
}

ImageFeatureModel broadcast_model(Comm& comm, const ImageFeatureModel& model) {
  const std::string bytes = comm.rank() == 0 ? to_bytes(model) : "";
  return load_image_features(TensorFile(broadcast_text(comm, bytes), "the model of rank 0"));
}

}  // namespace commonplace
