#include "commonplace/suggest/rivals/knn_tags.h"

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/tagged_rows.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::suggest {
namespace {

/// The rows alone, from a matrix that may be a part of a larger one.
Sparse rows_alone(const SparseView& rows) {
  Sparse result;
  result.columns = rows.columns;
  for (std::int64_t row = 0; row < rows.rows; ++row) result.push_row(rows, row);
  return result;
}

Sparse of_length_one(const SparseView& rows, int jobs) {
  Sparse result = rows_alone(rows);
  normalise_rows(result, jobs);
  return result;
}

}  // namespace

KnnTags fit_knn_tags(const SparseView& features, const SparseView& tags,
                     const KnnTagOptions& options, int jobs) {
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
  check_tagged(features, tags);
  KnnTags model{of_length_one(features, jobs), rows_alone(tags), options.neighbours};
  for (float& value : model.tags.values) value = value > 0 ? 1.F : 0.F;
  return model;
}

Matrix score(const KnnTags& model, const SparseView& rows, int jobs) {
  check_features(rows, model.items.columns);
  const Sparse nearest = nearest_rows(of_length_one(rows, jobs).view(), model.items.view(),
                                      model.neighbours, {}, jobs);
  const SparseView neighbours = nearest.view();
  const SparseView tags = model.tags.view();
  Matrix result = Matrix::Zero(rows.rows, tags.columns);
  parallel_for(static_cast<std::size_t>(rows.rows), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto item = static_cast<std::int64_t>(begin); item < static_cast<std::int64_t>(end);
         ++item) {
      const auto who = neighbours.row_indices(item);
      const auto cosines = neighbours.row_values(item);
      float total = 0;
      for (std::size_t i = 0; i < who.size(); ++i) {
        total += cosines[i];
        const auto theirs = tags.row_indices(who[i]);
        const auto has = tags.row_values(who[i]);
        for (std::size_t j = 0; j < theirs.size(); ++j)
          result(item, theirs[j]) += cosines[i] * has[j];
      }
      if (total > 0) result.row(item) /= total;
    }
  });
  return result;
}

}  // namespace commonplace::suggest
