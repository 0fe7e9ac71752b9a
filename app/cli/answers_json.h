#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/detect/ask.h"
#include "commonplace/library/decisions.h"
#include "commonplace/library/items.h"
#include "commonplace/library/stored_models.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/overview.h"
#include "commonplace/search/ask.h"
#include "commonplace/search/topics.h"
#include "commonplace/suggest/ask.h"

namespace commonplace::app {

using Json = nlohmann::ordered_json;

/// The answers of tasks as JSON, the same on the command line and over HTTP.

/// The item as the JSON lines export has it.
Json item_json(const Item& item);
/// The item with all that is known of it.
Json whole_item_json(const Library& library, const Collection& collection, std::string_view id);
/// All collections with their features, and the links between them.
Json collections_json(const Library& library);
Json model_json(const ModelRecord& record);

Json as_json(const search::Hit& hit, bool explain);
Json as_json(const search::TopicSummary& topic);
Json as_json(const suggest::Reasons& reasons);
/// An array.
Json as_json(const std::vector<suggest::Suggestion>& suggestions, bool explain);
Json as_json(const detect::DetectableConcept& each);
Json as_json(const detect::Answer& answer, const std::string& collection);
Json as_json(const relate::Answer& answer);
Json as_json(const relate::SameTags& pair);
Json as_json(const relate::Group& group);

std::string verdict_word(Verdict verdict);

}  // namespace commonplace::app
