#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace commonplace {

/// What a safetensors header says about one tensor. Offsets count from the start of the data
/// section.
struct TensorEntry {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct TensorHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorEntry> tensors;
};

/// The bytes of one element, or 0 for a dtype this program does not know.
std::uint64_t dtype_size(std::string_view dtype);

/// Parses the JSON of a header and checks that its tensors fill a data section of `data_size` bytes
/// without hole or overlap and that each has the size its shape needs. `name` is what errors call
/// the file.
TensorHeader parse_tensor_header(std::string_view json, std::uint64_t data_size,
                                 const std::string& name);

/// The header as JSON.
std::string to_json(const TensorHeader& header);

/// What the checksum covers besides the data section: every metadata entry except the checksum
/// itself and every tensor, however the JSON spells them. Each text and number is followed by a
/// zero byte, in order of the keys: "key value" and "name dtype dimensions... begin".
std::string checksum_text(const TensorHeader& header);

}  // namespace commonplace
