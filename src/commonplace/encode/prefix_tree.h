#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commonplace {

/// Strings with a number each, as a tree of their bytes: finds in one walk all that a text begins
/// with. Nodes are in breadth-first order, so that the children of each lie together.
class PrefixTree {
 public:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kRoot = 0;

  PrefixTree() : PrefixTree(std::vector<std::pair<std::string, std::int32_t>>()) {}
  /// Of equal strings the last counts. Error if one is longer than 4 KiB or all than 16 MiB.
  explicit PrefixTree(std::vector<std::pair<std::string, std::int32_t>> entries);

  /// The node that `byte` leads to from `node`, or kNone.
  std::int32_t child(std::int32_t node, char byte) const;
  /// The node that `text` leads to from `node`, or kNone.
  std::int32_t walk(std::int32_t node, std::string_view text) const;
  /// The number of the string that ends at `node`, or kNone.
  std::int32_t value(std::int32_t node) const { return values_[static_cast<std::size_t>(node)]; }
  /// The number of a string, or kNone.
  std::int32_t find(std::string_view text) const;

  /// The longest string that `text` begins with when read on from `node`.
  struct Longest {
    std::int32_t value = kNone;
    std::size_t length = 0;  ///< in bytes of `text`
  };
  Longest longest(std::int32_t node, std::string_view text) const;

 private:
  std::array<std::int32_t, 256> roots_{};  ///< children of the root, by byte
  std::vector<std::int32_t> firsts_;       ///< first child by node, and one behind the last
  std::vector<char> labels_;               ///< the byte that leads to each node
  std::vector<std::int32_t> values_;
};

}  // namespace commonplace
