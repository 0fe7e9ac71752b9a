#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/encode/normalizer.h"
#include "commonplace/encode/prefix_tree.h"

namespace commonplace {

/// Tokens that are found in a text before anything else cuts it, such as "[MASK]".
class AddedTokens {
 public:
  AddedTokens() = default;
  /// Reads `added_tokens`; some of them are compared after normalizing. What is in the vocabulary
  /// has its number there, whatever the list says.
  AddedTokens(const nlohmann::json& json, const Normalizer& normalizer,
              const PrefixTree& vocabulary);

  /// A token that was found, or what stands between two of them.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int32_t id = PrefixTree::kNone;
  };
  /// Cuts a text as it came by the tokens that want it so, without gaps.
  std::vector<Part> parts_of_raw(std::string_view text) const { return parts(raw_, text); }
  /// Cuts a normalized text by the others.
  std::vector<Part> parts_of_normal(std::string_view text) const { return parts(normal_, text); }

  /// The number of a token, or kNone.
  std::int32_t find(std::string_view content) const;

 private:
  struct Token {
    std::string content;
    std::int32_t id = 0;
    bool single_word = false;  ///< only where no letter stands beside it
    bool strips_left = false;  ///< takes the blanks before it
    bool strips_right = false;
  };
  std::vector<Part> parts(const PrefixTree& tree, std::string_view text) const;

  std::vector<Token> tokens_;
  PrefixTree raw_;  ///< content to place in tokens_
  PrefixTree normal_;
};

}  // namespace commonplace
