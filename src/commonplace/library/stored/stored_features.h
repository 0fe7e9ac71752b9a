#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"
#include "commonplace/io/npy.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Features of a collection: row r belongs to the item of row r. Items added later have none until
/// the features are made again, so `rows` may be less than the collection's items.
struct FeatureRecord {
  std::string name;
  bool sparse = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::string source;          ///< a file, or how they were computed
  std::filesystem::path file;  ///< .npy, or .safetensors for sparse ones
};

/// Error unless features can have that name.
void check_feature_name(std::string_view name);

/// The features of a collection, by name.
std::vector<FeatureRecord> feature_records(const Library& library, const Collection& collection);
/// Those of that name; Error, listing the names there are, if there are none.
FeatureRecord feature_record(const Library& library, const Collection& collection,
                             std::string_view name);

/// The numbers, memory-mapped. Error if the features are of the other kind.
NpyMatrix dense_features(const FeatureRecord& record);

/// Sparse features with the names of their columns (empty if they have none).
class SparseFeatures {
 public:
  explicit SparseFeatures(const FeatureRecord& record);
  SparseView matrix() const { return file_.sparse("matrix"); }
  std::vector<std::string> names() const;

 private:
  TensorFile file_;
};

/// Stores features, replacing those of that name; all or nothing. `rows` has one row per item.
FeatureRecord store_features(Library& library, const Collection& collection, std::string_view name,
                             const Matrix& rows, std::string_view source);
FeatureRecord store_features(Library& library, const Collection& collection, std::string_view name,
                             const SparseView& rows, const std::vector<std::string>& column_names,
                             std::string_view source);

/// Stores `shape` (its name, rows, columns and source count) as dense features; `write` is given
/// the writer for one row after the other, so that they need not be in memory together.
FeatureRecord store_features(Library& library, const Collection& collection,
                             const FeatureRecord& shape, NpyNumbers numbers,
                             const std::function<void(NpyWriter&)>& write);

/// Stores the rows of a file: a .npy matrix, or a CSV/TSV of numbers (also .gz), with or without a
/// header line, whose first column may be the items' ids. Line r of the text file `ids` (if that
/// is not empty) names the item of row r. Without any ids, row r belongs to the r-th item. Every
/// item must have exactly one row. Memory is bounded by one block of rows.
FeatureRecord import_features(Library& library, const Collection& collection, std::string_view name,
                              const std::filesystem::path& file, const std::filesystem::path& ids,
                              const Progress& progress);

/// Within a transaction of the caller: records `file`, already written below features/, and returns
/// the record. `feature_path` names a file that is not in use.
FeatureRecord record_features(Library& library, const Collection& collection,
                              const FeatureRecord& record);
std::filesystem::path feature_path(const Library& library, const Collection& collection,
                                   std::string_view name, bool sparse);
void write_sparse_features(const std::filesystem::path& path, const SparseView& rows,
                           const std::vector<std::string>& column_names);

/// Removes the features of that name; Error if there are none.
void remove_features(Library& library, const Collection& collection, std::string_view name);

}  // namespace commonplace
