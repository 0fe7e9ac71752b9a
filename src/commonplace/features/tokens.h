#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace commonplace {

/// How text becomes terms.
struct TokenOptions {
  std::string language{};     ///< "english", "de", ... for stems and stop words; empty: none
  bool stem = false;          ///< reduce words to their Snowball stem; needs a language
  bool stop_words = false;    ///< leave out the language's function words; needs a language
  int ngrams = 1;             ///< also join up to this many neighbouring words, 1 .. 8
  int min_length = 1;         ///< leave out words of fewer characters (never ideographs, emoji)
  bool keep_numbers = false;  ///< keep words that are numbers, such as 1984 or 3.14
};

/// Calls visit(name, field, help) for each option: the list behind flags, files and documentation.
template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, TokenOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("language", options.language, "language of stems and stop words, by name or ISO code");
  visit("stem", options.stem, "reduce words to their stem");
  visit("stop_words", options.stop_words, "leave out function words");
  visit("ngrams", options.ngrams, "join up to this many neighbouring words");
  visit("min_length", options.min_length, "leave out words of fewer characters");
  visit("keep_numbers", options.keep_numbers, "keep words that are numbers");
}

/// Cuts text into terms: NFC, case folded, cut at the word boundaries of Unicode's annex 29 (with
/// ICU's dictionaries where a script writes no blanks), typographic apostrophes made plain ones.
/// Letters, numbers (by option) and emoji are words; punctuation is not, nor is a word of more than
/// 200 bytes (encoded data). In French, Italian and Catalan an apostrophe parts two words.
/// An n-gram is neighbouring words joined by a blank. Words left out leave no gap, so "state of the
/// art" holds "state art"; terminal punctuation (. , ; : ! ? and its like) ends a run.
///
/// Not for two threads at once: give each thread its own.
class Tokenizer {
 public:
  /// Error for an option out of range or an unknown language.
  explicit Tokenizer(const TokenOptions& options);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// Calls `term` for each word and, after it, for each n-gram that it ends, shortest first. The
  /// view lasts for the call. O(length). Error if `text` is not UTF-8.
  void visit(std::string_view text, const std::function<void(std::string_view term)>& term);
  std::vector<std::string> tokens(std::string_view text);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The names of the languages that `TokenOptions::language` knows, ascending.
std::vector<std::string> token_languages();

}  // namespace commonplace
