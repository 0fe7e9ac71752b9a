#include "commonplace/features/vocabulary.h"

#include <algorithm>
#include <functional>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

std::vector<std::int64_t> documents_per_term(const Sparse& counts) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(counts.columns));
  for (const std::int32_t column : counts.indices) ++result[at(column)];
  return result;
}

/// The columns to keep, ascending.
std::vector<std::int32_t> choose(const std::vector<std::int64_t>& frequency, std::int64_t documents,
                                 const VocabularyOptions& options) {
  const double most = options.max_share * static_cast<double>(documents);
  std::vector<std::int32_t> kept;
  for (std::size_t term = 0; term < frequency.size(); ++term)
    if (frequency[term] >= options.min_documents && static_cast<double>(frequency[term]) <= most)
      kept.push_back(static_cast<std::int32_t>(term));
  if (options.max_terms > 0 && static_cast<std::int64_t>(kept.size()) > options.max_terms) {
    // Columns are in the order of the terms, so a stable sort breaks ties by term.
    std::stable_sort(kept.begin(), kept.end(), [&](std::int32_t a, std::int32_t b) {
      return frequency[at(a)] > frequency[at(b)];
    });
    kept.resize(static_cast<std::size_t>(options.max_terms));
    std::sort(kept.begin(), kept.end());
  }
  return kept;
}

/// Drops the columns whose place is -1, in place, and renumbers the others.
void keep_columns(Sparse& matrix, const std::vector<std::int32_t>& place, std::int64_t width) {
  std::size_t written = 0;
  std::size_t begin = 0;
  for (std::size_t row = 1; row < matrix.starts.size(); ++row) {
    const auto end = static_cast<std::size_t>(matrix.starts[row]);
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t column = place[at(matrix.indices[i])];
      if (column < 0) continue;
      matrix.indices[written] = column;
      matrix.values[written++] = matrix.values[i];
    }
    begin = end;
    matrix.starts[row] = static_cast<std::int64_t>(written);
  }
  matrix.indices.resize(written);
  matrix.values.resize(written);
  matrix.columns = width;
}

}  // namespace

void check(const VocabularyOptions& options) {
  require(options.min_documents >= 1, "min_documents is ", options.min_documents,
          "; expected 1 or more");
  require(options.max_share > 0 && options.max_share <= 1, "max_share is ", options.max_share,
          "; expected more than 0 and at most 1");
  require(options.max_terms >= 0, "max_terms is ", options.max_terms, "; expected 0 (all) or more");
}

std::string_view Vocabulary::name(std::int32_t column) const {
  return shown.empty() ? terms[column] : std::string_view(shown[at(column)]);
}

SelectedTerms select_terms(TermCounts counted, const VocabularyOptions& options) {
  check(options);
  const std::vector<std::int64_t> frequency = documents_per_term(counted.counts);
  const std::int64_t documents = counted.counts.rows();
  const std::vector<std::int32_t> kept = choose(frequency, documents, options);
  require(!kept.empty(), "no term is left of ", counted.terms.size(), " in ", documents,
          " documents with min_documents ", options.min_documents, " and max_share ",
          options.max_share, "; give more text or relax these");

  SelectedTerms result;
  result.vocabulary.documents = documents;
  std::vector<std::int32_t> place(frequency.size(), -1);
  for (const std::int32_t column : kept) {
    place[at(column)] = result.vocabulary.terms.add(counted.terms[column]);
    result.vocabulary.document_frequency.push_back(frequency[at(column)]);
    if (!counted.shown.empty())
      result.vocabulary.shown.push_back(std::move(counted.shown[at(column)]));
  }
  result.counts = std::move(counted.counts);
  keep_columns(result.counts, place, result.vocabulary.size());
  return result;
}

MergedVocabulary merge(std::span<const Vocabulary> vocabularies) {
  std::vector<std::string_view> all;
  for (const Vocabulary& vocabulary : vocabularies)
    for (std::int32_t c = 0; c < vocabulary.terms.size(); ++c) all.push_back(vocabulary.terms[c]);
  std::sort(all.begin(), all.end());

  MergedVocabulary result;
  Vocabulary& merged = result.vocabulary;
  for (const std::string_view term : all) merged.terms.add(term);
  merged.document_frequency.resize(at(merged.terms.size()));
  const bool tags = std::any_of(vocabularies.begin(), vocabularies.end(),
                                [](const Vocabulary& v) { return !v.shown.empty(); });
  if (tags) merged.shown.resize(at(merged.terms.size()));
  std::vector<std::int64_t> shown_by(at(merged.terms.size()), -1);
  for (const Vocabulary& vocabulary : vocabularies) {
    std::vector<std::int32_t>& columns = result.columns.emplace_back();
    merged.documents += vocabulary.documents;
    for (std::int32_t c = 0; c < vocabulary.terms.size(); ++c) {
      const std::int32_t place = merged.find(vocabulary.terms[c]);
      const std::int64_t frequency = vocabulary.document_frequency[at(c)];
      columns.push_back(place);
      merged.document_frequency[at(place)] += frequency;
      if (!tags || frequency <= shown_by[at(place)]) continue;
      shown_by[at(place)] = frequency;
      merged.shown[at(place)] = vocabulary.name(c);
    }
  }
  return result;
}

Sparse remap_columns(const SparseView& matrix, std::span<const std::int32_t> columns,
                     std::int64_t width) {
  require(static_cast<std::int64_t>(columns.size()) == matrix.columns, "the matrix has ",
          matrix.columns, " columns, but the map has ", columns.size(),
          "; merge the vocabulary the matrix was counted with");
  require(
      std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) == columns.end() &&
          (columns.empty() || (columns.front() >= 0 && columns.back() < width)),
      "the column map is not ascending within 0 .. ", width - 1);
  Sparse result;
  result.columns = width;
  result.starts.assign(matrix.starts.begin(), matrix.starts.end());
  result.values.assign(matrix.values.begin(), matrix.values.end());
  result.indices.reserve(matrix.indices.size());
  for (const std::int32_t column : matrix.indices) result.indices.push_back(columns[at(column)]);
  return result;
}

}  // namespace commonplace
