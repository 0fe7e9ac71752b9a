#pragma once

#include <vector>

#include "commonplace/suggest/core/audit.h"

namespace commonplace::suggest {

/// How much tags that were given look wrong, and tags that were not, missing, by what is published
/// of cleanlab (Northcutt, Jiang and Chuang, Confident Learning, 2021; Kuan and Mueller,
/// Model-agnostic label quality scoring, 2022), each tag a question of two classes. All of them see
/// the same confidence, made by models that did not see the item. One value a tag, in its order.

/// One less the confidence of what was said. The normalised margin of two classes orders alike.
std::vector<double> self_confidence(const std::vector<JudgedTag>& judged);
/// The same, with the confidence of each class less what is usual where it is given.
std::vector<double> adjusted_margin(const std::vector<JudgedTag>& judged,
                                    const Judgement& judgement);
/// Confident learning: what reaches the usual confidence of the class that was not given is off the
/// diagonal of the confident joint, and comes first; by self-confidence within both.
std::vector<double> confident_learning(const std::vector<JudgedTag>& judged,
                                       const Judgement& judgement);

}  // namespace commonplace::suggest
