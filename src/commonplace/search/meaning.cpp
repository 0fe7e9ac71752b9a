#include "commonplace/search/meaning.h"

#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/fields.h"
#include "commonplace/io/json.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMeaningLayout = 1;

std::span<const float> floats_of(const Eigen::RowVectorXf& row) {
  return {row.data(), static_cast<std::size_t>(row.size())};
}

Eigen::RowVectorXf row_of(std::span<const float> values) {
  return Eigen::Map<const Eigen::RowVectorXf>(values.data(), std::ssize(values));
}

MeaningKind kind_named(const std::string& name, const std::string& file) {
  for (const MeaningKind kind : {MeaningKind::texts, MeaningKind::pictures, MeaningKind::pair})
    if (to_string(kind) == name) return kind;
  fail(file, ": '", name, "' is no way to search by meaning; the file is damaged");
}

Json as_json(const MeaningWay& way) {
  return {{"kind", to_string(way.kind)},
          {"features", way.features},
          {"made", way.made},
          {"encoder", way.asked.encoder},
          {"folder", way.asked.folder},
          {"of", name_of(way.asked.of)},
          {"fingerprint", way.asked.fingerprint},
          {"fitting", ordered_json_from(options_to_json(way.fitting))},
          {"weight", way.weight},
          {"of_classes", way.of_classes}};
}

MeaningWay way_from(const Json& json, const std::string& file) {
  MeaningWay way;
  way.kind = kind_named(json.at("kind").get<std::string>(), file);
  way.features = json.at("features").get<std::string>();
  way.made = json.at("made").get<std::string>();
  way.asked = {json.at("encoder").get<std::string>(), json.at("folder").get<std::string>(),
               json.at("of") == "text" ? Medium::text : Medium::picture,
               json.at("fingerprint").get<std::string>()};
  way.fitting = options_from_json<Fitting>(json_text(json.at("fitting")));
  way.weight = json.at("weight").get<double>();
  way.of_classes = json.at("of_classes").get<double>();
  require(std::isfinite(way.weight) && way.weight >= 0 && std::isfinite(way.of_classes) &&
              way.of_classes >= 0,
          file, ": a way to search by meaning has a weight below 0; the file is damaged");
  return way;
}

}  // namespace

std::string to_string(MeaningKind kind) { return word_of(kind); }

std::string meaning_name(const std::string& collection) { return "meaning." + collection; }

Matrix meant_vectors(const MeaningWay& way, const Matrix& features, int jobs) {
  if (way.kind != MeaningKind::pictures) return features;
  Matrix result;
  if (!way.captions.empty()) result = unit_rows(way.captions.apply(features, jobs), jobs);
  if (!way.classes.empty()) {
    const Matrix seen =
        static_cast<float>(way.of_classes) * unit_rows(way.classes.apply(features, jobs), jobs);
    result = result.size() == 0 ? seen : Matrix(result + seen);
  }
  // A map has a value where there is no picture too.
  for (Eigen::Index row = 0; row < features.rows(); ++row)
    if (features.row(row).isZero(0)) result.row(row).setZero();
  return unit_rows(std::move(result), jobs);
}

Eigen::RowVectorXf asked_vector(const MeaningWay& way, const Eigen::RowVectorXf& encoded) {
  if (encoded.isZero(0)) return encoded;
  Eigen::RowVectorXf asked = encoded;
  if (way.centre.size() > 0) asked -= way.centre;
  const float length = asked.norm();
  if (length > 0) asked /= length;
  return asked;
}

void save(const MeaningModel& model, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kMeaningKind, kMeaningLayout, "{}");
  writer.set("collection", model.collection);
  Json ways = Json::array();
  for (std::size_t i = 0; i < model.ways.size(); ++i) {
    const MeaningWay& way = model.ways[i];
    const std::string name = concat("way", i);
    ways.push_back(as_json(way));
    writer.add(name + ".centre", floats_of(way.centre));
    writer.add_strings(name + ".labels", way.labels);
    writer.add(name + ".label_vectors", way.label_vectors);
    add_ridge_map(writer, name + ".captions", way.captions);
    add_ridge_map(writer, name + ".classes", way.classes);
  }
  writer.set("ways", json_text(ways));
  writer.write(path);
}

MeaningModel load_meaning(const TensorFile& file) {
  require_kind(file, kMeaningKind, kMeaningLayout);
  MeaningModel model;
  model.collection = file.metadata("collection");
  try {
    for (const Json& each : ordered_json_from(file.metadata("ways")))
      model.ways.push_back(way_from(each, file.name()));
  } catch (const Json::exception& problem) {
    fail(file.name(), ": its description is damaged: ", problem.what());
  }
  for (std::size_t i = 0; i < model.ways.size(); ++i) {
    MeaningWay& way = model.ways[i];
    const std::string name = concat("way", i);
    way.centre = row_of(file.floats(name + ".centre"));
    way.labels = file.strings(name + ".labels");
    way.label_vectors = file.matrix(name + ".label_vectors");
    way.captions = read_ridge_map(file, name + ".captions");
    way.classes = read_ridge_map(file, name + ".classes");
    const bool pictures = way.kind == MeaningKind::pictures;
    const Eigen::Index columns =
        way.captions.empty() ? way.classes.weights.cols() : way.captions.weights.cols();
    const bool fits = (!pictures || way.centre.size() == columns) && pictures == (columns > 0) &&
                      (way.captions.empty() || way.classes.empty() ||
                       (way.classes.weights.cols() == columns &&
                        way.classes.weights.rows() == way.captions.weights.rows())) &&
                      way.label_vectors.rows() == std::ssize(way.labels) &&
                      (way.labels.empty() || way.label_vectors.cols() == columns) &&
                      way.centre.allFinite() && way.label_vectors.allFinite();
    require(fits, file.name(), ": the parts of the model do not fit together; the file is damaged");
  }
  return model;
}

}  // namespace commonplace::search
