#include "commonplace/library/items/import_items.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/io/folder_state.h"
#include "commonplace/io/json.h"
#include "commonplace/library/items/item_files.h"
#include "commonplace/library/items/item_writer.h"
#include "commonplace/library/items/prune.h"
#include "commonplace/library/stored/imported_features.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kProblemsKept = 100;

std::string reading_of(const ImportOptions& options) {
  Json map = Json::array();
  for (const auto& [ours, theirs] : options.read.map) map.push_back({ours, theirs});
  const Json reading = {{"format", options.format},
                        {"map", map},
                        {"columns", options.read.columns},
                        {"tag_separator", static_cast<int>(options.read.tag_separator)},
                        {"labels_from_folders", options.read.labels_from_folders},
                        {"root", options.read.root.string()}};
  return lenient_json_text(reading);
}

ImportOptions options_of(const std::string& reading) {
  const Json json = ordered_json_from(reading);
  ImportOptions options;
  options.format = json.value("format", "");
  for (const Json& each : json.value("map", Json::array()))
    options.read.map.emplace_back(each.at(0).get<std::string>(), each.at(1).get<std::string>());
  options.read.columns = json.value("columns", std::vector<std::string>());
  options.read.tag_separator = static_cast<char>(json.value("tag_separator", 0));
  options.read.labels_from_folders = json.value("labels_from_folders", false);
  options.read.root = json.value("root", "");
  return options;
}

/// Finds or makes the collection and notes where it comes from now.
Collection open_collection(Library& library, const std::string& name, const fs::path& source,
                           const fs::path& root, const std::string& format) {
  check_collection_name(name);
  library.database()
      .prepare(
          // A random first revision: a collection that is removed and added again is another one.
          "INSERT INTO collection(name, source, root, format, changed, revision) "
          "VALUES(?, ?, ?, ?, ?, abs(random() >> 2)) "
          "ON CONFLICT(name) DO UPDATE SET source = excluded.source, root = excluded.root, "
          "format = excluded.format, changed = excluded.changed, revision = revision + 1")
      .run(name, source.string(), root.string(), format, current_time());
  return collection(library, name);
}

/// Items of another source that would be looked for in the new root.
std::int64_t stranded_images(const Library& library, const Collection& target,
                             const std::vector<bool>& seen) {
  Statement query = library.database().prepare(
      "SELECT row FROM item WHERE collection = ? AND image IS NOT NULL "
      "AND image NOT LIKE '/%' AND image NOT LIKE '%://%'");
  query.bind(target.id);
  std::int64_t count = 0;
  while (query.step()) count += seen[static_cast<std::size_t>(query.integer(0))] ? 0 : 1;
  return count;
}

/// Puts every record of the source into the writer, and counts what could not be.
void read_records(const fs::path& source, const ImportOptions& options, const ReadOptions& read,
                  const Progress& progress, ItemWriter& writer, ItemFiles* files,
                  ImportedFeatures& features, ImportSummary& summary) {
  auto bad = [&](const Where& where, const std::string& message) {
    if (options.strict) fail(to_string(where), ": ", message, " (--strict: nothing was added)");
    ++summary.bad;
    if (summary.problems.size() < kProblemsKept) summary.problems.push_back({where, message});
  };
  Sink sink;
  sink.bad = bad;
  sink.note = [&](const Where& where, const std::string& message) {
    ++summary.noted;
    if (summary.notes.size() < kProblemsKept) summary.notes.push_back({where, message});
  };
  sink.progress = progress;
  sink.feature_names = [&](std::vector<std::string>&& names) {
    features.set_names(std::move(names));
  };
  sink.record = [&](Record&& record) {
    std::int64_t row = 0;
    try {
      if (files != nullptr && files->follow(record.item.id)) ++summary.moved;
      row = writer.put(record.item);
      if (files != nullptr) files->note(record.item.id);
    } catch (const StorageError&) {
      throw;
    } catch (const Error& error) {
      return bad(record.where, error.what());
    }
    features.add(row, record.features);
  };
  read_source(source, summary.format, read, sink);

  summary.added = writer.added();
  summary.updated = writer.updated();
  summary.unchanged = writer.unchanged();
  if (writer.rows() > 0 || summary.bad == 0) return;
  const Problem& first = summary.problems.front();
  fail(source.string(), ": none of its ", summary.bad, " records could be read as ", summary.format,
       "; the first: ", to_string(first.where), ": ", first.message);
}

/// The rows to keep: those that were seen, and those that no source ever had.
std::vector<bool> rows_to_keep(const Library& library, const Collection& target,
                               std::vector<bool> seen) {
  Statement query =
      library.database().prepare("SELECT row FROM item WHERE collection = ? AND sourceless <> 0");
  query.bind(target.id);
  while (query.step()) seen[static_cast<std::size_t>(query.integer(0))] = true;
  return seen;
}

/// A disk that is away looks like a folder whose files were all deleted.
void require_most_to_stay(const Collection& target, const fs::path& source, std::int64_t missing,
                          std::int64_t seen) {
  require(missing <= 9 * seen, source.string(), " has only ", seen, " of the ", missing + seen,
          " items of '", target.name,
          "'; nothing was removed. If a disk is away, connect it and add again; if they are to go, "
          "give --prune-all");
}

/// Removes items that the source no longer has, or makes sure that they can stay.
void settle_missing_items(Library& library, const Collection& target, const ImportOptions& options,
                          const fs::path& source, const std::string& root_before,
                          const ItemWriter& writer, ImportedFeatures& features,
                          ImportSummary& summary) {
  const std::vector<bool> keep = rows_to_keep(library, target, writer.seen());
  summary.missing = std::count(keep.begin(), keep.end(), false);
  // A record that could not be read may well be one of those that seem to be missing.
  if (options.prune && summary.bad == 0 && summary.missing > 0) {
    const std::int64_t seen = summary.updated + summary.unchanged;
    if (!options.prune_all) require_most_to_stay(target, source, summary.missing, seen);
    features.renumber(remove_unseen_items(library, target, keep));
    std::swap(summary.removed, summary.missing);
  } else if (root_before != target.root) {
    const std::int64_t stranded = stranded_images(library, target, writer.seen());
    require(stranded == 0, "collection '", target.name, "' has ", stranded, " pictures below ",
            root_before, " that are not in ", target.root,
            "; add this source under another name, or give --prune to drop those");
  }
}

void put_items(Library& library, const Collection& collection, std::vector<Item>& items) {
  ItemWriter writer(library, collection, ItemOrigin::nowhere);
  for (Item& each : items) writer.put(each);
  library.database()
      .prepare("UPDATE collection SET items = ?, changed = ?, revision = revision + 1 WHERE id = ?")
      .run(writer.rows(), current_time(), collection.id);
}

}  // namespace

ImportSummary import_collection(Library& library, const std::string& name, const fs::path& source,
                                const ImportOptions& options, const Progress& progress) {
  require(fs::exists(source), source.string(), ": there is no such file or folder");
  const fs::path absolute = fs::canonical(source);
  ImportSummary summary;
  summary.format = options.format.empty() ? recognise_format(absolute) : options.format;
  const std::string seen = folder_state(absolute).digest;
  ReadOptions read = options.read;
  if (read.root.empty()) read.root = fs::is_directory(absolute) ? absolute : absolute.parent_path();

  {
    Transaction transaction(library.database());
    sweep_unrecorded_files(library);
    const std::string root_before =
        has_collection(library, name) ? collection(library, name).root : read.root.string();
    const Collection target = open_collection(library, name, absolute, read.root, summary.format);
    const bool pictures = summary.format == "photos";
    ItemWriter writer(library, target, pictures ? ItemOrigin::pictures : ItemOrigin::source);
    // Pictures are found again in the folder that they were in.
    std::optional<ItemFiles> files;
    if (pictures && root_before == target.root) files.emplace(library, target);
    ImportedFeatures features(library);
    read_records(absolute, options, read, progress, writer, files ? &*files : nullptr, features,
                 summary);
    progress({"finishing", 0, 0, ""});
    library.database()
        .prepare("UPDATE collection SET items = ?, reading = ?, seen = ? WHERE id = ?")
        .run(writer.rows(), reading_of(options), seen, target.id);
    settle_missing_items(library, target, options, absolute, root_before, writer, features,
                         summary);
    features.store(library, collection(library, name), absolute.string());
    transaction.commit();
  }
  Transaction sweep(library.database());
  sweep_unrecorded_files(library);
  return summary;
}

std::optional<ImportOptions> import_options_of(const Library& library,
                                               const Collection& collection) {
  if (collection.source.empty()) return std::nullopt;
  Statement query = library.database().prepare("SELECT reading FROM collection WHERE id = ?");
  if (!query.bind(collection.id).step() || query.text(0) == "{}") return std::nullopt;
  return options_of(std::string(query.text(0)));
}

void note_source(Library& library, const std::string& name, const fs::path& source,
                 const ImportOptions& options) {
  const fs::path absolute = fs::canonical(source);
  const fs::path root = options.read.root.empty()
                            ? (fs::is_directory(absolute) ? absolute : absolute.parent_path())
                            : options.read.root;
  const std::string format = options.format.empty() ? recognise_format(absolute) : options.format;
  Transaction transaction(library.database());
  if (has_collection(library, name)) return;
  const Collection made = open_collection(library, name, absolute, root, format);
  library.database()
      .prepare("UPDATE collection SET reading = ? WHERE id = ?")
      .run(reading_of(options), made.id);
  transaction.commit();
}

std::string seen_of_source(const Library& library, const Collection& collection) {
  Statement query = library.database().prepare("SELECT seen FROM collection WHERE id = ?");
  return query.bind(collection.id).step() ? std::string(query.text(0)) : std::string();
}

void add_items(Library& library, const Collection& collection, std::vector<Item> items) {
  Transaction transaction(library.database());
  put_items(library, collection, items);
  transaction.commit();
}

void add_items(Library& library, const std::string& name, std::vector<Item> items) {
  Transaction transaction(library.database());
  put_items(library,
            has_collection(library, name) ? collection(library, name)
                                          : open_collection(library, name, "", "", ""),
            items);
  transaction.commit();
}

}  // namespace commonplace
