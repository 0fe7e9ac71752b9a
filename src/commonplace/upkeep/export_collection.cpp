#include "commonplace/upkeep/export_collection.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

/// The items of a reader, with progress; those that do not fit are counted.
ItemSource items_of(ItemReader& reader, const Collection& collection, const Progress& progress,
                    std::int64_t& count, bool (*fits)(const Item&), std::int64_t& partly) {
  return [&, fits](Item& item) {
    if (!reader.next(item)) return false;
    if (fits != nullptr && !fits(item)) ++partly;
    if (count++ % 1024 == 0)
      progress({"writing items", static_cast<std::uint64_t>(count),
                static_cast<std::uint64_t>(collection.items), "items"});
    return true;
  };
}

void write_lines(const fs::path& path, const std::vector<std::string>& lines) {
  AtomicFile file(path);
  for (const std::string& line : lines) file.write(line + "\n");
  file.commit();
}

/// The items that go into one file of an XC folder, in row order.
struct XcPart {
  std::vector<Item> items;         ///< tags and nothing else
  std::vector<std::string> ids;    ///< that the items had
  std::vector<std::uint8_t> fits;  ///< nothing but the id may be lost
  Sparse features;
};

/// The file of items without a label "split".
constexpr std::string_view kUnsplit = "data";

/// The value of the label "split" (as an import of such a folder gives it), or "data".
std::string part_of(const Item& item) {
  for (const Label& label : item.labels)
    if (label.field == "split") return label.value;
  return std::string(kUnsplit);
}

/// Only what an export made may be replaced by one.
void require_replaceable(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  require(fs::is_directory(folder), folder.string(), ": is a file; xc is written to a folder");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    require(entry.path().extension() == ".txt" && entry.is_regular_file(), folder.string(),
            ": holds ", entry.path().filename().string(),
            ", which no export wrote; name a new folder");
}

std::map<std::string, XcPart> parts_of(const Library& library, const Collection& collection,
                                       TagView tags, const SparseView& features,
                                       const Progress& progress, std::vector<std::string>& labels) {
  // One spelling of each tag: the first.
  std::map<std::string, std::string> spelling;
  std::map<std::string, XcPart> parts;
  ItemReader reader(library, collection, tags);
  std::int64_t count = 0;
  std::int64_t partly = 0;
  const ItemSource source = items_of(reader, collection, progress, count, nullptr, partly);
  for (Item item; source(item);) {
    XcPart& part = parts[part_of(item)];
    part.ids.push_back(item.id);
    part.fits.push_back(static_cast<std::uint8_t>(fits_xc(item)));
    Item kept;
    for (ItemTag& tag : item.tags) {
      tag.name = spelling.try_emplace(tag_key(tag.name), tag.name).first->second;
      kept.tags.push_back(std::move(tag));
    }
    part.items.push_back(std::move(kept));
    part.features.columns = features.columns;
    if (reader.row() < features.rows) {
      const auto columns = features.row_indices(reader.row());
      const auto values = features.row_values(reader.row());
      for (std::size_t i = 0; i < columns.size(); ++i) part.features.push(columns[i], values[i]);
    }
    part.features.end_row();
  }
  for (const auto& [key, name] : spelling) labels.push_back(name);
  return parts;
}

/// How many items come back as less than they are: a folder of one file gives its rows their
/// numbers as ids and no label, one of several the name of the file before them, and as a label.
std::int64_t count_partly(const std::map<std::string, XcPart>& parts) {
  std::int64_t partly = 0;
  for (const auto& [name, part] : parts) {
    const bool keeps_label = parts.size() > 1 || name == kUnsplit;
    const std::string before = parts.size() > 1 ? name + "/" : "";
    for (std::size_t row = 0; row < part.ids.size(); ++row)
      if (!keeps_label || part.fits[row] == 0 || part.ids[row] != before + std::to_string(row))
        ++partly;
  }
  return partly;
}

ExportSummary export_xc(const Library& library, const Collection& collection, TagView tags,
                        const fs::path& path, const std::string& features_name,
                        const Progress& progress) {
  require(!tags.machine,
          "xc has no place to say that a machine gave a tag, so it would come back as a person's; "
          "leave --machine-tags away, or export jsonl");
  require_replaceable(path);
  const SparseFeatures features(feature_record(library, collection, features_name));
  std::vector<std::string> labels;
  const std::map<std::string, XcPart> parts =
      parts_of(library, collection, tags, features.matrix(), progress, labels);

  AtomicFolder folder(path);
  for (const auto& [name, part] : parts) {
    require(name.find('/') == std::string::npos && !name.starts_with('.') && name != "features" &&
                name != "labels",
            "the label split = '", name, "' cannot name a file");
    AtomicFile file(folder.temporary() / (name + ".txt"));
    auto next = part.items.begin();
    const auto end = part.items.end();
    write_xc(
        [&](Item& item) {
          if (next == end) return false;
          item = *next++;
          return true;
        },
        part.features.view(), labels, [&](std::string_view bytes) { file.write(bytes); });
    file.commit();
  }
  if (!features.names().empty()) write_lines(folder.temporary() / "features.txt", features.names());
  write_lines(folder.temporary() / "labels.txt", labels);
  folder.commit();
  return {collection.items, 0, count_partly(parts)};
}

}  // namespace

const std::vector<std::string>& export_formats() {
  static const std::vector<std::string> formats{"jsonl", "csv", "tsv", "bookmarks", "xc"};
  return formats;
}

ExportSummary export_collection(const Library& library, const Collection& collection,
                                const std::string& format, TagView tags, const Output& out,
                                const Progress& progress) {
  ItemReader reader(library, collection, tags);
  std::int64_t count = 0;
  std::int64_t partly = 0;
  const ItemSource items = items_of(reader, collection, progress, count,
                                    format == "bookmarks" ? fits_bookmark : nullptr, partly);
  std::size_t left_out = 0;
  if (format == "jsonl") {
    write_jsonl(items, out);
  } else if (format == "csv" || format == "tsv") {
    write_csv(items, format == "csv" ? ',' : '\t', out);
  } else if (format == "bookmarks") {
    left_out = write_bookmarks(items, collection.name, out);
  } else {
    require(format == "xc", "there is no export format '", format, "'");
    fail("xc is written to a folder; name one with --out");
  }
  return {count - static_cast<std::int64_t>(left_out), static_cast<std::int64_t>(left_out), partly};
}

ExportSummary export_collection(const Library& library, const Collection& collection,
                                const std::string& format, TagView tags, const fs::path& given,
                                const std::string& features, const Progress& progress) {
  const fs::path path = given.has_filename() ? given : given.parent_path();  // "folder/"
  sweep_temporaries(fs::absolute(path).parent_path());
  if (format == "xc") return export_xc(library, collection, tags, path, features, progress);
  AtomicFile file(path);
  const ExportSummary summary = export_collection(
      library, collection, format, tags, [&](std::string_view bytes) { file.write(bytes); },
      progress);
  file.commit();
  return summary;
}

}  // namespace commonplace
