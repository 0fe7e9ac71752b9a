#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace commonplace {

/// A stretch of text that the model cuts further.
struct TextPiece {
  std::string text;
  bool begins = false;  ///< it stands at the very beginning of what is tokenized
};

/// Cuts pieces into smaller ones, mostly words, and may rewrite them.
using PreTokenizer = std::function<std::vector<TextPiece>(std::vector<TextPiece>)>;

/// Makes the `pre_tokenizer` of a `tokenizer.json`; null leaves pieces as they are. Error that
/// names one that is unknown.
PreTokenizer read_pre_tokenizer(const nlohmann::json& json);

}  // namespace commonplace
