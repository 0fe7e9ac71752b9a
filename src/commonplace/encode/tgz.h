#pragma once

#include <cstdint>
#include <filesystem>

namespace commonplace {

/// How much an archive may hold, so that a small file does not fill the disk.
struct UnpackLimits {
  std::uint64_t bytes = std::uint64_t{8} << 30;  ///< of all files together
  std::uint64_t ratio = 100;                     ///< of what is unpacked to the archive itself
  std::uint64_t free_bytes = std::uint64_t{64} << 20;  ///< up to here the ratio does not matter
  std::uint64_t files = 20000;
};

/// Unpacks a tar archive (plain or gzip) into the empty folder `into`. Error, with what was
/// unpacked left there, if it is damaged or too large, if a path is absolute or climbs out with
/// "..", or if it holds anything but files and folders, such as links.
void unpack_tar(const std::filesystem::path& archive, const std::filesystem::path& into,
                const UnpackLimits& limits = {});

}  // namespace commonplace
