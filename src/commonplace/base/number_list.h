#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"

namespace commonplace {

/// Stands for "all" in a list of numbers.
constexpr std::int64_t kAll = -1;

/// The whole numbers in "5,10,all". Error, naming the option, for anything else.
inline std::vector<std::int64_t> number_list(const std::string& list, const char* option,
                                             bool may_be_all) {
  std::vector<std::int64_t> result;
  for (const std::string& part : split(list)) {
    if (may_be_all && part == "all") {
      result.push_back(kAll);
      continue;
    }
    std::int64_t number = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), number);
    require(read.ec == std::errc() && read.ptr == part.data() + part.size() && number >= 1, option,
            " has '", part, "'; expected numbers from 1", may_be_all ? ", or all" : "");
    result.push_back(number);
  }
  require(!result.empty(), option, " is '", list, "'; expected numbers by commas");
  return result;
}

/// The shortest text that means the number: "0.1", "300".
inline std::string short_number(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, end};
}

}  // namespace commonplace
