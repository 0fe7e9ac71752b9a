#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace commonplace {

/// The kinds of numbers that encoders take and give, numbered as ONNX numbers them.
enum class NumberType : std::int32_t { float32 = 1, int32 = 6, int64 = 7, float16 = 10 };

/// The bytes of one number, or 0 for a kind that is not known here.
std::size_t size_of(NumberType type);

/// Numbers on their way into a model or out of it, row-major.
struct Tensor {
  std::string name;
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

/// How many numbers a shape holds; Error if a side is negative or the product overflows.
std::int64_t numbers_in(const std::vector<std::int64_t>& shape);

/// What a model says of one of its inputs or outputs; a side of -1 may have any length.
struct Port {
  std::string name;
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;
};

}  // namespace commonplace
