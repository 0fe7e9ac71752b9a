#include "commonplace/library/items/prune.h"

#include "commonplace/io/scratch.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace {
namespace {

/// The rows that stay, written to a new file.
FeatureRecord without_rows(const Library& library, const Collection& collection,
                           const FeatureRecord& before, const std::vector<std::int64_t>& new_rows) {
  FeatureRecord after = before;
  after.rows = 0;
  after.file = feature_path(library, collection, before.name, before.sparse);
  auto stays = [&](std::int64_t row) { return new_rows[static_cast<std::size_t>(row)] >= 0; };
  if (!before.sparse) {
    const NpyMatrix matrix = dense_features(before);
    NpyWriter writer(after.file, before.columns, matrix.numbers());
    for (std::int64_t row = 0; row < before.rows; ++row) {
      if (!stays(row)) continue;
      writer.write(matrix.view().row(row));
      ++after.rows;
    }
    writer.commit();
    return after;
  }
  const SparseFeatures features(before);
  const SparseView matrix = features.matrix();
  Scratch<std::int32_t> columns(after.file.parent_path());
  Scratch<float> values(after.file.parent_path());
  std::vector<std::int64_t> starts{0};
  for (std::int64_t row = 0; row < before.rows; ++row) {
    if (!stays(row)) continue;
    columns.append(matrix.row_indices(row));
    values.append(matrix.row_values(row));
    starts.push_back(starts.back() + static_cast<std::int64_t>(matrix.row_indices(row).size()));
    ++after.rows;
  }
  write_sparse_features(after.file,
                        {after.rows, matrix.columns, starts, columns.view(), values.view()},
                        features.names());
  return after;
}

}  // namespace

std::vector<std::int64_t> remove_unseen_items(Library& library, const Collection& collection,
                                              const std::vector<bool>& seen) {
  std::vector<std::int64_t> new_rows(seen.size(), -1);
  std::int64_t next = 0;
  Statement remove =
      library.database().prepare("DELETE FROM item WHERE collection = ? AND row = ?");
  Statement move =
      library.database().prepare("UPDATE item SET row = ? WHERE collection = ? AND row = ?");
  for (std::size_t row = 0; row < seen.size(); ++row) {
    const auto old_row = static_cast<std::int64_t>(row);
    if (!seen[row]) {
      remove.run(collection.id, old_row);
      continue;
    }
    // Going upwards, the row to move to has been left or emptied already.
    if (next != old_row) move.run(next, collection.id, old_row);
    new_rows[row] = next++;
  }
  library.database()
      .prepare("UPDATE collection SET items = ? WHERE id = ?")
      .run(next, collection.id);
  for (const FeatureRecord& record : feature_records(library, collection))
    record_features(library, collection, without_rows(library, collection, record, new_rows));
  return new_rows;
}

}  // namespace commonplace
