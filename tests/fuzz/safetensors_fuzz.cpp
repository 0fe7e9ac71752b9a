#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "commonplace/io/model_file.h"
#include "commonplace/io/safetensors.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

namespace {

/// `name` without `suffix`, or the name itself.
std::string stem_of(const std::string& name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

template <class T>
void touch_all(std::span<const T> values) {
  fuzz::touch(std::as_bytes(values));
}

void touch_sparse(const SparseView& view) {
  for (std::int64_t row = 0; row < view.rows; ++row) {
    touch_all(view.row_indices(row));
    touch_all(view.row_values(row));
    for (const std::int32_t column : view.row_indices(row)) {
      fuzz::check(column >= 0 && column < view.columns, "a column is out of range");
    }
  }
}

/// Every kind of access to a tensor; most of them are refused.
void read_tensor(const TensorFile& file, const std::string& name) {
  const TensorView& view = file.tensor(name);
  fuzz::touch(view.bytes);
  fuzz::check(view.elements() >= 0, "a number of elements is negative");
  const std::array<std::function<void()>, 8> accesses{
      [&] { touch_all(file.floats(name)); },
      [&] { touch_all(file.doubles(name)); },
      [&] { touch_all(file.ints(name)); },
      [&] { touch_all(file.longs(name)); },
      [&] {
        const MatrixView matrix = file.matrix(name);
        touch_all(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
      },
      [&] { fuzz::check(file.matrix_d(name).size() == view.elements(), "a size differs"); },
      [&] { file.strings(stem_of(name, ".bytes")); },
      [&] { touch_sparse(file.sparse(stem_of(name, ".shape"))); },
  };
  for (const auto& access : accesses) {
    try {
      access();
    } catch (const Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const TensorFile file(fuzz::text_of(data, size), "input");
    for (const std::string& name : file.names()) read_tensor(file, name);
    try {
      require_kind(file, "test", 3);
    } catch (const Error&) {
    }
  });
}
