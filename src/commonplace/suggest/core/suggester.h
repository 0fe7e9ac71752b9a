#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/eval/confidence.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/sparse_one_vs_rest_linear.h"
#include "commonplace/suggest/core/feature_weights.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "commonplace/suggest/core/tag_categories.h"
#include "commonplace/suggest/core/tag_names.h"

namespace commonplace::suggest {

/// How tags are learned from features. What is "auto" or 0 is chosen on items held out.
struct SuggesterOptions {
  std::string method = "combined";  ///< combined, tags, category or neighbours
  std::string prototypes = "auto";  ///< a number, a share such as 5%, or auto
  std::string kernel = "rbf";       ///< rbf, nn, linear or cosine
  double length_scale = 0;          ///< of the kernel
  double noise_variance = 0;        ///< variance of the noise on a tag
  std::string weighting = "auto";   ///< of sparse features: plain, rare, telling, both, auto
  std::int64_t neighbours = 20;     ///< so many known items vote
  std::int64_t categories = 100;    ///< the commonest tags, among which an item's category is
  double held_out = 0.2;            ///< share of the items on which choices are made
  std::int64_t choose_on = 12000;   ///< choices are made on at most so many items
  std::string budget{};             ///< choosing may take so long, such as 30s; empty: as it needs
  std::uint64_t seed = 1;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SuggesterOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("method", options.method, "combined, tags, category (the paper's) or knn");
  visit("prototypes", options.prototypes, "a number, a share of the items such as 5%, or auto");
  visit("kernel", options.kernel, "rbf, nn, linear or cosine");
  visit("length_scale|length", options.length_scale, "length scale of the kernel; 0 to choose it");
  visit("noise|ridge", options.noise_variance, "variance of the noise on a tag; 0 to choose it");
  visit("weighting", options.weighting, "of words: plain, rare, telling, both or auto");
  visit("neighbours", options.neighbours, "so many known items vote");
  visit("categories", options.categories, "so many of the commonest tags can be categories");
  visit("held_out", options.held_out, "share of the items on which choices are made");
  visit("choose_on", options.choose_on, "make choices on at most so many items");
  visit("budget", options.budget, "choose for so long at most, such as 30s; try more than usual");
  visit("seed", options.seed, "seed of what is drawn");
}

/// Error if an option is out of range.
void check(const SuggesterOptions& options);

/// How much each way of knowing counts in a score.
struct SuggesterMixture {
  double tags = 1;
  double neighbours = 0;
  double category = 0;
  double linear = 0;
  double names = 0;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SuggesterMixture>
void visit_options(Self& options, Visit&& visit) {
  visit("tags", options.tags, "each tag's own latent function");
  visit("knn|neighbours", options.neighbours, "the tags of the most similar known items");
  visit("category", options.category, "the tags of the likely categories");
  visit("linear", options.linear, "a linear classifier of each tag");
  visit("names", options.names, "how well the name of each tag fits");
}

/// The variance of the categories' latent functions; the tags' is that of the kernel, one. With
/// dozens of classes a softmax needs latents that reach farther.
inline constexpr double kClassVariance = 30;

/// Features of items to tags with confidence. A plain value that knows numbers only; what the
/// columns and tags mean is the matter of suggest/model.h.
struct Suggester {
  std::vector<float> feature_weights;  ///< of sparse features, one each
  std::vector<std::int64_t> blocks;    ///< of sparse features: where each kind begins; empty: one
  /// Of sparse features: what turns their weights into those by which neighbours are compared.
  std::vector<float> neighbour_weights;
  SparseGpBasis basis;
  SparseGp tag_gp;
  StoredRows known;   ///< the items learned from, prepared
  Sparse known_tags;  ///< their targets: 1 has the tag, -1 it was rejected
  std::int64_t neighbours = 20;
  TagCategories categories;  ///< both are empty if the mixture leaves them out
  SoftmaxGp classifier;
  /// Of the features as neighbours are compared by; empty if the mixture leaves it out. Tags that
  /// came after it was learned have no column.
  SparseOneVsRestLinear linear;
  TagNames names;  ///< empty where no encoder reads them
  SuggesterMixture mixture;
  ConfidenceMap confidence;
  double threshold = 0.5;  ///< of confidence; what suits best on held-out items

  std::int64_t tags() const { return tag_gp.tags(); }
};

/// Raw features as the suggester compares them: sparse ones weighed, each kind that an item has
/// counting as much as the next; all of length one.
StoredRows prepare(const Suggester& suggester, const FeatureRows& raw, int jobs = 0);

/// Prepared sparse rows as neighbours are compared: by how rare features are, whatever the latents
/// weigh them by. Ways that look at different sides of an item err on different items, and tell
/// more together.
Sparse compared(const Suggester& suggester, const SparseView& prepared, int jobs = 0);

/// Prepared rows as linear classifiers take them: as neighbours are compared, or dense ones as they
/// are.
Sparse linear_rows(const Suggester& suggester, const FeatureRows& prepared, int jobs = 0);

/// What single questions would make anew each time, made once and as large as the suggester, which
/// must outlive it and stay as it is. Without `known` it cannot find neighbours.
struct SuggesterLookup {
  explicit SuggesterLookup(const Suggester& suggester, bool known = true);
  ReadyBasis basis;
  PackedFactor tag_weights;
  Sparse known_columns;  ///< of sparse rows: what is known by feature, to be compared
  /// Tags of few examples, by number, and how much their names count by themselves: wholly where
  /// there is none, and less with each. None without names.
  std::vector<std::pair<std::int32_t, float>> few;
};

/// What each way says of each tag, items x tags; empty where the mixture does not need it.
struct TagScores {
  Matrix tags;
  Matrix neighbours;
  Matrix category;
  Matrix linear;
  Matrix names;
  Matrix whitened;  ///< the items in the basis, which the first and the last are made of
};
/// `skip`, if given, names for each item the known one that is itself, or -1.
TagScores score_ways(const Suggester& suggester, const FeatureRows& prepared,
                     std::span<const std::int64_t> skip = {}, int jobs = 0);
TagScores score_ways(const Suggester& suggester, const SuggesterLookup& lookup,
                     const FeatureRows& prepared, std::span<const std::int64_t> skip = {},
                     int jobs = 0);
/// Their sum by weight.
Matrix mix(const TagScores& scores, const SuggesterMixture& mixture);
/// The same by the suggester's weights; a tag of few examples has what its name alone is worth, if
/// that is more.
Matrix mix(const Suggester& suggester, const SuggesterLookup& lookup, const TagScores& scores);
/// Both at once, items x tags.
Matrix score(const Suggester& suggester, const FeatureRows& prepared,
             std::span<const std::int64_t> skip = {}, int jobs = 0);

/// The `count` tags of the greatest scores, best first; of equals the lower number.
std::vector<std::int32_t> best_tags(std::span<const float> scores, std::int64_t count);

/// Puts the suggester into a model file and takes it out again; Error if its parts do not fit.
void add_suggester(TensorWriter& writer, const Suggester& suggester);
Suggester read_suggester(const TensorFile& file);

}  // namespace commonplace::suggest
