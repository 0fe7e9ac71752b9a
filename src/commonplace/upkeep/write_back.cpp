#include "commonplace/upkeep/write_back.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/io/files.h"
#include "commonplace/library/machine/machine_marks.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_meanings.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

/// Writes planned sidecars, once what a killed export left beside them is gone.
class SidecarWriter {
 public:
  void write(const XmpChange& change) {
    if (swept_.insert(change.sidecar.parent_path()).second)
      sweep_temporaries(change.sidecar.parent_path());
    apply_xmp(change);
  }

 private:
  std::set<fs::path> swept_;
};

Problem problem_of(const fs::path& photo, const Error& error) {
  Problem problem;
  problem.where.file = photo.string();
  problem.message = error.what();
  return problem;
}

/// What the sidecars of a photo are to become, the one that tags go to first.
std::vector<XmpChange> plan(const fs::path& photo, const SidecarTags& wanted) {
  std::vector<XmpChange> changes = {plan_xmp(photo, wanted)};
  const std::vector<fs::path> all = sidecars(photo);
  for (std::size_t i = 1; i < all.size(); ++i) changes.push_back(plan_marks(all[i], wanted));
  return changes;
}

/// What the photo's own XMP marks, as far as it can be read.
std::vector<ItemTag> marks_inside(const fs::path& photo) {
  std::error_code ignored;
  try {
    return fs::is_regular_file(photo, ignored) ? machine_tags_inside(photo)
                                               : std::vector<ItemTag>();
  } catch (const Error&) {
    return {};
  }
}

/// What is marked after the changes, in sidecars and in the photo itself.
SidecarMarks marks_after(const std::string& item, const fs::path& photo,
                         const std::vector<XmpChange>& changes) {
  SidecarMarks marks{item, marks_inside(photo)};
  for (const XmpChange& change : changes)
    for (const MachineMark& mark : change.marks) marks.tags.push_back(mark.tag);
  return marks;
}

bool changes_any(const std::vector<XmpChange>& changes) {
  for (const XmpChange& change : changes)
    if (!change.packet.empty()) return true;
  return false;
}

SidecarTags wanted_of(const Item& item, RememberedMarks& remembered) {
  SidecarTags wanted;
  for (const ItemTag& tag : item.tags) {
    if (tag.by == GivenBy::machine)
      wanted.machine.push_back({tag, remembered.run_of(item.id, tag.name, tag.model)});
    else
      wanted.given.push_back(tag.name);
  }
  wanted.withdrawn = [&remembered, id = item.id](const ItemTag& mark) {
    return remembered.is_withdrawn(id, mark.name);
  };
  return wanted;
}

}  // namespace

WriteBackSummary write_back(Library& library, const Collection& collection,
                            const WriteBackOptions& options,
                            const std::function<void(const XmpChange&)>& on_change,
                            const Progress& progress) {
  WriteBackSummary summary;
  SidecarWriter writer;
  RememberedMarks remembered(library, collection);
  std::vector<SidecarMarks> marks;
  std::unordered_map<std::string, std::vector<std::string>> rejected;
  for (const Decision& decision : decisions_in_force(library, collection.name))
    if (decision.verdict == Verdict::rejected) rejected[decision.item].push_back(decision.tag);
  for (auto& [id, names] : former_names(library, collection))
    rejected[id].insert(rejected[id].end(), names.begin(), names.end());
  ItemReader reader(library, collection, options.tags);
  for (Item item; reader.next(item);) {
    progress({"writing sidecars", static_cast<std::uint64_t>(reader.row()),
              static_cast<std::uint64_t>(collection.items), "items"});
    const fs::path photo = image_location(collection, item);
    if (item.image.empty() || !fs::is_regular_file(photo)) {
      ++summary.without_file;
      continue;
    }
    SidecarTags wanted = wanted_of(item, remembered);
    if (const auto unwanted = rejected.find(item.id); unwanted != rejected.end())
      wanted.rejected = unwanted->second;
    try {
      const std::vector<XmpChange> changes = plan(photo, wanted);
      if (!changes_any(changes)) {
        ++summary.unchanged;
        continue;
      }
      for (const XmpChange& change : changes) {
        if (change.packet.empty()) continue;
        on_change(change);
        if (!options.dry_run) writer.write(change);
        ++summary.changed;
      }
      marks.push_back(marks_after(item.id, photo, changes));
    } catch (const Error& error) {
      summary.problems.push_back(problem_of(photo, error));
    }
  }
  if (!options.dry_run) remember_marks(library, collection, marks);
  return summary;
}

TakenBack take_back(Library& library, const Collection& collection, const std::string& model,
                    bool in_pictures, const Progress& progress) {
  TakenBack taken;
  SidecarWriter writer;
  RememberedMarks remembered(library, collection);
  std::vector<SidecarMarks> marks;
  SidecarTags wanted;
  wanted.withdrawn = [&](const ItemTag& mark) { return mark.model == model; };
  ItemReader reader(library, collection);
  for (Item item; reader.next(item);) {
    progress({"looking at sidecars", static_cast<std::uint64_t>(reader.row()),
              static_cast<std::uint64_t>(collection.items), "items"});
    const fs::path photo = image_location(collection, item);
    if (item.image.empty()) continue;
    const bool is_marked = remembered.count(item.id) > 0;
    const std::vector<fs::path> found = sidecars(photo);
    if (is_marked && found.empty() && !fs::exists(photo)) ++taken.away;
    bool changed = false;
    if (is_marked && std::ranges::any_of(marks_inside(photo), wanted.withdrawn)) {
      try {
        if (in_pictures) {
          const XmpChange change = plan_marks_inside(photo, wanted);
          writer.write(change);
          ++taken.pictures;
          taken.tags += std::ssize(change.removes);
          changed = true;
        } else {
          taken.inside.push_back(photo.string());
        }
      } catch (const Error& error) {
        taken.inside.push_back(photo.string());
        taken.problems.push_back(problem_of(photo, error));
      }
    }
    try {
      std::vector<XmpChange> changes;
      for (const fs::path& sidecar : found) changes.push_back(plan_marks(sidecar, wanted));
      if (!changed && !changes_any(changes)) continue;
      for (const XmpChange& change : changes) {
        if (change.packet.empty()) continue;
        writer.write(change);
        ++taken.sidecars;
        taken.tags += std::ssize(change.removes);
      }
      marks.push_back(marks_after(item.id, photo, changes));
    } catch (const Error& error) {
      // A sidecar that nobody can read has nothing of ours.
      if (is_marked) taken.problems.push_back(problem_of(photo, error));
    }
  }
  remember_marks(library, collection, marks);
  return taken;
}

}  // namespace commonplace
