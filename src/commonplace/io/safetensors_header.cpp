#include "commonplace/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

using nlohmann::json;

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kMaxDimensions = 64;

/// Takes the header's events one by one and accepts only its one shape:
/// {"__metadata__": {TEXT: TEXT, ...},
///  NAME: {"dtype": TEXT, "shape": [N, ...], "data_offsets": [N, N]}, ...}
/// so that memory stays in proportion to the text and a key given twice is noticed.
class HeaderEvents : public nlohmann::json_sax<json> {
 public:
  HeaderEvents(TensorHeader& header, const std::string& name) : header_(header), name_(name) {}

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a boolean"); }
  bool number_integer(std::int64_t value) override { return refuse(concat("the number ", value)); }
  bool number_float(double, const std::string& text) override {
    return refuse(concat("the number ", text));
  }
  bool binary(json::binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(std::uint64_t value) override {
    if (list_ == nullptr) return refuse(concat("the number ", value));
    require(value <= std::numeric_limits<std::int64_t>::max(), name_, ": tensor '", outer_,
            "' has a ", key_, " of ", value, ", which no file holds");
    require(list_->size() < kMaxDimensions, name_, ": tensor '", outer_, "' has a ", key_,
            " of more than ", kMaxDimensions, " numbers");
    list_->push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(std::string& text) override {
    if (depth_ != 2 || list_ != nullptr) return refuse("a text");
    if (in_metadata()) {
      const bool added = header_.metadata.emplace(key_, std::move(text)).second;
      require(added, name_, ": the header gives the metadata '", key_, "' twice");
      return true;
    }
    if (key_ != "dtype") return refuse("a text");
    tensor_->dtype = std::move(text);
    return true;
  }

  bool key(std::string& text) override {
    if (depth_ == 1) {
      outer_ = std::move(text);
      return true;
    }
    key_ = std::move(text);
    if (in_metadata()) return true;
    constexpr std::array<std::string_view, 3> known{"dtype", "shape", "data_offsets"};
    const auto found = std::find(known.begin(), known.end(), key_);
    require(found != known.end(), name_, ": tensor '", outer_, "' has the unknown property '", key_,
            "'");
    bool& seen = seen_[static_cast<std::size_t>(found - known.begin())];
    require(!seen, name_, ": tensor '", outer_, "' has '", key_, "' twice");
    seen = true;
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ == 2 || list_ != nullptr) return refuse("an object");
    if (++depth_ == 1) return true;
    if (in_metadata()) {
      require(!std::exchange(has_metadata_, true), name_, ": the header has two ", kMetadata);
    } else {
      const auto [place, added] = header_.tensors.try_emplace(outer_);
      require(added, name_, ": the header has tensor '", outer_, "' twice");
      tensor_ = &place->second;
      seen_ = {};
      offsets_.clear();
    }
    return true;
  }

  bool end_object() override {
    if (--depth_ == 0 || in_metadata()) return true;
    require(seen_[0] && seen_[1] && seen_[2] && offsets_.size() == 2, name_, ": tensor '", outer_,
            "' lacks its dtype, its shape or its two data_offsets");
    tensor_->begin = static_cast<std::uint64_t>(offsets_[0]);
    tensor_->end = static_cast<std::uint64_t>(offsets_[1]);
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || list_ != nullptr || in_metadata()) return refuse("a list");
    if (key_ == "dtype") return refuse("a list");
    list_ = key_ == "shape" ? &tensor_->shape : &offsets_;
    return true;
  }

  bool end_array() override {
    list_ = nullptr;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    fail(name_, ": the header is not JSON at byte ", position + 8,
         "; the file is damaged or not a safetensors file");
  }

 private:
  bool in_metadata() const { return outer_ == kMetadata; }

  [[noreturn]] bool refuse(const std::string& found) const {
    if (depth_ == 0) fail(name_, ": the header is ", found, " where an object is expected");
    fail(name_, ": the header has ", found, " where it describes '", outer_, "'",
         in_metadata() ? ", whose values are texts" : "");
  }

  TensorHeader& header_;
  const std::string& name_;
  int depth_ = 0;      ///< open objects; a list inside a tensor is told by list_
  std::string outer_;  ///< the key at depth 1: a tensor's name or __metadata__
  std::string key_;    ///< the key at depth 2
  bool has_metadata_ = false;
  TensorEntry* tensor_ = nullptr;
  std::array<bool, 3> seen_{};
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t>* list_ = nullptr;
};

void check_size(const std::string& tensor, const TensorEntry& entry, const std::string& name) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t size = dtype_size(entry.dtype);
  std::uint64_t needed = std::max<std::uint64_t>(size, 1);
  for (const std::int64_t dimension : entry.shape) {
    const auto factor = static_cast<std::uint64_t>(dimension);
    require(factor == 0 || needed <= kLimit / factor, name, ": tensor '", tensor,
            "' has a shape larger than any file");
    needed *= factor;
  }
  require(size == 0 || needed == entry.end - entry.begin, name, ": tensor '", tensor, "' has ",
          entry.end - entry.begin, " bytes where its shape needs ", needed);
}

void check_cover(const TensorHeader& header, std::uint64_t data_size, const std::string& name) {
  using Place = std::pair<const std::string, TensorEntry>;
  std::vector<const Place*> order;
  order.reserve(header.tensors.size());
  for (const Place& place : header.tensors) order.push_back(&place);
  std::sort(order.begin(), order.end(), [](const Place* a, const Place* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  std::uint64_t covered = 0;
  for (const Place* place : order) {
    const auto& [tensor, entry] = *place;
    require(entry.begin == covered && entry.begin <= entry.end && entry.end <= data_size, name,
            ": tensor '", tensor, "' lies at bytes ", entry.begin, " to ", entry.end, " of ",
            data_size, " where it should begin at ", covered,
            "; the file is damaged or not complete");
    check_size(tensor, entry, name);
    covered = entry.end;
  }
  require(covered == data_size, name, ": has ", data_size - covered,
          " bytes that belong to no tensor; the file is damaged");
}

}  // namespace

std::uint64_t dtype_size(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 17> sizes{{
      {"BOOL", 1},
      {"U8", 1},
      {"I8", 1},
      {"F8_E5M2", 1},
      {"F8_E4M3", 1},
      {"F8_E8M0", 1},
      {"I16", 2},
      {"U16", 2},
      {"F16", 2},
      {"BF16", 2},
      {"I32", 4},
      {"U32", 4},
      {"F32", 4},
      {"C64", 8},
      {"F64", 8},
      {"I64", 8},
      {"U64", 8},
  }};
  for (const auto& [known, size] : sizes) {
    if (known == dtype) return size;
  }
  return 0;
}

TensorHeader parse_tensor_header(std::string_view text, std::uint64_t data_size,
                                 const std::string& name) {
  require(text.starts_with('{'), name, ": the header does not begin with '{'; this is not a ",
          "safetensors file");
  // The parser takes a zero byte for the end of its input.
  require(text.find('\0') == std::string_view::npos, name, ": the header has a zero byte in it");
  TensorHeader header;
  HeaderEvents events(header, name);
  json::sax_parse(text.begin(), text.end(), &events);
  check_cover(header, data_size, name);
  return header;
}

std::string to_json(const TensorHeader& header) {
  json result = json::object();
  if (!header.metadata.empty()) result[std::string(kMetadata)] = header.metadata;
  for (const auto& [tensor, entry] : header.tensors) {
    result[tensor] = {
        {"dtype", entry.dtype}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  return result.dump();
}

std::string checksum_text(const TensorHeader& header) {
  std::string text;
  const auto add = [&text](std::string_view part) { text.append(part).push_back('\0'); };
  for (const auto& [key, value] : header.metadata) {
    if (key == "checksum") continue;
    add(key);
    add(value);
  }
  for (const auto& [tensor, entry] : header.tensors) {
    add(tensor);
    add(entry.dtype);
    for (const std::int64_t dimension : entry.shape) add(std::to_string(dimension));
    add(std::to_string(entry.begin));
  }
  return text;
}

}  // namespace commonplace
