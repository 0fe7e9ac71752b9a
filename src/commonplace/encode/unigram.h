#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/encode/prefix_tree.h"

namespace commonplace {

/// SentencePiece's unigram language model: of all ways to cut a word into pieces of the vocabulary,
/// the most likely one (Viterbi). Neighbouring unknown characters become one unknown token.
struct Unigram {
  PrefixTree vocabulary;
  std::vector<double> scores;                ///< log probability by token
  double unknown_score = 0;                  ///< ten below the lowest
  std::int32_t unknown = PrefixTree::kNone;  ///< kNone: a text with unknown characters is refused
  std::array<std::int32_t, 256> bytes{};     ///< tokens of single bytes, or kNone
  bool bytes_for_unknown = false;            ///< unknown characters become their bytes
};

Unigram read_unigram(const nlohmann::json& model);

void append_pieces(const Unigram& model, std::string_view word, std::vector<std::int64_t>& ids);

}  // namespace commonplace
