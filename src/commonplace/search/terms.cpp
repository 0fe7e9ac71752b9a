#include "commonplace/search/terms.h"

#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/features/term_counts.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/rows/item_texts.h"
#include "commonplace/rows/rank_words.h"

namespace commonplace::search {
namespace {

/// The levels of each distinct tag, so that names are folded once a tag and not once an item.
TagSource levels_of(const TagMatrix& tags) {
  return [&tags, next = std::size_t{0}](std::vector<TagCount>& levels) mutable {
    if (next == tags.names.size()) return false;
    levels.clear();
    for (std::string& level : tag_levels(tags.names[next])) levels.push_back({std::move(level), 1});
    ++next;
    return true;
  };
}

SelectedTerms all_terms(TermCounts counted) { return select_terms(std::move(counted), {}); }

SelectedTerms joined(const SelectedTerms& a, const SelectedTerms& b) {
  const Vocabulary both[] = {a.vocabulary, b.vocabulary};
  MergedVocabulary merged = merge(both);
  const std::int64_t width = merged.vocabulary.size();
  SelectedTerms result;
  result.counts = add(remap_columns(a.counts.view(), merged.columns[0], width).view(),
                      remap_columns(b.counts.view(), merged.columns[1], width).view());
  result.vocabulary = std::move(merged.vocabulary);
  // An item that has a term both as a tag and in its text is one item.
  result.vocabulary.documents = result.counts.rows();
  std::fill(result.vocabulary.document_frequency.begin(),
            result.vocabulary.document_frequency.end(), 0);
  for (const std::int32_t column : result.counts.indices)
    ++result.vocabulary.document_frequency[static_cast<std::size_t>(column)];
  return result;
}

SelectedTerms terms_of(const Library& library, const Collection& collection,
                       const TermOptions& options, const Run& run) {
  run.progress({"reading tags of " + collection.name, 0, 0, ""});
  const TagMatrix tags = tag_matrix(library, collection);
  SelectedTerms of_tags;
  if (!tags.names.empty()) {
    TermCounts levels = count_tags(levels_of(tags));
    levels.counts = multiply(tags.counts.view(), levels.counts.view());
    of_tags = all_terms(std::move(levels));
  }
  if (!options.text) {
    require(!tags.names.empty(), "collection '", collection.name,
            "' has no tags to learn from; add --text to learn from the words of its titles and",
            " texts");
    return of_tags;
  }
  TermCounts counted = count_words(library, collection, options.tokens, run);
  require(!tags.names.empty() || counted.terms.size() > 0, "collection '", collection.name,
          "' has neither tags nor words to learn from");
  if (counted.terms.size() == 0) return of_tags;
  SelectedTerms of_text = all_terms(std::move(counted));
  return tags.names.empty() ? of_text : joined(of_tags, of_text);
}

Sparse rows_between(const Sparse& matrix, std::int64_t begin, std::int64_t end) {
  Sparse result;
  result.columns = matrix.columns;
  for (std::int64_t row = begin; row < end; ++row) result.push_row(matrix.view(), row);
  return result;
}

}  // namespace

std::vector<std::string> tag_levels(const std::string& tag) {
  std::vector<std::string> levels = tag_path(tag);
  for (std::string& level : levels) level = std::string(tag_leaf(level));
  return levels;
}

MergedTerms read_terms(const Library& library, std::span<const Collection> collections,
                       const TermOptions& options, const Run& run) {
  std::vector<Vocabulary> vocabularies;
  std::vector<Sparse> counts;
  for (const Collection& collection : collections) {
    SelectedTerms terms = terms_of(library, collection, options, run);
    vocabularies.push_back(std::move(terms.vocabulary));
    counts.push_back(std::move(terms.counts));
  }
  MergedVocabulary merged = merge(vocabularies);
  TermCounts stacked;
  stacked.terms = std::move(merged.vocabulary.terms);
  stacked.shown = std::move(merged.vocabulary.shown);
  stacked.counts.columns = stacked.terms.size();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Sparse rows = remap_columns(counts[i].view(), merged.columns[i], stacked.terms.size());
    for (std::int64_t row = 0; row < rows.rows(); ++row) stacked.counts.push_row(rows.view(), row);
  }
  SelectedTerms selected = select_terms(
      std::move(stacked),
      {.min_documents = options.min_items, .max_share = 1, .max_terms = options.max_terms});

  MergedTerms result;
  result.vocabulary = std::move(selected.vocabulary);
  std::int64_t begin = 0;
  for (const Sparse& each : counts) {
    result.counts.push_back(rows_between(selected.counts, begin, begin + each.rows()));
    begin += each.rows();
  }
  return result;
}

Sparse count_terms(const TermTable& terms, const Library& library, const Collection& collection,
                   const TagMatrix& tags, const TermOptions& options, const Run& run) {
  Sparse counts = multiply(tags.counts.view(), count_known_tags(terms, levels_of(tags)).view());
  if (!options.text) return counts;
  ItemReader reader(library, collection);
  const Sparse words =
      count_known_words(terms, texts_of(reader), options.tokens, run.jobs, run.progress);
  return add(counts.view(), words.view());
}

}  // namespace commonplace::search
