#include "commonplace/data/import_items.h"

#include "commonplace/base/error.h"
#include "commonplace/data/imported_features.h"
#include "commonplace/data/item_writer.h"
#include "commonplace/data/prune.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kProblemsKept = 100;

/// Finds or makes the collection and notes where it comes from now.
Collection open_collection(Library& library, const std::string& name, const fs::path& source,
                           const fs::path& root, const std::string& format) {
  check_collection_name(name);
  library.database()
      .prepare(
          "INSERT INTO collection(name, source, root, format, changed) VALUES(?, ?, ?, ?, ?) "
          "ON CONFLICT(name) DO UPDATE SET source = excluded.source, root = excluded.root, "
          "format = excluded.format, changed = excluded.changed")
      .run(name, source.string(), root.string(), format, current_time());
  return collection(library, name);
}

}  // namespace

ImportSummary import_collection(Library& library, const std::string& name, const fs::path& source,
                                const ImportOptions& options, const Progress& progress) {
  require(fs::exists(source), source.string(), ": there is no such file or folder");
  const fs::path absolute = fs::canonical(source);
  ImportSummary summary;
  summary.format = options.format.empty() ? recognise_format(absolute) : options.format;
  ReadOptions read = options.read;
  if (read.root.empty()) read.root = fs::is_directory(absolute) ? absolute : absolute.parent_path();

  {
    Transaction transaction(library.database());
    sweep_unrecorded_files(library);
    const Collection target = open_collection(library, name, absolute, read.root, summary.format);
    ItemWriter writer(library, target);
    ImportedFeatures features(library);

    auto bad = [&](const Where& where, const std::string& message) {
      if (options.strict) fail(to_string(where), ": ", message, " (--strict: nothing was added)");
      ++summary.bad;
      if (summary.problems.size() < kProblemsKept) summary.problems.push_back({where, message});
    };
    Sink sink;
    sink.bad = bad;
    sink.progress = progress;
    sink.feature_names = [&](std::vector<std::string>&& names) {
      features.set_names(std::move(names));
    };
    sink.record = [&](Record&& record) {
      std::int64_t row = 0;
      try {
        row = writer.put(record.item);
      } catch (const StorageError&) {
        throw;
      } catch (const Error& error) {
        return bad(record.where, error.what());
      }
      features.add(row, record.features);
    };
    read_source(absolute, summary.format, read, sink);

    summary.added = writer.added();
    summary.updated = writer.updated();
    summary.unchanged = writer.unchanged();
    summary.missing = writer.rows() - summary.added - summary.updated - summary.unchanged;
    require(writer.rows() > 0 || summary.bad == 0, absolute.string(), ": none of its ", summary.bad,
            " records could be read as ", summary.format, "; the first: ",
            summary.bad == 0 ? ""
                             : to_string(summary.problems.front().where) + ": " +
                                   summary.problems.front().message);
    progress({"finishing", 0, 0, ""});
    library.database()
        .prepare("UPDATE collection SET items = ? WHERE id = ?")
        .run(writer.rows(), target.id);
    if (options.prune && summary.missing > 0) {
      const std::vector<std::int64_t> new_rows =
          remove_unseen_items(library, collection(library, name), writer.seen());
      features.renumber(new_rows);
      std::swap(summary.removed, summary.missing);
    }
    features.store(library, collection(library, name), absolute.string());
    transaction.commit();
  }
  Transaction sweep(library.database());
  sweep_unrecorded_files(library);
  return summary;
}

}  // namespace commonplace
