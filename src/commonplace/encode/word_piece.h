#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/encode/prefix_tree.h"

namespace commonplace {

/// Takes, from left to right, the longest piece of the vocabulary that a word goes on with.
struct WordPiece {
  PrefixTree vocabulary;
  std::int32_t continuing = PrefixTree::kNone;  ///< the node behind the prefix of later pieces
  std::int32_t unknown = 0;                     ///< for a word that has no pieces
  std::int32_t most_characters = 100;           ///< a longer word is unknown
};

WordPiece read_word_piece(const nlohmann::json& model);

void append_pieces(const WordPiece& model, std::string_view word, std::vector<std::int64_t>& ids);

}  // namespace commonplace
