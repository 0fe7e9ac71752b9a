#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/library/tags/vocabulary.h"

namespace commonplace::app {

/// Both front ends say it in the same words.
nlohmann::ordered_json change_json(const VocabularyChange& change);
nlohmann::ordered_json changes_json(const Library& library, const std::vector<std::int64_t>& ids);

}  // namespace commonplace::app
