#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace commonplace {

/// Orders by score, the greatest first; of equal ones the lower place.
template <class Score>
auto greater_by(const Score& score) {
  return [&score](auto a, auto b) {
    const auto x = score(a);
    const auto y = score(b);
    return x != y ? x > y : a < b;
  };
}

/// Keeps the `count` elements that come first, in their order. O(n log count).
template <class Element, class Before = std::less<>>
void keep_first(std::vector<Element>& elements, std::int64_t count, Before before = {}) {
  const auto end = elements.begin() + std::min(count, std::ssize(elements));
  std::partial_sort(elements.begin(), end, elements.end(), before);
  elements.erase(end, elements.end());
}

/// Keeps the `count` elements that come first, in any order but with the last of them at the end if
/// others had to go. O(n).
template <class Element, class Before = std::less<>>
void keep_first_unordered(std::vector<Element>& elements, std::int64_t count, Before before = {}) {
  if (std::ssize(elements) <= count) return;
  if (count > 0)
    std::nth_element(elements.begin(), elements.begin() + count - 1, elements.end(), before);
  elements.erase(elements.begin() + count, elements.end());
}

/// The `count` places of 0 .. size-1 of greatest score, the greatest first; of equal ones the
/// lower.
template <class Place = std::int64_t, class Score>
std::vector<Place> top_k(std::int64_t size, std::int64_t count, const Score& score) {
  std::vector<Place> places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), Place{0});
  keep_first(places, count, greater_by(score));
  return places;
}

/// The `count` elements that have the least of random draws, ascending: a sample that does not
/// depend on the order in which it is drawn. All where there are no more.
template <class Draw>
std::vector<std::int64_t> sample_by(std::vector<std::int64_t> elements, std::int64_t count,
                                    const Draw& draw) {
  keep_first_unordered(elements, count, [&](std::int64_t a, std::int64_t b) {
    const auto x = draw(a);
    const auto y = draw(b);
    return x != y ? x < y : a < b;
  });
  std::sort(elements.begin(), elements.end());
  return elements;
}

}  // namespace commonplace
