#include "commonplace/encode/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/encode/characters.h"
#include "commonplace/encode/normalizer.h"
#include "commonplace/encode/text_pattern.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {
namespace {

constexpr int kMostPreTokenizers = 16;  ///< one within the other

using Stretches = std::vector<TextPattern::Stretch>;

/// What becomes of the delimiters.
enum class Delimiters { removed, isolated, contiguous, merged_with_previous, merged_with_next };

Delimiters read_delimiters(const nlohmann::json& json) {
  const std::string name = optional_text(json, "behavior").value_or("Isolated");
  if (name == "Removed") return Delimiters::removed;
  if (name == "Isolated") return Delimiters::isolated;
  if (name == "Contiguous") return Delimiters::contiguous;
  if (name == "MergedWithPrevious") return Delimiters::merged_with_previous;
  if (name == "MergedWithNext") return Delimiters::merged_with_next;
  fail("the behavior \"", name.substr(0, 100), "\" of a pre_tokenizer is unknown here");
}

/// Each character that `is_delimiter` as a match of its own.
template <class IsDelimiter>
Stretches by_character(std::string_view text, const IsDelimiter& is_delimiter) {
  Stretches result;
  visit_characters(text, [&](UChar32 character, std::string_view bytes) {
    const auto begin = static_cast<std::size_t>(bytes.data() - text.data());
    const bool matches = is_delimiter(character);
    if (!matches && !result.empty() && !result.back().matches)
      result.back().end = begin + bytes.size();
    else
      result.push_back({begin, begin + bytes.size(), matches});
  });
  return result;
}

/// Joins matches with their neighbours as `delimiters` says.
Stretches joined(const Stretches& stretches, Delimiters delimiters) {
  Stretches result;
  bool previous = false;
  for (const auto& stretch : stretches) {
    bool join = false;
    switch (delimiters) {
      case Delimiters::removed:
        if (stretch.matches) continue;
        break;
      case Delimiters::isolated:
        break;
      case Delimiters::contiguous:
        join = stretch.matches == previous;
        break;
      case Delimiters::merged_with_previous:
        join = stretch.matches && !previous;
        break;
      case Delimiters::merged_with_next:
        join = previous && !stretch.matches;
        break;
    }
    previous = stretch.matches;
    if (join && !result.empty())
      result.back().end = stretch.end;
    else
      result.push_back(stretch);
  }
  return result;
}

/// Cuts one piece, and appends what is not empty.
void append_split(const TextPiece& piece, const Stretches& stretches, Delimiters delimiters,
                  std::vector<TextPiece>& out) {
  for (const auto& stretch : joined(stretches, delimiters))
    if (stretch.begin < stretch.end)
      out.push_back({piece.text.substr(stretch.begin, stretch.end - stretch.begin),
                     piece.begins && stretch.begin == 0});
}

template <class IsDelimiter>
PreTokenizer split_characters(IsDelimiter is_delimiter, Delimiters delimiters) {
  return [=](const std::vector<TextPiece>& pieces) {
    std::vector<TextPiece> result;
    for (const TextPiece& piece : pieces)
      append_split(piece, by_character(piece.text, is_delimiter), delimiters, result);
    return result;
  };
}

bool is_space(UChar32 character) { return u_isUWhiteSpace(character) != 0; }

bool is_numeral(UChar32 character) { return (U_GET_GC_MASK(character) & U_GC_N_MASK) != 0; }

/// Words without blanks, and each mark of punctuation alone: one pass, since BERT's is the most
/// common of all.
std::vector<TextPiece> split_for_bert(const std::vector<TextPiece>& pieces) {
  std::vector<TextPiece> result;
  for (const TextPiece& piece : pieces) {
    bool open = false;  // the last piece is a word that may go on
    visit_characters(piece.text, [&](UChar32 character, std::string_view bytes) {
      const bool mark = is_bert_punctuation(character);
      if (!mark && is_space(character)) {
        open = false;
      } else if (open && !mark) {
        result.back().text += bytes;
      } else {
        result.push_back({std::string(bytes), piece.begins && bytes.data() == piece.text.data()});
        open = !mark;
      }
    });
  }
  return result;
}

PreTokenizer split_pattern(TextPattern pattern, bool invert, Delimiters delimiters) {
  return [=, pattern = std::move(pattern)](const std::vector<TextPiece>& pieces) {
    std::vector<TextPiece> result;
    for (const TextPiece& piece : pieces) {
      Stretches stretches = pattern.stretches(piece.text);
      if (invert)
        for (auto& stretch : stretches) stretch.matches = !stretch.matches;
      append_split(piece, stretches, delimiters, result);
    }
    return result;
  };
}

PreTokenizer byte_level_pre_tokenizer(const nlohmann::json& json) {
  const bool prefix = flag_member(json, "add_prefix_space", true);
  PreTokenizer split;
  if (flag_member(json, "use_regex", true))
    split = split_pattern(
        TextPattern::regex(
            R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"),
        false, Delimiters::isolated);
  return [=](std::vector<TextPiece> pieces) {
    if (prefix)
      for (TextPiece& piece : pieces)
        if (!piece.text.starts_with(' ')) piece.text.insert(0, " ");
    if (split) pieces = split(std::move(pieces));
    for (TextPiece& piece : pieces) piece.text = byte_level(piece.text);
    return pieces;
  };
}

PreTokenizer metaspace(const nlohmann::json& json) {
  const std::string mark = text_member(json, "replacement");
  require(!mark.empty(), "replacement of Metaspace is empty");
  const bool prefix = flag_member(json, "add_prefix_space", true);
  const std::string scheme = optional_text(json, "prepend_scheme").value_or("always");
  require(scheme == "always" || scheme == "first" || scheme == "never", "prepend_scheme is \"",
          scheme.substr(0, 100), "\"; expected always, first or never");
  const bool split = flag_member(json, "split", true);
  const bool always = prefix && scheme == "always";
  const bool first = prefix && scheme == "first";
  const TextPattern blank = TextPattern::literal(" ");
  const TextPattern marks = TextPattern::literal(mark);
  return [=](std::vector<TextPiece> pieces) {
    std::vector<TextPiece> result;
    for (TextPiece& piece : pieces) {
      std::string text = blank.replaced(piece.text, mark);
      if ((always || (first && piece.begins)) && !text.starts_with(mark)) text.insert(0, mark);
      piece.text = std::move(text);
      if (split)
        append_split(piece, marks.stretches(piece.text), Delimiters::merged_with_next, result);
      else
        result.push_back(std::move(piece));
    }
    return result;
  };
}

PreTokenizer read_pre_tokenizer_within(const nlohmann::json& json, int depth);

PreTokenizer pre_tokenizer_sequence(const nlohmann::json& json, int depth) {
  const nlohmann::json& parts = member(json, "pretokenizers");
  require(parts.is_array() && depth < kMostPreTokenizers,
          "the pretokenizers are not a list, or too deep");
  std::vector<PreTokenizer> steps;
  for (const nlohmann::json& part : parts)
    steps.push_back(read_pre_tokenizer_within(part, depth + 1));
  return [steps = std::move(steps)](std::vector<TextPiece> pieces) {
    for (const PreTokenizer& step : steps) {
      pieces = step(std::move(pieces));
      std::size_t bytes = 0;
      const auto beyond = std::find_if(pieces.begin(), pieces.end(), [&](const TextPiece& piece) {
        return (bytes += piece.text.size()) > kMostRewritten;
      });
      pieces.erase(beyond, pieces.end());
    }
    return pieces;
  };
}

PreTokenizer read_pre_tokenizer_within(const nlohmann::json& json, int depth) {
  if (json.is_null()) return [](std::vector<TextPiece> pieces) { return pieces; };
  const std::string type = type_of(json);
  if (type == "Sequence") return pre_tokenizer_sequence(json, depth);
  if (type == "BertPreTokenizer") return split_for_bert;
  if (type == "WhitespaceSplit") return split_characters(is_space, Delimiters::removed);
  if (type == "Punctuation") return split_characters(is_bert_punctuation, read_delimiters(json));
  if (type == "ByteLevel") return byte_level_pre_tokenizer(json);
  if (type == "Metaspace") return metaspace(json);
  if (type == "Whitespace")
    return split_pattern(TextPattern::regex(R"(\w+|[^\w\s]+)"), true, Delimiters::removed);
  if (type == "Digits") {
    const bool single = flag_member(json, "individual_digits", false);
    return split_characters(is_numeral, single ? Delimiters::isolated : Delimiters::contiguous);
  }
  if (type == "Split")
    return split_pattern(TextPattern::read(member(json, "pattern")),
                         flag_member(json, "invert", false), read_delimiters(json));
  fail("the pre_tokenizer \"", type.substr(0, 100),
       "\" is unknown here; choose a model whose tokenizer.json does without");
}

}  // namespace

PreTokenizer read_pre_tokenizer(const nlohmann::json& json) {
  return read_pre_tokenizer_within(json, 0);
}

}  // namespace commonplace
