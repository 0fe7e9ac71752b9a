#include "app/suggest_reasons.h"

#include <nlohmann/json.hpp>

#include "app/terminal.h"

namespace commonplace::app {

nlohmann::ordered_json reasons_json(const SuggestReasons& reasons) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const auto& each : reasons.words)
    words.push_back({{"word", each.word}, {"weight", each.weight}});
  nlohmann::ordered_json known = nlohmann::ordered_json::array();
  for (const auto& each : reasons.known)
    known.push_back({{"id", each.id}, {"likeness", each.likeness}});
  return {{"words", words},
          {"items", known},
          {"from_tags", reasons.from_tags},
          {"from_neighbours", reasons.from_neighbours},
          {"from_category", reasons.from_category}};
}

std::string why(const SuggestReasons& reasons) {
  std::string text;
  for (const auto& each : reasons.words)
    text += (text.empty() ? "because of " : ", ") + each.word + " (" + fixed(100 * each.weight, 0) +
            ")";
  std::string like;
  for (const auto& each : reasons.known)
    like += (like.empty() ? "like " : ", ") + shorten(each.id, 40) + " (" +
            fixed(each.likeness, 2) + ")";
  return text + (text.empty() || like.empty() ? "" : "; ") + like;
}

}  // namespace commonplace::app
