#include "commonplace/detect/model.h"

#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"

namespace commonplace::detect {
namespace {

constexpr int kModelLayout = 1;

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Model>
void visit_tensors(Self& model, Visit&& visit) {
  visit("features", model.features);
  visit("concepts", model.concepts);
  const auto concepts = std::ssize(model.concepts);
  // Where there are no concepts, nothing has been learned.
  const std::int64_t columns = concepts > 0 ? model.space.columns() : -1;
  visit("weights", model.heads.weights, TensorShape{columns, concepts});
  visit("offsets", model.heads.offsets, TensorShape{concepts});
  visit("confidence.score", model.confidence.score);
  visit("confidence.probability", model.confidence.probability);
  auto& sums = model.statistics;
  const std::int64_t labels = concepts > 0 ? concepts : -1;
  visit("statistics.gram", sums.gram, TensorShape{columns, columns});
  visit("statistics.right", sums.right, TensorShape{columns, labels});
  visit("statistics.rows", sums.rows);
  visit("statistics.weight", sums.weight);
  visit("statistics.sum", sums.sum, TensorShape{columns});
  visit("statistics.label_sum", sums.label_sum, TensorShape{labels});
  visit("statistics.label_squares", sums.label_squares, TensorShape{labels});
  visit("shown", model.shown);
  visit("known", model.known, TensorShape{std::ssize(model.shown), concepts});
}

}  // namespace

void save(const Model& model, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kModelKind, kModelLayout, options_to_json(model.options));
  writer.set("collection", model.collection);
  writer.set("representation", model.representation);
  add_space(writer, model.space);
  const double head[] = {model.head.svm ? 1.0 : 0.0, model.head.lambda, model.head.cost};
  writer.add("head", std::span<const double>(head));
  visit_tensors(model, TensorSaver{writer});
  writer.write(path);
}

Model load_model(const TensorFile& file) {
  require_kind(file, kModelKind, kModelLayout);
  Model model;
  model.options = options_from_json<ModelOptions>(file.metadata("options"));
  model.collection = file.metadata("collection");
  model.representation = file.metadata("representation");
  model.space = read_space(file);
  const auto head = file.doubles("head");
  require(head.size() == 3 && head[1] >= 0 && head[2] > 0, file.name(),
          ": the head is damaged; learn the model again");
  model.head = {head[0] != 0, head[1], head[2]};
  visit_tensors(model, TensorLoader{file});
  check(model.confidence);
  require(model.statistics.rows >= 0, file.name(), ": the number of labelled items is damaged");
  for (const SpacePart& part : model.space.parts)
    require(part.feature < std::ssize(model.features), file.name(),
            ": a part of the space is of features that have no name; the file is damaged");
  return model;
}

}  // namespace commonplace::detect
