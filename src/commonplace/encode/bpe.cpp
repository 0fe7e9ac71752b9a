#include "commonplace/encode/bpe.h"

#include <queue>
#include <tuple>

#include <nlohmann/json.hpp>

#include "commonplace/base/characters.h"
#include "commonplace/base/error.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {
namespace {

constexpr std::int32_t kNobody = -1;

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) |
         static_cast<std::uint32_t>(right);
}

/// A merge is ["left", "right"] or "left right".
std::pair<std::string, std::string> read_merge(const nlohmann::json& merge) {
  if (merge.is_array() && merge.size() == 2)
    return {text_element(merge, 0, "a merge"), text_element(merge, 1, "a merge")};
  require(merge.is_string(), "a merge is neither a text nor a pair of texts");
  const auto& text = merge.get_ref<const std::string&>();
  const std::size_t blank = text.find(' ');
  require(blank != std::string::npos && text.find(' ', blank + 1) == std::string::npos,
          "the merge \"", text.substr(0, 100), "\" is not two tokens with a blank between them");
  return {text.substr(0, blank), text.substr(blank + 1)};
}

void read_merges(const nlohmann::json& json, Bpe& bpe) {
  require(json.is_array(), "merges are not a list");
  const auto token = [&](const std::string& text) {
    const std::int32_t id = bpe.vocabulary.find(text);
    require(id != PrefixTree::kNone, "the token \"", text.substr(0, 100),
            "\" of a merge is not in the vocabulary");
    return id;
  };
  bpe.merges.reserve(json.size());
  std::int32_t rank = 0;
  for (const nlohmann::json& merge : json) {
    if (merge.is_string() && merge.get_ref<const std::string&>().starts_with("#version")) continue;
    const auto [left, right] = read_merge(merge);
    require(right.size() >= bpe.prefix.size(), "the token \"", right.substr(0, 100),
            "\" of a merge lacks the prefix");
    const std::int32_t joined = token(left + right.substr(bpe.prefix.size()));
    bpe.merges[pair_key(token(left), token(right))] = {rank++, joined};
  }
}

/// A word while its tokens are joined: a list linked both ways.
struct Symbol {
  std::int32_t token = 0;
  std::int32_t previous = kNobody;
  std::int32_t next = kNobody;
  bool gone = false;
};

/// Makes the first tokens of a word, one a character but for unknown ones.
class FirstTokens {
 public:
  explicit FirstTokens(const Bpe& bpe) : bpe_(bpe) {}

  void add_character(std::string_view bytes, bool first, bool last) {
    std::int32_t token = PrefixTree::kNone;
    std::string text;
    if ((first || bpe_.prefix.empty()) && (!last || bpe_.suffix.empty())) {
      token = bpe_.vocabulary.find(bytes);
    } else {
      text = (first ? "" : bpe_.prefix) + std::string(bytes) + (last ? bpe_.suffix : "");
      bytes = text;
      token = bpe_.vocabulary.find(text);
    }
    if (token != PrefixTree::kNone) {
      flush_unknown();
      push(token);
    } else if (!bpe_.bytes_for_unknown || !push_bytes(bytes)) {
      if (!bpe_.fuse_unknown) flush_unknown();
      unknown_ = bpe_.unknown != PrefixTree::kNone;
    }
  }

  std::vector<Symbol> take() {
    flush_unknown();
    return std::move(symbols_);
  }

 private:
  void push(std::int32_t token) {
    const auto at = static_cast<std::int32_t>(symbols_.size());
    if (at > 0) symbols_.back().next = at;
    symbols_.push_back({token, at - 1, kNobody, false});
  }
  bool push_bytes(std::string_view bytes) {
    for (const char c : bytes)
      if (bpe_.bytes[static_cast<unsigned char>(c)] == PrefixTree::kNone) return false;
    for (const char c : bytes) push(bpe_.bytes[static_cast<unsigned char>(c)]);
    return true;
  }
  void flush_unknown() {
    if (unknown_) push(bpe_.unknown);
    unknown_ = false;
  }

  const Bpe& bpe_;
  std::vector<Symbol> symbols_;
  bool unknown_ = false;  ///< one is due
};

/// A pair that may be joined: what was learned first comes first, then what stands first.
struct MergeCandidate {
  std::int32_t rank;
  std::int32_t at;
  std::int32_t joined;
  bool operator<(const MergeCandidate& other) const {
    return std::tie(other.rank, other.at) < std::tie(rank, at);
  }
};

/// Joins pairs until no learned one is left.
void join_symbols(const Bpe& bpe, std::vector<Symbol>& symbols) {
  const auto symbol = [&](std::int32_t at) -> Symbol& {
    return symbols[static_cast<std::size_t>(at)];
  };
  const auto merge_at = [&](std::int32_t left) {
    return bpe.merges.find(pair_key(symbol(left).token, symbol(symbol(left).next).token));
  };
  std::priority_queue<MergeCandidate> queue;
  const auto consider = [&](std::int32_t left) {
    if (left == kNobody || symbol(left).next == kNobody) return;
    const auto merge = merge_at(left);
    if (merge != bpe.merges.end()) queue.push({merge->second.rank, left, merge->second.joined});
  };
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(symbols.size()); ++at) consider(at);
  while (!queue.empty()) {
    const MergeCandidate best = queue.top();
    queue.pop();
    Symbol& left = symbol(best.at);
    if (left.gone || left.next == kNobody) continue;
    const auto merge = merge_at(best.at);
    if (merge == bpe.merges.end() || merge->second.joined != best.joined) continue;
    Symbol& right = symbol(left.next);
    left.token = best.joined;
    left.next = right.next;
    right.gone = true;
    if (right.next != kNobody) symbol(right.next).previous = best.at;
    consider(left.previous);
    consider(best.at);
  }
}

}  // namespace

std::array<std::int32_t, 256> byte_tokens(const PrefixTree& vocabulary) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::array<std::int32_t, 256> tokens{};
  for (std::size_t byte = 0; byte < tokens.size(); ++byte)
    tokens[byte] =
        vocabulary.find(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + '>');
  return tokens;
}

Bpe read_bpe(const nlohmann::json& model) {
  Bpe bpe;
  bpe.vocabulary = PrefixTree(read_vocabulary(model));
  bpe.bytes = byte_tokens(bpe.vocabulary);
  bpe.prefix = optional_text(model, "continuing_subword_prefix").value_or("");
  bpe.suffix = optional_text(model, "end_of_word_suffix").value_or("");
  bpe.fuse_unknown = flag_member(model, "fuse_unk", false);
  bpe.bytes_for_unknown = flag_member(model, "byte_fallback", false);
  bpe.whole_words_first = flag_member(model, "ignore_merges", false);
  if (const auto unknown = optional_text(model, "unk_token")) {
    bpe.unknown = bpe.vocabulary.find(*unknown);
    require(bpe.unknown != PrefixTree::kNone, "unk_token is \"", unknown->substr(0, 100),
            "\", which is not in the vocabulary");
  }
  read_merges(member(model, "merges"), bpe);
  return bpe;
}

void append_pieces(const Bpe& model, std::string_view word, std::vector<std::int64_t>& ids) {
  if (model.whole_words_first) {
    const std::int32_t token = model.vocabulary.find(word);
    if (token != PrefixTree::kNone) {
      ids.push_back(token);
      return;
    }
  }
  FirstTokens first_tokens(model);
  visit_characters(word, [&](UChar32, std::string_view bytes) {
    first_tokens.add_character(bytes, bytes.data() == word.data(),
                               bytes.data() + bytes.size() == word.data() + word.size());
  });
  std::vector<Symbol> symbols = first_tokens.take();
  join_symbols(model, symbols);
  for (const Symbol& symbol : symbols)
    if (!symbol.gone) ids.push_back(symbol.token);
}

}  // namespace commonplace
