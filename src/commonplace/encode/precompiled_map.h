#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace commonplace {

/// SentencePiece's table of replacements, compiled by its trainer: a double-array trie whose leaves
/// are offsets into replacements, each ended by a zero byte.
class PrecompiledMap {
 public:
  /// Decodes `precompiled_charsmap`, which is in base64. Error if it is damaged.
  explicit PrecompiledMap(std::string_view base64);

  /// Replaces clusters of characters, as people see them, of up to five bytes, else single
  /// characters, by what stands for the shortest beginning that the table knows.
  std::string normalize(std::string_view text) const;

 private:
  /// Appends what stands for `part`; false if nothing does.
  bool replace(std::string_view part, std::string& out) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace commonplace
