#include "commonplace/formats/pictures/photo.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] { parse_photo(fuzz::text_of(data, size), "input"); });
}
