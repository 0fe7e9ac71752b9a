#pragma once

/// COMMONPLACE_SANITIZED: compiled with the address or the thread sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COMMONPLACE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COMMONPLACE_SANITIZED
#endif
#endif
