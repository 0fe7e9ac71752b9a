#pragma once

#include <string>
#include <vector>

#include "commonplace/base/rng.h"
#include "commonplace/library/stored/stored_features.h"
#include "tests/support/sample_library.h"

/// Items whose features are in groups, some of them tagged by their group.
namespace commonplace::test {

inline const std::vector<std::string> kGroupNames = {"owl", "Öl/barrel", "harbour", "kite"};

/// Item i is of group i % 4: around a direction of the group's own, of length one. `spread` is the
/// length of what is added at random.
inline Matrix grouped_rows(Eigen::Index items, Eigen::Index columns, double spread,
                           std::uint64_t seed = 1) {
  Matrix rows(items, columns);
  for (Eigen::Index i = 0; i < items; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      const auto column = static_cast<std::uint64_t>(j);
      const double of_group = random_uniform(99, static_cast<std::uint64_t>(i % 4), column) - 0.5;
      const double own = random_uniform(seed, static_cast<std::uint64_t>(i), column) - 0.5;
      rows(i, j) = static_cast<float>(of_group + spread * own);
    }
    rows.row(i).normalize();
  }
  return rows;
}

/// 1 for the group of the item, -1 for the others.
inline MatrixD group_labels(const std::vector<std::int64_t>& rows) {
  MatrixD labels = MatrixD::Constant(std::ssize(rows), 4, -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    labels(static_cast<Eigen::Index>(i), rows[i] % 4) = 1;
  return labels;
}

/// A library with the collection "photos" of such items, its features "look"; every third item has
/// its group's name as tag.
class GroupedPhotos : public LibraryTest {
 protected:
  static constexpr int kPhotos = 240;
  GroupedPhotos() {
    import_jsonl(library(), "photos", lines(kPhotos));
    store_look(kPhotos);
  }

  static std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "{\"id\":\"p" + std::to_string(i) + "\",\"tags\":[" +
              (i % 3 == 0 ? "\"" + kGroupNames[static_cast<std::size_t>(i % 4)] + "\"" : "") +
              "]}\n";
    return text;
  }
  void store_look(int count) {
    store_features(library(), collection_named("photos"), "look", grouped_rows(count, 24, 1.0),
                   "made up");
  }
};

}  // namespace commonplace::test
