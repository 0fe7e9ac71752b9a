#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/eval/confidence.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/ridge_map.h"

namespace commonplace::suggest {

/// What an encoder says of the tags' names, and which of the items' features it is compared with.
struct NamedTags {
  Matrix vectors;            ///< tags x dimensions; zeros where nothing is known of a name
  std::int64_t first = 0;    ///< of the columns that are the items' own vectors, centred
  std::int64_t columns = 0;  ///< so many
  bool mapped = false;       ///< these are another encoder's: a map to the names is to be learned

  bool empty() const { return vectors.size() == 0; }
};

/// Tells tags by their names: how near an item's own vector is to the name's, so that a tag of few
/// examples, or of none, can be told. A plain value.
struct TagNames {
  Matrix vectors;           ///< tags x dimensions, about their mean and of length one, or zeros
  Eigen::RowVectorXf mean;  ///< of names, taken off
  std::int64_t first = 0;   ///< as NamedTags has it
  std::int64_t columns = 0;
  RidgeMap map;  ///< from the items' vectors to the names' (as DeViSE does it, Frome et al. 2013);
                 ///< empty: they are of one space
  /// Of a tag without examples: from how well its name fits to the score that is as often right,
  /// rising, linear between its points.
  std::vector<double> fit;
  std::vector<double> score;

  bool empty() const { return vectors.size() == 0; }
};

/// Learns from prepared items with their tags (1 has the tag) what a map needs.
TagNames learn_tag_names(const NamedTags& named, const FeatureRows& prepared,
                         const SparseView& tags, int jobs);
/// A name's vector, as the encoder gives it, as those of `names` are.
Eigen::RowVectorXf centred_name(const TagNames& names, const Eigen::RowVectorXf& vector);

/// How well each name fits each item: the cosine, and 0 where that is less. Items x tags.
Matrix fit_names(const TagNames& names, const FeatureRows& prepared, int jobs = 0);

/// Learns what a fit by itself is worth: how often names that fit so well were right, and the score
/// of which `confidence` says the same.
void learn_worth(TagNames& names, const Matrix& fits, const SparseView& tags,
                 const ConfidenceMap& confidence);
/// The score that a fit by itself is worth; 0 where that was not learned.
double worth(const TagNames& names, double fit);

/// Puts names into a model file and takes them out again; Error if they do not fit so many tags or
/// features.
void add_tag_names(TensorWriter& writer, const TagNames& names);
TagNames read_tag_names(const TensorFile& file, std::int64_t tags, std::int64_t features);

}  // namespace commonplace::suggest
