#pragma once

#include <string>
#include <vector>

#include "commonplace/base/rng.h"

namespace commonplace::fuzz {

/// One of `seeds` (not empty) with one to four random changes: bits flipped, bytes overwritten,
/// parts cut, doubled, inserted or exchanged with another seed, numbers made extreme. A function of
/// the seeds and the state of `rng` alone.
std::string mutate(const std::vector<std::string>& seeds, Rng& rng);

}  // namespace commonplace::fuzz
