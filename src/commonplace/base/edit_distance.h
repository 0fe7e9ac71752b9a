#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace commonplace {

/// The characters of UTF-8 text.
std::vector<std::string_view> characters_of(std::string_view text);

/// How many characters must be put in, taken out, replaced or exchanged with their neighbour to
/// make one text of the other; more than `most` is told as most + 1.
std::size_t edit_distance(std::string_view first, std::string_view second, std::size_t most);

}  // namespace commonplace
