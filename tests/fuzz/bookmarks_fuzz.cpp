#include "tests/fuzz/sink.h"

using namespace commonplace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const auto bytes = bytes_of(fuzz::text_of(data, size));
    read_bookmarks(*bytes, "input", fuzz::checking_sink());
  });
}
