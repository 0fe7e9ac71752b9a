#include "commonplace/encode/unigram.h"

#include <algorithm>

#include <nlohmann/json.hpp>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/bpe.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {
namespace {

constexpr double kUnknownPenalty = 10;

/// The best way to cut the text up to a place.
struct BestCut {
  double score = 0;
  std::int32_t token = 0;  ///< the last piece of it
  std::int32_t from = -1;  ///< where that piece begins, or -1: no way leads here
};

/// Viterbi: the best cut up to each place.
std::vector<BestCut> best_cuts(const Unigram& model, std::string_view word) {
  std::vector<BestCut> best(word.size() + 1);
  const auto size = static_cast<std::int32_t>(word.size());
  for (std::int32_t begin = 0; begin < size;) {
    const double score = best[static_cast<std::size_t>(begin)].score;
    const auto offer = [&](std::int32_t end, std::int32_t token, double total) {
      BestCut& cut = best[static_cast<std::size_t>(end)];
      if (cut.from < 0 || total > cut.score) cut = {total, token, begin};
    };
    std::int32_t next = begin;
    U8_FWD_1(word.data(), next, size);
    bool single = false;
    std::int32_t node = PrefixTree::kRoot;
    for (std::int32_t end = begin; end < size;) {
      node = model.vocabulary.child(node, word[static_cast<std::size_t>(end++)]);
      if (node == PrefixTree::kNone) break;
      const std::int32_t token = model.vocabulary.value(node);
      if (token == PrefixTree::kNone) continue;
      offer(end, token, score + model.scores[static_cast<std::size_t>(token)]);
      single = single || end == next;
    }
    if (!single) {
      require(model.unknown != PrefixTree::kNone || model.bytes_for_unknown,
              "the text has characters that the tokenizer does not know, and it has no unk_id");
      offer(next, model.unknown, score + model.unknown_score);
    }
    begin = next;
  }
  return best;
}

/// Appends a stretch of unknown characters: as a token where there is one all the same, as bytes,
/// or as unknown.
void append_unknown(const Unigram& model, std::string_view text, std::vector<std::int64_t>& ids) {
  const std::int32_t token = model.vocabulary.find(text);
  const auto byte_token = [&](char c) { return model.bytes[static_cast<unsigned char>(c)]; };
  if (token != PrefixTree::kNone) {
    ids.push_back(token);
  } else if (model.bytes_for_unknown && std::all_of(text.begin(), text.end(), [&](char c) {
               return byte_token(c) != PrefixTree::kNone;
             })) {
    for (const char c : text) ids.push_back(byte_token(c));
  } else {
    require(model.unknown != PrefixTree::kNone,
            "the text has characters that the tokenizer does not know, and it has no unk_id");
    ids.push_back(model.unknown);
  }
}

}  // namespace

Unigram read_unigram(const nlohmann::json& model) {
  const nlohmann::json& list = member(model, "vocab");
  require(list.is_array() && !list.empty(), "vocab is not a list of tokens and their scores");
  Unigram unigram;
  std::vector<std::pair<std::string, std::int32_t>> entries;
  entries.reserve(list.size());
  for (const nlohmann::json& entry : list) {
    require(entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number(),
            "an entry of vocab is not a token and its score");
    entries.emplace_back(entry[0].get<std::string>(), static_cast<std::int32_t>(entries.size()));
    unigram.scores.push_back(entry[1].get<double>());
  }
  const auto size = static_cast<std::int32_t>(entries.size());
  unigram.vocabulary = PrefixTree(std::move(entries));
  unigram.unknown_score =
      *std::min_element(unigram.scores.begin(), unigram.scores.end()) - kUnknownPenalty;
  unigram.bytes = byte_tokens(unigram.vocabulary);
  unigram.bytes_for_unknown = flag_member(model, "byte_fallback", false);
  if (const nlohmann::json* unknown = member_or_null(model, "unk_id"))
    unigram.unknown = number_within(*unknown, "unk_id", 0, size - 1);
  return unigram;
}

void append_pieces(const Unigram& model, std::string_view word, std::vector<std::int64_t>& ids) {
  const std::vector<BestCut> best = best_cuts(model, word);
  std::vector<std::pair<std::int32_t, std::int32_t>> pieces;  // where each ends, and its token
  for (auto end = static_cast<std::int32_t>(word.size()); end > 0;
       end = best[static_cast<std::size_t>(end)].from)
    pieces.emplace_back(end, best[static_cast<std::size_t>(end)].token);
  std::int32_t at = 0;
  for (std::size_t i = pieces.size(); i-- > 0;) {
    if (pieces[i].second != model.unknown) {
      ids.push_back(pieces[i].second);
    } else {
      while (i > 0 && pieces[i - 1].second == model.unknown) --i;
      const auto begin = static_cast<std::size_t>(at);
      append_unknown(model, word.substr(begin, static_cast<std::size_t>(pieces[i].first) - begin),
                     ids);
    }
    at = pieces[i].first;
  }
}

}  // namespace commonplace
