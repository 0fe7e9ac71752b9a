#include "commonplace/encode/prefix_tree.h"

#include <algorithm>
#include <cstring>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::size_t kMostTreeBytes = 16U << 20U;
constexpr std::size_t kMostStringBytes = 4U << 10U;

/// The entries that share the way to a node.
struct EntryRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 0;
};

}  // namespace

PrefixTree::PrefixTree(std::vector<std::pair<std::string, std::int32_t>> entries) {
  std::size_t bytes = 0;
  for (const auto& [text, value] : entries) {
    require(text.size() <= kMostStringBytes, "a token has ", text.size(), " bytes; the limit is ",
            kMostStringBytes);
    bytes += text.size();
  }
  require(bytes <= kMostTreeBytes, "the vocabulary has ", bytes, " bytes; the limit is ",
          kMostTreeBytes);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<EntryRange> ranges{{0, entries.size(), 0}};
  labels_.push_back('\0');
  for (std::size_t node = 0; node < ranges.size(); ++node) {
    firsts_.push_back(static_cast<std::int32_t>(ranges.size()));
    auto [at, end, depth] = ranges[node];
    values_.push_back(kNone);
    for (; at < end && entries[at].first.size() == depth; ++at) values_[node] = entries[at].second;
    while (at < end) {
      const char label = entries[at].first[depth];
      const std::size_t begin = at;
      while (at < end && entries[at].first[depth] == label) ++at;
      ranges.push_back({begin, at, depth + 1});
      labels_.push_back(label);
    }
  }
  firsts_.push_back(static_cast<std::int32_t>(ranges.size()));
  roots_.fill(kNone);
  for (std::int32_t node = firsts_[0]; node < firsts_[1]; ++node)
    roots_[static_cast<unsigned char>(labels_[static_cast<std::size_t>(node)])] = node;
}

std::int32_t PrefixTree::child(std::int32_t node, char byte) const {
  if (node == kRoot) return roots_[static_cast<unsigned char>(byte)];
  const std::int32_t first = firsts_[static_cast<std::size_t>(node)];
  const auto count = static_cast<std::size_t>(firsts_[static_cast<std::size_t>(node) + 1] - first);
  if (count == 0) return kNone;
  const char* labels = labels_.data() + first;
  const void* found = std::memchr(labels, static_cast<unsigned char>(byte), count);
  if (found == nullptr) return kNone;
  return first + static_cast<std::int32_t>(static_cast<const char*>(found) - labels);
}

std::int32_t PrefixTree::walk(std::int32_t node, std::string_view text) const {
  for (std::size_t at = 0; at < text.size() && node != kNone; ++at) node = child(node, text[at]);
  return node;
}

std::int32_t PrefixTree::find(std::string_view text) const {
  const std::int32_t node = walk(kRoot, text);
  return node == kNone ? kNone : value(node);
}

PrefixTree::Longest PrefixTree::longest(std::int32_t node, std::string_view text) const {
  Longest result;
  for (std::size_t at = 0; at < text.size() && node != kNone;) {
    node = child(node, text[at++]);
    if (node != kNone && value(node) != kNone) result = {value(node), at};
  }
  return result;
}

}  // namespace commonplace
