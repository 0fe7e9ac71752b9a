#include "commonplace/search/core/associations.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/top_k.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::search {
namespace {

constexpr float kNegligible = 1e-4F;

void check(const AssociationOptions& options) {
  require(options.smoothing > 0 && std::isfinite(options.smoothing), "smoothing is ",
          options.smoothing, "; expected more than 0");
  require(options.ridge > 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected more than 0");
  require(options.ridge_terms >= 0 && options.ridge_terms <= 20000, "ridge_terms is ",
          options.ridge_terms, "; expected 0 .. 20,000, as memory and time grow steeply with it");
  require(options.most >= 1, "associations is ", options.most, "; expected 1 or more");
}

void check_weights(const SparseView& rows) {
  for (const float value : rows.values)
    if (!std::isfinite(value) || value < 0)
      fail("a term has the weight ", value, "; expected 0 or more");
}

struct Entry {
  std::int32_t column;
  float value;
};

/// Keeps the `most` entries of greatest magnitude, columns ascending.
void keep_strongest(std::vector<Entry>& entries, std::int64_t most) {
  keep_first_unordered(entries, most, [](const Entry& a, const Entry& b) {
    const float x = std::abs(a.value);
    const float y = std::abs(b.value);
    return x != y ? x > y : a.column < b.column;
  });
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.column < b.column; });
}

Sparse join_rows(const std::vector<std::vector<Entry>>& rows, std::int64_t columns) {
  Sparse result;
  result.columns = columns;
  for (const auto& row : rows) {
    for (const Entry& entry : row) result.push(entry.column, entry.value);
    result.end_row();
  }
  return result;
}

std::vector<double> column_sums(const SparseView& rows) {
  std::vector<double> sums(static_cast<std::size_t>(rows.columns));
  for (std::size_t i = 0; i < rows.indices.size(); ++i)
    sums[static_cast<std::size_t>(rows.indices[i])] += static_cast<double>(rows.values[i]);
  return sums;
}

/// Row w: ln(1 + C_vw / (a p_w)) for the v seen with w.
Sparse fit_lift(const SparseView& lenders, const std::vector<double>& sums,
                const AssociationOptions& options, int jobs) {
  const Sparse by_term = transpose(lenders);
  const SparseView items_of = by_term.view();
  std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(lenders.columns));
  parallel_for(rows.size(), jobs, [&](std::size_t begin, std::size_t end) {
    std::vector<double> together(rows.size());
    std::vector<std::int32_t> seen;
    for (std::size_t w = begin; w < end; ++w) {
      const auto items = items_of.row_indices(static_cast<std::int64_t>(w));
      const auto weights = items_of.row_values(static_cast<std::int64_t>(w));
      for (std::size_t i = 0; i < items.size(); ++i) {
        const auto terms = lenders.row_indices(items[i]);
        const auto values = lenders.row_values(items[i]);
        for (std::size_t j = 0; j < terms.size(); ++j) {
          double& sum = together[static_cast<std::size_t>(terms[j])];
          if (sum == 0) seen.push_back(terms[j]);
          sum += static_cast<double>(weights[i]) * static_cast<double>(values[j]);
        }
      }
      const double expected = options.smoothing * sums[w] / static_cast<double>(lenders.rows);
      for (const std::int32_t v : seen) {
        double& sum = together[static_cast<std::size_t>(v)];
        if (static_cast<std::size_t>(v) != w && sum > 0)
          rows[w].push_back({v, static_cast<float>(std::log1p(sum / expected))});
        sum = 0;
      }
      seen.clear();
      keep_strongest(rows[w], options.most);
    }
  });
  return join_rows(rows, lenders.columns);
}

/// (YᵀY + penalty I)⁻¹, of which column w divided by its diagonal entry is the ridge.
MatrixD penalised_inverse(const SparseView& rows, double penalty, int jobs) {
  MatrixD gram = MatrixD::Zero(rows.columns, rows.columns);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto terms = rows.row_indices(row);
    const auto values = rows.row_values(row);
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t j = 0; j < terms.size(); ++j)
        gram(terms[i], terms[j]) += static_cast<double>(values[i]) * static_cast<double>(values[j]);
  }
  gram.diagonal().array() += penalty;
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  require(factor.info() == Eigen::Success, "the word-to-word ridge cannot be solved with a penalty",
          " of ", penalty, "; give a greater one");
  // P = L⁻ᵀ L⁻¹. Columns j .. of P from row j on need only the corner of L below and right of j,
  // and the rest follows by symmetry: a third of the work of solving for all of the identity.
  MatrixD inverse(rows.columns, rows.columns);
  constexpr std::size_t block = 64;
  parallel_for(
      static_cast<std::size_t>(rows.columns), jobs,
      [&](std::size_t begin, std::size_t end) {
        const auto first = static_cast<Eigen::Index>(begin);
        const auto count = static_cast<Eigen::Index>(end - begin);
        const Eigen::Index left = rows.columns - first;
        const auto corner = factor.matrixLLT().bottomRightCorner(left, left);
        Eigen::MatrixXd columns = Eigen::MatrixXd::Identity(left, count);
        corner.triangularView<Eigen::Lower>().solveInPlace(columns);
        corner.triangularView<Eigen::Lower>().transpose().solveInPlace(columns);
        inverse.block(first, first, count, left) = columns.transpose();
      },
      block);
  inverse.triangularView<Eigen::StrictlyLower>() = inverse.transpose();
  return inverse;
}

/// The columns of `rows` that most rows have, ascending.
std::vector<std::int32_t> commonest(const SparseView& rows, std::int64_t count) {
  std::vector<std::int64_t> uses(static_cast<std::size_t>(rows.columns));
  for (const std::int32_t column : rows.indices) ++uses[static_cast<std::size_t>(column)];
  std::vector<std::int32_t> order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return uses[static_cast<std::size_t>(a)] > uses[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  while (!order.empty() && uses[static_cast<std::size_t>(order.back())] == 0) order.pop_back();
  std::sort(order.begin(), order.end());
  return order;
}

/// `rows` with only the columns of `kept`, renumbered.
Sparse keep_columns(const SparseView& rows, const std::vector<std::int32_t>& kept) {
  std::vector<std::int32_t> place(static_cast<std::size_t>(rows.columns), -1);
  for (std::size_t i = 0; i < kept.size(); ++i)
    place[static_cast<std::size_t>(kept[i])] = static_cast<std::int32_t>(i);
  Sparse result;
  result.columns = std::ssize(kept);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto terms = rows.row_indices(row);
    const auto values = rows.row_values(row);
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (const std::int32_t to = place[static_cast<std::size_t>(terms[i])]; to >= 0)
        result.push(to, values[i]);
    result.end_row();
  }
  return result;
}

Sparse fit_ridge(const SparseView& lenders, const AssociationOptions& options, int jobs) {
  const std::vector<std::int32_t> kept = commonest(lenders, options.ridge_terms);
  std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(lenders.columns));
  if (!kept.empty()) {
    const MatrixD inverse =
        penalised_inverse(keep_columns(lenders, kept).view(), options.ridge, jobs);
    parallel_for(kept.size(), jobs, [&](std::size_t begin, std::size_t end) {
      for (std::size_t w = begin; w < end; ++w) {
        auto& row = rows[static_cast<std::size_t>(kept[w])];
        const auto column = static_cast<Eigen::Index>(w);
        for (std::size_t v = 0; v < kept.size(); ++v) {
          const auto weight = static_cast<float>(-inverse(column, static_cast<Eigen::Index>(v)) /
                                                 inverse(column, column));
          if (v != w && std::abs(weight) > kNegligible) row.push_back({kept[v], weight});
        }
        keep_strongest(row, options.most);
      }
    });
  }
  return join_rows(rows, lenders.columns);
}

}  // namespace

Associations fit_associations(const SparseView& lenders, const AssociationOptions& options,
                              const Run& run) {
  check(options);
  require(lenders.nonzeros() > 0,
          "there are no tags to learn associations from; give a collection that has tags");
  check_weights(lenders);
  const std::vector<double> sums = column_sums(lenders);
  Associations result;
  run.progress({"learning which words go together", 0, 2, "steps"});
  result.lift = fit_lift(lenders, sums, options, run.jobs);
  run.progress({"learning which words go together", 1, 2, "steps"});
  result.ridge = fit_ridge(lenders, options, run.jobs);
  for (const double sum : sums)
    result.unrelated.push_back(
        static_cast<float>(std::log(options.smoothing / (sum + options.smoothing))));
  run.progress({"learning which words go together", 2, 2, "steps"});
  return result;
}

MatrixD zero_diagonal_ridge(const SparseView& rows, double penalty, int jobs) {
  require(penalty > 0 && std::isfinite(penalty), "the ridge's penalty is ", penalty,
          "; expected more than 0");
  check_weights(rows);
  MatrixD result = penalised_inverse(rows, penalty, jobs);
  // B_vw = -P_vw / P_ww; row w of the symmetric P is its column w.
  for (Eigen::Index w = 0; w < result.rows(); ++w) {
    const double own = result(w, w);
    result.row(w) /= -own;
    result(w, w) = 0;
  }
  result.transposeInPlace();
  return result;
}

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Associations>
static void visit_tensors(Self& associations, std::int64_t terms, Visit&& visit) {
  visit("associations.lift", associations.lift, TensorShape{terms, terms});
  visit("associations.ridge", associations.ridge, TensorShape{terms, terms});
  visit("associations.unrelated", associations.unrelated, TensorShape{terms});
}

void add_associations(TensorWriter& writer, const Associations& associations) {
  visit_tensors(associations, -1, TensorSaver{writer});
}

Associations read_associations(const TensorFile& file, std::int64_t terms) {
  Associations result;
  visit_tensors(result, terms, TensorLoader{file});
  return result;
}

}  // namespace commonplace::search
