#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace commonplace {

/// What the sparse text formats, XC and svmlight, have in common.

constexpr std::int64_t kMostSparseColumns = std::numeric_limits<std::int32_t>::max();

/// The whole of `text` as a number of digits only.
std::optional<std::int64_t> whole_number(std::string_view text);

using Features = std::vector<std::pair<std::int32_t, float>>;

/// Adds "column:value", whose columns run from `first` to `first + columns - 1`, as a column from
/// 0. Error for anything else.
void add_feature(Features& features, std::string_view written, std::int64_t first,
                 std::int64_t columns);

/// Makes the columns ascend; Error for one that is there twice.
void sort_features(Features& features, std::int64_t first);

/// Takes the first word off `line`: the labels, which may be missing. Empty if the line begins with
/// a blank or with a feature.
std::string_view take_labels(std::string_view& line);

}  // namespace commonplace
