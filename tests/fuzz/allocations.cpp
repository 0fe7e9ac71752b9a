#include "tests/fuzz/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/fuzz/sanitizer.h"

namespace commonplace::fuzz {
namespace {

constexpr std::size_t kLimit = std::size_t{COMMONPLACE_ALLOCATION_LIMIT_MIB} << 20;
std::atomic<std::size_t> largest{0};

}  // namespace

std::size_t largest_allocation() { return largest; }
void forget_allocations() { largest = 0; }
std::size_t allocation_limit() { return kLimit; }

#ifndef COMMONPLACE_SANITIZED

namespace {

bool within_limit(std::size_t size) {
  std::size_t seen = largest;
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  return size <= kLimit;
}

void* take(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace
#endif

}  // namespace commonplace::fuzz

// The sanitizers and the linker choose these names.
// NOLINTBEGIN(bugprone-reserved-identifier)
#ifdef COMMONPLACE_SANITIZED

#define COMMONPLACE_TEXT_(x) #x
#define COMMONPLACE_TEXT(x) COMMONPLACE_TEXT_(x)
// A finding becomes an abort, at which the engine keeps the input.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:max_allocation_size_mb=" COMMONPLACE_TEXT(
      COMMONPLACE_ALLOCATION_LIMIT_MIB);
}
extern "C" const char* __tsan_default_options() { return __asan_default_options(); }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

#else

// The linker gives these the calls to malloc from everything that is linked statically.
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  return commonplace::fuzz::within_limit(size) ? __real_malloc(size) : nullptr;
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total)) return nullptr;
  return commonplace::fuzz::within_limit(total) ? __real_calloc(count, size) : nullptr;
}
void* __wrap_realloc(void* memory, std::size_t size) {
  return commonplace::fuzz::within_limit(size) ? __real_realloc(memory, size) : nullptr;
}
}

void* operator new(std::size_t size) { return commonplace::fuzz::take(size); }
void* operator new[](std::size_t size) { return commonplace::fuzz::take(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#endif
// NOLINTEND(bugprone-reserved-identifier)
