#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commonplace {

/// The parts of a tokenizer: normalizer, pre-tokenizer, model, post-processor.
struct TokenizerParts;

/// Cuts text into the pieces of words that an encoder was trained with, as its `tokenizer.json`
/// says. A value that never changes: copies share one vocabulary, and threads may share a copy.
/// (`Tokenizer` in features/tokens.h makes the words that people search for.)
class SubwordTokenizer {
 public:
  explicit SubwordTokenizer(std::shared_ptr<const TokenizerParts> parts)
      : parts_(std::move(parts)) {}
  const TokenizerParts& parts() const { return *parts_; }

 private:
  std::shared_ptr<const TokenizerParts> parts_;
};

/// Reads a `tokenizer.json` of Hugging Face's tokenizers: WordPiece, BPE or Unigram with the usual
/// normalizers, pre-tokenizers, post-processors and added tokens. Error that names the component
/// if there is one that is unknown here, and if the file is broken or larger than 64 MiB.
SubwordTokenizer read_tokenizer(const std::filesystem::path& tokenizer_json);

/// The same from the text of the file; `name` stands in messages.
SubwordTokenizer parse_tokenizer(std::string_view json, const std::string& name);

struct Tokens {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> types;  ///< the segment of each token, as BERT has it: 0 but for pairs
};

/// Makes the tokens of one text, with the special tokens that the post-processor puts around it, at
/// most `most` in all: what is too long loses its end, never a special token, and of a text only
/// the first MiB counts. Bytes that are not UTF-8 count as U+FFFD. Error if `most` leaves no room
/// for the special tokens.
Tokens tokenize(const SubwordTokenizer& tokenizer, std::string_view text, std::size_t most);

/// The token that fills up the shorter texts of a batch.
std::int64_t padding_of(const SubwordTokenizer& tokenizer);

}  // namespace commonplace
