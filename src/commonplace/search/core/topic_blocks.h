#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/search/core/shared_subspace.h"

namespace commonplace::search {

/// Error unless the members of every block are among `collections`, ascending, every block has
/// topics and every collection a block.
void check_blocks(const std::vector<TopicBlock>& blocks, int collections);
/// The columns of the basis that `collection` uses, ascending.
std::vector<int> topics_of(const std::vector<TopicBlock>& blocks, int collection);
/// Of all blocks.
int topic_count(const std::vector<TopicBlock>& blocks);

/// Blocks as text for a file's metadata: "0,1:20;0:40;1:20" is 20 topics that collections 0 and 1
/// share, then 40 of the first alone and 20 of the second.
std::string to_text(const std::vector<TopicBlock>& blocks);
/// Error if the text is not of that form.
std::vector<TopicBlock> blocks_from_text(std::string_view text);

}  // namespace commonplace::search
