#pragma once

#include <filesystem>

namespace commonplace {

/// Whether `path` is `folder` or lies below it, by their parts alone: links and dots are to be
/// resolved before (std::filesystem::canonical).
bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace commonplace
