#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/features/tokens.h"
#include "commonplace/io/safetensors.h"

namespace commonplace {

/// Vectors of words without any context (GloVe and its like), a byte a number: the smallest text
/// encoder. A text is the mean of its words' vectors, each weighted by a / (a + p), a = 0.001, so
/// that frequent words count little (smooth inverse frequency); p, how frequent a word is, follows
/// from its rank by Zipf's law, since such lists begin with the most frequent word.
class WordVectors {
 public:
  /// A file that convert_word_vectors wrote.
  explicit WordVectors(const std::filesystem::path& file);

  std::int64_t dimensions() const { return columns_; }
  /// The numbers of the words of a text that have vectors. Any thread may call it.
  std::vector<std::int64_t> words_in(std::string_view text) const;
  /// Their weighted mean of length one; zeros if there are none.
  Eigen::RowVectorXf mean(std::span<const std::int64_t> words) const;

 private:
  TensorFile file_;
  std::int64_t columns_ = 0;
  std::span<const float> scales_;
  std::span<const std::uint8_t> codes_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;
  mutable std::mutex mutex_;  ///< of tokens_
  mutable Tokenizer tokens_;
};

/// Whether a file begins like the JSON of wink-embeddings: {"precision":..., "words": [...], ...}.
bool is_word_vector_json(const std::filesystem::path& file);

/// Makes the file of WordVectors from that JSON, in one pass. Error if it is broken.
void convert_word_vectors(const std::filesystem::path& json, const std::filesystem::path& file);

}  // namespace commonplace
