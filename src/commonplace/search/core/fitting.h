#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace commonplace::search {

/// Which similarities to a query mean that an item fits it. A vector is alike to every query to
/// some degree, so each query is measured by itself: by how alike most items are to it, and by
/// whether the best is as alike as the best is to queries that are known to fit.
struct Fitting {
  double least = 0.2;    ///< nothing fits if the best item is less alike
  double spread = 0;     ///< or not so many spreads above the middle item
  double certain = 0.7;  ///< so alike is certain; 0: six spreads above the middle
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, Fitting>
void visit_options(Options& options, Visit&& visit) {
  visit("least", options.least, "nothing fits if the best item is less alike");
  visit("spread", options.spread, "or not so many spreads above the middle item");
  visit("certain", options.certain, "so alike is certain");
}

/// How well each item fits, in (0, 1), ascending with its similarity; 0 for one that does not. All
/// 0, or empty, if nothing fits. Items that are NaN have no vector. O(items).
std::vector<float> fits(const Fitting& fitting, std::span<const float> similarities);

}  // namespace commonplace::search
