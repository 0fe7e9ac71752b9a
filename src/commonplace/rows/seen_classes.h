#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// So many of the likeliest classes of a picture are kept.
inline constexpr std::int64_t kSeenClasses = 50;

/// What the classifier that made some features saw in the pictures.
struct SeenClasses {
  std::string digest;               ///< of the RowTable that was stored together with it
  std::vector<std::string> labels;  ///< the classes' names
  std::vector<std::string> ids;     ///< of items
  Sparse classes;                   ///< items x labels: probabilities of the likeliest
};

/// Picks the likeliest classes of a row of probabilities, as class, probability, class, .. : what
/// stands behind the vector in rows that are unfinished.
Eigen::RowVectorXf likeliest_classes(const Eigen::Ref<const Eigen::RowVectorXf>& probabilities);
/// Adds a row of them; those that are no classes of `into` are left out.
void push_classes(Sparse& into, std::span<const float> likeliest);

/// Keeps what was seen beside features `name` of a collection.
void store_seen(Library& library, const Collection& collection, const std::string& name,
                const SeenClasses& seen);
/// Nothing if no classifier made them.
std::optional<SeenClasses> stored_seen(const Library& library, const Collection& collection,
                                       const std::string& name);
/// Its classes by row of the collection as it is now: a row without entries where nothing is known.
Sparse seen_by_row(const SeenClasses& seen, const Library& library, const Collection& collection);

}  // namespace commonplace
