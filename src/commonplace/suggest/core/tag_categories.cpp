#include "commonplace/suggest/core/tag_categories.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/io/tensors.h"

namespace commonplace::suggest {

TagCategories make_categories(const SparseView& tags, std::int64_t most, Comm& comm) {
  require(most >= 1, "there must be 1 category or more, not ", most);
  std::vector<std::int64_t> uses(static_cast<std::size_t>(tags.columns));
  for (std::size_t i = 0; i < tags.indices.size(); ++i)
    if (tags.values[i] > 0) ++uses[static_cast<std::size_t>(tags.indices[i])];
  comm.sum(std::span(uses));
  TagCategories result;
  result.tags.resize(uses.size());
  std::iota(result.tags.begin(), result.tags.end(), 0);
  std::stable_sort(result.tags.begin(), result.tags.end(), [&](std::int32_t a, std::int32_t b) {
    return uses[static_cast<std::size_t>(a)] > uses[static_cast<std::size_t>(b)];
  });
  result.tags.resize(std::min(result.tags.size(), static_cast<std::size_t>(most)));
  while (!result.tags.empty() && uses[static_cast<std::size_t>(result.tags.back())] == 0)
    result.tags.pop_back();

  MatrixD sums = MatrixD::Zero(std::ssize(result.tags), tags.columns);
  const std::vector<std::int32_t> categories = item_categories(tags, result);
  for (std::int64_t item = 0; item < tags.rows; ++item) {
    const std::int32_t category = categories[static_cast<std::size_t>(item)];
    if (category < 0) continue;
    const auto of_item = tags.row_indices(item);
    const auto values = tags.row_values(item);
    const auto count = static_cast<double>(
        std::count_if(values.begin(), values.end(), [](float value) { return value > 0; }));
    for (std::size_t i = 0; i < of_item.size(); ++i)
      if (values[i] > 0) sums(category, of_item[i]) += 1 / count;
  }
  comm.sum(sums);
  for (Eigen::Index row = 0; row < sums.rows(); ++row)
    if (const double sum = sums.row(row).sum(); sum > 0) sums.row(row) /= sum;
  result.shares = sums.cast<float>();
  return result;
}

std::vector<std::int32_t> item_categories(const SparseView& tags, const TagCategories& categories) {
  // Categories come by falling use, so the first of an item's is its commonest.
  std::vector<std::int32_t> category_of(static_cast<std::size_t>(tags.columns), -1);
  for (std::size_t i = 0; i < categories.tags.size(); ++i)
    category_of[static_cast<std::size_t>(categories.tags[i])] = static_cast<std::int32_t>(i);
  std::vector<std::int32_t> result;
  for (std::int64_t item = 0; item < tags.rows; ++item) {
    std::int32_t best = -1;
    const auto of_item = tags.row_indices(item);
    const auto values = tags.row_values(item);
    for (std::size_t i = 0; i < of_item.size(); ++i) {
      const std::int32_t category = category_of[static_cast<std::size_t>(of_item[i])];
      if (values[i] > 0 && category >= 0 && (best < 0 || category < best)) best = category;
    }
    result.push_back(best);
  }
  return result;
}

template <class Categories, class Visit>
requires std::is_same_v<std::remove_const_t<Categories>, TagCategories>
static void visit_tensors(Categories& categories, std::int64_t tags, Visit&& visit) {
  visit("categories.tags", categories.tags);
  visit("categories.shares", categories.shares, TensorShape{std::ssize(categories.tags), tags});
}

void add_categories(TensorWriter& writer, const TagCategories& categories) {
  visit_tensors(categories, -1, TensorSaver{writer});
}

TagCategories read_categories(const TensorFile& file, std::int64_t tags) {
  TagCategories result;
  visit_tensors(result, tags, TensorLoader{file});
  require(
      std::ranges::all_of(result.tags, [&](std::int32_t tag) { return tag >= 0 && tag < tags; }),
      file.name(), ": the categories do not fit ", tags, " tags; the file is damaged");
  return result;
}

}  // namespace commonplace::suggest
