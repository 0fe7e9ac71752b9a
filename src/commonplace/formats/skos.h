#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commonplace {

/// A concept of a thesaurus in SKOS (https://www.w3.org/TR/skos-reference/).
struct SkosConcept {
  std::string uri;
  std::string label;                   ///< skos:prefLabel
  std::vector<std::string> also{};     ///< skos:altLabel and skos:hiddenLabel
  std::string definition{};            ///< skos:definition, or its scope note
  std::vector<std::string> broader{};  ///< the addresses of those above it
  std::string colour{};                ///< of Commonplace's own: "#rrggbb"
  bool manual = false;                 ///< and: machines never give it

  bool operator==(const SkosConcept&) const = default;
};

enum class SkosFormat { turtle, ntriples };

/// A scheme of that title with the concepts, in their order.
std::string write_skos(std::string_view title, const std::vector<SkosConcept>& concepts,
                       SkosFormat format);

/// The concepts of a file in Turtle or N-Triples, in the order in which they come first. Of labels
/// in several languages those of `language` are taken, else those without one, else English ones,
/// else the first. Error, with the line, for what is not Turtle; what is not about concepts is
/// passed over.
std::vector<SkosConcept> read_skos(std::string_view text, std::string_view language = {});

}  // namespace commonplace
