#include "commonplace/encode/normalizer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/characters.h"
#include "commonplace/encode/precompiled_map.h"
#include "commonplace/encode/text_pattern.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {
namespace {

constexpr int kMostNesting = 16;

bool all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The text with each character replaced by what `change(character, out)` appends.
template <class Change>
std::string changed(std::string_view text, const Change& change) {
  std::string result;
  result.reserve(text.size() + 8);
  visit_characters(text, [&](UChar32 character, std::string_view) { change(character, result); });
  return result;
}

Normalizer unicode_form(const icu::Normalizer2* (*instance)(UErrorCode&)) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = instance(status);
  require(U_SUCCESS(status) != 0, "Unicode normalisation is not available: ", u_errorName(status));
  return [form](std::string text) {
    if (all_ascii(text)) return text;
    UErrorCode outcome = U_ZERO_ERROR;
    std::string result;
    icu::StringByteSink<std::string> sink(&result);
    form->normalizeUTF8(0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr,
                        outcome);
    require(U_SUCCESS(outcome) != 0, "Unicode normalisation failed: ", u_errorName(outcome));
    return result;
  };
}

/// Lower case by character, whatever stands around it.
std::string lowercase(std::string text) {
  if (all_ascii(text)) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  }
  return changed(text, [](UChar32 character, std::string& out) {
    append_character(out, u_tolower(character));
    if (character == 0x130) append_character(out, 0x307);  // İ keeps its dot
  });
}

/// Leaves out characters of the categories in `mask`.
Normalizer without(std::uint32_t mask) {
  return [mask](std::string text) {
    if (all_ascii(text)) return text;
    return changed(text, [mask](UChar32 character, std::string& out) {
      if ((U_GET_GC_MASK(character) & mask) == 0) append_character(out, character);
    });
  };
}

/// Leaves out control characters, makes white space blanks, and parts ideographs by blanks.
std::string clean_bert_text(std::string_view text, bool clean, bool part_ideographs) {
  return changed(text, [&](UChar32 character, std::string& out) {
    if (clean && character != '\t' && character != '\n' && character != '\r' &&
        (character == 0xFFFD || is_bert_control(character)))
      return;
    if (clean && u_isUWhiteSpace(character) != 0) {
      out += ' ';
    } else if (part_ideographs && is_bert_ideograph(character)) {
      out += ' ';
      append_character(out, character);
      out += ' ';
    } else {
      append_character(out, character);
    }
  });
}

Normalizer bert_normalizer(const nlohmann::json& json) {
  const bool clean = flag_member(json, "clean_text", true);
  const bool ideographs = flag_member(json, "handle_chinese_chars", true);
  const bool lower = flag_member(json, "lowercase", true);
  const bool strip = flag_member(json, "strip_accents", lower);
  return [=, nfd = unicode_form(icu::Normalizer2::getNFDInstance),
          bare = without(U_GC_MN_MASK)](std::string text) {
    if (clean || ideographs) text = clean_bert_text(text, clean, ideographs);
    if (strip) text = bare(nfd(std::move(text)));
    return lower ? lowercase(std::move(text)) : text;
  };
}

Normalizer strip_normalizer(const nlohmann::json& json) {
  const bool left = flag_member(json, "strip_left", true);
  const bool right = flag_member(json, "strip_right", true);
  return [left, right](std::string text) {
    std::size_t begin = text.size();
    std::size_t end = 0;
    visit_characters(text, [&](UChar32 character, std::string_view bytes) {
      if (u_isUWhiteSpace(character) != 0) return;
      const auto at = static_cast<std::size_t>(bytes.data() - text.data());
      begin = std::min(begin, at);
      end = at + bytes.size();
    });
    if (!left) begin = 0;
    if (!right) end = text.size();
    return begin < end ? text.substr(begin, end - begin) : std::string();
  };
}

Normalizer replace_normalizer(const nlohmann::json& json) {
  return [pattern = TextPattern::read(member(json, "pattern")),
          content = text_member(json, "content")](const std::string& text) {
    return pattern.replaced(text, content);
  };
}

Normalizer read_normalizer_within(const nlohmann::json& json, int depth);

Normalizer normalizer_sequence(const nlohmann::json& json, int depth) {
  const nlohmann::json& parts = member(json, "normalizers");
  require(parts.is_array() && depth < kMostNesting, "the normalizers are not a list, or too deep");
  std::vector<Normalizer> steps;
  for (const nlohmann::json& part : parts) steps.push_back(read_normalizer_within(part, depth + 1));
  return [steps = std::move(steps)](std::string text) {
    for (const Normalizer& step : steps) {
      text = step(std::move(text));
      text.resize(shortened(text, kMostRewritten).size());
    }
    return text;
  };
}

Normalizer read_normalizer_within(const nlohmann::json& json, int depth) {
  if (json.is_null()) return [](std::string text) { return text; };
  const std::string type = type_of(json);
  if (type == "Sequence") return normalizer_sequence(json, depth);
  if (type == "BertNormalizer") return bert_normalizer(json);
  if (type == "NFC") return unicode_form(icu::Normalizer2::getNFCInstance);
  if (type == "NFD") return unicode_form(icu::Normalizer2::getNFDInstance);
  if (type == "NFKC") return unicode_form(icu::Normalizer2::getNFKCInstance);
  if (type == "NFKD") return unicode_form(icu::Normalizer2::getNFKDInstance);
  if (type == "Lowercase") return lowercase;
  if (type == "StripAccents") return without(U_GC_M_MASK);
  if (type == "Strip") return strip_normalizer(json);
  if (type == "Replace") return replace_normalizer(json);
  if (type == "Prepend") {
    return [prefix = text_member(json, "prepend")](std::string text) {
      return text.empty() ? text : prefix + text;
    };
  }
  if (type == "Precompiled") {
    const auto map =
        std::make_shared<const PrecompiledMap>(text_member(json, "precompiled_charsmap"));
    return [map](std::string text) { return map->normalize(text); };
  }
  if (type == "ByteLevel") return [](std::string text) { return byte_level(text); };
  fail("the normalizer \"", type.substr(0, 100),
       "\" is unknown here; choose a model whose tokenizer.json does without");
}

std::array<std::string, 256> make_byte_names() {
  std::array<std::string, 256> names;
  UChar32 next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    append_character(names[static_cast<std::size_t>(byte)], printable ? byte : next++);
  }
  return names;
}

}  // namespace

Normalizer read_normalizer(const nlohmann::json& json) { return read_normalizer_within(json, 0); }

std::string byte_level(std::string_view text) {
  static const std::array<std::string, 256> names = make_byte_names();
  std::string result;
  result.reserve(2 * text.size());
  for (const char c : text) result += names[static_cast<unsigned char>(c)];
  return result;
}

}  // namespace commonplace
