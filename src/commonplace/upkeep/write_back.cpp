#include "commonplace/upkeep/write_back.h"

#include <set>
#include <string>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/library/decisions.h"

namespace commonplace {

WriteBackSummary write_back(const Library& library, const Collection& collection,
                            const WriteBackOptions& options,
                            const std::function<void(const XmpChange&)>& on_change,
                            const Progress& progress) {
  WriteBackSummary summary;
  std::set<std::filesystem::path> swept;
  std::unordered_map<std::string, std::vector<std::string>> rejected;
  for (const Decision& decision : decisions_in_force(library, collection.name))
    if (decision.verdict == Verdict::rejected) rejected[decision.item].push_back(decision.tag);
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
      const auto unwanted = rejected.find(item.id);
      const XmpChange change = plan_xmp(
          photo, tags, unwanted == rejected.end() ? std::vector<std::string>() : unwanted->second);
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
