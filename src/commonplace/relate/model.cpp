#include "commonplace/relate/model.h"

#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"

namespace commonplace::relate {
namespace {

constexpr int kLayout = 1;

std::string prefix_of(std::size_t modality) { return concat("kind", modality, "."); }

/// What there is of a modality besides its positions, as numbers: of, kernel settings, rule.
std::vector<double> numbers_of(const Model& model, std::size_t k) {
  const ModalitySetting& setting = model.space.settings[k];
  std::vector<double> numbers{static_cast<double>(model.modalities[k].what.of),
                              setting.width,
                              static_cast<double>(setting.landmarks),
                              setting.gamma,
                              model.rules[k].popularity,
                              model.rules[k].quality,
                              model.rules[k].knn_weight,
                              static_cast<double>(model.rules[k].neighbours)};
  numbers.insert(numbers.end(), model.rules[k].say.begin(), model.rules[k].say.end());
  return numbers;
}

void read_numbers(Model& model, std::size_t k, std::span<const double> numbers,
                  const std::string& name) {
  constexpr std::size_t kFixed = 8;
  require(numbers.size() == kFixed + model.modalities.size() && numbers[0] >= 0 &&
              numbers[0] <= static_cast<double>(NodeType::label) && numbers[1] >= 0 &&
              numbers[2] >= 0 && numbers[2] <= 1e9 && numbers[3] >= 0 && numbers[7] >= 0 &&
              numbers[7] <= 1e6,
          name, ": the settings of a kind are damaged; learn the model again");
  for (const double each : numbers)
    require(std::isfinite(each), name, ": a setting is not a number; the file is damaged");
  model.modalities[k].what.of = static_cast<NodeType>(static_cast<int>(numbers[0]));
  ModalitySetting& setting = model.space.settings[k];
  setting.width = numbers[1];
  setting.landmarks = static_cast<std::int64_t>(numbers[2]);
  setting.gamma = numbers[3];
  model.rules[k].popularity = numbers[4];
  model.rules[k].quality = numbers[5];
  model.rules[k].knn_weight = numbers[6];
  model.rules[k].neighbours = static_cast<std::int64_t>(numbers[7]);
  model.rules[k].say.assign(numbers.begin() + kFixed, numbers.end());
}

MatrixD as_matrix(const std::vector<Place>& places) {
  MatrixD result(std::ssize(places), 2);
  for (std::size_t i = 0; i < places.size(); ++i)
    result.row(static_cast<Eigen::Index>(i)) << places[i].latitude, places[i].longitude;
  return result;
}

void read_places(PlacedModality& modality, const MatrixD& places, const std::string& name) {
  require(places.cols() == 2 && places.allFinite(), name, ": the places are damaged");
  for (Eigen::Index i = 0; i < places.rows(); ++i)
    modality.places.push_back({places(i, 0), places(i, 1)});
}

bool is_named(const PlacedModality& modality) {
  return modality.what.of == NodeType::tags || modality.what.of == NodeType::label;
}

void check_fit(const Model& model, const std::string& name) {
  const Space& space = model.space;
  require(space.projection.modalities.size() == model.modalities.size(), name,
          ": the projection is of other kinds; the file is damaged");
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    const std::int64_t nodes = modality.nodes();
    const std::int64_t features = space.projection.modalities[k].projection.rows();
    require(modality.positions.cols() == space.dim() && space.degrees[k].minCoeff() >= 0 &&
                (modality.what.of != NodeType::places || std::ssize(modality.places) == nodes) &&
                (!space.projection.modalities[k].identity || features == nodes) &&
                (space.landmarks[k].count() == 0 || space.landmarks[k].count() == features) &&
                (modality.what.of != NodeType::text || space.landmarks[k].count() > 0 ||
                 std::ssize(modality.text.idf) == features),
            name, ": the parts of ", modality.what.full(),
            " do not fit together; the file is damaged");
  }
}

}  // namespace

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Model>
static void visit_tensors(Self& model, std::size_t k, Visit&& visit) {
  const std::string prefix = prefix_of(k);
  auto& modality = model.modalities[k];
  visit(prefix + "positions", modality.positions);
  const std::int64_t nodes = modality.nodes();
  visit(prefix + "degrees", model.space.degrees[k], TensorShape{nodes});
  visit(prefix + "has", modality.has, TensorShape{-1, nodes});
  if (is_named(modality) && nodes > 0) visit(prefix + "names", modality.names, TensorShape{nodes});
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, PlaceRule>
static void visit_tensors(Self& rule, Visit&& visit) {
  visit("place.spread", rule.spread);
  visit("place.error", rule.error, TensorShape{std::ssize(rule.spread)});
}

void save(const Model& model, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kModelKind, kLayout, options_to_json(model.options));
  writer.add_bytes("projection", to_bytes(model.space.projection));
  std::vector<std::string> collections;
  std::vector<std::string> fields;
  std::vector<std::string> features;
  std::vector<std::string> kernels;
  std::vector<std::vector<double>> numbers;
  std::vector<MatrixD> places(model.modalities.size());
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    collections.push_back(modality.what.collection);
    fields.push_back(modality.what.field);
    features.push_back(modality.features);
    kernels.push_back(model.space.settings[k].kernel);
    numbers.push_back(numbers_of(model, k));
    places[k] = as_matrix(modality.places);
  }
  writer.add_strings("collections", collections);
  writer.add_strings("fields", fields);
  writer.add_strings("features", features);
  writer.add_strings("kernels", kernels);
  for (std::size_t k = 0; k < model.modalities.size(); ++k) {
    const PlacedModality& modality = model.modalities[k];
    const std::string prefix = prefix_of(k);
    writer.add(prefix + "numbers", std::span<const double>(numbers[k]));
    visit_tensors(model, k, TensorSaver{writer});
    if (!modality.places.empty()) writer.add(prefix + "places", places[k]);
    if (modality.what.of == NodeType::text)
      writer.add_bytes(prefix + "text", to_bytes(modality.text));
    if (model.space.landmarks[k].count() > 0)
      writer.add_bytes(prefix + "landmarks", to_bytes(model.space.landmarks[k]));
  }
  const std::vector<double> fit{model.space.mass,
                                model.space.largest_residual,
                                static_cast<double>(model.space.rounds),
                                model.space.converged ? 1.0 : 0.0,
                                model.place_rule.blind,
                                static_cast<double>(model.place_rule.neighbours)};
  writer.add("fit", std::span<const double>(fit));
  visit_tensors(model.place_rule, TensorSaver{writer});
  writer.write(path);
}

Model load_model(const TensorFile& file) {
  require_kind(file, kModelKind, kLayout);
  Model model;
  model.options = options_from_json<ModelOptions>(file.metadata("options"));
  model.space.projection = load_guided_projection(inner_file(file, "projection"));
  const std::vector<std::string> collections = file.strings("collections");
  const std::vector<std::string> fields = file.strings("fields");
  const std::vector<std::string> features = file.strings("features");
  const std::vector<std::string> kernels = file.strings("kernels");
  const std::size_t count = collections.size();
  require(
      count >= 2 && fields.size() == count && features.size() == count && kernels.size() == count,
      file.name(), ": the kinds do not fit together; the file is damaged");
  model.modalities.resize(count);
  model.rules.resize(count);
  model.space.settings.resize(count);
  model.space.degrees.resize(count);
  model.space.landmarks.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    PlacedModality& modality = model.modalities[k];
    const std::string prefix = prefix_of(k);
    modality.what = {collections[k], NodeType::items, fields[k]};
    modality.features = features[k];
    model.space.settings[k].kernel = kernel_name(kernels[k]);
    read_numbers(model, k, file.doubles(prefix + "numbers"), file.name());
    visit_tensors(model, k, TensorLoader{file});
    if (file.has(prefix + "places"))
      read_places(modality, file.matrix_d(prefix + "places"), file.name());
    if (modality.what.of == NodeType::text)
      modality.text = load_tfidf(inner_file(file, prefix + "text"));
    if (file.has(prefix + "landmarks"))
      model.space.landmarks[k] = load_nystrom_features(inner_file(file, prefix + "landmarks"));
  }
  const auto fit = file.doubles("fit");
  require(fit.size() == 6 && fit[0] > 0 && std::isfinite(fit[0]) && fit[5] >= 0 && fit[5] <= 1e6,
          file.name(), ": what the fit was like is damaged; learn the model again");
  model.space.mass = fit[0];
  model.space.largest_residual = fit[1];
  model.space.rounds = static_cast<int>(fit[2]);
  model.space.converged = fit[3] != 0;
  model.place_rule.blind = fit[4];
  model.place_rule.neighbours = static_cast<std::int64_t>(fit[5]);
  visit_tensors(model.place_rule, TensorLoader{file});
  check_fit(model, file.name());
  return model;
}

}  // namespace commonplace::relate
