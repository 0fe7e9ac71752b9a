#pragma once

#include <cstdint>

namespace commonplace {

/// Bytes of memory that this process holds, and the most it has held since `forget_peak_memory`;
/// 0 where the system does not tell.
std::int64_t current_memory();
std::int64_t peak_memory();
void forget_peak_memory();

}  // namespace commonplace
