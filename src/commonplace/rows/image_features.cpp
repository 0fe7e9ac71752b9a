#include "commonplace/rows/image_features.h"

#include <algorithm>
#include <optional>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/image_rows.h"
#include "commonplace/rows/image_sources.h"
#include "commonplace/rows/learn_image_features.h"
#include "commonplace/rows/partial_rows.h"
#include "commonplace/rows/row_maker.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelKind = "image";
constexpr std::int64_t kRowsAtATime = 256;

std::string source_text(const ImageFeatureOptions& options, const std::string& model,
                        const std::string& digest) {
  return concat(options.image, " by ", model, " (", digest, ")");
}

/// One run of the task.
class ImageRowMaker : RowMaker {
 public:
  ImageRowMaker(Library& library, const Collection& collection, const std::string& name,
                const ImageFeatureOptions& options, const Run& run)
      : RowMaker(library, collection, name, run), options_(options) {}

  MadeImageFeatures run(bool relearn) {
    const auto begun = Clock::now();
    require_most_files(library_, collection_, name_, sources_, run_.comm);
    MadeImageFeatures made;
    made.model = model_name_;
    std::optional<ImageFeatureModel> stored;
    if (is_first() && !relearn) stored = stored_model();
    made.learned = run_.comm.broadcast(!stored.has_value(), 0);
    if (made.learned)
      require_files_of_rows(library_, collection_, name_, model_name_, sources_, run_.comm);
    if (made.learned)
      learn();
    else
      model_ = broadcast_model(run_.comm, stored ? *stored : ImageFeatureModel());
    model_fingerprint_ = hexadecimal(fingerprint(model_));
    if (is_first()) rows_ = Matrix::Zero(std::ssize(sources_), model_.axes.rows());
    if (made.learned)
      project_raw();
    else
      made.kept = keep_stored();
    encode_rest();
    made.encoded = RowMaker::made() - made.kept;
    for (std::size_t i = 0; i < sources_.size(); ++i) add_skipped(i, made.skipped);
    made.record = finish([&] { return store(made.learned); });
    made.seconds = run_.comm.broadcast(seconds_since(begun), 0);
    return made;
  }

 private:
  /// The model of this name, if it was learned with the same options.
  std::optional<ImageFeatureModel> stored_model() const {
    const std::optional<ModelRecord> record = find_model(library_, model_name_, kModelKind);
    if (!record || record->options != options_to_json(options_)) return {};
    return load_image_features(TensorFile(record->file));
  }

  void learn() {
    LearnedImageModel learned = learn_image_model(sources_, options_, folder_, states_, run_);
    model_ = std::move(learned.model);
    raw_ = std::move(learned.raw);
  }

  /// The rows of the pictures that the model was learned from. Rank 0 has them.
  void project_raw() {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i].known) continue;
      done_[i] = true;
      if (states_[i].problem.empty()) known.push_back(i);
    }
    if (is_first()) project(known);
    raw_.reset();
  }

  void project(const std::vector<std::size_t>& known) {
    for (std::size_t first = 0; first < known.size(); first += kRowsAtATime) {
      run_.progress({"projecting pictures", first, known.size(), "pictures"});
      const std::size_t count = std::min<std::size_t>(kRowsAtATime, known.size() - first);
      Matrix block(static_cast<std::int64_t>(count), raw_->columns());
      for (std::size_t i = 0; i < count; ++i)
        block.row(static_cast<std::int64_t>(i)) = Eigen::Map<const Eigen::RowVectorXf>(
            raw_->row(states_[known[first + i]].fingerprint).data(), raw_->columns());
      const Matrix encoded = encode(model_, block, run_.jobs);
      for (std::size_t i = 0; i < count; ++i)
        rows_.row(static_cast<std::int64_t>(known[first + i])) =
            encoded.row(static_cast<std::int64_t>(i));
    }
  }

  /// Takes over the stored rows that this model made of files that are still the same, and returns
  /// how many have a picture.
  std::int64_t keep_stored() {
    const auto source = [&](const std::string& digest) {
      return source_text(options_, model_name_, digest);
    };
    const std::optional<Stored> before = stored(model_fingerprint_, model_.axes.rows(), source);
    require_same(run_.comm, before ? before->record.source : "none",
                 concat("features '", name_, "'"));
    if (!before) return 0;
    keep_pictures(before->table, std::min<std::int64_t>(before->record.rows, std::ssize(sources_)));
    if (is_first()) copy_rows(before->record);
    return count_kept(before->record);
  }

  void copy_rows(const FeatureRecord& record) {
    const NpyMatrix file = dense_features(record);
    const MatrixView before = file.view();
    for (std::size_t i = 0; i < done_.size(); ++i)
      if (done_[i])
        rows_.row(static_cast<std::int64_t>(i)) = before.row(static_cast<std::int64_t>(i));
  }

  void encode_rest() {
    const std::vector<std::int64_t> rest = RowMaker::rest();
    if (rest.empty()) return;
    PartialRows rows(folder_, "encoded", model_fingerprint_, model_.axes.rows(), run_.comm);
    auto make = [&](const Picture& picture) {
      return raw_image_features(model_.options, model_.vocabularies, picture);
    };
    auto finish = [&](const Matrix& raw) { return encode(model_, raw, 1); };
    make_image_rows(sources_, rest, options_, {"encoding pictures", make, finish}, rows, states_,
                    run_);
    if (!is_first()) return;
    for (const std::int64_t row : rest) {
      const RowState& state = states_[static_cast<std::size_t>(row)];
      if (state.known && state.problem.empty())
        rows_.row(row) =
            Eigen::Map<const Eigen::RowVectorXf>(rows.row(state.fingerprint).data(), rows_.cols());
    }
  }

  FeatureRecord store(bool learned) {
    if (unchanged_) return *kept_record_;
    if (learned)
      store_model(library_, {model_name_, kModelKind, {}, options_to_json(options_), "{}", ""},
                  [&](const fs::path& path) { save(model_, path); });
    const std::string digest = store_made(model_fingerprint_);
    return store_features(library_, collection_, name_, rows_,
                          source_text(options_, model_name_, digest));
  }

  ImageFeatureOptions options_;
  ImageFeatureModel model_;
  std::string model_fingerprint_;
  std::unique_ptr<PartialRows> raw_;
  Matrix rows_;  ///< on rank 0 alone
};

}  // namespace

MadeImageFeatures make_image_features(Library& library, const Collection& collection,
                                      const std::string& name, const ImageFeatureOptions& options,
                                      bool relearn, const Run& run) {
  require(collection.items > 0, "collection '", collection.name, "' has no items");
  check(options);
  check_feature_name(name);  // before the work rather than after it
  return ImageRowMaker(library, collection, name, options, run).run(relearn);
}

bool has_stored_image_model(const Library& library, const Collection& collection,
                            const std::string& name) {
  return find_model(library, collection.name + "." + name, kModelKind).has_value();
}

ImageFeatureModel stored_image_model(const Library& library, const Collection& collection,
                                     const std::string& name) {
  const std::string model = collection.name + "." + name;
  const ModelRecord record = model_record(library, model);
  require(record.kind == kModelKind, "the model '", model, "' is of kind '", record.kind,
          "', not one of pictures; make one with: commonplace features LIB ", collection.name,
          " --image sift --name ", name);
  return load_image_features(TensorFile(record.file));
}

}  // namespace commonplace
