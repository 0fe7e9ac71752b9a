#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"
#include "commonplace/features/term_table.h"
#include "commonplace/features/tokens.h"

namespace commonplace {

/// Puts the next document's text into `text`, or returns false at the end.
using TextSource = std::function<bool(std::string& text)>;

struct TagCount {
  std::string tag;
  double count = 1;
};
/// Puts the next item's tags into `tags`, or returns false at the end.
using TagSource = std::function<bool(std::vector<TagCount>& tags)>;

/// How often each document has each term.
struct TermCounts {
  TermTable terms;                 ///< in ascending order, so a term's number is its column
  std::vector<std::string> shown;  ///< of tags: the commonest spelling of each; else empty
  Sparse counts;                   ///< documents x terms
};

/// Counts the words of all texts. The result does not depend on `jobs`. Time O(bytes); memory for
/// the result and a batch of texts. Error if a text is not UTF-8, naming its number.
TermCounts count_words(const TextSource& texts, const TokenOptions& options, int jobs = 0,
                       const Progress& progress = no_progress);

/// Counts only the words of `known`: documents x known.size(), columns as `known` numbers them.
Sparse count_known_words(const TermTable& known, const TextSource& texts,
                         const TokenOptions& options, int jobs = 0,
                         const Progress& progress = no_progress);

/// Counts tags. A term is the folded tag, so that spellings that differ by case count as one;
/// `shown` keeps the spelling that most items use. Error for a negative or infinite count.
TermCounts count_tags(const TagSource& tags, const Progress& progress = no_progress);

/// Counts only the tags of `known`.
Sparse count_known_tags(const TermTable& known, const TagSource& tags,
                        const Progress& progress = no_progress);

}  // namespace commonplace
