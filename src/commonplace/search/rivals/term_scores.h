#pragma once

#include <span>
#include <vector>

#include "commonplace/search/core/trial.h"

namespace commonplace::search {

/// Rankings to compare with: one score an item for each asked term, as `judge` takes them.
using Scores = std::vector<std::vector<float>>;

/// Ranks by BM25 (k1 = 1.2, b = 0.75) on the terms that items show, each once.
Scores bm25_scores(const Trial& trial);

/// Ranks by the cosine of the asked term and an item's tf-idf row.
Scores cosine_scores(const Trial& trial, std::span<const float> idf);

/// Ranks by the word-to-word ridge (EASE) learned on all collections, `counts`, of the terms that
/// an item shows.
Scores ease_scores(const Trial& trial, std::span<const Sparse> counts, double ridge, int jobs = 0);

}  // namespace commonplace::search
