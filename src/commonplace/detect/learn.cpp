#include "commonplace/detect/learn.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/comm/together.h"
#include "commonplace/detect/core/heads.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/options_json.h"
#include "commonplace/library/items.h"
#include "commonplace/library/stored_features.h"
#include "commonplace/library/stored_models.h"
#include "commonplace/library/tag_uses.h"

namespace commonplace {
namespace {

/// Rows that are encoded at a time.
constexpr std::int64_t kBlock = 4096;
/// An SVM holds all labelled items in memory; beyond this many the smooth head is used.
constexpr std::int64_t kMostForSvm = 50'000;

std::vector<std::int64_t> labelled_rows(const std::vector<std::uint8_t>& shown) {
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < shown.size(); ++row)
    if (shown[row] != 0) rows.push_back(static_cast<std::int64_t>(row));
  return rows;
}

/// The heads of all ranks' labelled rows, of which this rank has `own`.
ConceptHeads fit_all_heads(const DetectModel& model, ManyFeatures features,
                           std::span<const std::int64_t> rows, std::span<const std::int64_t> own,
                           Comm& comm, int jobs) {
  if (!model.head.svm) return solve_heads(model.statistics, model.head.lambda, jobs);
  const Matrix coordinates = encode_rows(model.space, features, own, true, jobs);
  return fit_heads(comm.gather_rows(coordinates), labels_of(model.known, rows), model.head, jobs);
}

/// The concepts from their labelled items, each rank reading its part of them in blocks.
void learn_concepts(DetectModel& model, ManyFeatures features, Comm& comm, int jobs,
                    const Progress& progress) {
  const std::vector<std::int64_t> rows = labelled_rows(model.shown);
  const auto concepts = std::ssize(model.concepts);
  model.statistics = SmoothStatistics(model.space.columns(), concepts);
  if (concepts == 0) {
    model.heads = {MatrixD(0, 0), VectorD(0)};
    return;
  }
  if (model.head.svm && std::ssize(rows) > kMostForSvm) model.head = {false, 1, model.head.cost};
  const RowRange range = own_rows(std::ssize(rows), comm);
  const auto own = std::span(rows).subspan(static_cast<std::size_t>(range.begin),
                                           static_cast<std::size_t>(range.end - range.begin));
  for (std::size_t begin = 0; begin < own.size(); begin += kBlock) {
    progress({"learning concepts", begin, own.size(), "items"});
    const auto some = own.subspan(begin, std::min<std::size_t>(kBlock, own.size() - begin));
    add_rows(model.statistics, encode_rows(model.space, features, some, true, jobs),
             labels_of(model.known, some), {}, jobs);
  }
  sum_over_ranks(model.statistics, comm);
  model.heads = fit_all_heads(model, features, rows, own, comm, jobs);
}

DetectLearningReport report_of(const DetectModel& model, const Detector& chosen,
                               std::int64_t items) {
  DetectLearningReport report;
  report.collection = model.collection;
  report.features = model.features;
  report.items = items;
  report.labelled = std::ssize(labelled_rows(model.shown));
  report.concepts = std::ssize(model.concepts);
  report.representation = model.representation;
  report.columns = model.space.columns();
  report.head = model.head;
  report.tried = chosen.tried;
  for (const DetectorTried& each : chosen.tried) report.miap = std::max(report.miap, each.miap);
  if (!chosen.held_scores.empty()) {
    std::vector<double> given;
    for (const float score : chosen.held_scores)
      given.push_back(confidence(model.confidence, static_cast<double>(score)));
    report.calibration_error = expected_calibration_error(given, chosen.held_outcomes, 15);
  }
  return report;
}

ModelRecord store_both(Library& library, const std::string& name, const DetectModel& model,
                       const std::string& report, DetectIndex& index) {
  const ModelRecord record =
      store_model(library, {name, kDetectModelKind, {}, options_to_json(model.options), report, ""},
                  [&](const std::filesystem::path& path) { save(model, path); });
  index.model = record.file.filename().string();
  store_model(library, {detect_index_name(name), kDetectIndexKind, {}, "{}", "{}", ""},
              [&](const std::filesystem::path& path) { save(index, path); });
  return record;
}

/// Teaches the model the items whose labels are others now; how many.
std::int64_t learn_changes(DetectModel& model, ConceptTable now, ManyFeatures features, int jobs) {
  std::vector<std::int64_t> gone;
  std::vector<std::int64_t> come;
  std::int64_t changed = 0;
  for (std::int64_t row = 0; row < features[0].rows(); ++row) {
    const auto place = static_cast<std::size_t>(row);
    const bool before = place < model.shown.size() && model.shown[place] != 0;
    const bool after = now.shown[place] != 0;
    if (before && after &&
        std::ranges::equal(model.known.view().row_indices(row), now.known.view().row_indices(row)))
      continue;
    if (before) gone.push_back(row);
    if (after) come.push_back(row);
    if (before || after) ++changed;
  }
  if (!model.concepts.empty() && changed > 0) {
    const auto coordinates = [&](std::span<const std::int64_t> rows) {
      return encode_rows(model.space, features, rows, true, jobs);
    };
    if (!gone.empty())
      remove_rows(model.statistics, coordinates(gone), labels_of(model.known, gone), {}, jobs);
    if (!come.empty())
      add_rows(model.statistics, coordinates(come), labels_of(now.known, come), {}, jobs);
    if (model.head.svm) model.head = {false, 1, model.head.cost};
    model.heads = solve_heads(model.statistics, model.head.lambda, jobs);
  }
  model.known = std::move(now.known);
  model.shown = std::move(now.shown);
  return changed;
}

/// Stored rows, and more behind them.
ByteRows grown(const ByteRowsView& stored, const ByteRows& more) {
  ByteRows result{stored.columns,
                  {stored.bytes.begin(), stored.bytes.end()},
                  {stored.scales.begin(), stored.scales.end()},
                  {stored.worst.begin(), stored.worst.end()}};
  result.bytes.insert(result.bytes.end(), more.bytes.begin(), more.bytes.end());
  for (std::size_t i = 0; i < more.worst.size(); ++i)
    result.worst[i] = std::max(result.worst[i], more.worst[i]);
  return result;
}

}  // namespace

std::vector<std::string> detect_features(const Library& library, const Collection& collection,
                                         const std::string& asked) {
  if (!asked.empty()) return parted(asked);
  std::vector<std::string> names;
  for (const FeatureRecord& record : feature_records(library, collection))
    if (!record.sparse) names.push_back(record.name);
  require(!names.empty(), "collection '", collection.name,
          "' has no dense features to detect by; make some first, for instance with 'commonplace "
          "features LIB ",
          collection.name, " --image sift'");
  return names;
}

MappedFeatures::MappedFeatures(const Library& library, const Collection& collection,
                               const std::vector<std::string>& names) {
  require(!names.empty(), "there are no features to detect by");
  std::int64_t rows = collection.items;
  for (const std::string& name : names) {
    files_.push_back(dense_features(feature_record(library, collection, name)));
    rows = std::min<std::int64_t>(rows, files_.back().view().rows());
  }
  require(rows > 0, "collection '", collection.name, "' has no items with these features");
  for (const NpyMatrix& file : files_)
    views_.emplace_back(file.view().data(), rows, file.view().cols());
}

ConceptTable read_concepts(const Library& library, const Collection& collection,
                           const DetectModelOptions& options, std::int64_t rows,
                           const std::vector<std::string>* concepts) {
  ConceptTable table;
  table.shown.assign(static_cast<std::size_t>(rows), 0);
  table.known.columns = 0;
  std::vector<std::string> names;
  Sparse uses;  // items x names
  if (options.concepts_from == "tags") {
    TagMatrix tags = tag_matrix(library, collection);
    names = std::move(tags.names);
    uses = std::move(tags.counts);
  } else if (options.concepts_from != "none") {
    std::map<std::string, std::int32_t> numbers;
    ItemReader reader(library, collection);
    Item item;
    while (reader.next(item)) {
      for (const auto& [field, value] : item.labels) {
        if (field != options.concepts_from) continue;
        const auto [place, is_new] =
            numbers.emplace(value, static_cast<std::int32_t>(numbers.size()));
        if (is_new) names.push_back(value);
        uses.push(place->second, 1);
      }
      uses.end_row();
    }
    require(!names.empty(), "no item of collection '", collection.name, "' has a label '",
            options.concepts_from, "'; give --concepts-from tags, none or a label's field");
    uses.columns = std::ssize(names);
  }
  std::vector<std::int64_t> counts(names.size());
  for (const std::int32_t name : uses.indices) ++counts[static_cast<std::size_t>(name)];
  std::unordered_map<std::string, std::int32_t> wanted;
  if (concepts != nullptr)
    for (const std::string& name : *concepts)
      wanted.emplace(tag_key(name), static_cast<std::int32_t>(wanted.size()));
  std::vector<std::int32_t> column(names.size(), -1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (concepts != nullptr) {
      const auto found = wanted.find(tag_key(names[i]));
      if (found != wanted.end()) column[i] = found->second;
    } else if (counts[i] >= options.min_uses) {
      column[i] = static_cast<std::int32_t>(table.concepts.size());
      table.concepts.push_back(names[i]);
    }
  }
  if (concepts != nullptr) table.concepts = *concepts;
  table.known.columns = std::ssize(table.concepts);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int32_t> shows;
    if (row < uses.rows())
      for (const std::int32_t name : uses.view().row_indices(row)) {
        table.shown[static_cast<std::size_t>(row)] = 1;
        if (column[static_cast<std::size_t>(name)] >= 0)
          shows.push_back(column[static_cast<std::size_t>(name)]);
      }
    std::sort(shows.begin(), shows.end());
    for (const std::int32_t each : shows) table.known.push(each, 1);
    table.known.end_row();
  }
  return table;
}

MatrixD labels_of(const Sparse& known, std::span<const std::int64_t> rows) {
  MatrixD labels = MatrixD::Constant(std::ssize(rows), known.columns, -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::int32_t each : known.view().row_indices(rows[i]))
      labels(static_cast<Eigen::Index>(i), each) = 1;
  return labels;
}

ByteRows code_items(const DetectSpace& space, ManyFeatures features, std::int64_t first,
                    std::span<const float> scales, Comm& comm, int jobs, const Progress& progress) {
  const std::int64_t rows = features[0].rows();
  const RowRange own = own_rows(rows - first, comm);
  ByteRows result;
  if (scales.empty()) {
    // Scales come from a part of the items; what lies farther out is cut off there.
    std::vector<float> magnitudes;
    for (std::int64_t begin = 0; begin < rows; begin += std::max(kBlock, rows / 8)) {
      const std::int64_t count = std::min(kBlock, rows - begin);
      add_magnitudes(encode(space, features, begin, count, true, jobs), magnitudes);
    }
    result = byte_rows(magnitudes);
  } else {
    result.columns = std::ssize(scales);
    result.scales.assign(scales.begin(), scales.end());
    result.worst.assign(scales.size(), 0);
  }
  for (std::int64_t begin = own.begin; begin < own.end; begin += kBlock) {
    progress({"coding items", static_cast<std::uint64_t>(begin - own.begin),
              static_cast<std::uint64_t>(own.end - own.begin), "items"});
    append(result,
           encode(space, features, first + begin, std::min(kBlock, own.end - begin), true, jobs),
           jobs);
  }
  std::vector<double> worst(result.worst.begin(), result.worst.end());
  comm.max(worst);
  std::copy(worst.begin(), worst.end(), result.worst.begin());
  result.bytes = gather_on_first(comm, std::move(result.bytes));
  return result;
}

bool index_fits(const ByteRowsView& index, const DetectSpace& space, ManyFeatures features,
                int jobs) {
  constexpr std::int64_t kTried = 32;
  if (index.columns != space.columns() || index.rows > features[0].rows()) return false;
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < kTried && index.rows > 0; ++i)
    rows.push_back(i * (index.rows - 1) / (kTried - 1));
  const Matrix now = encode_rows(space, features, rows, true, jobs);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t j = 0; j < index.columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const auto stored =
          static_cast<float>(index.bytes[static_cast<std::size_t>(rows[i] * index.columns + j)]);
      const float error =
          std::abs(now(static_cast<Eigen::Index>(i), j) - stored * index.scales[column]);
      if (!(error <= index.worst[column] + index.scales[column])) return false;
    }
  return true;
}

std::string detect_index_name(const std::string& model) { return model + ".index"; }

DetectLearningReport learn_detect(Library& library, const std::string& collection_name,
                                  const std::string& name, const DetectModelOptions& options,
                                  Comm& comm, int jobs, const Progress& progress) {
  const auto begin = Clock::now();
  check(options.detector);
  const Collection source = collection(library, collection_name);
  DetectModel model;
  model.collection = source.name;
  model.options = options;
  model.features = detect_features(library, source, options.features);
  const MappedFeatures features(library, source, model.features);
  ConceptTable table = read_concepts(library, source, options, features.rows());
  require_same(comm, state_of(library, source), "collection '" + source.name + "'");
  model.concepts = std::move(table.concepts);
  model.known = std::move(table.known);
  model.shown = std::move(table.shown);

  LabelledItems labelled;
  if (!model.concepts.empty()) {
    labelled.rows = labelled_rows(model.shown);
    labelled =
        sample_labelled(labelled.rows, options.detector.choose_on, options.detector.space.seed);
    labelled.labels = labels_of(model.known, labelled.rows);
  }
  Detector chosen =
      fit_detector(features.views(), labelled, options.detector, comm, jobs, progress);
  model.space = std::move(chosen.space);
  model.representation = chosen.representation;
  model.head = chosen.head;
  model.confidence = fit_confidence(chosen.held_scores, chosen.held_outcomes);
  learn_concepts(model, features.views(), comm, jobs, progress);
  DetectIndex index;
  index.rows = code_items(model.space, features.views(), 0, {}, comm, jobs, progress);

  DetectLearningReport report = report_of(model, chosen, features.rows());
  report.model = name.empty() ? "detect." + source.name : name;
  report.seconds = seconds_since(begin);
  on_first(comm, [&] { store_both(library, report.model, model, to_json(report), index); });
  return report;
}

DetectUpdate update_detect(Library& library, const std::string& name, Comm& comm, int jobs,
                           const Progress& progress) {
  const auto begin = Clock::now();
  const ModelRecord record = model_record(library, name);
  require(record.kind == kDetectModelKind, "the model '", name, "' is of the kind '", record.kind,
          "'; expected one made by 'commonplace learn LIB detect'");
  DetectModel model = load_detect_model(TensorFile(record.file));
  const Collection source = collection(library, model.collection);
  const MappedFeatures features(library, source, model.features);
  require_same(comm, state_of(library, source), "collection '" + source.name + "'");
  const TensorFile file(model_record(library, detect_index_name(name)).file);
  const ByteRowsView before = view_detect_index(file);
  require(index_fits(before, model.space, features.views(), jobs), "items of collection '",
          model.collection, "' were removed or their features made anew since the model was ",
          "learned; learn it again");
  DetectUpdate update;
  update.new_items = features.rows() - before.rows;
  update.changed_items = learn_changes(
      model, read_concepts(library, source, model.options, features.rows(), &model.concepts),
      features.views(), jobs);
  if (update.changed_items + update.new_items > 0) {
    DetectIndex index;
    const ByteRows more =
        code_items(model.space, features.views(), before.rows, before.scales, comm, jobs, progress);
    if (comm.rank() == 0) index.rows = grown(before, more);
    on_first(comm, [&] { store_both(library, name, model, record.report, index); });
  }
  update.seconds = seconds_since(begin);
  return update;
}

std::string to_json(const DetectLearningReport& report) {
  using Json = nlohmann::ordered_json;
  Json tried = Json::array();
  for (const DetectorTried& each : report.tried) {
    tried.push_back(
        {{"representation", each.representation}, {"head", each.head}, {"miap", each.miap}});
    if (each.lambda > 0) tried.back()["lambda"] = each.lambda;
  }
  Json json = {{"model", report.model},
               {"collection", report.collection},
               {"features", report.features},
               {"items", report.items},
               {"labelled", report.labelled},
               {"concepts", report.concepts},
               {"representation", report.representation},
               {"coordinates", report.columns},
               {"head", report.head.svm ? "svm" : "smooth"},
               {"tried", tried},
               {"seconds", report.seconds}};
  if (!report.head.svm) json["lambda"] = report.head.lambda;
  if (!report.tried.empty()) {
    json["miap"] = report.miap;
    json["calibration_error"] = report.calibration_error;
  }
  return json.dump();
}

}  // namespace commonplace
