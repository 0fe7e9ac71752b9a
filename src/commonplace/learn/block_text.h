#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/learn/shared_subspace.h"

namespace commonplace {

/// Blocks as text for a file's metadata: "0,1:20;0:40;1:20" is 20 topics that collections 0 and 1
/// share, then 40 of the first alone and 20 of the second.
std::string to_text(const std::vector<TopicBlock>& blocks);
/// Error if the text is not of that form.
std::vector<TopicBlock> blocks_from_text(std::string_view text);

}  // namespace commonplace
