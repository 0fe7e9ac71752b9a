#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/learn/ridge_map.h"
#include "commonplace/rows/encoder_features.h"
#include "commonplace/search/core/fitting.h"

namespace commonplace::search {

/// What of an item a query's vector is compared with.
enum class MeaningKind {
  texts,     ///< sentence vectors of titles and texts
  pictures,  ///< pictures as sentence vectors: by the names of classes, and by a learned map
  pair,      ///< pictures as an encoder of texts and pictures alike sees them
};
constexpr std::array<std::pair<MeaningKind, const char*>, 3> words_of(MeaningKind) {
  return {{{MeaningKind::texts, "texts"},
           {MeaningKind::pictures, "pictures"},
           {MeaningKind::pair, "pair"}}};
}
std::string to_string(MeaningKind kind);

/// One way in which items are found by what they mean, without a word in common.
struct MeaningWay {
  MeaningKind kind = MeaningKind::texts;
  std::string features;       ///< of the collection: what items' vectors are, or are made of
  std::string made;           ///< how those were made: with others the index is made again
  EncoderName asked;          ///< encodes what is asked
  Eigen::RowVectorXf centre;  ///< taken off the asked vector
  Fitting fitting;
  double weight = 0;  ///< of a certain fit, where an asked word in the tags counts kOwnWord
  // Of pictures, as sentence vectors:
  RidgeMap captions;      ///< learned from what people wrote beside pictures; may be empty
  RidgeMap classes;       ///< learned from the names of classes that are seen; may be empty
  double of_classes = 1;  ///< weight of the second beside the first
  std::vector<std::string> labels;  ///< the classes, for explanations
  Matrix label_vectors;             ///< of their names
};

/// How a collection is searched by what is meant. A plain value.
struct MeaningModel {
  std::string collection;
  std::vector<MeaningWay> ways;
};

inline constexpr const char* kMeaningKind = "search-meaning";
/// What the model of a collection is called.
std::string meaning_name(const std::string& collection);

/// What the items of a way are compared by: rows of length one, or zero for what cannot be known.
Matrix meant_vectors(const MeaningWay& way, const Matrix& features, int jobs = 0);
/// The asked vector, ready for products with those: of length one.
Eigen::RowVectorXf asked_vector(const MeaningWay& way, const Eigen::RowVectorXf& encoded);

void save(const MeaningModel& model, const std::filesystem::path& path);
/// Error if the file is another kind's or its parts do not fit together.
MeaningModel load_meaning(const TensorFile& file);

}  // namespace commonplace::search
