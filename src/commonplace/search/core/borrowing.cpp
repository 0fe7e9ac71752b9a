#include "commonplace/search/core/borrowing.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/learn/knn.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::search {
namespace {

/// The similarity that counts as much as all neighbours together: with few or faint neighbours the
/// vote is faint too.
constexpr double kFaint = 0.2;
/// Of all items together; many items have fewer neighbours each, but not fewer than the second.
constexpr std::int64_t kMostVotes = 20'000'000;
constexpr std::int64_t kFewestVotes = 10;

Sparse with_idf(Sparse rows, std::span<const float> idf) {
  for (std::size_t i = 0; i < rows.indices.size(); ++i)
    rows.values[i] *= idf[static_cast<std::size_t>(rows.indices[i])];
  return rows;
}

/// The nearest lenders by cosine, each counting by its square.
Sparse find_votes(const Borrowing& borrowing, const Sparse& roots,
                  std::span<const std::int64_t> same_lender, int jobs) {
  if (borrowing.neighbours == 0) {
    Sparse none{borrowing.lenders.rows(), {}, {}, {}};
    none.starts.assign(static_cast<std::size_t>(roots.rows()) + 1, 0);
    return none;
  }
  Sparse lenders = with_idf(borrowing.lenders, borrowing.idf);
  Sparse items = with_idf(roots, borrowing.idf);
  normalise_rows(lenders, jobs);
  normalise_rows(items, jobs);
  const std::int64_t affordable =
      std::max(kFewestVotes, kMostVotes / std::max<std::int64_t>(items.rows(), 1));
  return knn_votes(
      items, lenders,
      {.neighbours = std::min(borrowing.neighbours, affordable), .power = 2, .nobody = kFaint},
      same_lender, jobs);
}

void add_row(const SparseView& matrix, std::int32_t row, float weight, std::vector<float>& into) {
  const auto columns = matrix.row_indices(row);
  const auto values = matrix.row_values(row);
  for (std::size_t i = 0; i < columns.size(); ++i)
    into[static_cast<std::size_t>(columns[i])] += weight * values[i];
}

double dot_row(const SparseView& matrix, std::int64_t row, const std::vector<float>& vector) {
  const auto columns = matrix.row_indices(row);
  const auto values = matrix.row_values(row);
  double sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    sum += static_cast<double>(values[i]) *
           static_cast<double>(vector[static_cast<std::size_t>(columns[i])]);
  return sum;
}

}  // namespace

Sparse root_counts(const SparseView& counts) {
  Sparse result = copy(counts);
  for (float& value : result.values) {
    if (!std::isfinite(value) || value < 0)
      fail("a tag has the count ", value, "; expected 0 or more");
    value = std::sqrt(value);
  }
  return result;
}

Sparse weighted_rows(const SparseView& counts, std::span<const float> idf) {
  require(static_cast<std::int64_t>(idf.size()) == counts.columns, "there are ", idf.size(),
          " weights for ", counts.columns, " terms");
  Sparse rows = with_idf(root_counts(counts), idf);
  normalise_rows(rows);
  return rows;
}

CodedItems code_items(const Borrowing& borrowing, const SparseView& counts,
                      std::span<const std::int64_t> same_lender, int jobs) {
  require(counts.columns == borrowing.terms(), "the items have ", counts.columns,
          " terms, the model ", borrowing.terms(), "; count them with the model's vocabulary");
  CodedItems items;
  items.terms = root_counts(counts);
  const SparseView terms = items.terms.view();
  items.unrelated.reserve(static_cast<std::size_t>(counts.rows));
  for (std::int64_t row = 0; row < counts.rows; ++row)
    items.unrelated.push_back(
        static_cast<float>(dot_row(terms, row, borrowing.associations.unrelated)));
  items.codes = encode(borrowing.subspace, 0, with_idf(items.terms, borrowing.idf).view(), jobs);
  items.votes = find_votes(borrowing, items.terms, same_lender, jobs);
  return items;
}

AskedVectors ask(const Borrowing& borrowing, const SparseView& lenders_by_term,
                 std::span<const WeightedTerm> asked) {
  const auto terms = static_cast<std::size_t>(borrowing.terms());
  const std::vector<int> columns = borrowing.subspace.topics_of(0);
  AskedVectors vectors;
  vectors.lift.resize(terms);
  vectors.ridge.resize(terms);
  vectors.topics.resize(columns.size());
  vectors.lenders.resize(static_cast<std::size_t>(lenders_by_term.columns));
  for (const WeightedTerm& each : asked) {
    require(each.term >= 0 && static_cast<std::size_t>(each.term) < terms, "there is no term ",
            each.term, " among ", terms);
    vectors.weight += static_cast<double>(each.weight);
    add_row(borrowing.associations.lift.view(), each.term, each.weight, vectors.lift);
    add_row(borrowing.associations.ridge.view(), each.term, each.weight, vectors.ridge);
    add_row(lenders_by_term, each.term, each.weight, vectors.lenders);
    // Codes are of rows weighed by idf, so the term's own idf is taken off again.
    const float scale = each.weight / borrowing.idf[static_cast<std::size_t>(each.term)];
    for (std::size_t topic = 0; topic < columns.size(); ++topic)
      vectors.topics[topic] += scale * borrowing.subspace.basis(each.term, columns[topic]);
  }
  return vectors;
}

ItemEvidence find_evidence(const CodedItems& items, std::int64_t row, const AskedVectors& asked) {
  ItemEvidence evidence;
  for (std::size_t topic = 0; topic < asked.topics.size(); ++topic)
    evidence.topics += static_cast<double>(items.codes(row, static_cast<Eigen::Index>(topic))) *
                       static_cast<double>(asked.topics[topic]);
  evidence.lift =
      asked.weight * static_cast<double>(items.unrelated[static_cast<std::size_t>(row)]) +
      dot_row(items.terms.view(), row, asked.lift);
  evidence.ridge = dot_row(items.terms.view(), row, asked.ridge);
  evidence.votes = dot_row(items.votes.view(), row, asked.lenders);
  return evidence;
}

BorrowedEvidence find_evidence(const CodedItems& items, const AskedVectors& asked) {
  const auto count = static_cast<std::size_t>(items.terms.rows());
  BorrowedEvidence all;
  for (auto* values : {&all.topics, &all.lift, &all.ridge, &all.votes}) values->resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    const ItemEvidence one = find_evidence(items, static_cast<std::int64_t>(row), asked);
    all.topics[row] = static_cast<float>(one.topics);
    all.lift[row] = static_cast<float>(one.lift);
    all.ridge[row] = static_cast<float>(one.ridge);
    all.votes[row] = static_cast<float>(one.votes);
  }
  return all;
}

double borrowed_score(const ItemEvidence& evidence, const BorrowingWeights& weights) {
  return weights.topics * evidence.topics + weights.lift * evidence.lift +
         weights.ridge * evidence.ridge + weights.votes * evidence.votes;
}

}  // namespace commonplace::search
