#include "commonplace/math/nearest_rows.h"

#include <algorithm>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/top_k.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

struct Product {
  std::int32_t row;
  float value;
};

bool is_greater(const Product& a, const Product& b) {
  return a.value != b.value ? a.value > b.value : a.row < b.row;
}

/// The greatest `count` of products that come by ascending row.
class Greatest {
 public:
  explicit Greatest(std::int64_t count) : count_(static_cast<std::size_t>(count)) {}

  void clear() {
    products_.clear();
    least_ = 0;
  }
  /// Of equal products the lower row is kept, so that a later one must be greater.
  void add(std::int32_t row, float value) {
    if (!(value > least_)) return;
    products_.push_back({row, value});
    if (products_.size() >= 4 * count_ + 64) cut();
  }
  /// By ascending row.
  std::vector<Product> take() {
    if (products_.size() > count_) cut();
    std::sort(products_.begin(), products_.end(),
              [](const Product& a, const Product& b) { return a.row < b.row; });
    return products_;
  }

 private:
  void cut() {
    keep_first_unordered(products_, static_cast<std::int64_t>(count_), is_greater);
    if (count_ > 0) least_ = products_.back().value;
  }

  std::size_t count_;
  std::vector<Product> products_;
  float least_ = 0;
};

/// Products of rows of A with all rows of B, by B's transpose; one for each thread.
class Finder {
 public:
  Finder(const SparseView& a, const SparseView& b_transposed)
      : a_(a), b_transposed_(b_transposed), sums_(static_cast<std::size_t>(b_transposed.columns)) {}

  void find(std::int64_t row, std::int64_t skip, Greatest& greatest) {
    const auto terms = a_.row_indices(row);
    const auto weights = a_.row_values(row);
    std::size_t products = 0;
    for (const std::int32_t term : terms) products += b_transposed_.row_indices(term).size();
    // Few products are listed as they come; of many, all sums are gone through, without asking.
    const bool few = products < sums_.size() / 8;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto others = b_transposed_.row_indices(terms[i]);
      const auto values = b_transposed_.row_values(terms[i]);
      if (few) seen_.insert(seen_.end(), others.begin(), others.end());
      for (std::size_t j = 0; j < others.size(); ++j)
        sums_[static_cast<std::size_t>(others[j])] += weights[i] * values[j];
    }
    if (few) {
      std::sort(seen_.begin(), seen_.end());
      for (const std::int32_t other : seen_) take(static_cast<std::size_t>(other), skip, greatest);
      seen_.clear();
    } else {
      for (std::size_t other = 0; other < sums_.size(); ++other) take(other, skip, greatest);
    }
  }

 private:
  void take(std::size_t other, std::int64_t skip, Greatest& greatest) {
    const float sum = sums_[other];
    if (sum == 0) return;
    sums_[other] = 0;
    if (static_cast<std::int64_t>(other) != skip)
      greatest.add(static_cast<std::int32_t>(other), sum);
  }

  SparseView a_;
  SparseView b_transposed_;
  std::vector<float> sums_;  ///< zero between calls
  std::vector<std::int32_t> seen_;
};

/// For each row what `find(row, left_out, greatest)` puts into `greatest`; each thread makes a
/// `find` of its own.
template <class MakeFind>
Sparse find_greatest(std::int64_t rows, std::int64_t columns, std::int64_t count,
                     std::span<const std::int64_t> skip, int jobs, const MakeFind& make_find) {
  require(count >= 0, "cannot find ", count, " neighbours; give 0 or more");
  require(skip.empty() || std::ssize(skip) == rows, "there are ", skip.size(), " rows to skip for ",
          rows, " rows");
  std::vector<std::vector<Product>> found(static_cast<std::size_t>(rows));
  parallel_for(found.size(), jobs, [&](std::size_t begin, std::size_t end) {
    auto find = make_find();
    Greatest greatest(count);
    for (std::size_t row = begin; row < end; ++row) {
      greatest.clear();
      find(static_cast<std::int64_t>(row), skip.empty() ? -1 : skip[row], greatest);
      found[row] = greatest.take();
    }
  });
  Sparse result;
  result.columns = columns;
  for (const auto& row : found) {
    for (const Product& product : row) result.push(product.row, product.value);
    result.end_row();
  }
  return result;
}

}  // namespace

Sparse nearest_rows(const SparseView& a, const SparseView& b, std::int64_t count,
                    std::span<const std::int64_t> skip, int jobs) {
  require(a.columns == b.columns, "rows of ", a.columns, " and ", b.columns,
          " columns have no product");
  return nearest_rows_by_column(a, transpose(b).view(), count, skip, jobs);
}

Sparse nearest_rows_by_column(const SparseView& a, const SparseView& b_columns, std::int64_t count,
                              std::span<const std::int64_t> skip, int jobs) {
  require(a.columns == b_columns.rows, "rows of ", a.columns, " and ", b_columns.rows,
          " columns have no product");
  return find_greatest(a.rows, b_columns.columns, count, skip, jobs, [&] {
    return [finder = Finder(a, b_columns)](std::int64_t row, std::int64_t left_out,
                                           Greatest& greatest) mutable {
      finder.find(row, left_out, greatest);
    };
  });
}

Sparse greatest_of_rows(const Eigen::Ref<const Matrix>& products, std::int64_t count,
                        std::span<const std::int64_t> skip, int jobs) {
  return find_greatest(products.rows(), products.cols(), count, skip, jobs, [&] {
    return [&products](std::int64_t row, std::int64_t left_out, Greatest& greatest) {
      for (Eigen::Index other = 0; other < products.cols(); ++other)
        if (other != left_out) greatest.add(static_cast<std::int32_t>(other), products(row, other));
    };
  });
}

}  // namespace commonplace
