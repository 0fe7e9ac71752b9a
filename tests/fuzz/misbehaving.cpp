// A target that fails in the way its input names; check_engine.py asks whether the engine notices.
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/fuzz/fuzz.h"

using namespace commonplace;

namespace {

constexpr std::size_t kTooMuch = std::size_t{300} << 20;
void* volatile sink;  // what is stored here cannot be optimised away

int recurse(int depth) {
  volatile char frame[1024] = {};
  frame[0] = 1;
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

void misbehave(const std::string& input) {
  if (input == "exception") throw std::runtime_error("not an Error");
  if (input == "memory") {
    sink = ::operator new(kTooMuch);
    ::operator delete(sink);
  }
  if (input == "hidden memory") {
    sink = std::malloc(kTooMuch);
    std::free(sink);
  }
  if (input == "address") *reinterpret_cast<volatile int*>(input.size()) = 1;
  if (input == "recursion") recurse(0);
  require(input != "error", "the one failure that is allowed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] { misbehave(fuzz::text_of(data, size)); });
}
