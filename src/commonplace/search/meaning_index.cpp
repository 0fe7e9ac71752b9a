#include "commonplace/search/meaning_index.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/npy.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/rows/row_table.h"

namespace commonplace::search {
namespace {

constexpr const char* kMeaningIndexKind = "meaning-index";
constexpr int kMeaningIndexLayout = 1;
/// Items that are looked at closely, of those that are shown.
constexpr std::int64_t kRefined = 2000;
constexpr std::size_t kMostSeen = 3;
/// A class less likely was not seen.
constexpr float kLeastLikely = 0.03F;

std::string meaning_index_name(const std::string& model) { return model + ".index"; }

std::optional<FeatureRecord> features_of(const Library& library, const Collection& collection,
                                         const std::string& name) {
  for (FeatureRecord& record : feature_records(library, collection))
    if (record.name == name && !record.sparse) return std::move(record);
  return std::nullopt;
}

/// The features of a way as they are now, if the same encoder made them. They may be of more items
/// than were there when it was learned.
std::optional<FeatureRecord> fitting_features(const Library& library, const Collection& collection,
                                              const MeaningWay& way) {
  auto record = features_of(library, collection, way.features);
  const auto name = stored_encoder_name(library, collection, way.features);
  if (!record || !name) return std::nullopt;
  const auto by = [](const std::string& source) { return source.substr(0, source.find(" (")); };
  if (by(record->source) != by(way.made)) return std::nullopt;
  if (way.kind != MeaningKind::pictures && *name != way.asked) return std::nullopt;
  return record;
}

std::string meaning_index_state(const Library& library, const Collection& collection,
                                const ModelRecord& record, const MeaningModel& model) {
  std::string state = concat(collection.id, ' ', collection.revision, ' ', record.created);
  for (const MeaningWay& way : model.ways) {
    const auto features = fitting_features(library, collection, way);
    state += features ? concat(' ', features->rows, ' ', features->source) : " none";
  }
  return state;
}

void save(const MeaningIndex& index, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kMeaningIndexKind, kMeaningIndexLayout, "{}");
  writer.set("state", index.state);
  writer.set("ways", std::to_string(index.vectors.size()));
  for (std::size_t way = 0; way < index.vectors.size(); ++way)
    add_vector_index(writer, concat("way", way), index.vectors[way]);
  writer.write(path);
}

/// Nothing if it is of another state, or damaged: it is derived data.
std::optional<MeaningIndex> stored_meaning_index(const Library& library, const std::string& model,
                                                 const std::string& state, std::size_t ways) {
  const auto record = find_model(library, meaning_index_name(model), kMeaningIndexKind);
  if (!record) return std::nullopt;
  try {
    const TensorFile file(record->file);
    require_kind(file, kMeaningIndexKind, kMeaningIndexLayout);
    if (file.metadata("state") != state || file.metadata("ways") != std::to_string(ways))
      return std::nullopt;
    MeaningIndex index{state, {}};
    for (std::size_t way = 0; way < ways; ++way)
      index.vectors.push_back(read_vector_index(file, concat("way", way)));
    return index;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ModelRecord> meaning_record(const Library& library, const std::string& collection) {
  return find_model(library, meaning_name(collection), kMeaningKind);
}

std::string meaning_state(const Library& library, const Collection& collection) {
  const auto record = meaning_record(library, collection.name);
  if (!record) return "";
  std::string state = record->created;
  for (const FeatureRecord& features : feature_records(library, collection))
    state += concat(' ', features.name, ' ', features.source);
  return state;
}

MeaningIndex make_meaning_index(const Library& library, const Collection& collection,
                                const MeaningModel& model, const Run& run) {
  MeaningIndex index;
  for (const MeaningWay& way : model.ways) {
    const auto record = fitting_features(library, collection, way);
    if (!record) {
      index.vectors.emplace_back();
      continue;
    }
    const NpyMatrix features = dense_features(*record);
    const std::int64_t rows = std::min(record->rows, collection.items);
    index.vectors.push_back(make_vector_index(
        rows,
        [&](std::int64_t first, std::int64_t count) {
          run.progress({"reading what items mean", static_cast<std::uint64_t>(first),
                        static_cast<std::uint64_t>(rows), "items"});
          return meant_vectors(way, features.view().middleRows(first, count), run.jobs);
        },
        run.jobs));
  }
  return index;
}

void store_meaning_index(Library& library, const std::string& model, const MeaningIndex& index) {
  store_model(library, {meaning_index_name(model), kMeaningIndexKind, {}, "{}", "{}", ""},
              [&](const std::filesystem::path& path) { save(index, path); });
}

void store_meaning(Library& library, const Collection& collection, const MeaningModel& model,
                   MeaningIndex index) {
  const ModelRecord record =
      store_model(library, {meaning_name(collection.name), kMeaningKind, {}, "{}", "{}", ""},
                  [&](const std::filesystem::path& path) { save(model, path); });
  index.state = meaning_index_state(library, collection, record, model);
  store_meaning_index(library, record.name, index);
}

MeaningSearcher::MeaningSearcher(const Library& library, const Collection& collection,
                                 const ModelRecord& record, const Run& run)
    : model_(load_meaning(TensorFile(record.file))),
      record_name_(record.name),
      encoders_(model_.ways.size()) {
  const std::string state = meaning_index_state(library, collection, record, model_);
  if (auto stored = stored_meaning_index(library, record.name, state, model_.ways.size())) {
    index_ = std::move(*stored);
  } else {
    index_ = make_meaning_index(library, collection, model_, run);
    index_.state = state;
    index_is_new_ = true;
  }
  for (const MeaningWay& way : model_.ways) {
    if (way.kind != MeaningKind::pictures || way.labels.empty()) continue;
    const auto seen = stored_seen(library, collection, way.features);
    if (seen && seen->labels == way.labels) seen_ = seen_by_row(*seen, library, collection);
  }
}

void MeaningSearcher::keep_index(Library& library) const {
  store_meaning_index(library, record_name_, index_);
}

Eigen::RowVectorXf MeaningSearcher::encode(std::size_t way, const std::string& text) const {
  std::shared_ptr<SharedEncoder> encoder;
  {
    const std::scoped_lock lock(*mutex_);
    if (!encoders_[way]) encoders_[way] = SharedEncoder::open(model_.ways[way].asked);
    encoder = encoders_[way];
  }
  return asked_vector(model_.ways[way], encoder->text(text));
}

MeaningSearcher::Found MeaningSearcher::ask(const std::string& text, std::int64_t items,
                                            int jobs) const {
  Found found;
  found.fits.resize(model_.ways.size());
  for (std::size_t i = 0; i < model_.ways.size(); ++i) {
    const MeaningWay& way = model_.ways[i];
    const VectorIndex& vectors = index_.vectors[i];
    if (vectors.rows() == 0 || way.weight == 0) continue;
    try {
      const Eigen::RowVectorXf asked = encode(i, text);
      if (asked.isZero(0) || asked.size() != vectors.columns()) continue;
      VectorProducts similar = products(vectors, asked, kRefined, jobs);
      // Only an item without a vector is exactly as alike as nothing.
      for (float& each : similar.values)
        if (each == 0) each = std::numeric_limits<float>::quiet_NaN();
      found.fits[i] = fits(way.fitting, similar.values);
    } catch (const Error& problem) {
      found.problem = problem.what();
      continue;
    }
    if (found.fits[i].empty()) continue;
    found.scores.resize(static_cast<std::size_t>(items));
    for (std::size_t row = 0; row < std::min(found.scores.size(), found.fits[i].size()); ++row)
      found.scores[row] += static_cast<float>(way.weight) * found.fits[i][row];
  }
  return found;
}

std::vector<std::string> MeaningSearcher::seen(const std::string& text, std::int64_t row) const {
  if (row >= seen_.rows()) return {};
  for (std::size_t i = 0; i < model_.ways.size(); ++i) {
    const MeaningWay& way = model_.ways[i];
    if (way.labels.empty()) continue;
    const auto classes = seen_.view().row_indices(row);
    const auto likely = seen_.view().row_values(row);
    const Eigen::RowVectorXf asked = encode(i, text);
    std::vector<std::pair<float, std::int32_t>> order;
    for (std::size_t at = 0; at < classes.size(); ++at)
      if (likely[at] >= kLeastLikely)
        order.emplace_back(
            -std::sqrt(likely[at]) * (1 + way.label_vectors.row(classes[at]).dot(asked)),
            classes[at]);
    std::sort(order.begin(), order.end());
    std::vector<std::string> names;
    for (std::size_t at = 0; at < std::min(order.size(), kMostSeen); ++at)
      names.push_back(way.labels[static_cast<std::size_t>(order[at].second)]);
    return names;
  }
  return {};
}

}  // namespace commonplace::search
