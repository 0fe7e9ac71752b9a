#include "tests/fuzz/sink.h"

using namespace commonplace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    LineReader lines(bytes_of(fuzz::text_of(data, size)), "input");
    read_jsonl(lines, {}, fuzz::checking_sink());
  });
}
