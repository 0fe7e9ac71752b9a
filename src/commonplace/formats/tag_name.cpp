#include "commonplace/formats/tag_name.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"

namespace commonplace {
namespace {

constexpr std::size_t kLongestName = 1000;

std::string_view without_blanks_around(std::string_view level) {
  while (level.starts_with(' ')) level.remove_prefix(1);
  while (level.ends_with(' ')) level.remove_suffix(1);
  return level;
}

/// Tells whether the name is an address, whose slashes part no levels.
bool is_address(std::string_view name) {
  const std::size_t colon = name.find("://");
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '+' || c == '-' || c == '.';
         });
}

}  // namespace

std::string tag_name(std::string_view written) {
  const std::string tidied = tidy(written);
  std::string name;
  name.reserve(tidied.size());
  std::string_view rest = tidied;
  if (is_address(tidied)) {
    name = tidied;
    rest = {};
  }
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view level = without_blanks_around(rest.substr(0, slash));
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (level.empty()) continue;
    if (!name.empty()) name += '/';
    name += level;
  }
  require(name.size() <= kLongestName, "the tag '", std::string_view(name).substr(0, 40),
          "...' has ", name.size(), " bytes; the limit is ", kLongestName,
          ". Is it a text rather than a tag?");
  return name;
}

std::string tag_key(std::string_view name) { return fold(name); }

std::vector<std::string> tag_path(std::string_view name) {
  if (is_address(name)) return {std::string(name)};
  std::vector<std::string> path;
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos;
       slash = name.find('/', slash + 1))
    path.emplace_back(name.substr(0, slash));
  path.emplace_back(name);
  return path;
}

std::string_view tag_leaf(std::string_view name) {
  if (is_address(name)) return name;
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace commonplace
