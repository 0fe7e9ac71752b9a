#include "commonplace/io/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/io/safetensors_header.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

constexpr std::size_t kLengthSize = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kChecksumPrefix = "xxh64:";

struct TypeName {
  TensorType type;
  std::string_view dtype;
};
constexpr std::array<TypeName, 5> kTypes{{{TensorType::f32, "F32"},
                                          {TensorType::f64, "F64"},
                                          {TensorType::i32, "I32"},
                                          {TensorType::i64, "I64"},
                                          {TensorType::u8, "U8"}}};

TensorType type_of(std::string_view dtype) {
  for (const TypeName& known : kTypes) {
    if (known.dtype == dtype) return known.type;
  }
  return TensorType::other;
}

std::string_view dtype_of(TensorType type) {
  for (const TypeName& known : kTypes) {
    if (known.type == type) return known.dtype;
  }
  return "another type";
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string hexadecimal(const Xxh64& hash) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash.digest()));
  return concat(kChecksumPrefix, digits.data());
}

/// Files written here must have their checksum; one of somebody else is held to it if it has one.
void check_contents(const TensorHeader& header, std::span<const std::byte> data,
                    const std::string& name) {
  const auto format = header.metadata.find("format");
  const auto checksum = header.metadata.find("checksum");
  const bool known =
      checksum != header.metadata.end() && checksum->second.starts_with(kChecksumPrefix);
  if (!known) {
    require(format == header.metadata.end() || format->second != "commonplace", name,
            ": has no checksum; the file is damaged");
    return;
  }
  Xxh64 hash;
  hash.update(as_bytes(checksum_text(header)));
  hash.update(data);
  require(hexadecimal(hash) == checksum->second, name, ": its contents give the checksum ",
          hexadecimal(hash), ", not ", checksum->second, "; the file is damaged");
}

bool is_aligned(const std::byte* place, std::uint64_t size) {
  return size == 0 || reinterpret_cast<std::uintptr_t>(place) % size == 0;
}

void require_rises(std::span<const std::int64_t> ends, std::int64_t first, std::size_t last,
                   const std::string& name, const std::string& tensor) {
  std::int64_t previous = first;
  for (const std::int64_t end : ends) {
    require(end >= previous, name, ": tensor '", tensor, "' falls from ", previous, " to ", end);
    previous = end;
  }
  require(previous == static_cast<std::int64_t>(last), name, ": tensor '", tensor, "' ends at ",
          previous, " where ", last, " entries are stored");
}

}  // namespace

std::int64_t TensorView::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dimension : shape) product *= dimension;
  return product;
}

TensorFile::TensorFile(const std::filesystem::path& path) : file_(path), name_(path.string()) {
  parse(file_.bytes());
}

TensorFile::TensorFile(std::string content, std::string name)
    : content_(std::make_unique<const std::string>(std::move(content))), name_(std::move(name)) {
  parse(as_bytes(*content_));
}

void TensorFile::parse(std::span<const std::byte> bytes) {
  require(bytes.size() >= kLengthSize, name_, ": has ", bytes.size(),
          " bytes, too few for a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthSize);
  require(length <= kMaxHeader && length <= bytes.size() - kLengthSize, name_,
          ": announces a header of ", length, " bytes; the file is damaged or not a safetensors ",
          "file");
  const auto text = bytes.subspan(kLengthSize, length);
  const auto data = bytes.subspan(kLengthSize + length);
  TensorHeader header = parse_tensor_header(
      {reinterpret_cast<const char*>(text.data()), text.size()}, data.size(), name_);
  check_contents(header, data, name_);

  for (auto& [tensor, entry] : header.tensors) {
    TensorView view{type_of(entry.dtype), entry.dtype, std::move(entry.shape),
                    data.subspan(entry.begin, entry.end - entry.begin)};
    if (!is_aligned(view.bytes.data(), dtype_size(view.dtype))) {
      auto& copy = aligned_.emplace_back((view.bytes.size() + 7) / 8);
      if (!copy.empty()) std::memcpy(copy.data(), view.bytes.data(), view.bytes.size());
      view.bytes = std::as_bytes(std::span(copy)).first(view.bytes.size());
    }
    tensors_.emplace(tensor, std::move(view));
  }
  metadata_ = std::move(header.metadata);
}

const std::string& TensorFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  require(found != metadata_.end(), name_, ": has no metadata '", key, "'");
  return found->second;
}

std::vector<std::string> TensorFile::names() const {
  std::vector<std::string> result;
  result.reserve(tensors_.size());
  for (const auto& [name, view] : tensors_) result.push_back(name);
  return result;
}

const TensorView& TensorFile::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  require(found != tensors_.end(), name_, ": has no tensor '", name, "'");
  return found->second;
}

const TensorView& TensorFile::typed(const std::string& name, TensorType type,
                                    std::size_t dimensions) const {
  const TensorView& view = tensor(name);
  require(view.type == type && view.shape.size() == dimensions, name_, ": tensor '", name, "' is ",
          view.dtype, " with ", view.shape.size(), " dimensions; ", dtype_of(type), " with ",
          dimensions, " is expected");
  return view;
}

template <class T>
std::span<const T> TensorFile::values(const std::string& name, TensorType type) const {
  const TensorView& view = typed(name, type, 1);
  return {reinterpret_cast<const T*>(view.bytes.data()), view.bytes.size() / sizeof(T)};
}

MatrixView TensorFile::matrix(const std::string& name) const {
  const TensorView& view = typed(name, TensorType::f32, 2);
  return {reinterpret_cast<const float*>(view.bytes.data()), view.shape[0], view.shape[1]};
}

MatrixD TensorFile::matrix_d(const std::string& name) const {
  const TensorView& view = typed(name, TensorType::f64, 2);
  return Eigen::Map<const MatrixD>(reinterpret_cast<const double*>(view.bytes.data()),
                                   view.shape[0], view.shape[1]);
}

std::span<const float> TensorFile::floats(const std::string& name) const {
  return values<float>(name, TensorType::f32);
}
std::span<const double> TensorFile::doubles(const std::string& name) const {
  return values<double>(name, TensorType::f64);
}
std::span<const std::int32_t> TensorFile::ints(const std::string& name) const {
  return values<std::int32_t>(name, TensorType::i32);
}
std::span<const std::int64_t> TensorFile::longs(const std::string& name) const {
  return values<std::int64_t>(name, TensorType::i64);
}

std::span<const std::uint8_t> TensorFile::small(const std::string& name) const {
  return values<std::uint8_t>(name, TensorType::u8);
}

std::vector<std::string> TensorFile::strings(const std::string& name) const {
  const auto bytes = values<char>(name + ".bytes", TensorType::u8);
  const auto ends = longs(name + ".ends");
  require_rises(ends, 0, bytes.size(), name_, name + ".ends");
  std::vector<std::string> result;
  result.reserve(ends.size());
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    result.emplace_back(bytes.data() + begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return result;
}

SparseView TensorFile::sparse(const std::string& name) const {
  const auto shape = longs(name + ".shape");
  require(shape.size() == 2 && shape[0] >= 0 && shape[1] >= 0, name_, ": tensor '", name,
          ".shape' is not a number of rows and of columns");
  const SparseView view{shape[0], shape[1], longs(name + ".starts"), ints(name + ".indices"),
                        floats(name + ".values")};
  require(!view.starts.empty() && view.starts[0] == 0 &&
              view.starts.size() - 1 == static_cast<std::uint64_t>(view.rows) &&
              view.values.size() == view.indices.size(),
          name_, ": the parts of the sparse matrix '", name, "' do not fit each other");
  require_rises(view.starts, 0, view.indices.size(), name_, name + ".starts");
  for (std::int64_t row = 0; row < view.rows; ++row) {
    std::int64_t previous = -1;
    for (const std::int32_t column : view.row_indices(row)) {
      require(column > previous && column < view.columns, name_, ": row ", row,
              " of the sparse matrix '", name, "' has column ", column, " after ", previous, " of ",
              view.columns);
      previous = column;
    }
  }
  return view;
}

void TensorWriter::set(const std::string& key, const std::string& value) {
  require(key != "format" && key != "library_version" && key != "checksum", "the metadata '", key,
          "' is set by the writer of the file");
  require(invalid_utf8(key) == std::string::npos && invalid_utf8(value) == std::string::npos,
          "the metadata '", key, "' is not UTF-8");
  metadata_[key] = value;
}

void TensorWriter::add_entry(const std::string& name, Entry entry) {
  require(name != "__metadata__" && invalid_utf8(name) == std::string::npos, "a tensor cannot be ",
          "named '", name, "': names are UTF-8, and __metadata__ is taken");
  const bool added = entries_.emplace(name, std::move(entry)).second;
  require(added, "there is a tensor '", name, "' already");
}

void TensorWriter::add(const std::string& name, const Matrix& matrix) {
  const std::span values(matrix.data(), static_cast<std::size_t>(matrix.size()));
  add_entry(name, {TensorType::f32, {matrix.rows(), matrix.cols()}, std::as_bytes(values), {}});
}

void TensorWriter::add(const std::string& name, const MatrixD& matrix) {
  const std::span values(matrix.data(), static_cast<std::size_t>(matrix.size()));
  add_entry(name, {TensorType::f64, {matrix.rows(), matrix.cols()}, std::as_bytes(values), {}});
}

void TensorWriter::add(const std::string& name, std::span<const float> values) {
  add_entry(name, {TensorType::f32, {std::ssize(values)}, std::as_bytes(values), {}});
}
void TensorWriter::add(const std::string& name, std::span<const double> values) {
  add_entry(name, {TensorType::f64, {std::ssize(values)}, std::as_bytes(values), {}});
}
void TensorWriter::add(const std::string& name, std::span<const std::int32_t> values) {
  add_entry(name, {TensorType::i32, {std::ssize(values)}, std::as_bytes(values), {}});
}
void TensorWriter::add(const std::string& name, std::span<const std::int64_t> values) {
  add_entry(name, {TensorType::i64, {std::ssize(values)}, std::as_bytes(values), {}});
}

void TensorWriter::add(const std::string& name, std::span<const std::uint8_t> values) {
  add_entry(name, {TensorType::u8, {std::ssize(values)}, std::as_bytes(values), {}});
}

void TensorWriter::add_bytes(const std::string& name, std::string bytes) {
  auto kept = std::make_shared<const std::string>(std::move(bytes));
  add_entry(name, {TensorType::u8, {std::ssize(*kept)}, std::as_bytes(std::span(*kept)), kept});
}

void TensorWriter::add_strings(const std::string& name, const std::vector<std::string>& strings) {
  auto joined = std::make_shared<std::string>();
  auto ends = std::make_shared<std::vector<std::int64_t>>();
  for (const std::string& text : strings) {
    joined->append(text);
    ends->push_back(std::ssize(*joined));
  }
  const auto text_bytes = as_bytes(*joined);
  const auto end_bytes = std::as_bytes(std::span(*ends));
  add_entry(name + ".bytes", {TensorType::u8, {std::ssize(*joined)}, text_bytes, joined});
  add_entry(name + ".ends", {TensorType::i64, {std::ssize(*ends)}, end_bytes, ends});
}

void TensorWriter::add_sparse(const std::string& name, const SparseView& matrix) {
  require(std::ssize(matrix.starts) == matrix.rows + 1 && matrix.starts[0] == 0 &&
              matrix.nonzeros() == std::ssize(matrix.indices) &&
              matrix.indices.size() == matrix.values.size(),
          "the parts of the sparse matrix '", name, "' do not fit each other");
  const auto shape = std::make_shared<const std::array<std::int64_t, 2>>(
      std::array<std::int64_t, 2>{matrix.rows, matrix.columns});
  add(name + ".starts", matrix.starts);
  add(name + ".indices", matrix.indices);
  add(name + ".values", matrix.values);
  add_entry(name + ".shape", {TensorType::i64, {2}, std::as_bytes(std::span(*shape)), shape});
}

void TensorWriter::emit(const std::function<void(std::span<const std::byte>)>& sink) const {
  // Wide types first: the format allows no holes, and so all tensors stay aligned.
  std::vector<const std::pair<const std::string, Entry>*> order;
  order.reserve(entries_.size());
  for (const auto& entry : entries_) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return dtype_size(dtype_of(a->second.type)) > dtype_size(dtype_of(b->second.type));
  });

  TensorHeader header{metadata_, {}};
  header.metadata["format"] = "commonplace";
  header.metadata["library_version"] = COMMONPLACE_VERSION;
  std::uint64_t offset = 0;
  for (const auto* entry : order) {
    const auto& [type, shape, bytes, owner] = entry->second;
    header.tensors[entry->first] = {std::string(dtype_of(type)), shape, offset,
                                    offset + bytes.size()};
    offset += bytes.size();
  }
  Xxh64 hash;
  hash.update(as_bytes(checksum_text(header)));
  for (const auto* entry : order) hash.update(entry->second.bytes);
  header.metadata["checksum"] = hexadecimal(hash);

  std::string text = to_json(header);
  text.resize((kLengthSize + text.size() + kAlignment - 1) / kAlignment * kAlignment - kLengthSize,
              ' ');
  const std::uint64_t length = text.size();
  require(length <= kMaxHeader, "the metadata and the names of the tensors take ", length,
          " bytes; at most ", kMaxHeader, " fit into a safetensors file");
  sink(std::as_bytes(std::span(&length, 1)));
  sink(as_bytes(text));
  for (const auto* entry : order) sink(entry->second.bytes);
}

void TensorWriter::write(const std::filesystem::path& path) const {
  AtomicFile file(path);
  emit([&file](std::span<const std::byte> bytes) {
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  file.commit();
}

std::string TensorWriter::bytes() const {
  std::string result;
  emit([&result](std::span<const std::byte> bytes) {
    result.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return result;
}

}  // namespace commonplace
