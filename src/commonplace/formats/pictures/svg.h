#pragma once

#include <string>

#include "commonplace/formats/pictures/photo_facts.h"

namespace commonplace {

/// What the RDF in an SVG's metadata says, or else its <title> and <desc>; Error if it is not XML
/// or its root is not <svg>.
PhotoFacts facts_of_svg(const std::string& svg, const std::string& name);

}  // namespace commonplace
