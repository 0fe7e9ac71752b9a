#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/io/tensors.h"

namespace commonplace {

/// Distinct strings, numbered 0, 1, 2, ... in the order in which they were added. A plain value:
/// the strings lie end to end in one buffer, so a million terms are three allocations.
class TermTable {
 public:
  /// The number of `term`, added if it is new. O(length) expected.
  std::int32_t add(std::string_view term);
  /// The number of `term`, or -1.
  std::int32_t find(std::string_view term) const;
  /// Valid until the next `add`.
  std::string_view operator[](std::int32_t id) const;
  std::int32_t size() const { return static_cast<std::int32_t>(hashes_.size()); }
  std::vector<std::string> strings() const;

 private:
  std::size_t slot_of(std::string_view term, std::uint32_t hash) const;
  void grow();
  std::string bytes_;
  std::vector<std::uint64_t> starts_{0};
  std::vector<std::uint32_t> hashes_;
  std::vector<std::int32_t> slots_;  ///< open addressing, -1 is free, a power of two
};

/// As strings. Error, reading, if one is there twice.
void save_tensor(TensorWriter& writer, const std::string& name, const TermTable& terms);
TensorShape load_tensor(const TensorFile& file, const std::string& name, TermTable& terms);

}  // namespace commonplace
