#include "commonplace/suggest/rivals/label_errors.h"

#include <algorithm>

namespace commonplace::suggest {

std::vector<double> self_confidence(const std::vector<JudgedTag>& judged) {
  std::vector<double> doubts;
  for (const JudgedTag& each : judged)
    doubts.push_back(each.given ? 1 - each.confidence : each.confidence);
  return doubts;
}

std::vector<double> adjusted_margin(const std::vector<JudgedTag>& judged,
                                    const Judgement& judgement) {
  std::vector<double> doubts;
  for (const JudgedTag& each : judged) {
    const auto tag = static_cast<std::size_t>(each.tag);
    const double has = each.confidence - judgement.usual[tag];
    const double has_not = (1 - each.confidence) - (1 - judgement.elsewhere[tag]);
    doubts.push_back(each.given ? has_not - has : has - has_not);
  }
  return doubts;
}

std::vector<double> confident_learning(const std::vector<JudgedTag>& judged,
                                       const Judgement& judgement) {
  std::vector<double> doubts;
  for (const JudgedTag& each : judged) {
    const auto tag = static_cast<std::size_t>(each.tag);
    const bool has = each.confidence >= judgement.usual[tag];
    const bool has_not = 1 - each.confidence >= 1 - judgement.elsewhere[tag];
    // Where both classes are reached, the likelier counts.
    const bool as_given = has && (!has_not || each.confidence >= 0.5);
    const bool as_not_given = has_not && (!has || each.confidence < 0.5);
    const bool fault = each.given ? as_not_given : as_given;
    const double own = each.given ? 1 - each.confidence : each.confidence;
    doubts.push_back(own + (fault ? 1 : 0));
  }
  return doubts;
}

}  // namespace commonplace::suggest
