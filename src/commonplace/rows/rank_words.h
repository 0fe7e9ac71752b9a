#pragma once

#include "commonplace/comm/run.h"
#include "commonplace/features/term_counts.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Reading texts and cutting them into words takes longest of all that learning does with a
/// library, so each rank does it for its own rows only. The counts, which are small beside the
/// texts, then come together: every rank has what one rank would have counted. All calls are
/// collective.

/// What each rank counted in its own documents, in rank order.
TermCounts together(TermCounts own, Comm& comm);
Sparse together(Sparse own, Comm& comm);

/// Of the documents that `texts` has, this rank's: `documents` are there in all.
TextSource own_texts(TextSource texts, std::int64_t documents, const Comm& comm);

/// The words of a collection's items.
TermCounts count_words(const Library& library, const Collection& collection,
                       const TokenOptions& options, const Run& run);
/// Only those of `known`, whose columns they have.
Sparse count_known_words(const TermTable& known, const Library& library,
                         const Collection& collection, const TokenOptions& options, const Run& run);

}  // namespace commonplace
