#pragma once

#include <vector>

#include "commonplace/learn/shared_subspace.h"

namespace commonplace {

/// Error unless the members of every block are among `collections`, ascending, every block has
/// topics and every collection a block.
void check_blocks(const std::vector<TopicBlock>& blocks, int collections);
/// The columns of the basis that `collection` uses, ascending.
std::vector<int> topics_of(const std::vector<TopicBlock>& blocks, int collection);
/// Of all blocks.
int topic_count(const std::vector<TopicBlock>& blocks);

}  // namespace commonplace
