#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/formats/export.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// jsonl, csv, tsv, bookmarks, xc.
const std::vector<std::string>& export_formats();

struct ExportSummary {
  std::int64_t items = 0;     ///< written
  std::int64_t left_out = 0;  ///< that the format has no place for, such as a bookmark without URL
  std::int64_t partly = 0;    ///< written, but saying more than the format has a place for
};

/// Writes the items of a collection to `out` in any of the formats but xc.
ExportSummary export_collection(const Library& library, const Collection& collection,
                                const std::string& format, TagView tags, const Output& out,
                                const Progress& progress);

/// The same to a file, which appears whole or not at all. For xc, `path` is a folder that gets the
/// sparse features `features`, the tags as labels, and the names of both; it replaces an earlier
/// export, and nothing else.
ExportSummary export_collection(const Library& library, const Collection& collection,
                                const std::string& format, TagView tags,
                                const std::filesystem::path& path, const std::string& features,
                                const Progress& progress);

}  // namespace commonplace
