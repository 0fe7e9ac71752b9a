#include "commonplace/io/paths.h"

namespace commonplace {

bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  auto at = path.begin();
  for (const std::filesystem::path& part : folder) {
    if (part.empty()) continue;  // after a last slash
    if (at == path.end() || *at != part) return false;
    ++at;
  }
  return true;
}

}  // namespace commonplace
