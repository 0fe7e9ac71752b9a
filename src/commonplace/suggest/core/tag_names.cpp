#include "commonplace/suggest/core/tag_names.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/suggest/core/suggester_quality.h"

namespace commonplace::suggest {
namespace {

/// A map is learned from so many items at most: more cost time and change little.
constexpr std::int64_t kMostMapped = 5000;
constexpr double kPenalty = 1;

/// The items' own vectors, of length one, or zeros.
Matrix own_vectors(const FeatureRows& prepared, std::int64_t first, std::int64_t columns) {
  Matrix own = Matrix::Zero(prepared.rows(), columns);
  if (!prepared.is_sparse()) {
    own = prepared.dense().middleCols(first, columns);
  } else {
    for (std::int64_t row = 0; row < own.rows(); ++row) {
      const auto features = prepared.sparse().row_indices(row);
      const auto values = prepared.sparse().row_values(row);
      for (std::size_t i = 0; i < features.size(); ++i)
        if (features[i] >= first && features[i] < first + columns)
          own(row, features[i] - first) = values[i];
    }
  }
  return unit_rows(own);
}

/// The sum of the names of each item's tags, of length one.
Matrix names_of_items(const Matrix& vectors, const SparseView& tags) {
  Matrix sums = Matrix::Zero(tags.rows, vectors.cols());
  for (std::int64_t row = 0; row < tags.rows; ++row) {
    const auto columns = tags.row_indices(row);
    const auto values = tags.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (values[i] > 0) sums.row(row) += vectors.row(columns[i]);
  }
  return unit_rows(sums);
}

/// The least score of which the map says so, as far as its scores go.
double score_of(const ConfidenceMap& map, double probability) {
  if (map.score.empty()) return probability;
  const auto above = std::lower_bound(map.probability.begin(), map.probability.end(), probability);
  if (above == map.probability.end()) return map.score.back();
  const auto place = static_cast<std::size_t>(above - map.probability.begin());
  if (place == 0) return map.score.front();
  const double low = map.probability[place - 1];
  const double part = (probability - low) / (*above - low);
  return map.score[place - 1] + part * (map.score[place] - map.score[place - 1]);
}

}  // namespace

TagNames learn_tag_names(const NamedTags& named, const FeatureRows& prepared,
                         const SparseView& tags, int jobs) {
  TagNames names;
  if (named.empty()) return names;
  names.first = named.first;
  names.columns = named.columns;
  names.mean = Eigen::RowVectorXf::Zero(named.vectors.cols());
  float count = 0;
  for (Eigen::Index tag = 0; tag < named.vectors.rows(); ++tag)
    if (named.vectors.row(tag).squaredNorm() > 0) {
      names.mean += named.vectors.row(tag);
      ++count;
    }
  // One name has no neighbours to be told from.
  names.mean *= count > 1 ? 1 / count : 0;
  names.vectors = Matrix::Zero(named.vectors.rows(), named.vectors.cols());
  for (Eigen::Index tag = 0; tag < named.vectors.rows(); ++tag)
    names.vectors.row(tag) = centred_name(names, named.vectors.row(tag));
  if (named.mapped) {
    std::vector<std::int64_t> rows;
    const std::int64_t step = (prepared.rows() + kMostMapped - 1) / kMostMapped;
    for (std::int64_t row = 0; row < prepared.rows(); row += step) rows.push_back(row);
    Sparse given;
    given.columns = tags.columns;
    for (const std::int64_t row : rows) given.push_row(tags, row);
    names.map = ridge_map(own_vectors(take_rows(prepared, rows).view(), named.first, named.columns),
                          names_of_items(names.vectors, given.view()), kPenalty, jobs);
  }
  return names;
}

Eigen::RowVectorXf centred_name(const TagNames& names, const Eigen::RowVectorXf& vector) {
  if (vector.squaredNorm() == 0) return Eigen::RowVectorXf::Zero(vector.size());
  const Eigen::RowVectorXf about = vector - names.mean;
  const float length = about.norm();
  return length > 0 ? Eigen::RowVectorXf(about / length) : about;
}

Matrix fit_names(const TagNames& names, const FeatureRows& prepared, int jobs) {
  const Matrix own = own_vectors(prepared, names.first, names.columns);
  const Matrix mapped = names.map.empty() ? own : unit_rows(names.map.apply(own, jobs));
  return products(FeatureRows(mapped), FeatureRows(names.vectors), jobs).cwiseMax(0.0F);
}

void learn_worth(TagNames& names, const Matrix& fits, const SparseView& tags,
                 const ConfidenceMap& confidence) {
  const ConfidenceMap right = learn_confidence(fits, tags);
  names.fit = right.score;
  names.score.clear();
  for (const double probability : right.probability)
    names.score.push_back(score_of(confidence, probability));
}

double worth(const TagNames& names, double fit) {
  if (names.fit.empty()) return 0;
  const auto above = std::lower_bound(names.fit.begin(), names.fit.end(), fit);
  if (above == names.fit.end()) return names.score.back();
  const auto place = static_cast<std::size_t>(above - names.fit.begin());
  if (place == 0) return names.score.front();
  const double part = (fit - names.fit[place - 1]) / (*above - names.fit[place - 1]);
  return names.score[place - 1] + part * (names.score[place] - names.score[place - 1]);
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, TagNames>
static void visit_tensors(Self& names, Visit&& visit) {
  visit("names.vectors", names.vectors);
  visit("names.mean", names.mean);
  visit("names.first", names.first);
  visit("names.columns", names.columns);
  visit("names.fit", names.fit);
  visit("names.score", names.score);
}

void add_tag_names(TensorWriter& writer, const TagNames& names) {
  if (names.empty()) return;
  visit_tensors(names, TensorSaver{writer});
  if (!names.map.empty()) add_ridge_map(writer, "names.map", names.map);
}

TagNames read_tag_names(const TensorFile& file, std::int64_t tags, std::int64_t features) {
  TagNames names;
  if (!file.has("names.vectors")) return names;
  visit_tensors(names, TensorLoader{file});
  if (file.has("names.map.weights")) names.map = read_ridge_map(file, "names.map");
  const Eigen::Index dimensions = names.vectors.cols();
  require(names.vectors.rows() == tags && names.mean.size() == dimensions && names.first >= 0 &&
              names.columns >= 1 && names.columns <= features &&
              names.first <= features - names.columns && names.fit.size() == names.score.size() &&
              std::is_sorted(names.fit.begin(), names.fit.end()) &&
              (names.map.empty() ? names.columns == dimensions
                                 : names.map.weights.rows() == names.columns &&
                                       names.map.weights.cols() == dimensions),
          file.name(), ": the names of its tags do not fit the rest; the file is damaged");
  return names;
}

}  // namespace commonplace::suggest
