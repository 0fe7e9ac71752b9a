#include "commonplace/library/stored/stored_features.h"

#include <algorithm>
#include <functional>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/io/model_file.h"
#include "commonplace/library/stored/feature_file.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSparseKind = "sparse_features";
constexpr std::string_view kFeatureColumns =
    "SELECT name, kind, rows, columns, source, file FROM feature WHERE collection = ? ";

FeatureRecord feature_record(const Library& library, const Statement& row) {
  return {std::string(row.text(0)), row.text(1) == "sparse",
          row.integer(2),           row.integer(3),
          std::string(row.text(4)), library.path() / "features" / std::string(row.text(5))};
}

const fs::path& sparse_file(const FeatureRecord& record) {
  require(record.sparse, "the features '", record.name, "' are dense; sparse ones are needed here");
  return record.file;
}

/// Writes the file and its record in one transaction; the old file goes once the new one counts.
FeatureRecord store(Library& library, const Collection& collection, FeatureRecord record,
                    const std::function<void(const fs::path&)>& write) {
  check_feature_name(record.name);
  require(record.rows == collection.items, "collection '", collection.name, "' has ",
          collection.items, " items, but there are ", record.rows,
          " rows of features; there must be one row per item");
  {
    Transaction transaction(library.database());
    sweep_unrecorded_files(library);
    record.file = feature_path(library, collection, record.name, record.sparse);
    write(record.file);
    record_features(library, collection, record);
    transaction.commit();
  }
  Transaction sweep(library.database());
  sweep_unrecorded_files(library);
  return record;
}

}  // namespace

void check_feature_name(std::string_view name) {
  const bool clean = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  require(clean && !name.empty() && name.size() <= 60 && name.front() != '.' && name.front() != '-',
          "'", name, "' cannot name features; use up to 60 letters, digits, '_', '-', '.'");
}

std::vector<FeatureRecord> feature_records(const Library& library, const Collection& collection) {
  Statement query = library.database().prepare(std::string(kFeatureColumns) + "ORDER BY name");
  query.bind(collection.id);
  std::vector<FeatureRecord> result;
  while (query.step()) result.push_back(feature_record(library, query));
  return result;
}

FeatureRecord feature_record(const Library& library, const Collection& collection,
                             std::string_view name) {
  std::vector<FeatureRecord> records = feature_records(library, collection);
  for (FeatureRecord& each : records)
    if (each.name == name) return std::move(each);
  const std::string known = join(records, &FeatureRecord::name);
  fail("collection '", collection.name, "' has no features '", name, "'; ",
       known.empty() ? "it has none yet: make some with: commonplace features LIB " +
                           collection.name + " --text"
                     : "it has: " + known);
}

NpyMatrix dense_features(const FeatureRecord& record) {
  require(!record.sparse, "the features '", record.name,
          "' are sparse; dense ones are needed here");
  return NpyMatrix(record.file);
}

SparseFeatures::SparseFeatures(const FeatureRecord& record) : file_(sparse_file(record)) {
  require_kind(file_, kSparseKind, 1);
}

std::vector<std::string> SparseFeatures::names() const { return file_.strings("names"); }

fs::path feature_path(const Library& library, const Collection& collection, std::string_view name,
                      bool sparse) {
  const std::int64_t number =
      1 + library.database().integer(
              "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'feature'), 0)");
  return library.path() / "features" /
         concat(collection.id, "-", name, "-", number, sparse ? ".safetensors" : ".npy");
}

FeatureRecord record_features(Library& library, const Collection& collection,
                              const FeatureRecord& record) {
  library.database()
      .prepare("DELETE FROM feature WHERE collection = ? AND name = ?")
      .run(collection.id, record.name);
  library.database()
      .prepare(
          "INSERT INTO feature(collection, name, kind, file, rows, columns, source) "
          "VALUES(?, ?, ?, ?, ?, ?, ?)")
      .run(collection.id, record.name, record.sparse ? "sparse" : "dense",
           record.file.filename().string(), record.rows, record.columns, record.source);
  return record;
}

void write_sparse_features(const fs::path& path, const SparseView& rows,
                           const std::vector<std::string>& column_names) {
  TensorWriter writer;
  describe_model(writer, kSparseKind, 1, "{}");
  writer.add_sparse("matrix", rows);
  writer.add_strings("names", column_names);
  writer.write(path);
}

FeatureRecord store_features(Library& library, const Collection& collection, std::string_view name,
                             const Matrix& rows, std::string_view source) {
  return store(library, collection,
               {std::string(name), false, rows.rows(), rows.cols(), std::string(source), {}},
               [&](const fs::path& path) {
                 NpyWriter writer(path, rows.cols());
                 writer.write(rows);
                 writer.commit();
               });
}

FeatureRecord store_features(Library& library, const Collection& collection, std::string_view name,
                             const SparseView& rows, const std::vector<std::string>& column_names,
                             std::string_view source) {
  return store(library, collection,
               {std::string(name), true, rows.rows, rows.columns, std::string(source), {}},
               [&](const fs::path& path) { write_sparse_features(path, rows, column_names); });
}

FeatureRecord store_features(Library& library, const Collection& collection,
                             const FeatureRecord& shape, NpyNumbers numbers,
                             const std::function<void(NpyWriter&)>& write) {
  return store(library, collection, shape, [&](const fs::path& path) {
    NpyWriter writer(path, shape.columns, numbers);
    write(writer);
    writer.commit();
  });
}

FeatureRecord import_features(Library& library, const Collection& collection, std::string_view name,
                              const fs::path& file, const fs::path& ids, const Progress& progress) {
  FeatureFile content = read_feature_file(library, file, ids, progress);
  const std::vector<std::int64_t> order = rows_in_item_order(library, collection, content, file);
  const std::span<const float> values = content.values.view();
  const auto columns = content.columns;
  return store(library, collection,
               {std::string(name), false, content.rows, columns, fs::absolute(file).string(), {}},
               [&](const fs::path& path) {
                 NpyWriter writer(path, columns);
                 for (const std::int64_t row : order)
                   writer.write(MatrixView(values.data() + row * columns, 1, columns));
                 writer.commit();
               });
}

void remove_features(Library& library, const Collection& collection, std::string_view name) {
  feature_record(library, collection, name);
  {
    Transaction transaction(library.database());
    library.database()
        .prepare("DELETE FROM feature WHERE collection = ? AND name = ?")
        .run(collection.id, name);
    transaction.commit();
  }
  Transaction sweep(library.database());
  sweep_unrecorded_files(library);
}

}  // namespace commonplace
