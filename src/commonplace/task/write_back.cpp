#include "commonplace/task/write_back.h"

#include <set>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"

namespace commonplace {

WriteBackSummary write_back(const Library& library, const Collection& collection,
                            const WriteBackOptions& options,
                            const std::function<void(const XmpChange&)>& on_change,
                            const Progress& progress) {
  WriteBackSummary summary;
  std::set<std::filesystem::path> swept;
  ItemReader reader(library, collection, options.tags);
  for (Item item; reader.next(item);) {
    progress({"writing sidecars", static_cast<std::uint64_t>(reader.row()),
              static_cast<std::uint64_t>(collection.items), "items"});
    const std::filesystem::path photo = image_location(collection, item);
    if (item.image.empty() || !std::filesystem::is_regular_file(photo)) {
      ++summary.without_file;
      continue;
    }
    std::vector<std::string> tags;
    for (const ItemTag& tag : item.tags) tags.push_back(tag.name);
    try {
      const XmpChange change = plan_xmp(photo, tags);
      if (change.packet.empty()) {
        ++summary.unchanged;
        continue;
      }
      on_change(change);
      if (!options.dry_run) {
        // What an export that was killed left behind.
        if (swept.insert(change.sidecar.parent_path()).second)
          sweep_temporaries(change.sidecar.parent_path());
        apply_xmp(change);
      }
      ++summary.changed;
    } catch (const Error& error) {
      Problem& problem = summary.problems.emplace_back();
      problem.where.file = photo.string();
      problem.message = error.what();
    }
  }
  return summary;
}

}  // namespace commonplace
