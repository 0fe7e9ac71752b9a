#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "commonplace/features/tokens.h"

namespace commonplace {

/// The shingles of a text, three neighbouring words each, as numbers: ascending, each once. A text
/// of fewer words than `kFewestWords` says too little and has none.
std::vector<std::uint64_t> text_shingles(Tokenizer& tokenizer, std::string_view text);
inline constexpr std::size_t kFewestWords = 6;

/// What words are cut by for this: folded, with numbers.
TokenOptions shingle_tokens();

/// A MinHash: of two sets as many places agree as they have in common (Jaccard), about.
inline constexpr std::size_t kMinHashes = 126;
using MinHash = std::array<std::uint32_t, kMinHashes>;
MinHash min_hash(std::span<const std::uint64_t> set);

/// Keys for the bands of a MinHash, `kBandRows` places each: two sets that have four fifths in
/// common share one with 99.8 %, two that have three tenths with 1.5 %.
inline constexpr std::size_t kBandRows = 6;
inline constexpr std::size_t kBands = kMinHashes / kBandRows;
std::uint64_t band_key(const MinHash& hash, std::size_t band);

/// What two ascending sets have in common, of all that they have. 0 for empty ones.
double jaccard(std::span<const std::uint64_t> first, std::span<const std::uint64_t> second);

}  // namespace commonplace
