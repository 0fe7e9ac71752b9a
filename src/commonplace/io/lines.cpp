#include "commonplace/io/lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <zlib.h>

#include "commonplace/io/files.h"

namespace commonplace {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string content) : content_(std::move(content)) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t count = content_.copy(into, size, at_);
    at_ += count;
    return count;
  }
  std::uint64_t consumed() const override { return at_; }
  std::uint64_t total() const override { return content_.size(); }

 private:
  std::string content_;
  std::size_t at_ = 0;
};

/// Reads rather than maps: another program may cut the file short meanwhile, and a mapping would
/// then end this process.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : file_(path), total_(file_.size()) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t got = file_.read(into, size, consumed_);
    consumed_ += got;
    return got;
  }
  std::uint64_t consumed() const override { return consumed_; }
  std::uint64_t total() const override { return total_; }

 private:
  ReadableFile file_;
  std::uint64_t consumed_ = 0;
  std::uint64_t total_;
};

/// The same bytes unpacked; several gzip members after another are one stream, as gzip has it.
class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), input_(kChunk) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    require(inflateInit2(&stream_, kGzipOnly) == Z_OK, name_, ": zlib cannot be started");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* into, std::size_t size) override {
    size = std::min<std::size_t>(size, 1U << 30);  // zlib counts in 32 bits
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size && !ended_) {
      if (stream_.avail_in == 0) refill();
      if (ended_) break;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        inside_ = false;
        inflateReset(&stream_);
      } else {
        require(status == Z_OK || status == Z_BUF_ERROR, name_,
                ": the gzip data is damaged: ", stream_.msg != nullptr ? stream_.msg : "unknown");
        inside_ = true;
      }
    }
    return size - stream_.avail_out;
  }
  std::uint64_t consumed() const override { return packed_->consumed() - stream_.avail_in; }
  std::uint64_t total() const override { return packed_->total(); }

 private:
  void refill() {
    const std::size_t got = packed_->read(input_.data(), input_.size());
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    if (got > 0) return;
    require(!inside_, name_, ": the gzip file ends too early; it was cut off");
    ended_ = true;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_{};
  bool inside_ = false;  ///< within a member, so that an end here is a cut
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  char magic[2] = {};
  const std::size_t got = ReadableFile(path).read(magic, sizeof magic, 0);
  auto file = std::make_unique<FileSource>(path);
  if (!is_gzip({magic, got})) return file;
  return std::make_unique<GzipSource>(std::move(file), path.string());
}

std::unique_ptr<ByteSource> bytes_of(std::string content) {
  const bool packed = is_gzip(content);
  auto memory = std::make_unique<MemorySource>(std::move(content));
  if (!packed) return memory;
  return std::make_unique<GzipSource>(std::move(memory), "the input");
}

std::string read_all(ByteSource& source, std::uint64_t limit, const std::string& name) {
  std::string content;
  std::vector<char> chunk(kChunk);
  while (const std::size_t got = source.read(chunk.data(), chunk.size())) {
    require(content.size() + got <= limit, name, ": has more than ", limit,
            " bytes, the limit for this format");
    content.append(chunk.data(), got);
  }
  return content;
}

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  require(kept <= kLongestLine, name_, ":", number_ + 1, ": this line is longer than ",
          kLongestLine >> 20, " MiB; is it a text file?");
  buffer_.resize(kept + kChunk);
  const std::size_t got = source_->read(buffer_.data() + kept, kChunk);
  buffer_.resize(kept + got);
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  std::size_t end = std::string::npos;
  for (;;) {
    end = buffer_.find('\n', begin_ + searched);
    if (end != std::string::npos || ended_) break;
    searched = buffer_.size() - begin_;
    ended_ = !fill();
  }
  if (end == std::string::npos && begin_ == buffer_.size()) return false;
  const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
  line = std::string_view(buffer_).substr(begin_, stop - begin_);
  begin_ = end == std::string::npos ? stop : stop + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (number_ == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  ++number_;
  return true;
}

}  // namespace commonplace
