#include "commonplace/suggest/apply.h"

#include <algorithm>
#include <map>

#include "commonplace/base/error.h"
#include "commonplace/io/json.h"
#include "commonplace/library/machine/machine_runs.h"

namespace commonplace::suggest {
namespace {

std::vector<TagUse> count_uses(const std::vector<MachineTag>& tags) {
  std::map<std::string, std::int64_t> items;
  for (const MachineTag& each : tags) ++items[each.tag];
  std::vector<TagUse> uses;
  for (const auto& [tag, count] : items) uses.push_back({tag, count});
  std::stable_sort(uses.begin(), uses.end(),
                   [](const TagUse& a, const TagUse& b) { return a.items > b.items; });
  return uses;
}

}  // namespace

Applied apply(Library& library, const Answerer& suggester, const std::string& collection_name,
              const ApplyOptions& options, const Run& run) {
  require(options.above >= 0 && options.above <= 1, "the least confidence is ", options.above,
          "; expected 0 to 1");
  require(options.limit_per_item >= 1, "the limit of tags an item is ", options.limit_per_item,
          "; expected 1 or more");
  const Collection target = collection(library, collection_name);
  Applied summary;
  summary.before = count_machine_tags(library, target, suggester.name());
  std::vector<MachineTag> tags;
  Options asked;
  asked.limit = options.limit_per_item;
  asked.threshold = options.above;
  suggester.ask_all(
      collection_name, asked,
      [&](std::int64_t, const std::string& id, const Answer& answer) {
        ++summary.items;
        if (!answer.suggestions.empty()) ++summary.tagged_items;
        for (const Suggestion& each : answer.suggestions)
          tags.push_back({id, each.tag, each.confidence});
      },
      run);
  summary.tags = std::ssize(tags);
  summary.uses = count_uses(tags);
  if (options.dry_run) return summary;
  const nlohmann::ordered_json settings = {{"above", options.above},
                                           {"limit_per_item", options.limit_per_item},
                                           {"items", target.items}};
  store_run(library, target, suggester.name(), tags,
            {"apply", json_text(settings),
             concat("suggestions of confidence ", options.above, " or more"), true});
  return summary;
}

std::int64_t remove_suggestions(Library& library, const std::string& model,
                                const std::string& collection_name) {
  const std::string name = model_for(library, model, collection_name);
  const Collection target = collection(library, collection_name);
  return undo_runs_of(library, target, name);
}

}  // namespace commonplace::suggest
