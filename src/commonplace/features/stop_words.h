#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commonplace {

/// The function words of `language` (its Snowball name or ISO 639 code, lower case): articles,
/// pronouns, prepositions, conjunctions, auxiliaries and their contractions, case folded. Error,
/// naming the languages that have a list, if this one has none.
std::vector<std::string> stop_words(std::string_view language);

}  // namespace commonplace
