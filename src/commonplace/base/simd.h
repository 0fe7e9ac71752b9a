#pragma once

/// Put before an inner loop that decides the speed: the function is compiled for AVX2 with FMA and
/// for plain x86-64, and the loader picks the better one for the machine at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(COMMONPLACE_NO_CLONES) && !defined(__AVX2__)
#define COMMONPLACE_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define COMMONPLACE_CLONES
#endif
