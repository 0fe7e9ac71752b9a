#include "commonplace/detect/evaluate_trial.h"

#include <cmath>
#include <map>

#include "commonplace/base/error.h"
#include "commonplace/detect/concepts.h"
#include "commonplace/detect/features.h"
#include "commonplace/io/npy.h"

namespace commonplace::detect {
namespace {

/// A class number an item: a concept for each number that occurs.
void add_classes(const Matrix& classes, const std::filesystem::path& path, Trial& trial) {
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

}  // namespace

bool Trial::one_each() const {
  return ((labels.array() > 0).cast<int>().rowwise().sum() == 1).all();
}

Trial read_trial(const std::vector<std::filesystem::path>& features,
                 const std::filesystem::path& labels) {
  Trial trial;
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

Trial collection_trial(const Library& library, const std::string& collection_name,
                       const ModelOptions& options) {
  const Collection source = collection(library, collection_name);
  require(options.concepts_from != "none",
          "evaluating needs concepts that are known; give --concepts-from tags or a label's field");
  const MappedFeatures mapped(library, source, detect_features(library, source, options.features));
  const ConceptTable table = read_concepts(library, source, options, mapped.rows());
  require(!table.concepts.empty(), "no tag or label of collection '", collection_name, "' is used ",
          options.min_uses, " times or more; give a smaller --min-uses");
  const std::vector<std::int64_t> rows = labelled_rows(table.shown);
  Trial trial;
  trial.concepts = table.concepts;
  trial.labels = labels_of(table.known, rows);
  for (const MatrixView& view : mapped.views()) {
    Matrix& taken = trial.features.emplace_back(std::ssize(rows), view.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      taken.row(static_cast<Eigen::Index>(i)) = view.row(rows[i]);
  }
  return trial;
}

}  // namespace commonplace::detect
