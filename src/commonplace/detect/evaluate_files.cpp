#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/detect/evaluate.h"
#include "commonplace/detect/learn.h"
#include "commonplace/eval/plot.h"
#include "commonplace/io/npy.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

/// A class number an item: a concept for each number that occurs.
void add_classes(const Matrix& classes, const std::filesystem::path& path, DetectTrial& trial) {
  std::map<float, std::int32_t> numbers;
  for (Eigen::Index row = 0; row < classes.rows(); ++row) {
    require(classes(row, 0) == std::floor(classes(row, 0)), path.string(), ": row ", row + 1,
            " has ", classes(row, 0), "; expected whole numbers, one class an item");
    numbers.emplace(classes(row, 0), 0);
  }
  std::int32_t next = 0;
  for (auto& [value, number] : numbers) {
    number = next++;
    trial.concepts.push_back(std::to_string(static_cast<std::int64_t>(value)));
  }
  trial.labels = MatrixD::Constant(classes.rows(), next, -1);
  for (Eigen::Index row = 0; row < classes.rows(); ++row)
    trial.labels(row, numbers.at(classes(row, 0))) = 1;
}

/// One line a method of `y` against `x`.
template <class X, class Y>
std::vector<Series> lines(const std::vector<DetectQuality>& methods, X x, Y y) {
  std::vector<Series> result;
  for (const DetectQuality& each : methods) {
    auto found = std::find_if(result.begin(), result.end(),
                              [&](const Series& series) { return series.name == each.method; });
    if (found == result.end()) {
      result.push_back({each.method, {}, {}, {}, {}});
      found = result.end() - 1;
    }
    found->x.push_back(x(each));
    found->y.push_back(y(each));
  }
  return result;
}

}  // namespace

DetectTrial read_detect_trial(const std::vector<std::filesystem::path>& features,
                              const std::filesystem::path& labels) {
  DetectTrial trial;
  require(!features.empty(), "give at least one file of features");
  for (const std::filesystem::path& path : features) trial.features.push_back(read_npy(path));
  const Matrix given = read_npy(labels);
  for (std::size_t i = 0; i < features.size(); ++i)
    require(trial.features[i].rows() == given.rows(), features[i].string(), " has ",
            trial.features[i].rows(), " rows, ", labels.string(), " has ", given.rows(),
            "; expected as many");
  if (given.cols() == 1) {
    add_classes(given, labels, trial);
    return trial;
  }
  trial.labels = (given.array() > 0)
                     .select(MatrixD::Ones(given.rows(), given.cols()),
                             MatrixD::Constant(given.rows(), given.cols(), -1));
  for (Eigen::Index c = 0; c < given.cols(); ++c) trial.concepts.push_back(std::to_string(c));
  return trial;
}

DetectTrial collection_trial(const Library& library, const std::string& collection_name,
                             const DetectModelOptions& options) {
  const Collection source = collection(library, collection_name);
  require(options.concepts_from != "none",
          "evaluating needs concepts that are known; give --concepts-from tags or a label's field");
  const MappedFeatures mapped(library, source, detect_features(library, source, options.features));
  const ConceptTable table = read_concepts(library, source, options, mapped.rows());
  require(!table.concepts.empty(), "no tag or label of collection '", collection_name, "' is used ",
          options.min_uses, " times or more; give a smaller --min");
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < table.shown.size(); ++row)
    if (table.shown[row] != 0) rows.push_back(static_cast<std::int64_t>(row));
  DetectTrial trial;
  trial.concepts = table.concepts;
  trial.labels = labels_of(table.known, rows);
  for (const MatrixView& view : mapped.views()) {
    Matrix& taken = trial.features.emplace_back(std::ssize(rows), view.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      taken.row(static_cast<Eigen::Index>(i)) = view.row(rows[i]);
  }
  return trial;
}

std::string to_json(const DetectEvaluation& evaluation) {
  const auto measure = [](const Measured& of) {
    return Json{{"value", of.value}, {"low", of.interval.low}, {"high", of.interval.high}};
  };
  Json methods = Json::array();
  for (const DetectQuality& each : evaluation.methods) {
    Json json = {{"method", each.method},
                 {"labelled", each.labelled},
                 {"unlabelled", each.unlabelled},
                 {"miap", measure(each.miap)},
                 {"precision@100", measure(each.precision_at_100)},
                 {"seconds", each.seconds}};
    if (each.error >= 0) json["error"] = each.error;
    if (!each.chosen.empty()) json["chosen"] = each.chosen;
    Json concepts = Json::object();
    for (std::size_t c = 0; c < each.of_concepts.size(); ++c)
      concepts[evaluation.concepts[c]] = each.of_concepts[c];
    json["concepts"] = std::move(concepts);
    methods.push_back(std::move(json));
  }
  return Json{{"items", evaluation.items},
              {"columns", evaluation.columns},
              {"concepts", evaluation.concepts.size()},
              {"methods", methods}}
      .dump();
}

std::string evaluation_plot(const DetectEvaluation& evaluation) {
  const auto labelled = [](const DetectQuality& of) { return static_cast<double>(of.labelled); };
  const auto helping = [](const DetectQuality& of) { return static_cast<double>(of.unlabelled); };
  const auto miap = [](const DetectQuality& of) { return 100 * of.miap.value; };
  // Against the labelled items with the most unlabelled ones, and against these with the fewest
  // labelled ones.
  std::map<std::int64_t, std::int64_t> greatest;
  for (const DetectQuality& each : evaluation.methods)
    greatest[each.labelled] = std::max(greatest[each.labelled], each.unlabelled);
  std::vector<DetectQuality> most;
  std::vector<DetectQuality> fewest;
  for (const DetectQuality& each : evaluation.methods) {
    if (each.unlabelled == greatest[each.labelled]) most.push_back(each);
    if (each.labelled == greatest.begin()->first) fewest.push_back(each);
  }
  std::vector<Chart> charts = {
      {"Labelled items", "a concept", "MiAP, %", lines(most, labelled, miap)},
      {"Unlabelled items", "that helped", "MiAP, %", lines(fewest, helping, miap)}};
  if (!most.empty() && most[0].error >= 0)
    charts.push_back(
        {"Labelled items", "a concept", "error, %",
         lines(most, labelled, [](const DetectQuality& of) { return 100 * of.error; })});
  return chart_page(charts);
}

}  // namespace commonplace
