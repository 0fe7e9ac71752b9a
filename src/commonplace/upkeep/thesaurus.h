#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/skos.h"
#include "commonplace/library/tags/vocabulary.h"

namespace commonplace {

/// The vocabulary of a library as a thesaurus: a concept a tag, levels as broader and narrower,
/// former names as other labels.
std::vector<SkosConcept> thesaurus_of(const Library& library);

/// What it takes to bring a library's vocabulary to a thesaurus: a tag that is called as a concept,
/// or as one of its other labels, becomes the tag of the whole path of the concept, and gets its
/// definition. Tags that the thesaurus does not name stay.
std::vector<VocabularyEdit> edits_for(const Library& library,
                                      const std::vector<SkosConcept>& concepts);

}  // namespace commonplace
