#include "commonplace/detect/model.h"

#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"

namespace commonplace {
namespace {

constexpr int kModelLayout = 1;

template <class T>
std::span<const T> span_of(const std::vector<T>& values) {
  return values;
}

std::span<const double> span_of(const VectorD& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

VectorD vector_of(std::span<const double> values) {
  return Eigen::Map<const VectorD>(values.data(), std::ssize(values));
}

void check_fit(const DetectModel& model, const TensorFile& file) {
  const auto concepts = std::ssize(model.concepts);
  const std::int64_t columns = model.space.columns();
  const bool learned = concepts > 0;
  require(model.heads.weights.cols() == concepts && model.heads.offsets.size() == concepts &&
              (!learned || model.heads.weights.rows() == columns) &&
              model.heads.weights.allFinite() && model.heads.offsets.allFinite(),
          file.name(), ": the concepts do not fit the space; the file is damaged");
  const LapRlsStatistics& sums = model.statistics;
  require(
      !learned || (sums.gram.rows() == columns && sums.gram.cols() == columns &&
                   sums.right.rows() == columns && sums.right.cols() == concepts &&
                   sums.sum.size() == columns && sums.label_sum.size() == concepts &&
                   sums.label_squares.size() == concepts && sums.gram.allFinite() &&
                   sums.right.allFinite() && sums.sum.allFinite() && sums.label_sum.allFinite() &&
                   sums.label_squares.allFinite() && std::isfinite(sums.weight)),
      file.name(), ": the sums of the labelled items do not fit; the file is damaged");
  require(model.known.columns == concepts && model.known.rows() == std::ssize(model.shown),
          file.name(), ": the labels do not fit the concepts; the file is damaged");
  for (const SpacePart& part : model.space.parts)
    require(part.feature < std::ssize(model.features), file.name(),
            ": a part of the space is of features that have no name; the file is damaged");
}

}  // namespace

void save(const DetectModel& model, const std::filesystem::path& path) {
  TensorWriter writer;
  describe_model(writer, kDetectModelKind, kModelLayout, options_to_json(model.options));
  writer.set("collection", model.collection);
  writer.set("representation", model.representation);
  add_space(writer, model.space);
  writer.add_strings("features", model.features);
  writer.add_strings("concepts", model.concepts);
  const double head[] = {model.head.svm ? 1.0 : 0.0, model.head.lambda, model.head.cost};
  writer.add("head", std::span<const double>(head));
  writer.add("weights", model.heads.weights);
  writer.add("offsets", span_of(model.heads.offsets));
  writer.add("confidence.score", span_of(model.confidence.score));
  writer.add("confidence.probability", span_of(model.confidence.probability));
  writer.add("statistics.gram", model.statistics.gram);
  writer.add("statistics.right", model.statistics.right);
  writer.add("statistics.rows", std::span<const std::int64_t>(&model.statistics.rows, 1));
  writer.add("statistics.weight", std::span<const double>(&model.statistics.weight, 1));
  writer.add("statistics.sum", span_of(model.statistics.sum));
  writer.add("statistics.label_sum", span_of(model.statistics.label_sum));
  writer.add("statistics.label_squares", span_of(model.statistics.label_squares));
  writer.add_sparse("known", model.known.view());
  writer.add("shown", span_of(model.shown));
  writer.write(path);
}

DetectModel load_detect_model(const TensorFile& file) {
  require_kind(file, kDetectModelKind, kModelLayout);
  DetectModel model;
  model.options = options_from_json<DetectModelOptions>(file.metadata("options"));
  model.collection = file.metadata("collection");
  model.representation = file.metadata("representation");
  model.space = read_space(file);
  model.features = file.strings("features");
  model.concepts = file.strings("concepts");
  const auto head = file.doubles("head");
  require(head.size() == 3 && head[1] >= 0 && head[2] > 0, file.name(),
          ": the head is damaged; learn the model again");
  model.head = {head[0] != 0, head[1], head[2]};
  model.heads = {file.matrix_d("weights"), vector_of(file.doubles("offsets"))};
  const auto score = file.doubles("confidence.score");
  const auto probability = file.doubles("confidence.probability");
  model.confidence = {{score.begin(), score.end()}, {probability.begin(), probability.end()}};
  check(model.confidence);
  model.statistics.gram = file.matrix_d("statistics.gram");
  model.statistics.right = file.matrix_d("statistics.right");
  const auto rows = file.longs("statistics.rows");
  const auto weight = file.doubles("statistics.weight");
  require(rows.size() == 1 && rows[0] >= 0 && weight.size() == 1, file.name(),
          ": the number of labelled items is damaged");
  model.statistics.rows = rows[0];
  model.statistics.weight = weight[0];
  model.statistics.sum = vector_of(file.doubles("statistics.sum"));
  model.statistics.label_sum = vector_of(file.doubles("statistics.label_sum"));
  model.statistics.label_squares = vector_of(file.doubles("statistics.label_squares"));
  model.known = copy(file.sparse("known"));
  const auto shown = file.small("shown");
  model.shown.assign(shown.begin(), shown.end());
  check_fit(model, file);
  return model;
}

}  // namespace commonplace
