#include "commonplace/encode/tgz.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/io/lines.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTarBlock = 512;
constexpr std::uint64_t kMostName = 4096;
using TarBlock = std::array<char, kTarBlock>;

/// Reads an archive member by member.
class TarReader {
 public:
  TarReader(const fs::path& archive, fs::path into, const UnpackLimits& limits)
      : name_(archive.string()),
        into_(std::move(into)),
        limits_(limits),
        bytes_(open_bytes(archive)) {
    most_ = std::min(limits.bytes, std::max(limits.free_bytes, bytes_->total() * limits.ratio));
  }

  void unpack() {
    std::string long_name;
    for (TarBlock block; fill(block.data(), kTarBlock);) {
      if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) return;
      check_sum(block);
      const std::uint64_t size = octal(field(block, 124, 12));
      const char type = block[156];
      if (type == 'L' || type == 'x') {
        const std::string told = text(size);
        const std::string found = type == 'L' ? told.substr(0, told.find('\0')) : pax_path(told);
        if (!found.empty()) long_name = found;
        continue;
      }
      if (type == 'g') {
        skip(size);
        continue;
      }
      const std::string path = long_name.empty() ? path_of(block) : long_name;
      long_name.clear();
      require(++files_ <= limits_.files, name_, ": has more than ", limits_.files, " files");
      const fs::path place = safe_place(path);
      if (type == '5') {
        fs::create_directories(place);
      } else {
        require(type == '0' || type == '\0', name_, ": '", path,
                "' is neither a file nor a folder; links and devices are not unpacked");
        write(place, size);
      }
    }
    require(files_ > 0, name_, ": is no tar archive");
  }

 private:
  static std::string_view field(const TarBlock& block, std::size_t begin, std::size_t length) {
    const std::string_view whole(block.data() + begin, length);
    return whole.substr(0, std::min(whole.find('\0'), length));
  }

  std::uint64_t octal(std::string_view digits) const {
    while (digits.starts_with(' ')) digits.remove_prefix(1);
    while (digits.ends_with(' ')) digits.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
    require(error == std::errc() && end == digits.data() + digits.size(), name_,
            ": is no tar archive, or a damaged one");
    return value;
  }

  void check_sum(const TarBlock& block) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i)
      sum += i >= 148 && i < 156 ? std::uint64_t{' '} : static_cast<unsigned char>(block[i]);
    require(octal(field(block, 148, 8)) == sum, name_, ": is no tar archive, or a damaged one");
  }

  static std::string path_of(const TarBlock& block) {
    const std::string path(field(block, 0, 100));
    const std::string_view prefix =
        field(block, 257, 5) == "ustar" ? field(block, 345, 155) : std::string_view();
    return prefix.empty() ? path : std::string(prefix) + "/" + path;
  }

  /// Records of "LENGTH KEY=VALUE\n".
  std::string pax_path(std::string_view records) const {
    std::string path;
    while (!records.empty()) {
      std::size_t length = 0;
      const auto [end, error] =
          std::from_chars(records.data(), records.data() + records.size(), length);
      const auto digits = static_cast<std::size_t>(end - records.data());
      require(error == std::errc() && length > digits + 1 && length <= records.size(), name_,
              ": has a damaged header");
      const std::string_view record = records.substr(digits + 1, length - digits - 2);
      require(!record.starts_with("size="), name_, ": holds a file of more than 8 GiB");
      if (record.starts_with("path=")) path = record.substr(5);
      records.remove_prefix(length);
    }
    return path;
  }

  fs::path safe_place(const std::string& path) const {
    const fs::path relative(path);
    bool safe = !path.empty() && path.size() <= kMostName && relative.is_relative() &&
                path.find('\0') == std::string::npos;
    for (const fs::path& part : relative) safe = safe && part != "..";
    require(safe, name_, ": '", path, "' lies outside of the archive");
    return into_ / relative.lexically_normal();
  }

  /// False at the end of the archive, which is where a block begins.
  bool fill(char* into, std::size_t count) {
    std::size_t got = 0;
    while (got < count) {
      const std::size_t more = bytes_->read(into + got, count - got);
      if (more == 0) break;
      got += more;
    }
    require(got == 0 || got == count, name_, ": ends too soon");
    return got == count;
  }

  template <class Take>
  void each_piece(std::uint64_t size, const Take& take) {
    unpacked_ += size;
    require(size <= most_ && unpacked_ <= most_, name_, ": unpacks to more than ", most_, " bytes");
    std::vector<char> piece(std::size_t{1} << 20);
    const std::uint64_t padded = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    for (std::uint64_t done = 0; done < padded;) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), padded - done));
      require(fill(piece.data(), count), name_, ": ends too soon");
      take(std::string_view(piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(
                                              count, size > done ? size - done : 0))));
      done += count;
    }
  }

  void skip(std::uint64_t size) {
    each_piece(size, [](std::string_view) {});
  }

  std::string text(std::uint64_t size) {
    require(size <= kMostName * 16, name_, ": has a damaged header");
    std::string all;
    each_piece(size, [&](std::string_view piece) { all += piece; });
    return all;
  }

  void write(const fs::path& place, std::uint64_t size) {
    fs::create_directories(place.parent_path());
    std::ofstream out(place, std::ios::binary | std::ios::trunc);
    each_piece(size, [&](std::string_view piece) {
      out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    });
    out.close();
    require(out.good(), place.string(), ": cannot be written; is the disk full?");
  }

  std::string name_;
  fs::path into_;
  UnpackLimits limits_;
  std::unique_ptr<ByteSource> bytes_;
  std::uint64_t most_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t files_ = 0;
};

}  // namespace

void unpack_tar(const fs::path& archive, const fs::path& into, const UnpackLimits& limits) {
  TarReader(archive, into, limits).unpack();
}

}  // namespace commonplace
