#include "commonplace/encode/added_tokens.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>
#include <unicode/uchar.h>

#include "commonplace/base/characters.h"
#include "commonplace/base/error.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {
namespace {

UChar32 character_after(std::string_view text, std::size_t at) {
  auto offset = static_cast<std::int32_t>(at);
  UChar32 character = 0;
  U8_NEXT(text.data(), offset, static_cast<std::int32_t>(text.size()), character);
  return character;
}

UChar32 character_before(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && U8_IS_TRAIL(text[at]));
  return character_after(text, at);
}

bool is_word_character(UChar32 character) {
  return u_isUAlphabetic(character) != 0 || character == 0x200C || character == 0x200D ||
         (U_GET_GC_MASK(character) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

std::size_t blanks_begin(std::string_view text, std::size_t from, std::size_t to) {
  while (to > from) {
    const UChar32 character = character_before(text, to);
    if (u_isUWhiteSpace(character) == 0) break;
    to -= static_cast<std::size_t>(U8_LENGTH(character));
  }
  return to;
}

std::size_t blanks_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const UChar32 character = character_after(text, at);
    if (u_isUWhiteSpace(character) == 0) break;
    at += static_cast<std::size_t>(U8_LENGTH(character));
  }
  return at;
}

}  // namespace

AddedTokens::AddedTokens(const nlohmann::json& json, const Normalizer& normalizer,
                         const PrefixTree& vocabulary) {
  if (json.is_null()) return;
  require(json.is_array(), "added_tokens are not a list");
  std::vector<std::pair<std::string, std::int32_t>> raw;
  std::vector<std::pair<std::string, std::int32_t>> normal;
  for (const nlohmann::json& entry : json) {
    Token token;
    token.content = text_member(entry, "content");
    if (token.content.empty()) continue;
    token.id = number_within(member(entry, "id"), "id of an added token", 0,
                             std::numeric_limits<std::int32_t>::max());
    const std::int32_t known = vocabulary.find(token.content);
    if (known != PrefixTree::kNone) token.id = known;
    token.single_word = flag_member(entry, "single_word", false);
    token.strips_left = flag_member(entry, "lstrip", false);
    token.strips_right = flag_member(entry, "rstrip", false);
    const auto place = static_cast<std::int32_t>(tokens_.size());
    if (flag_member(entry, "normalized", !flag_member(entry, "special", false)))
      normal.emplace_back(normalizer(token.content), place);
    else
      raw.emplace_back(token.content, place);
    tokens_.push_back(std::move(token));
  }
  raw_ = PrefixTree(std::move(raw));
  std::erase_if(normal, [](const auto& entry) { return entry.first.empty(); });
  normal_ = PrefixTree(std::move(normal));
}

std::int32_t AddedTokens::find(std::string_view content) const {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(),
                                  [&](const Token& token) { return token.content == content; });
  return found == tokens_.end() ? PrefixTree::kNone : found->id;
}

std::vector<AddedTokens::Part> AddedTokens::parts(const PrefixTree& tree,
                                                  std::string_view text) const {
  std::vector<Part> result;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = tree.longest(PrefixTree::kRoot, text.substr(at));
    if (found.value == PrefixTree::kNone) {
      ++at;
      continue;
    }
    const Token& token = tokens_[static_cast<std::size_t>(found.value)];
    std::size_t begin = at;
    std::size_t end = at + found.length;
    at = end;
    if (token.single_word && ((begin > 0 && is_word_character(character_before(text, begin))) ||
                              (end < text.size() && is_word_character(character_after(text, end)))))
      continue;
    // Blanks that an earlier token took are gone.
    if (token.strips_left) begin = blanks_begin(text, std::min(done, begin), begin);
    if (token.strips_right) end = blanks_end(text, end);
    if (done < begin) result.push_back({done, begin, PrefixTree::kNone});
    result.push_back({begin, end, token.id});
    done = end;
  }
  if (done < text.size()) result.push_back({done, text.size(), PrefixTree::kNone});
  return result;
}

}  // namespace commonplace
