#include "commonplace/suggest/targets.h"

#include <algorithm>

#include "commonplace/formats/tag_name.h"

namespace commonplace::suggest {

bool uses_tags(const Evidence& evidence) {
  return std::any_of(evidence.sources.begin(), evidence.sources.end(),
                     [](const Evidence::Source& source) { return source.is_tags(); });
}

std::vector<std::string> keys_of(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(tag_key(name));
  return keys;
}

std::vector<Target> targets_of(const SparseView& targets, std::int64_t row, bool hide,
                               const std::string& id, const std::vector<std::string>& keys) {
  std::vector<Target> result;
  const auto tags = targets.row_indices(row);
  const auto values = targets.row_values(row);
  for (std::size_t i = 0; i < tags.size(); ++i)
    if (values[i] < 0 || !hide || tag_is_hidden(id, keys[static_cast<std::size_t>(tags[i])]))
      result.emplace_back(tags[i], values[i]);
  return result;
}

void push_targets(const std::vector<Target>& targets, Sparse& into) {
  for (const auto& [tag, value] : targets) into.push(tag, value);
  into.end_row();
}

bool is_tagged(std::span<const float> targets) {
  return std::any_of(targets.begin(), targets.end(), [](float value) { return value > 0; });
}

std::vector<Target> row_of(const SparseView& matrix, std::int64_t row) {
  std::vector<Target> result;
  const auto columns = matrix.row_indices(row);
  const auto values = matrix.row_values(row);
  for (std::size_t i = 0; i < columns.size(); ++i) result.emplace_back(columns[i], values[i]);
  return result;
}

}  // namespace commonplace::suggest
