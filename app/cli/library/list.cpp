#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/join.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/library/tags/vocabulary.h"

namespace commonplace::app {
namespace list_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  bool tags = false;
  bool parents = false;
  bool models = false;
  bool names = false;
  std::int64_t limit = 20;
  std::int64_t offset = 0;
};

int list_collections(const Arguments& arguments, const Library& library) {
  const std::vector<Collection> all = collections(library);
  if (arguments.names) {
    for (const Collection& each : all) tell(each.name);
    return kSuccess;
  }
  if (arguments.json) {
    print_json(collections_answer(library));
    return kSuccess;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Collection& each : all)
    rows.push_back({each.name, with_commas(each.items), each.format,
                    join(feature_records(library, each), &FeatureRecord::name), each.changed,
                    each.source});
  if (all.empty()) {
    say(arguments, "The library is empty. Add something with: commonplace add " +
                       arguments.library + " NAME SOURCE");
  } else {
    print_table({"COLLECTION", "ITEMS", "FORMAT", "FEATURES", "CHANGED", "SOURCE"}, rows);
    for (const LinkCount& count : link_counts(library))
      tell(counted(count.links, "link") + " between " + count.from + " and " + count.to);
  }
  return kSuccess;
}

int list_models(const Arguments& arguments, const Library& library) {
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const ModelRecord& each : model_records(library)) {
    rows.push_back({each.name, each.kind, each.created});
    json.push_back(as_json(each));
    json.back()["file"] = each.file.string();
  }
  if (arguments.json) {
    print_json({{"models", json}});
  } else if (rows.empty()) {
    say(arguments, "The library has no models yet.");
  } else {
    print_table({"MODEL", "KIND", "CREATED"}, rows);
  }
  return kSuccess;
}

int list_tags(const Arguments& arguments, const Library& library, const Collection& collection) {
  const std::vector<TagUse> uses = tag_uses(library, collection, arguments.parents);
  const std::vector<TagEntry> entries = described_tags(library);
  const auto begin = std::min<std::size_t>(static_cast<std::size_t>(arguments.offset), uses.size());
  const auto end =
      std::min<std::size_t>(begin + static_cast<std::size_t>(arguments.limit), uses.size());
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = begin; i < end; ++i) {
    rows.push_back({with_commas(uses[i].items), uses[i].name});
    json.push_back({{"tag", uses[i].name}, {"items", uses[i].items}});
    const auto said = std::find_if(entries.begin(), entries.end(),
                                   [&](const TagEntry& each) { return each.name == uses[i].name; });
    if (said != entries.end() && !said->description.empty())
      json.back()["description"] = said->description;
  }
  if (arguments.json) {
    print_json({{"collection", collection.name}, {"total", uses.size()}, {"tags", json}});
  } else {
    print_table({"ITEMS", "TAG"}, rows);
    if (end < uses.size())
      say(arguments, counted(static_cast<std::int64_t>(uses.size()), "tag") +
                         " in all; --limit and --offset show the rest.");
  }
  return kSuccess;
}

int list_items(const Arguments& arguments, const Library& library, const Collection& collection) {
  ItemReader reader(library, collection, {.machine = true});
  reader.skip_to(arguments.offset);
  std::vector<std::vector<std::string>> rows;
  Item item;
  for (std::int64_t shown = 0; shown < arguments.limit && reader.next(item); ++shown) {
    if (arguments.json) {
      print_json(item_json(item));
      continue;
    }
    const std::string tags = join(item.tags, [](const ItemTag& tag) {
      return tag.name + (tag.by == GivenBy::machine ? "?" : "");
    });
    rows.push_back({shorten(item.id, 40), shorten(item.title.empty() ? item.text : item.title, 40),
                    shorten(tags, 60)});
  }
  if (arguments.json) return kSuccess;
  print_table({"ID", "TITLE", "TAGS"}, rows);
  if (arguments.offset + arguments.limit < collection.items)
    say(arguments, counted(collection.items, "item") +
                       " in all; --limit and --offset show the rest. A '?' marks a machine's tag.");
  return kSuccess;
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  if (arguments.models) return list_models(arguments, library);
  if (arguments.collection.empty()) return list_collections(arguments, library);
  const Collection chosen = collection(library, arguments.collection);
  return arguments.tags ? list_tags(arguments, library, chosen)
                        : list_items(arguments, library, chosen);
}

}  // namespace list_cli

void add_list(CLI::App& app) {
  using namespace list_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(app, "list", "List collections, or the items or tags of one",
                                  "  commonplace list ~/library\n"
                                  "  commonplace list ~/library photos --limit 50\n"
                                  "  commonplace list ~/library photos --tags --parents\n"
                                  "  commonplace list ~/library --models --json\n"
                                  "With --json, items are printed one on a line.",
                                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  CLI::Option* name = command->add_option("NAME", arguments->collection, "The collection");
  CLI::Option* tags =
      command->add_flag("--tags", arguments->tags, "Its tags, most used first")->needs(name);
  command->add_flag("--parents", arguments->parents, "Count an item for the levels above its tags")
      ->needs(tags);
  command->add_flag("--models", arguments->models, "The models of the library")->excludes(name);
  command->add_flag("--names", arguments->names, "The names of the collections and nothing else")
      ->excludes(name);
  command->add_option("-l,--limit", arguments->limit, "How many to show")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--offset", arguments->offset, "How many to pass over first")
      ->check(CLI::NonNegativeNumber);
}

}  // namespace commonplace::app
