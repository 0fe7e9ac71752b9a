#include "commonplace/formats/pictures/picture_bytes.h"

#include <algorithm>

#include "commonplace/base/error.h"

namespace commonplace {

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
    value = value << 8 | static_cast<unsigned char>(*byte);
  return value;
}

PictureBytes::PictureBytes(const std::filesystem::path& path) : name_(path.string()), file_(path) {
  size_ = file_->size();
}

PictureBytes::PictureBytes(std::string_view content, std::string name)
    : name_(std::move(name)), size_(content.size()), window_(content) {}

std::string_view PictureBytes::read(std::uint64_t offset, std::uint64_t count) {
  require(holds(offset, count), name_, ": is cut short: ", count, " bytes were expected at ",
          offset, " but the file ends at ", size_);
  require(count <= metadata_limit, name_, ": claims ", count, " bytes of metadata in one block at ",
          offset, "; more than ", metadata_limit, " are not read");
  if (offset < begin_ || offset - begin_ > window_.size() ||
      count > window_.size() - (offset - begin_))
    fill(offset, count);
  return window_.substr(static_cast<std::size_t>(offset - begin_), static_cast<std::size_t>(count));
}

void PictureBytes::fill(std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t smallest_read = 4096;
  window_ = {};
  begin_ = offset;
  buffer_.resize(
      static_cast<std::size_t>(std::min(std::max(count, smallest_read), size_ - offset)));
  require(file_->read(buffer_.data(), buffer_.size(), offset) == buffer_.size(), name_,
          ": became shorter while it was read");
  window_ = buffer_;
}

}  // namespace commonplace
