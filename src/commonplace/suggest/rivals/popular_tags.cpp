#include "commonplace/suggest/rivals/popular_tags.h"

#include "commonplace/learn/tagged_rows.h"

namespace commonplace::suggest {

PopularTags fit_popular_tags(const SparseView& features, const SparseView& tags) {
  check_tagged(features, tags);
  std::vector<std::int64_t> uses(static_cast<std::size_t>(tags.columns));
  for (std::int64_t item = 0; item < tags.rows; ++item) {
    const auto of_item = tags.row_indices(item);
    const auto values = tags.row_values(item);
    for (std::size_t i = 0; i < of_item.size(); ++i)
      if (values[i] > 0) ++uses[static_cast<std::size_t>(of_item[i])];
  }
  PopularTags model{features.columns, {}};
  for (const std::int64_t count : uses)
    model.share.push_back(
        static_cast<float>(static_cast<double>(count) / static_cast<double>(tags.rows)));
  return model;
}

Matrix score(const PopularTags& model, const SparseView& rows) {
  check_features(rows, model.features);
  const Eigen::Map<const Eigen::RowVectorXf> share(model.share.data(),
                                                   static_cast<Eigen::Index>(model.share.size()));
  return share.replicate(rows.rows, 1);
}

}  // namespace commonplace::suggest
