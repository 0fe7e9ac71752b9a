#pragma once

/// Marks what the library shows to others; all else stays inside, so that calls within it are
/// direct.
#if defined(__GNUC__)
#define COMMONPLACE_API __attribute__((visibility("default")))
#else
#define COMMONPLACE_API
#endif
