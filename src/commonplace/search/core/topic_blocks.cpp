#include "commonplace/search/core/topic_blocks.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>

#include "commonplace/base/error.h"

namespace commonplace::search {
namespace {

constexpr int kMostTopics = 16384;

constexpr unsigned kMostInText = 1U << 20;  ///< topics of a block, or the number of a collection

int number(std::string_view text) {
  unsigned value = kMostInText;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value < kMostInText, "'",
          text, "' is not a number of a block of topics; the file is damaged");
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

std::vector<TopicBlock> shared_blocks(int collections, int rank, int auxiliary_rank, int shared,
                                      int pairwise) {
  require(collections >= 1, "there are ", collections, " collections; expected 1 or more");
  require(rank >= 1, "rank is ", rank, "; expected 1 or more");
  if (collections == 1) return {{{0}, rank}};
  require(auxiliary_rank >= 1, "the rank of the auxiliaries is ", auxiliary_rank,
          "; expected 1 or more");
  require(shared >= 0 && pairwise >= 0, "shared is ", shared, " and pairwise ", pairwise,
          "; expected 0 or more");
  const int auxiliaries = collections - 1;
  require(pairwise == 0 || auxiliaries >= 2, "pairwise is ", pairwise,
          ", but with one auxiliary all that two share is shared by all; raise shared instead");
  const std::int64_t own = std::int64_t{rank} - shared - std::int64_t{auxiliaries} * pairwise;
  require(own >= 0, "rank is ", rank, ", too few for ", shared, " shared topics and ", pairwise,
          " with each of ", auxiliaries, " auxiliaries; raise rank or share less");
  const std::int64_t auxiliary_own = std::int64_t{auxiliary_rank} - shared - pairwise;
  require(auxiliary_own >= 0, "the rank of the auxiliaries is ", auxiliary_rank, ", too few for ",
          shared, " shared and ", pairwise, " pairwise topics; raise it or share less");

  std::vector<TopicBlock> blocks;
  const auto add = [&](std::vector<int> members, std::int64_t topics) {
    if (topics > 0) blocks.push_back({std::move(members), static_cast<int>(topics)});
  };
  std::vector<int> all(static_cast<std::size_t>(collections));
  std::iota(all.begin(), all.end(), 0);
  add(all, shared);
  for (int d = 1; d < collections; ++d) add({0, d}, pairwise);
  add({0}, own);
  for (int d = 1; d < collections; ++d) add({d}, auxiliary_own);
  return blocks;
}

void check_blocks(const std::vector<TopicBlock>& blocks, int collections) {
  require(collections >= 1, "there is no collection to find topics in; give at least one");
  std::vector<bool> has_topics(static_cast<std::size_t>(collections));
  std::int64_t topics = 0;
  for (const TopicBlock& block : blocks) {
    require(block.topics >= 1, "a block has ", block.topics, " topics; expected 1 or more");
    topics += block.topics;
    require(!block.members.empty(), "a block belongs to no collection; give it members");
    for (std::size_t i = 0; i < block.members.size(); ++i) {
      const int member = block.members[i];
      require(member >= 0 && member < collections, "a block has the member ", member,
              "; expected 0 .. ", collections - 1);
      require(i == 0 || block.members[i - 1] < member, "the members of a block must ascend, but ",
              member, " comes after ", i == 0 ? 0 : block.members[i - 1]);
      has_topics[static_cast<std::size_t>(member)] = true;
    }
  }
  require(topics <= kMostTopics, "there are ", topics, " topics; expected at most ", kMostTopics);
  for (std::size_t d = 0; d < has_topics.size(); ++d)
    require(has_topics[d], "no block belongs to collection ", d + 1, "; give it topics");
}

std::vector<int> topics_of(const std::vector<TopicBlock>& blocks, int collection) {
  std::vector<int> result;
  int first = 0;
  for (const TopicBlock& block : blocks) {
    if (std::find(block.members.begin(), block.members.end(), collection) != block.members.end())
      for (int k = 0; k < block.topics; ++k) result.push_back(first + k);
    first += block.topics;
  }
  return result;
}

int topic_count(const std::vector<TopicBlock>& blocks) {
  int count = 0;
  for (const TopicBlock& block : blocks) count += block.topics;
  return count;
}

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

}  // namespace commonplace::search
