#pragma once

#include <cstdint>

namespace commonplace {

/// Bytes of memory that this process holds, and the most it has held since `forget_peak_memory`;
/// 0 where the system does not tell.
std::int64_t current_memory();
std::int64_t peak_memory();
void forget_peak_memory();

/// Lets freed blocks of up to 32 MiB stay with this process instead of going back to the system
/// each time, for programs that make and free large matrices over and over: every new page is a
/// fault. Does nothing where the C library has no such setting.
void keep_freed_blocks();

}  // namespace commonplace
