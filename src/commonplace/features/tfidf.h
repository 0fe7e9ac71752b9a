#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"
#include "commonplace/features/term_counts.h"
#include "commonplace/features/tokens.h"
#include "commonplace/features/vocabulary.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {

/// What an entry of the matrix becomes: tf idf, the row then scaled. With n documents of which d
/// have the term: idf = ln((1+n)/(1+d)) + 1 when smooth, ln(n/d) + 1 when not.
struct WeightOptions {
  bool sublinear = false;  ///< tf is 1 + ln(count) instead of the count
  bool idf = true;         ///< weigh rare terms up; without it idf is 1
  bool smooth = true;      ///< idf as if one more document had every term
  bool normalise = true;   ///< scale each row to Euclidean length one
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, WeightOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("sublinear", options.sublinear, "use 1 + ln(count) instead of the count");
  visit("idf", options.idf, "weigh rare terms up");
  visit("smooth", options.smooth, "weigh as if one more document had every term");
  visit("normalise", options.normalise, "scale each row to length one");
}

struct TfidfOptions {
  TokenOptions tokens;  ///< not used for tags
  VocabularyOptions terms;
  WeightOptions weights;
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, TfidfOptions>
void visit_options(Options& options, Visit&& visit) {
  visit_options(options.tokens, visit);
  visit_options(options.terms, visit);
  visit_options(options.weights, visit);
}

/// What turns words, or tags, into a sparse row.
struct TfidfModel {
  Vocabulary vocabulary;
  std::vector<float> idf;  ///< one per term
  TfidfOptions options;
  bool of_tags = false;
};

struct TfidfFit {
  TfidfModel model;
  Sparse matrix;  ///< documents x terms
};

/// Learns the vocabulary and weights of `texts`, read once and in order. The result does not
/// depend on `jobs`. Time O(bytes + nonzeros log); memory for the counts of every term.
TfidfFit fit_tfidf(const TextSource& texts, const TfidfOptions& options, int jobs = 0,
                   const Progress& progress = no_progress);
/// The same, of words that were counted before.
TfidfFit fit_tfidf(TermCounts words, const TfidfOptions& options);

/// The same for tags, each a term of its own: folded for matching, shown as mostly written.
TfidfFit fit_tags(const TagSource& tags, const TfidfOptions& options,
                  const Progress& progress = no_progress);

/// Rows for unseen texts; words outside the vocabulary count nothing. Error for a model of tags.
Sparse encode(const TfidfModel& model, const TextSource& texts, int jobs = 0,
              const Progress& progress = no_progress);
/// One row.
Sparse encode(const TfidfModel& model, std::string_view text);

/// Rows for unseen tags. Error for a model of words.
Sparse encode_tags(const TfidfModel& model, const TagSource& tags);
/// One row.
Sparse encode_tags(const TfidfModel& model, std::span<const TagCount> tags);

/// One weight per term, as WeightOptions says.
std::vector<float> inverse_document_frequency(const Vocabulary& vocabulary,
                                              const WeightOptions& options);

/// Makes weights of counts, in place. `idf` has one per column.
void weigh(Sparse& counts, std::span<const float> idf, const WeightOptions& options);

/// A safetensors file of kind "tfidf", or "tags".
void save(const TfidfModel& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const TfidfModel& model);
/// Error if the file is another kind's or its parts do not fit together.
TfidfModel load_tfidf(const TensorFile& file);

}  // namespace commonplace
