#include "commonplace/encode/word_piece.h"

#include <limits>

#include <nlohmann/json.hpp>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {

WordPiece read_word_piece(const nlohmann::json& model) {
  WordPiece result;
  result.vocabulary = PrefixTree(read_vocabulary(model));
  result.continuing = result.vocabulary.walk(
      PrefixTree::kRoot, optional_text(model, "continuing_subword_prefix").value_or("##"));
  const std::string unknown = optional_text(model, "unk_token").value_or("[UNK]");
  result.unknown = result.vocabulary.find(unknown);
  require(result.unknown != PrefixTree::kNone, "unk_token is \"", unknown.substr(0, 100),
          "\", which is not in the vocabulary");
  if (const nlohmann::json* most = member_or_null(model, "max_input_chars_per_word"))
    result.most_characters = number_within(*most, "max_input_chars_per_word", 0,
                                           std::numeric_limits<std::int32_t>::max());
  return result;
}

void append_pieces(const WordPiece& model, std::string_view word, std::vector<std::int64_t>& ids) {
  const std::size_t before = ids.size();
  std::int64_t characters = 0;
  for (const char c : word) characters += U8_IS_TRAIL(c) ? 0 : 1;
  bool known = characters <= model.most_characters;
  for (std::size_t at = 0; known && at < word.size();) {
    const auto piece =
        model.vocabulary.longest(at == 0 ? PrefixTree::kRoot : model.continuing, word.substr(at));
    known = piece.value != PrefixTree::kNone;
    if (known) ids.push_back(piece.value);
    at += piece.length;
  }
  if (known) return;
  ids.resize(before);
  ids.push_back(model.unknown);
}

}  // namespace commonplace
