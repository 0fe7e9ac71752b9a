#include "commonplace/encode/tokenizer.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "commonplace/base/error.h"
#include "commonplace/encode/added_tokens.h"
#include "commonplace/encode/bpe.h"
#include "commonplace/encode/characters.h"
#include "commonplace/encode/normalizer.h"
#include "commonplace/encode/pre_tokenizer.h"
#include "commonplace/encode/tokenizer_json.h"
#include "commonplace/encode/unigram.h"
#include "commonplace/encode/word_piece.h"
#include "commonplace/io/files.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

constexpr std::uint64_t kMostTokenizerBytes = 64U << 20U;
constexpr std::size_t kMostSpecialTokens = 64;

/// A special token and its segment.
struct SpecialToken {
  std::int64_t id = 0;
  std::int64_t type = 0;
};

/// What a post-processor puts around a text.
struct Frame {
  std::vector<SpecialToken> before;
  std::vector<SpecialToken> after;
  std::int64_t type = 0;  ///< the segment of the text itself
};

using SubwordModel = std::variant<WordPiece, Bpe, Unigram>;

SubwordModel read_model(const nlohmann::json& json) {
  std::string type = type_of(json);
  // Old files do not say.
  if (type.empty() && json.contains("merges")) type = "BPE";
  if (type.empty() && json.contains("unk_id")) type = "Unigram";
  if (type.empty() && json.contains("continuing_subword_prefix")) type = "WordPiece";
  if (type == "WordPiece") return read_word_piece(json);
  if (type == "BPE") return read_bpe(json);
  if (type == "Unigram") return read_unigram(json);
  fail("the model \"", type.substr(0, 100),
       "\" of a tokenizer is unknown here; WordPiece, BPE and Unigram are known");
}

std::int64_t special_id(const nlohmann::json& value) {
  return number_within(value, "id of a special token", 0, std::numeric_limits<std::int32_t>::max());
}

std::int64_t special_type(const nlohmann::json& piece) {
  const nlohmann::json* type = member_or_null(piece, "type_id");
  return type == nullptr ? 0 : number_within(*type, "type_id", 0, 255);
}

/// "cls" or "sep" of BertProcessing and RobertaProcessing: a token and its number.
SpecialToken named_special(const nlohmann::json& json, const char* name) {
  const nlohmann::json& pair = member(json, name);
  require(pair.is_array() && pair.size() == 2, name, " is not a token and its number");
  return {special_id(pair[1]), 0};
}

void append_template_token(const nlohmann::json& json, const nlohmann::json& piece,
                           std::vector<SpecialToken>& out) {
  const std::string name = text_member(piece, "id");
  const nlohmann::json& ids = member(member(member(json, "special_tokens"), name.c_str()), "ids");
  require(ids.is_array(), "ids of a special token are not a list");
  for (const nlohmann::json& id : ids) out.push_back({special_id(id), special_type(piece)});
}

Frame read_template(const nlohmann::json& json) {
  const nlohmann::json& pieces = member(json, "single");
  require(pieces.is_array(), "single of TemplateProcessing is not a list");
  Frame frame;
  int sequences = 0;
  for (const nlohmann::json& piece : pieces) {
    if (const nlohmann::json* sequence = member_or_null(piece, "Sequence")) {
      frame.type = special_type(*sequence);
      ++sequences;
    } else {
      append_template_token(json, member(piece, "SpecialToken"),
                            sequences == 0 ? frame.before : frame.after);
    }
  }
  require(sequences == 1, "single of TemplateProcessing has the text ", sequences,
          " times; expected once");
  return frame;
}

Frame read_frame(const nlohmann::json& json, int depth = 0) {
  if (json.is_null()) return {};
  const std::string type = type_of(json);
  if (type == "ByteLevel") return {};
  if (type == "TemplateProcessing") return read_template(json);
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return {{named_special(json, "cls")}, {named_special(json, "sep")}, 0};
  require(type == "Sequence", "the post_processor \"", type.substr(0, 100),
          "\" is unknown here; choose a model whose tokenizer.json does without");
  const nlohmann::json& parts = member(json, "processors");
  require(parts.is_array() && depth < 16, "the processors are not a list, or too deep");
  Frame frame;
  for (const nlohmann::json& part : parts) {
    Frame outer = read_frame(part, depth + 1);
    outer.before.insert(outer.before.end(), frame.before.begin(), frame.before.end());
    outer.after.insert(outer.after.begin(), frame.after.begin(), frame.after.end());
    frame = std::move(outer);
    require(frame.before.size() + frame.after.size() <= kMostSpecialTokens,
            "the post_processor adds more than ", kMostSpecialTokens, " special tokens");
  }
  return frame;
}

const nlohmann::json& component(const nlohmann::json& json, const char* name) {
  static const nlohmann::json none;
  const nlohmann::json* found = member_or_null(json, name);
  return found == nullptr ? none : *found;
}

}  // namespace

struct TokenizerParts {
  Normalizer normalizer;
  AddedTokens added;
  PreTokenizer pre_tokenizer;
  SubwordModel model;
  Frame frame;
  std::int64_t padding = 0;
};

namespace {

const PrefixTree& vocabulary_of(const TokenizerParts& parts) {
  return std::visit([](const auto& model) -> const PrefixTree& { return model.vocabulary; },
                    parts.model);
}

/// What `padding` says, or a token that is usually meant for it.
std::int64_t read_padding(const nlohmann::json& json, const TokenizerParts& parts) {
  if (const nlohmann::json* padding = member_or_null(json, "padding"))
    if (const nlohmann::json* id = member_or_null(*padding, "pad_id")) return special_id(*id);
  for (const char* name : {"[PAD]", "<pad>", "<|pad|>", "<|endoftext|>"}) {
    const std::int32_t added = parts.added.find(name);
    if (added != PrefixTree::kNone) return added;
    const std::int32_t known = vocabulary_of(parts).find(name);
    if (known != PrefixTree::kNone) return known;
  }
  return 0;
}

TokenizerParts read_parts(std::string_view text) {
  const nlohmann::json json = json_from(text, false);
  require(json.is_object(), "is not a JSON object as tokenizer.json is; fetch it again");
  TokenizerParts parts;
  parts.normalizer = read_normalizer(component(json, "normalizer"));
  parts.pre_tokenizer = read_pre_tokenizer(component(json, "pre_tokenizer"));
  parts.model = read_model(member(json, "model"));
  parts.added =
      AddedTokens(component(json, "added_tokens"), parts.normalizer, vocabulary_of(parts));
  parts.frame = read_frame(component(json, "post_processor"));
  parts.padding = read_padding(json, parts);
  return parts;
}

/// Appends the tokens of a text between added tokens until there are `most`.
void append_text(const TokenizerParts& parts, std::string_view text, bool begins, std::size_t most,
                 std::vector<std::int64_t>& ids) {
  const std::string normal = parts.normalizer(std::string(text));
  for (const auto& part : parts.added.parts_of_normal(normal)) {
    if (ids.size() >= most) return;
    if (part.id != PrefixTree::kNone) {
      ids.push_back(part.id);
      continue;
    }
    std::vector<TextPiece> whole;
    whole.push_back({normal.substr(part.begin, part.end - part.begin), begins && part.begin == 0});
    for (const TextPiece& piece : parts.pre_tokenizer(std::move(whole))) {
      if (ids.size() >= most) return;
      std::visit([&](const auto& model) { append_pieces(model, piece.text, ids); }, parts.model);
    }
  }
}

/// The tokens of a text until there are `most`; the last ones may be too many.
std::vector<std::int64_t> tokens_until(const TokenizerParts& parts, std::string_view text,
                                       std::size_t most) {
  std::vector<std::int64_t> ids;
  const std::string clean = well_formed(text);
  for (const auto& part : parts.added.parts_of_raw(clean)) {
    if (ids.size() >= most) break;
    if (part.id != PrefixTree::kNone)
      ids.push_back(part.id);
    else
      append_text(parts, std::string_view(clean).substr(part.begin, part.end - part.begin),
                  part.begin == 0, most, ids);
  }
  return ids;
}

/// The first `most` tokens of a text. Of a long one only a beginning that ends before a blank is
/// looked at, if it has some tokens more than are wanted: what follows changes none but the last.
std::vector<std::int64_t> first_tokens(const TokenizerParts& parts, std::string_view text,
                                       std::size_t most) {
  constexpr std::size_t kSpare = 32;  // tokens
  text = shortened(text, kMostText);
  most = std::min(most, kMostText);
  for (std::size_t window = 16 * most + 1024; window < text.size(); window *= 4) {
    const std::size_t blank = text.find_last_of(" \n", window);
    if (blank == std::string_view::npos || blank < window / 2) continue;
    std::vector<std::int64_t> ids = tokens_until(parts, text.substr(0, blank), most + kSpare);
    if (ids.size() < most + kSpare) continue;
    ids.resize(most);
    return ids;
  }
  std::vector<std::int64_t> ids = tokens_until(parts, text, most);
  ids.resize(std::min(ids.size(), most));
  return ids;
}

}  // namespace

SubwordTokenizer parse_tokenizer(std::string_view json, const std::string& name) {
  try {
    return SubwordTokenizer(std::make_shared<const TokenizerParts>(read_parts(json)));
  } catch (const Error& error) {
    fail(name, ": ", error.what());
  }
}

SubwordTokenizer read_tokenizer(const std::filesystem::path& tokenizer_json) {
  return parse_tokenizer(read_file(tokenizer_json, kMostTokenizerBytes), tokenizer_json.string());
}

Tokens tokenize(const SubwordTokenizer& tokenizer, std::string_view text, std::size_t most) {
  const TokenizerParts& parts = tokenizer.parts();
  const Frame& frame = parts.frame;
  const std::size_t special = frame.before.size() + frame.after.size();
  require(most >= special, "at most ", most, " tokens are wanted, but there are ", special,
          " special ones");
  const std::vector<std::int64_t> ids = first_tokens(parts, text, most - special);
  Tokens result;
  const auto append = [&](std::int64_t id, std::int64_t type) {
    result.ids.push_back(id);
    result.types.push_back(type);
  };
  result.ids.reserve(ids.size() + special);
  result.types.reserve(ids.size() + special);
  for (const SpecialToken& token : frame.before) append(token.id, token.type);
  for (const std::int64_t id : ids) append(id, frame.type);
  for (const SpecialToken& token : frame.after) append(token.id, token.type);
  return result;
}

std::int64_t padding_of(const SubwordTokenizer& tokenizer) { return tokenizer.parts().padding; }

}  // namespace commonplace
