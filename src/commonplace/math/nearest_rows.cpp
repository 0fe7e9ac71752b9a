#include "commonplace/math/nearest_rows.h"

#include <algorithm>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

struct Product {
  std::int32_t row;
  float value;
};

/// The products of one row with all rows of B, by B's transpose. `sums` is zero before and after.
void find_products(const SparseView& a, std::int64_t row, const SparseView& b_transposed,
                   std::int64_t skip, std::vector<float>& sums, std::vector<std::int32_t>& seen,
                   std::vector<Product>& products) {
  const auto terms = a.row_indices(row);
  const auto weights = a.row_values(row);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto others = b_transposed.row_indices(terms[i]);
    const auto values = b_transposed.row_values(terms[i]);
    for (std::size_t j = 0; j < others.size(); ++j) {
      float& sum = sums[static_cast<std::size_t>(others[j])];
      if (sum == 0) seen.push_back(others[j]);
      sum += weights[i] * values[j];
    }
  }
  for (const std::int32_t other : seen) {
    float& sum = sums[static_cast<std::size_t>(other)];
    if (sum > 0 && other != skip) products.push_back({other, sum});
    sum = 0;
  }
  seen.clear();
}

void keep_greatest(std::vector<Product>& products, std::int64_t count) {
  if (std::ssize(products) > count) {
    std::nth_element(products.begin(), products.begin() + count, products.end(),
                     [](const Product& a, const Product& b) {
                       return a.value != b.value ? a.value > b.value : a.row < b.row;
                     });
    products.resize(static_cast<std::size_t>(count));
  }
  std::sort(products.begin(), products.end(),
            [](const Product& a, const Product& b) { return a.row < b.row; });
}

}  // namespace

Sparse nearest_rows(const SparseView& a, const SparseView& b, std::int64_t count,
                    std::span<const std::int64_t> skip, int jobs) {
  require(a.columns == b.columns, "rows of ", a.columns, " and ", b.columns,
          " columns have no product");
  require(count >= 0, "cannot find ", count, " neighbours; give 0 or more");
  require(skip.empty() || std::ssize(skip) == a.rows, "there are ", skip.size(),
          " rows to skip for ", a.rows, " rows");
  const Sparse transposed = transpose(b);
  std::vector<std::vector<Product>> found(static_cast<std::size_t>(a.rows));
  parallel_for(found.size(), jobs, [&](std::size_t begin, std::size_t end) {
    std::vector<float> sums(static_cast<std::size_t>(b.rows));
    std::vector<std::int32_t> seen;
    std::vector<Product> products;
    for (std::size_t row = begin; row < end; ++row) {
      products.clear();
      find_products(a, static_cast<std::int64_t>(row), transposed.view(),
                    skip.empty() ? -1 : skip[row], sums, seen, products);
      keep_greatest(products, count);
      found[row].assign(products.begin(), products.end());
    }
  });
  Sparse result;
  result.columns = b.rows;
  for (const auto& row : found) {
    for (const Product& product : row) result.push(product.row, product.value);
    result.end_row();
  }
  return result;
}

}  // namespace commonplace
