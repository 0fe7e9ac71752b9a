#include "commonplace/features/text_shingles.h"

#include <algorithm>
#include <limits>

#include "commonplace/base/rng.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace {
namespace {

constexpr std::size_t kWords = 3;

std::uint64_t number_of(std::string_view word) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(word)));
  return hash.digest();
}

}  // namespace

TokenOptions shingle_tokens() {
  TokenOptions options;
  options.keep_numbers = true;
  return options;
}

std::vector<std::uint64_t> text_shingles(Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::uint64_t> words;
  tokenizer.visit(text, [&](std::string_view word) { words.push_back(number_of(word)); });
  if (words.size() < kFewestWords) return {};
  std::vector<std::uint64_t> shingles;
  for (std::size_t i = 0; i + kWords <= words.size(); ++i)
    shingles.push_back(mix(mix(mix(words[i]) ^ words[i + 1]) ^ words[i + 2]));
  std::sort(shingles.begin(), shingles.end());
  shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
  return shingles;
}

MinHash min_hash(std::span<const std::uint64_t> set) {
  MinHash hash;
  hash.fill(std::numeric_limits<std::uint32_t>::max());
  for (const std::uint64_t each : set)
    for (std::size_t i = 0; i < kMinHashes; ++i)
      hash[i] = std::min(hash[i], static_cast<std::uint32_t>(mix(each + (i << 32U)) >> 32U));
  return hash;
}

std::uint64_t band_key(const MinHash& hash, std::size_t band) {
  std::uint64_t key = mix(band);
  for (std::size_t i = 0; i < kBandRows; ++i) key = mix(key ^ hash[band * kBandRows + i]);
  return key;
}

double jaccard(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second) {
  std::size_t both = 0;
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() && b != second.end()) {
    if (*a == *b) {
      ++both;
      ++a;
      ++b;
    } else if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  const std::size_t all = first.size() + second.size() - both;
  return all == 0 ? 0 : static_cast<double>(both) / static_cast<double>(all);
}

}  // namespace commonplace
