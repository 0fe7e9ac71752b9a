#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/features/term_counts.h"
#include "commonplace/features/term_table.h"

namespace commonplace {

/// Which terms become columns.
struct VocabularyOptions {
  std::int64_t min_documents = 1;  ///< leave out terms that fewer documents have
  double max_share = 1;            ///< leave out terms that a greater share of documents have
  std::int64_t max_terms = 0;      ///< keep the terms of most documents, ties by term; 0: all
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, VocabularyOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("min_documents", options.min_documents, "leave out terms that fewer documents have");
  visit("max_share", options.max_share, "leave out terms that a greater share of documents have");
  visit("max_terms", options.max_terms, "keep so many terms, those of most documents; 0 for all");
}

/// Error if an option is out of range.
void check(const VocabularyOptions& options);

/// The terms behind the columns of a matrix, ascending: column c is terms[c].
struct Vocabulary {
  TermTable terms;                               ///< folded, the keys for matching
  std::vector<std::string> shown;                ///< of tags: as written; else empty
  std::vector<std::int64_t> document_frequency;  ///< documents that have the term
  std::int64_t documents = 0;                    ///< all that were counted

  std::int64_t size() const { return terms.size(); }
  /// The column of a folded term, or -1.
  std::int32_t find(std::string_view term) const { return terms.find(term); }
  /// What to show for a column.
  std::string_view name(std::int32_t column) const;
};

struct SelectedTerms {
  Vocabulary vocabulary;
  Sparse counts;  ///< documents x vocabulary
};

/// Keeps the terms that `options` asks for. O(nonzeros + terms log terms). Error if none is left.
SelectedTerms select_terms(TermCounts counted, const VocabularyOptions& options);

struct MergedVocabulary {
  Vocabulary vocabulary;  ///< every term of every input; document counts are added up
  std::vector<std::vector<std::int32_t>> columns;  ///< [input][its column] -> merged column
};

/// One vocabulary for several collections. A tag is shown as where most documents have it (ties:
/// the first input). The terms and counts do not depend on the order of the inputs.
MergedVocabulary merge(std::span<const Vocabulary> vocabularies);

/// `matrix` with column c moved to columns[c]; the result has `width` columns. `columns` is
/// ascending, as `merge` makes them. Error if it does not fit.
Sparse remap_columns(const SparseView& matrix, std::span<const std::int32_t> columns,
                     std::int64_t width);

}  // namespace commonplace
