#include "commonplace/features/term_table.h"

#include <functional>
#include <limits>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::int32_t kFree = -1;

std::uint32_t hash_of(std::string_view term) {
  const std::uint64_t hash = std::hash<std::string_view>{}(term);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

std::string_view TermTable::operator[](std::int32_t id) const {
  const auto at = static_cast<std::size_t>(id);
  return std::string_view(bytes_).substr(starts_[at], starts_[at + 1] - starts_[at]);
}

std::size_t TermTable::slot_of(std::string_view term, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
    const std::int32_t id = slots_[slot];
    if (hashes_[static_cast<std::size_t>(id)] == hash && (*this)[id] == term) break;
  }
  return slot;
}

std::int32_t TermTable::find(std::string_view term) const {
  return slots_.empty() ? kFree : slots_[slot_of(term, hash_of(term))];
}

std::int32_t TermTable::add(std::string_view term) {
  if (slots_.size() < 2 * (hashes_.size() + 1)) grow();
  const std::uint32_t hash = hash_of(term);
  std::int32_t& id = slots_[slot_of(term, hash)];
  if (id != kFree) return id;
  require(hashes_.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
          "more than 2^31 distinct terms; use fewer n-grams or split the collection");
  id = size();
  bytes_ += term;
  starts_.push_back(bytes_.size());
  hashes_.push_back(hash);
  return id;
}

void TermTable::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < hashes_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(id);
  }
}

std::vector<std::string> TermTable::strings() const {
  std::vector<std::string> result;
  result.reserve(hashes_.size());
  for (std::int32_t id = 0; id < size(); ++id) result.emplace_back((*this)[id]);
  return result;
}

void save_tensor(TensorWriter& writer, const std::string& name, const TermTable& terms) {
  writer.add_strings(name, terms.strings());
}

TensorShape load_tensor(const TensorFile& file, const std::string& name, TermTable& terms) {
  terms = {};
  for (const std::string& term : file.strings(name)) {
    const std::int32_t before = terms.size();
    require(terms.add(term) == before, file.name(), ": ", name, " holds '", term,
            "' twice; the file is damaged");
  }
  return {terms.size(), -1};
}

}  // namespace commonplace
