#include "commonplace/features/tokens.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include <libstemmer.h>
#include <unicode/brkiter.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/unicode.h"
#include "commonplace/features/stop_words.h"

namespace commonplace {
namespace {

constexpr std::size_t kLongestWord = 200;
constexpr int kMostNgrams = 8;
constexpr UChar32 kEmojiSelector = 0xFE0F;
// Some versions of ICU count '@' as a letter; a mail address is parted at it with all of them.
constexpr std::string_view kAddress = "@";
constexpr std::string_view kAddressAndApostrophe = "@'";

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using StringSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

struct StemmerDeleter {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using Stemmer = std::unique_ptr<sb_stemmer, StemmerDeleter>;

Stemmer open_stemmer(const std::string& language) {
  Stemmer stemmer(sb_stemmer_new(language.c_str(), nullptr));
  if (stemmer) return stemmer;
  fail("unknown language \"", language, "\"; known are ", join(token_languages()),
       ", and their ISO 639 codes such as en or de");
}

bool parts_at_apostrophe(std::string_view language) {
  constexpr std::array<std::string_view, 10> names = {"french", "fr",  "fra",     "fre", "italian",
                                                      "it",     "ita", "catalan", "ca",  "cat"};
  return std::find(names.begin(), names.end(), language) != names.end();
}

void replace_typographic_apostrophes(std::string& text) {
  constexpr std::string_view apostrophe = "\xE2\x80\x99";
  std::size_t at = text.find(apostrophe);
  if (at == std::string::npos) return;
  std::size_t written = at;
  while (at < text.size()) {
    if (std::string_view(text).substr(at, apostrophe.size()) == apostrophe) {
      text[written++] = '\'';
      at += apostrophe.size();
    } else {
      text[written++] = text[at++];
    }
  }
  text.resize(written);
}

template <class Predicate>
bool any_character(std::string_view text, Predicate&& predicate) {
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < length;) {
    UChar32 character = 0;
    U8_NEXT(text.data(), at, length, character);
    if (predicate(character)) return true;
  }
  return false;
}

bool ends_run(std::string_view between) {
  return any_character(between, [](UChar32 character) {
    return u_hasBinaryProperty(character, UCHAR_TERMINAL_PUNCTUATION) != 0;
  });
}

bool is_emoji(std::string_view text) {
  return static_cast<unsigned char>(text[0]) >= 0x80 && any_character(text, [](UChar32 character) {
           return character == kEmojiSelector ||
                  u_hasBinaryProperty(character, UCHAR_EMOJI_PRESENTATION) != 0;
         });
}

bool has_letter(std::string_view text) {
  return any_character(text, [](UChar32 character) { return u_isalpha(character) != 0; });
}

int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string_view without_underscores(std::string_view word) {
  const std::size_t begin = word.find_first_not_of('_');
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of('_') - begin + 1);
}

}  // namespace

struct Tokenizer::Parts {
  using Term = std::function<void(std::string_view)>;

  TokenOptions options;
  std::string_view separators;  ///< what parts words beyond ICU's boundaries
  std::unique_ptr<icu::BreakIterator> breaks;
  UText utext = UTEXT_INITIALIZER;
  Stemmer stemmer;
  StringSet stop_words;
  std::vector<std::string> run;  ///< the last words, for n-grams; at most ngrams of them
  std::string joined;

  ~Parts() { utext_close(&utext); }

  void cut(std::string_view folded, const Term& term);
  void segment(std::string_view text, std::int32_t status, const Term& term);
  void word(std::string_view text, bool any_length, const Term& term);
  void ngrams(std::string_view text, const Term& term);
};

void Tokenizer::Parts::cut(std::string_view folded, const Term& term) {
  UErrorCode status = U_ZERO_ERROR;
  utext_openUTF8(&utext, folded.data(), static_cast<std::int64_t>(folded.size()), &status);
  breaks->setText(&utext, status);
  require(U_SUCCESS(status) != 0, "cutting text into words failed: ", u_errorName(status));
  run.clear();
  std::int32_t begin = breaks->first();
  for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE;
       begin = end, end = breaks->next())
    segment(folded.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
            breaks->getRuleStatus(), term);
}

void Tokenizer::Parts::segment(std::string_view text, std::int32_t status, const Term& term) {
  if (status < UBRK_WORD_NONE_LIMIT) {
    if (is_emoji(text)) return word(text, true, term);
    if (options.ngrams > 1 && ends_run(text)) run.clear();
    return;
  }
  const bool any_length = status >= UBRK_WORD_LETTER_LIMIT;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(separators);
    const std::string_view part = without_underscores(text.substr(0, end));
    if (options.keep_numbers || status >= UBRK_WORD_NUMBER_LIMIT || has_letter(part))
      word(part, any_length, term);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void Tokenizer::Parts::word(std::string_view text, bool any_length, const Term& term) {
  if (text.empty() || text.size() > kLongestWord) return;
  if (!any_length && characters(text) < options.min_length) return;
  if (!stop_words.empty() && stop_words.contains(text)) return;
  if (stemmer && !any_length) {
    const sb_symbol* stem =
        sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(text.data()),
                        static_cast<int>(text.size()));
    require(stem != nullptr, "out of memory while stemming");
    text = {reinterpret_cast<const char*>(stem),
            static_cast<std::size_t>(sb_stemmer_length(stemmer.get()))};
    if (text.empty()) return;
  }
  term(text);
  if (options.ngrams > 1) ngrams(text, term);
}

void Tokenizer::Parts::ngrams(std::string_view text, const Term& term) {
  if (run.size() == static_cast<std::size_t>(options.ngrams)) {
    std::rotate(run.begin(), run.begin() + 1, run.end());
    run.back() = text;
  } else {
    run.emplace_back(text);
  }
  for (std::size_t length = 2; length <= run.size(); ++length) {
    joined.clear();
    for (std::size_t i = run.size() - length; i < run.size(); ++i) {
      if (!joined.empty()) joined += ' ';
      joined += run[i];
    }
    term(joined);
  }
}

Tokenizer::Tokenizer(const TokenOptions& options) : parts_(std::make_unique<Parts>()) {
  require(options.ngrams >= 1 && options.ngrams <= kMostNgrams, "ngrams is ", options.ngrams,
          "; expected 1 .. ", kMostNgrams);
  require(options.min_length >= 0, "min_length is ", options.min_length, "; expected 0 or more");
  parts_->options = options;
  parts_->separators = kAddress;
  const std::string language = fold(options.language);
  if (language.empty()) {
    require(!options.stem, "stem needs a language; set language, e.g. \"english\"");
    require(!options.stop_words, "stop_words needs a language; set language, e.g. \"english\"");
  } else {
    Stemmer stemmer = open_stemmer(language);
    if (options.stem) parts_->stemmer = std::move(stemmer);
    if (parts_at_apostrophe(language)) parts_->separators = kAddressAndApostrophe;
  }
  if (options.stop_words)
    for (std::string& word : stop_words(language)) parts_->stop_words.insert(std::move(word));
  UErrorCode status = U_ZERO_ERROR;
  parts_->breaks.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  require(U_SUCCESS(status) != 0, "ICU has no word boundaries (", u_errorName(status),
          "); install its data");
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

void Tokenizer::visit(std::string_view text,
                      const std::function<void(std::string_view term)>& term) {
  // ICU counts bytes in 32 bits.
  require(text.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / 4,
          "a text of ", text.size(), " bytes is too long to cut into words; the limit is 512 MiB");
  std::string folded = fold(text);
  replace_typographic_apostrophes(folded);
  parts_->cut(folded, term);
}

std::vector<std::string> Tokenizer::tokens(std::string_view text) {
  std::vector<std::string> result;
  visit(text, [&](std::string_view term) { result.emplace_back(term); });
  return result;
}

std::vector<std::string> token_languages() {
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace commonplace
