#include "commonplace/rows/rank_words.h"

#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/comm/serialise.h"
#include "commonplace/features/vocabulary.h"
#include "commonplace/library/items/items.h"
#include "commonplace/rows/item_texts.h"

namespace commonplace {
namespace {

/// What `count` finds in the texts of this rank's rows, no others being read, and all ranks in
/// theirs.
template <class Count>
auto count_together(const Library& library, const Collection& collection, Comm& comm,
                    const Count& count) {
  require_same(comm, state_of(library, collection), concat("collection '", collection.name, "'"));
  const RowRange own = own_rows(collection.items, comm);
  ItemReader reader(library, collection);
  reader.skip_to(own.begin);
  const TextSource texts = texts_of(reader);
  std::int64_t left = own.end - own.begin;
  return together(count([&](std::string& text) { return left-- > 0 && texts(text); }), comm);
}

}  // namespace

TermCounts together(TermCounts own, Comm& comm) {
  if (comm.size() == 1) return own;
  std::vector<Vocabulary> vocabularies;
  for (const std::string& bytes : comm.gather_texts(serialise(own.terms.strings()))) {
    Vocabulary& each = vocabularies.emplace_back();
    for (const std::string& term : deserialise<std::vector<std::string>>(bytes))
      each.terms.add(term);
    each.document_frequency.resize(static_cast<std::size_t>(each.size()));
  }
  MergedVocabulary merged = merge(vocabularies);
  own.terms = std::move(merged.vocabulary.terms);
  own.counts = together(
      remap_columns(own.counts.view(), merged.columns[static_cast<std::size_t>(comm.rank())],
                    own.terms.size()),
      comm);
  return own;
}

Sparse together(Sparse own, Comm& comm) {
  if (comm.size() == 1) return own;
  std::vector<std::int64_t> lengths;
  for (std::size_t row = 0; row + 1 < own.starts.size(); ++row)
    lengths.push_back(own.starts[row + 1] - own.starts[row]);
  Sparse all;
  all.columns = own.columns;
  for (const std::int64_t length : all_gather_numbers(comm, std::span<const std::int64_t>(lengths)))
    all.starts.push_back(all.starts.back() + length);
  all.indices = all_gather_numbers(comm, std::span<const std::int32_t>(own.indices));
  all.values = all_gather_numbers(comm, std::span<const float>(own.values));
  return all;
}

TextSource own_texts(TextSource texts, std::int64_t documents, const Comm& comm) {
  return [texts = std::move(texts), own = own_rows(documents, comm),
          next = std::int64_t{0}](std::string& text) mutable {
    for (; next < own.begin; ++next)
      if (!texts(text)) return false;
    return next++ < own.end && texts(text);
  };
}

TermCounts count_words(const Library& library, const Collection& collection,
                       const TokenOptions& options, const Run& run) {
  return count_together(library, collection, run.comm, [&](const TextSource& texts) {
    return count_words(texts, options, run.jobs, run.progress);
  });
}

Sparse count_known_words(const TermTable& known, const Library& library,
                         const Collection& collection, const TokenOptions& options,
                         const Run& run) {
  return count_together(library, collection, run.comm, [&](const TextSource& texts) {
    return count_known_words(known, texts, options, run.jobs, run.progress);
  });
}

}  // namespace commonplace
