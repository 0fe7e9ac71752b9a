#include "commonplace/suggest/core/suggester.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/eval/tune.h"
#include "commonplace/io/tensors.h"
#include "commonplace/learn/knn.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::suggest {
namespace {

void check_choice(const std::string& value, const char* what,
                  std::initializer_list<const char*> possible) {
  std::string list;
  for (const char* each : possible) {
    if (value == each) return;
    list += (list.empty() ? "" : ", ") + std::string(each);
  }
  fail("the ", what, " '", value, "' is not known; give one of ", list);
}

Matrix vote(const Suggester& suggester, const SuggesterLookup& lookup, const FeatureRows& prepared,
            std::span<const std::int64_t> skip, int jobs) {
  const KnnOptions options{.neighbours = suggester.neighbours};
  return sum_votes(prepared.is_sparse()
                       ? knn_votes_by_column(compared(suggester, prepared.sparse(), jobs).view(),
                                             lookup.known_columns.view(), options, skip, jobs)
                       : knn_votes(prepared, suggester.known.view(), options, skip, jobs),
                   suggester.known_tags.view());
}

/// Tags that so few items have are helped by what their names are worth.
constexpr float kFew = 3;

std::vector<std::pair<std::int32_t, float>> few_used(const Suggester& suggester) {
  std::vector<std::pair<std::int32_t, float>> few;
  if (suggester.names.fit.empty()) return few;
  std::vector<float> uses(static_cast<std::size_t>(suggester.tags()));
  const SparseView tags = suggester.known_tags.view();
  for (std::size_t i = 0; i < tags.indices.size(); ++i)
    if (tags.values[i] > 0) ++uses[static_cast<std::size_t>(tags.indices[i])];
  for (std::size_t tag = 0; tag < uses.size(); ++tag)
    if (uses[tag] < kFew &&
        suggester.names.vectors.row(static_cast<Eigen::Index>(tag)).squaredNorm() > 0)
      few.emplace_back(static_cast<std::int32_t>(tag), 1 / ((1 + uses[tag]) * (1 + uses[tag])));
  return few;
}

void require_fit(bool fits, const TensorFile& file, const char* what) {
  require(fits, file.name(), ": ", what, " do not fit the rest; the file is damaged");
}

}  // namespace

void check(const SuggesterOptions& options) {
  check_choice(options.method, "method", {"combined", "tags", "category", "knn"});
  check_choice(options.weighting, "weighting", {"auto", "plain", "rare", "telling", "both"});
  kernel_kind(options.kernel);
  require(options.length_scale >= 0 && std::isfinite(options.length_scale), "length_scale is ",
          options.length_scale, "; expected more than 0, or 0 to choose it");
  require(options.noise_variance >= 0 && std::isfinite(options.noise_variance), "noise is ",
          options.noise_variance, "; expected more than 0, or 0 to choose it");
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
  require(options.categories >= 2, "categories is ", options.categories, "; expected 2 or more");
  require(options.held_out > 0 && options.held_out < 1, "held_out is ", options.held_out,
          "; expected a share between 0 and 1");
  tuning_budget(options.budget);
  require(options.choose_on >= 100, "choose_on is ", options.choose_on, "; expected 100 or more");
}

StoredRows prepare(const Suggester& suggester, const FeatureRows& raw, int jobs) {
  StoredRows result;
  result.is_sparse = raw.is_sparse();
  if (result.is_sparse)
    result.sparse = weigh_rows(raw.sparse(), suggester.feature_weights, suggester.blocks, jobs);
  else
    result.dense = unit_rows(raw.dense(), jobs);
  return result;
}

Sparse compared(const Suggester& suggester, const SparseView& prepared, int jobs) {
  return weigh_rows(prepared, suggester.neighbour_weights, suggester.blocks, jobs);
}

Sparse linear_rows(const Suggester& suggester, const FeatureRows& prepared, int jobs) {
  if (prepared.is_sparse()) return compared(suggester, prepared.sparse(), jobs);
  Sparse rows;
  rows.columns = prepared.columns();
  for (std::int64_t row = 0; row < prepared.rows(); ++row) {
    for (std::int64_t column = 0; column < prepared.columns(); ++column)
      if (const float value = prepared.dense()(row, column); value != 0)
        rows.push(static_cast<std::int32_t>(column), value);
    rows.end_row();
  }
  return rows;
}

SuggesterLookup::SuggesterLookup(const Suggester& suggester, bool known)
    : basis(suggester.basis),
      tag_weights(suggester.tag_gp.weights.transpose()),
      known_columns(known && suggester.known.is_sparse
                        ? transpose(compared(suggester, suggester.known.sparse.view()).view())
                        : Sparse()),
      few(few_used(suggester)) {}

TagScores score_ways(const Suggester& suggester, const FeatureRows& prepared,
                     std::span<const std::int64_t> skip, int jobs) {
  const SuggesterLookup lookup(suggester, suggester.mixture.neighbours != 0);
  return score_ways(suggester, lookup, prepared, skip, jobs);
}

TagScores score_ways(const Suggester& suggester, const SuggesterLookup& lookup,
                     const FeatureRows& prepared, std::span<const std::int64_t> skip, int jobs) {
  TagScores scores;
  const SuggesterMixture& mixture = suggester.mixture;
  if (mixture.tags != 0 || mixture.category != 0) {
    scores.whitened = lookup.basis.whiten(prepared, jobs);
    if (mixture.tags != 0) scores.tags = lookup.tag_weights.multiply(scores.whitened, jobs);
    if (mixture.category != 0) {
      const VectorD diagonal = kClassVariance * kernel_diagonal(suggester.basis.kernel, prepared);
      const Matrix scaled = static_cast<float>(std::sqrt(kClassVariance)) * scores.whitened;
      const Matrix classes =
          mode_probabilities(predict_latents(suggester.classifier, scaled, diagonal, jobs));
      scores.category = multiply(classes, suggester.categories.shares, jobs);
    }
  }
  if (mixture.neighbours != 0) scores.neighbours = vote(suggester, lookup, prepared, skip, jobs);
  if (mixture.linear != 0) {
    const Matrix said =
        score(suggester.linear, linear_rows(suggester, prepared, jobs).view(), jobs);
    scores.linear = Matrix::Zero(said.rows(), suggester.tags());
    scores.linear.leftCols(said.cols()) = said;
  }
  if (mixture.names != 0 || !lookup.few.empty())
    scores.names = fit_names(suggester.names, prepared, jobs);
  return scores;
}

Matrix mix(const TagScores& scores, const SuggesterMixture& mixture) {
  Matrix sum;
  for (const auto& [part, weight] :
       {std::pair{&scores.tags, mixture.tags}, std::pair{&scores.neighbours, mixture.neighbours},
        std::pair{&scores.category, mixture.category}, std::pair{&scores.linear, mixture.linear},
        std::pair{&scores.names, mixture.names}}) {
    if (weight == 0) continue;
    if (sum.size() == 0)
      sum = static_cast<float>(weight) * *part;
    else
      sum += static_cast<float>(weight) * *part;
  }
  return sum;
}

Matrix mix(const Suggester& suggester, const SuggesterLookup& lookup, const TagScores& scores) {
  Matrix sum = mix(scores, suggester.mixture);
  for (const auto& [tag, share] : lookup.few)
    for (Eigen::Index row = 0; row < sum.rows(); ++row)
      if (const float fit = scores.names(row, tag); fit > 0)
        sum(row, tag) =
            std::max(sum(row, tag),
                     share * static_cast<float>(worth(suggester.names, static_cast<double>(fit))));
  return sum;
}

Matrix score(const Suggester& suggester, const FeatureRows& prepared,
             std::span<const std::int64_t> skip, int jobs) {
  const SuggesterLookup lookup(suggester, suggester.mixture.neighbours != 0);
  return mix(suggester, lookup, score_ways(suggester, lookup, prepared, skip, jobs));
}

std::vector<std::int32_t> best_tags(std::span<const float> scores, std::int64_t count) {
  const auto kept = static_cast<std::size_t>(std::min(std::ssize(scores), count));
  if (kept == 0) return {};
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const float x = scores[static_cast<std::size_t>(a)];
    const float y = scores[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  };
  // A heap with the worst of the best on top: most tags are sent off by one comparison.
  std::vector<std::int32_t> best(kept);
  std::iota(best.begin(), best.end(), 0);
  std::make_heap(best.begin(), best.end(), before);
  float least = scores[static_cast<std::size_t>(best.front())];
  for (std::size_t tag = kept; tag < scores.size(); ++tag) {
    if (!(scores[tag] > least)) continue;
    std::pop_heap(best.begin(), best.end(), before);
    best.back() = static_cast<std::int32_t>(tag);
    std::push_heap(best.begin(), best.end(), before);
    least = scores[static_cast<std::size_t>(best.front())];
  }
  std::sort_heap(best.begin(), best.end(), before);
  return best;
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Suggester>
static void visit_tensors(Self& suggester, Visit&& visit) {
  visit("features.weights", suggester.feature_weights);
  visit("features.blocks", suggester.blocks);
  visit("features.neighbour_weights", suggester.neighbour_weights,
        TensorShape{std::ssize(suggester.feature_weights)});
  visit("known.rows", suggester.known,
        TensorShape{-1, suggester.basis.prototypes.view().columns()});
  visit("known.tags", suggester.known_tags,
        TensorShape{suggester.known.view().rows(), suggester.tags()});
  visit("confidence.score", suggester.confidence.score);
  visit("confidence.probability", suggester.confidence.probability);
  visit("numbers", suggester.threshold);
}

template <class Model, class Visit>
requires std::is_same_v<std::remove_const_t<Model>, SparseOneVsRestLinear>
static void visit_tensors(Model& linear, Visit&& visit) {
  visit("linear.offset", linear.offset);
  visit("linear.weights", linear.sparse, TensorShape{-1, std::ssize(linear.offset)});
}

void add_suggester(TensorWriter& writer, const Suggester& suggester) {
  writer.set("mixture", options_to_json(suggester.mixture));
  writer.set("neighbours", std::to_string(suggester.neighbours));
  add_basis(writer, suggester.basis);
  add_sparse_gp(writer, suggester.tag_gp);
  if (suggester.mixture.category != 0) {
    add_categories(writer, suggester.categories);
    add_softmax_gp(writer, suggester.classifier);
  }
  if (suggester.mixture.linear != 0) {
    writer.set("linear", suggester.linear.probabilities ? "logistic" : "svm");
    visit_tensors(suggester.linear, TensorSaver{writer});
  }
  visit_tensors(suggester, TensorSaver{writer});
  add_tag_names(writer, suggester.names);
}

Suggester read_suggester(const TensorFile& file) {
  Suggester result;
  result.mixture = options_from_json<SuggesterMixture>(file.metadata("mixture"));
  require_fit(result.mixture.tags != 0 || result.mixture.neighbours != 0 ||
                  result.mixture.category != 0 || result.mixture.linear != 0 ||
                  result.mixture.names != 0,
              file, "the weights of no way of knowing");
  result.basis = read_basis(file);
  result.tag_gp = read_sparse_gp(file, result.basis.size());
  if (result.mixture.category != 0) {
    result.categories = read_categories(file, result.tags());
    result.classifier = read_softmax_gp(file);
    require_fit(result.classifier.classes() == std::ssize(result.categories.tags) &&
                    result.classifier.size() == result.basis.size(),
                file, "the categories");
  }
  if (result.mixture.linear != 0) {
    visit_tensors(result.linear, TensorLoader{file});
    result.linear.features = result.linear.sparse.rows();
    result.linear.probabilities = file.metadata("linear") == "logistic";
    require_fit(result.linear.features == result.basis.prototypes.view().columns() &&
                    std::ssize(result.linear.offset) <= result.tags(),
                file, "the linear classifiers");
  }
  visit_tensors(result, TensorLoader{file});
  check(result.confidence);
  result.names = read_tag_names(file, result.tags(), result.basis.prototypes.view().columns());
  require_fit(result.mixture.names == 0 || !result.names.empty(), file, "the names of its tags");
  result.neighbours = std::strtoll(file.metadata("neighbours").c_str(), nullptr, 10);
  require_fit(result.threshold >= 0 && result.neighbours >= 1, file, "the settings");
  require_fit(result.known.is_sparse == result.basis.prototypes.is_sparse, file, "the known items");
  require_fit(!result.known.is_sparse ||
                  std::ssize(result.feature_weights) == result.basis.prototypes.view().columns(),
              file, "the features");
  return result;
}

}  // namespace commonplace::suggest
