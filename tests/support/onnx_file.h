#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace commonplace::onnx_file {

/// Small ONNX models, written as the protobuf that they are. Each function makes the bytes of one
/// message; `model` that of a file.

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number > 0x7F; number >>= 7U) bytes += static_cast<char>((number & 0x7FU) | 0x80U);
  return bytes += static_cast<char>(number);
}

inline std::string whole(unsigned field, std::int64_t number) {
  return varint(field << 3U) + varint(static_cast<std::uint64_t>(number));
}

inline std::string block(unsigned field, const std::string& content) {
  return varint(field << 3U | 2U) + varint(content.size()) + content;
}

constexpr int kFloat = 1;
constexpr int kInt32 = 6;
constexpr int kInt64 = 7;
using Sides = std::vector<std::int64_t>;

inline std::string tensor(const std::string& name, const Sides& shape,
                          const std::vector<float>& values) {
  std::string bytes;
  for (const std::int64_t side : shape) bytes += whole(1, side);
  const std::string raw(reinterpret_cast<const char*>(values.data()),
                        values.size() * sizeof(float));
  return bytes + whole(2, kFloat) + block(8, name) + block(9, raw);
}

/// A node whose attributes are lists of integers.
inline std::string node(const std::string& kind, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::vector<std::pair<std::string, Sides>>& attributes = {}) {
  std::string bytes;
  for (const std::string& name : inputs) bytes += block(1, name);
  for (const std::string& name : outputs) bytes += block(2, name);
  bytes += block(4, kind);
  for (const auto& [name, values] : attributes) {
    std::string attribute = block(1, name);
    for (const std::int64_t value : values) attribute += whole(8, value);
    bytes += block(5, attribute + whole(20, 7));
  }
  return bytes;
}

/// An input or output; a side of -1 may have any length.
inline std::string port(const std::string& name, int type, const Sides& shape) {
  std::string sides;
  for (std::size_t i = 0; i < shape.size(); ++i)
    sides += block(1, shape[i] < 0 ? block(2, "side" + std::to_string(i)) : whole(1, shape[i]));
  return block(1, name) + block(2, block(1, whole(1, type) + block(2, sides)));
}

struct Graph {
  std::vector<std::string> nodes, tensors, inputs, outputs;
};

inline std::string model(const Graph& graph) {
  std::string bytes;
  for (const std::string& each : graph.nodes) bytes += block(1, each);
  bytes += block(2, "graph");
  for (const std::string& each : graph.tensors) bytes += block(5, each);
  for (const std::string& each : graph.inputs) bytes += block(11, each);
  for (const std::string& each : graph.outputs) bytes += block(12, each);
  return whole(1, 8) + block(7, bytes) + block(8, block(1, "") + whole(2, 13));
}

}  // namespace commonplace::onnx_file
