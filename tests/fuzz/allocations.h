#pragma once

#include <cstddef>

namespace commonplace::fuzz {

/// The largest single request for memory since the last `forget_allocations`, be it from operator
/// new or malloc. A request above the limit is refused as if memory had run out. Under a sanitizer
/// this is 0: its own allocator ends the program at a request above the limit.
std::size_t largest_allocation();
void forget_allocations();
std::size_t allocation_limit();

}  // namespace commonplace::fuzz
