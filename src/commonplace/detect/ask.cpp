#include "commonplace/detect/ask.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/detect/features.h"
#include "commonplace/detect/index.h"
#include "commonplace/detect/model.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/tag_meanings.h"

namespace commonplace::detect {
namespace {

/// Items are scored exactly if they may be among the asked ones, but at most so many.
constexpr std::int64_t kMostExact = 5000;
/// A lesson of a concept that was learned from tags counts as so many tagged items: the user said
/// it of this very concept.
constexpr double kWeightOfLesson = 5;
/// The middle of the items is that of so many of them at most.
constexpr std::int64_t kMostForMiddle = 20'000;

/// One concept, solved.
struct Solved {
  std::vector<double> weights;
  double offset = 0;
};

Solved solved(const ConceptHeads& heads, Eigen::Index column) {
  const VectorD weights = heads.weights.col(column);
  return {{weights.data(), weights.data() + weights.size()}, heads.offsets(column)};
}

/// What the labelled items say of one concept.
LapRlsStatistics of_concept(const LapRlsStatistics& all, Eigen::Index column) {
  LapRlsStatistics one = all;
  one.right = all.right.col(column);
  one.label_sum = all.label_sum.segment(column, 1);
  one.label_squares = all.label_squares.segment(column, 1);
  return one;
}

/// The mean of an index's rows, as far as some of them tell.
Eigen::RowVectorXf middle_of(const Sq8RowsView& index) {
  std::vector<double> sums(static_cast<std::size_t>(index.columns));
  const std::int64_t step = (index.rows + kMostForMiddle - 1) / kMostForMiddle;
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < index.rows; row += step, ++count)
    for (std::size_t j = 0; j < sums.size(); ++j)
      sums[j] += index.bytes[static_cast<std::size_t>(row * index.columns) + j];
  Eigen::RowVectorXf middle(index.columns);
  for (std::size_t j = 0; j < sums.size(); ++j)
    middle(static_cast<Eigen::Index>(j)) =
        static_cast<float>(sums[j] * static_cast<double>(index.scales[j]) /
                           static_cast<double>(std::max<std::int64_t>(count, 1)));
  return middle;
}

struct Ranked {
  std::int64_t row = 0;
  double score = 0;
};

}  // namespace

struct Answerer::Parts {
  Parts(const Library& library_, const std::string& name, int jobs_)
      : library(library_),
        record(model_record(library_, name)),
        model(load_model(TensorFile(record.file))),
        source(commonplace::collection(library_, model.collection)),
        features(library_, source, model.features),
        jobs(jobs_) {
    if (model.options.concepts_from == "tags") TagMeanings(library_).rename(model.concepts);
    for (std::size_t i = 0; i < model.concepts.size(); ++i)
      numbers.emplace(tag_key(model.concepts[i]), static_cast<Eigen::Index>(i));
  }

  void open_index(const Progress& progress);
  Solved solve(const std::string& concept_name, const std::vector<Lesson>& lessons,
               std::map<std::int64_t, int>& taught) const;
  std::vector<Ranked> best(const Solved& solution, const std::vector<float>& scores,
                           std::int64_t count) const;
  std::vector<Ranked> exact(const Solved& solution, const std::vector<std::int64_t>& rows) const;
  std::vector<float> scan_all(const Solved& solution) const;

  const Library& library;
  ModelRecord record;
  Model model;
  Collection source;
  MappedFeatures features;
  int jobs;
  std::map<std::string, Eigen::Index> numbers;  ///< of the learned concepts, by key
  std::unique_ptr<TensorFile> file;             ///< of the index
  Sq8RowsView stored;
  Sq8Rows added;                ///< items that the stored index does not have
  Eigen::RowVectorXf middle{};  ///< the mean coordinates of the items
};

void Answerer::Parts::open_index(const Progress& progress) {
  const std::string name = index_name(record.name);
  for (const ModelRecord& each : model_records(library)) {
    if (each.name != name || each.kind != kIndexKind) continue;
    file = std::make_unique<TensorFile>(each.file);
    const Sq8RowsView view = view_index(*file);
    if (file->metadata("model") == record.file.filename().string() &&
        index_fits(view, model.space, features.views(), jobs))
      stored = view;
  }
  if (stored.rows != features.rows())
    added = code_items(model.space, features.views(), stored.rows, stored.scales,
                       {.jobs = jobs, .progress = progress});
  middle = middle_of(stored.rows > 0 ? stored : added.view());
}

std::vector<float> Answerer::Parts::scan_all(const Solved& solution) const {
  std::vector<float> scores;
  if (stored.rows > 0) scores = scan(stored, solution.weights, jobs);
  if (added.rows() > 0) {
    const std::vector<float> more = scan(added.view(), solution.weights, jobs);
    scores.insert(scores.end(), more.begin(), more.end());
  }
  return scores;
}

Solved Answerer::Parts::solve(const std::string& concept_name, const std::vector<Lesson>& lessons,
                              std::map<std::int64_t, int>& taught) const {
  for (const Lesson& lesson : lessons) {
    const std::int64_t row = row_of_item(library, source, lesson.item);
    require(row < features.rows(), "item '", lesson.item,
            "' has no features yet; make the features again");
    taught[row] = lesson.shows;
  }
  const auto learned = numbers.find(tag_key(tag_name(concept_name)));
  const double lambda = model.head.svm ? 1 : model.head.lambda;
  if (taught.empty()) return solved(model.heads, learned->second);
  std::vector<std::int64_t> rows;
  MatrixD labels(std::ssize(taught), 1);
  for (const auto& [row, shows] : taught) {
    labels(std::ssize(rows), 0) = shows;
    rows.push_back(row);
  }
  const Matrix coordinates = encode_rows(model.space, features.views(), rows, true, jobs);
  if (learned == numbers.end())
    return solved(fit_examples(coordinates, labels, middle, lambda, jobs), 0);
  LapRlsStatistics sums = of_concept(model.statistics, learned->second);
  const std::vector<double> weights(rows.size(), kWeightOfLesson);
  add_rows(sums, coordinates, labels, weights, jobs);
  return solved(solve_heads(sums, lambda, jobs), 0);
}

std::vector<Ranked> Answerer::Parts::exact(const Solved& solution,
                                           const std::vector<std::int64_t>& rows) const {
  const Matrix coordinates = encode_rows(model.space, features.views(), rows, true, jobs);
  const Eigen::Map<const VectorD> weights(solution.weights.data(), std::ssize(solution.weights));
  const VectorD scores = coordinates.cast<double>() * weights;
  std::vector<Ranked> result;
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.push_back({rows[i], scores(static_cast<Eigen::Index>(i)) + solution.offset});
  return result;
}

std::vector<Ranked> Answerer::Parts::best(const Solved& solution, const std::vector<float>& scores,
                                          std::int64_t count) const {
  count = std::min<std::int64_t>(count, std::ssize(scores));
  std::vector<std::int64_t> rows =
      best_scores(scores, std::min<std::int64_t>(kMostExact, std::ssize(scores)), jobs);
  double error = stored.rows > 0 ? scan_error(stored, solution.weights) : 0;
  if (added.rows() > 0) error = std::max(error, scan_error(added.view(), solution.weights));
  // Who is farther below than two errors from the last one asked for cannot be among the best.
  if (count > 0 && std::ssize(rows) > count) {
    const double last = static_cast<double>(
        scores[static_cast<std::size_t>(rows[static_cast<std::size_t>(count) - 1])]);
    const auto end = std::find_if(rows.begin() + count, rows.end(), [&](std::int64_t row) {
      return static_cast<double>(scores[static_cast<std::size_t>(row)]) < last - 2 * error;
    });
    rows.erase(end, rows.end());
  }
  std::vector<Ranked> result = exact(solution, rows);
  std::sort(result.begin(), result.end(), [](const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  result.resize(static_cast<std::size_t>(std::min<std::int64_t>(count, std::ssize(result))));
  return result;
}

Answerer::Answerer(const Library& library, const std::string& model, const std::string& collection,
                   const Run& run)
    : parts_(std::make_unique<Parts>(library, model_for(library, model, collection), run.jobs)) {
  parts_->open_index(run.progress);
}
Answerer::~Answerer() = default;
Answerer::Answerer(Answerer&&) noexcept = default;
Answerer& Answerer::operator=(Answerer&&) noexcept = default;

const std::string& Answerer::collection() const { return parts_->source.name; }

std::vector<DetectableConcept> Answerer::concepts() const {
  std::map<std::string, DetectableConcept> by_key;
  const Model& model = parts_->model;
  for (const std::string& name : model.concepts) by_key[tag_key(name)].name = name;
  for (const std::int32_t each : model.known.indices)
    ++by_key[tag_key(model.concepts[static_cast<std::size_t>(each)])].tagged;
  for (const TaughtConcept& each : taught_concepts(parts_->library, parts_->source.name)) {
    DetectableConcept& entry = by_key[tag_key(each.name)];
    if (entry.name.empty()) entry.name = each.name;
    entry.shown = each.shown;
    entry.not_shown = each.not_shown;
  }
  std::vector<DetectableConcept> result;
  for (auto& [key, each] : by_key) result.push_back(std::move(each));
  return result;
}

Answer Answerer::ask(const std::string& concept_name, const Options& options) const {
  return ask(concept_name, lessons_in_force(parts_->library, parts_->source.name, concept_name),
             options);
}

Answer Answerer::ask(const std::string& concept_name, const std::vector<Lesson>& lessons,
                     const Options& options) const {
  const auto begin = Clock::now();
  require(options.limit >= 1, "the limit is ", options.limit, "; expected 1 or more");
  const auto learned = parts_->numbers.find(tag_key(tag_name(concept_name)));
  if (lessons.empty() && learned == parts_->numbers.end()) {
    std::string names;
    for (const DetectableConcept& each : concepts())
      if (names.size() < 200) names += (names.empty() ? "'" : ", '") + each.name + "'";
    fail("nothing is known of the concept '", concept_name, "'; ",
         names.empty() ? "" : "there are " + names + "; ",
         "show some examples with 'commonplace teach LIB ", concept_name, " --yes ID,ID --no ID'");
  }
  std::map<std::int64_t, int> taught;
  const Solved solution = parts_->solve(concept_name, lessons, taught);
  std::vector<float> scores = parts_->scan_all(solution);
  Answer answer;
  answer.name = concept_name;
  answer.collection = collection();
  answer.learned = learned != parts_->numbers.end();
  answer.items = std::ssize(scores);
  for (const auto& [row, shows] : taught) (shows > 0 ? answer.shown : answer.not_shown) += 1;

  std::vector<Ranked> ranked;
  if (options.uncertain) {
    // Nearest to where showing turns into not showing: half-way between what examples are taught
    // as, or without counterexamples half-way to nothing.
    const double border = answer.not_shown > 0 || answer.learned ? 0 : 0.5;
    const auto middle = static_cast<float>(border - solution.offset);
    for (float& each : scores) each = -std::abs(each - middle);
    std::vector<std::int64_t> rows;
    for (const std::int64_t row :
         best_scores(scores, options.limit + std::ssize(taught), parts_->jobs))
      if (!taught.contains(row) && std::ssize(rows) < options.limit) rows.push_back(row);
    ranked = parts_->exact(solution, rows);
  } else {
    ranked = parts_->best(solution, scores, options.limit);
  }
  answer.seconds = seconds_since(begin);
  std::vector<std::int64_t> rows;
  for (const Ranked& each : ranked) rows.push_back(each.row);
  const std::vector<std::string> ids = ids_of_rows(parts_->library, parts_->source, rows);
  const bool calibrated = answer.learned && taught.empty();
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto shown = taught.find(ranked[i].row);
    answer.items_found.push_back(
        {ids[i], ranked[i].score,
         calibrated ? confidence(parts_->model.confidence, ranked[i].score) : -1,
         shown == taught.end() ? 0 : shown->second});
  }
  return answer;
}

namespace {

/// The detect models with the collections they are of.
std::vector<std::pair<std::string, std::string>> detect_models(const Library& library) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const ModelRecord& record : model_records(library))
    if (record.kind == kModelKind)
      result.emplace_back(record.name, json_from(record.report).value("collection", ""));
  return result;
}

}  // namespace

std::string model_for(const Library& library, const std::string& model,
                      const std::string& collection) {
  if (!model.empty()) {
    const ModelRecord record = model_record(library, model);
    require(record.kind == kModelKind, "the model '", model, "' is of the kind '", record.kind,
            "'; expected one made by 'commonplace learn LIB detect'");
    return model;
  }
  const auto models = detect_models(library);
  require(!models.empty(),
          "no model that detects concepts has been learned; run 'commonplace learn ",
          "LIB detect --collection NAME'");
  std::vector<std::string> fitting;
  for (const auto& [name, of] : models)
    if (collection.empty() || of == collection) fitting.push_back(name);
  require(fitting.size() == 1, "it is not clear which model to use; name one of ",
          join(models, [](const auto& each) { return "'" + each.first + "'"; }), " with --model");
  return fitting[0];
}

std::string collection_to_teach(const Library& library, const std::string& collection) {
  if (!collection.empty()) return collection;
  std::set<std::string> of_models;
  for (const auto& [name, of] : detect_models(library)) of_models.insert(of);
  if (of_models.size() == 1) return *of_models.begin();
  const std::vector<Collection> all = collections(library);
  require(!all.empty(), "this library has no collections yet; add one with 'commonplace add'");
  require(all.size() == 1, "it is not clear which collection is meant; name one of ",
          join(all, [](const Collection& each) { return "'" + each.name + "'"; }),
          " with --collection");
  return all[0].name;
}

}  // namespace commonplace::detect
