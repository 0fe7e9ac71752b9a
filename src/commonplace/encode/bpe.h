#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/encode/prefix_tree.h"

namespace commonplace {

/// Byte pair encoding: begins with the characters of a word and joins, as long as there is one,
/// the pair that was learned first.
struct Bpe {
  struct Merge {
    std::int32_t rank = 0;
    std::int32_t joined = 0;
  };
  PrefixTree vocabulary;
  std::unordered_map<std::uint64_t, Merge> merges;  ///< by left token * 2^32 + right token
  std::int32_t unknown = PrefixTree::kNone;         ///< kNone: unknown characters are left out
  std::array<std::int32_t, 256> bytes{};            ///< tokens of single bytes, or kNone
  std::string prefix;                               ///< of all characters but a word's first
  std::string suffix;                               ///< of a word's last character
  bool fuse_unknown = false;                        ///< neighbours become one unknown token
  bool bytes_for_unknown = false;                   ///< an unknown character becomes its bytes
  bool whole_words_first = false;                   ///< a word in the vocabulary is one token
};

Bpe read_bpe(const nlohmann::json& model);

/// Takes O(n log n) for a word of n characters.
void append_pieces(const Bpe& model, std::string_view word, std::vector<std::int64_t>& ids);

/// The tokens "<0x00>" .. "<0xFF>" of a vocabulary, kNone where there is none.
std::array<std::int32_t, 256> byte_tokens(const PrefixTree& vocabulary);

}  // namespace commonplace
