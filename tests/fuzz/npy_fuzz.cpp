#include "commonplace/io/npy.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  return fuzz::only_errors([&] {
    const NpyHeader header = parse_npy_header(bytes, "input");
    std::int64_t rows = 0;
    read_npy_blocks(bytes, "input", [&](std::int64_t first_row, const Matrix& block) {
      fuzz::check(first_row == rows, "a block is not where the last one ended");
      fuzz::check(block.cols() == header.columns, "a block has other columns than the header");
      fuzz::check(block.allFinite(), "a number is not finite");
      rows += block.rows();
    });
    fuzz::check(rows == header.rows, "the blocks do not have the rows of the header");
  });
}
