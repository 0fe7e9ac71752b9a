#include "commonplace/learn/block_text.h"

#include <algorithm>
#include <charconv>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr unsigned kMost = 1U << 20;  ///< topics of a block, or the number of a collection

int number(std::string_view text) {
  unsigned value = kMost;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value < kMost, "'", text,
          "' is not a number of a block of topics; the file is damaged");
  return static_cast<int>(value);
}

/// What stands between the marks: one part more than there are marks.
std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(mark); end != std::string_view::npos; end = text.find(mark)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::string to_text(const std::vector<TopicBlock>& blocks) {
  std::string text;
  for (const TopicBlock& block : blocks) {
    if (!text.empty()) text += ';';
    for (std::size_t i = 0; i < block.members.size(); ++i)
      text += (i > 0 ? "," : "") + std::to_string(block.members[i]);
    text += ':' + std::to_string(block.topics);
  }
  return text;
}

std::vector<TopicBlock> blocks_from_text(std::string_view text) {
  std::vector<TopicBlock> blocks;
  if (text.empty()) return blocks;
  for (const std::string_view written : split(text, ';')) {
    const std::size_t colon = std::min(written.find(':'), written.size());
    TopicBlock& block = blocks.emplace_back();
    for (const std::string_view member : split(written.substr(0, colon), ','))
      block.members.push_back(number(member));
    block.topics = number(written.substr(std::min(colon + 1, written.size())));
  }
  return blocks;
}

}  // namespace commonplace
