#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/features/tokens.h"
#include "commonplace/features/vocabulary.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tags/tag_uses.h"

namespace commonplace::search {

/// What collections are compared by: each level of each tag is a term ("animals/birds/owl" is
/// animals, birds and owl), so that a hierarchy and flat tags meet, and by option each word of
/// title and text.
struct TermOptions {
  bool text = false;               ///< words of title and text are terms too
  std::int64_t min_items = 2;      ///< leave out terms that fewer items have, of all collections
  std::int64_t max_terms = 50000;  ///< keep so many, those of most items
  TokenOptions tokens;             ///< how text, and the words of tags, are cut
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, TermOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("text", options.text, "learn from the words of title and text too, not only from tags");
  visit("min_documents|min_items", options.min_items, "leave out terms that fewer items have");
  visit("max_terms", options.max_terms, "keep so many terms, those of most items");
  visit_options(options.tokens, visit);
}

/// Several collections over one vocabulary.
struct MergedTerms {
  Vocabulary vocabulary;
  std::vector<Sparse> counts;  ///< per collection: items x terms
};

/// Error if a collection has no terms. Collective.
MergedTerms read_terms(const Library& library, std::span<const Collection> collections,
                       const TermOptions& options, const Run& run);

/// The counts of one collection over terms that are known already; `tags` are those of the
/// collection.
Sparse count_terms(const TermTable& terms, const Library& library, const Collection& collection,
                   const TagMatrix& tags, const TermOptions& options, const Run& run);

/// The name of each level of a tag: "a/b/c" -> {"a", "b", "c"}.
std::vector<std::string> tag_levels(const std::string& tag);

}  // namespace commonplace::search
