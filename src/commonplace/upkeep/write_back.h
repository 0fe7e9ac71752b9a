#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/formats/pictures/xmp_write.h"
#include "commonplace/library/items/import_items.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/library.h"

namespace commonplace {

struct WriteBackOptions {
  TagView tags;          ///< machine tags only if asked for, above a threshold
  bool dry_run = false;  ///< plan and report, write nothing
};

struct WriteBackSummary {
  std::int64_t changed = 0;       ///< sidecars written, or that would be
  std::int64_t unchanged = 0;     ///< photographs that have all their tags already
  std::int64_t without_file = 0;  ///< items without a picture on this machine
  std::vector<Problem> problems;  ///< pictures and sidecars that could not be read or written
};

/// Writes the tags of a collection's items to XMP sidecars beside their pictures: tags are added,
/// nothing that a person wrote is taken away or replaced, and the pictures themselves are not
/// touched. A machine's tags are marked so, and remembered in the library; those that a person has
/// accepted since lose the mark, those that were rejected or taken back are taken out. Each sidecar
/// is written whole or not at all. `on_change` is told of each before it is written.
WriteBackSummary write_back(Library& library, const Collection& collection,
                            const WriteBackOptions& options,
                            const std::function<void(const XmpChange&)>& on_change,
                            const Progress& progress);

struct TakenBack {
  std::int64_t tags = 0;      ///< that were taken out
  std::int64_t sidecars = 0;  ///< that they were taken out of
  std::int64_t pictures = 0;  ///< pictures whose own XMP they were taken out of
  std::int64_t away = 0;      ///< items whose sidecars have some but are not on this machine now
  /// Pictures whose own XMP has some still. The library does not take them in again.
  std::vector<std::string> inside;
  std::vector<Problem> problems;
};

/// Takes what the model wrote to sidecars of a collection's pictures out of them again. Those that
/// cannot be reached now keep it; the next write_back takes it out. With `in_pictures` it is taken
/// out of the XMP in the pictures themselves too, where another program has put it; else pictures
/// are not written to.
TakenBack take_back(Library& library, const Collection& collection, const std::string& model,
                    bool in_pictures, const Progress& progress);

}  // namespace commonplace
