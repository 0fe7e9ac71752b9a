#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/vocabulary.h"

namespace commonplace::app {
namespace tag_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::vector<std::string> ids;
  std::vector<std::string> add;
  std::vector<std::string> reject;
  std::vector<std::string> withdraw;
  std::vector<std::string> describe;
};

int run_describe(const Arguments& arguments) {
  require(arguments.collection.empty(),
          "--describe says something of a tag of the whole library: leave out NAME and ID");
  const std::string& tag = arguments.describe.at(0);
  Library library(arguments.library, Library::Access::write);
  TagEntry entry{tag, "", false, false};
  for (const TagEntry& each : described_tags(library))
    if (tag_key(each.name) == tag_key(tag_name(tag))) entry = each;
  entry.description = arguments.describe.at(1);
  describe_tag(library, entry);
  entry = tag_entry(library, tag);
  if (arguments.json)
    print_json({{"tag", entry.name}, {"description", entry.description}});
  else
    say(arguments,
        entry.name + ": " + (entry.description.empty() ? "no description" : entry.description));
  return kSuccess;
}

int run(const Arguments& arguments) {
  if (!arguments.describe.empty()) return run_describe(arguments);
  require(!arguments.collection.empty() && !arguments.ids.empty(),
          "name the collection and the items: commonplace tag LIB NAME ID --add TAG");
  require(!arguments.add.empty() || !arguments.reject.empty() || !arguments.withdraw.empty(),
          "nothing to do; give --add, --reject or --withdraw with a tag");
  Library library(arguments.library, Library::Access::write);
  const Collection chosen = collection(library, arguments.collection);
  std::vector<Decision> decisions;
  for (const std::string& id : arguments.ids) {
    for (const std::string& tag : arguments.add)
      decisions.push_back({id, tag, Verdict::accepted, ""});
    for (const std::string& tag : arguments.reject)
      decisions.push_back({id, tag, Verdict::rejected, ""});
    for (const std::string& tag : arguments.withdraw)
      decisions.push_back({id, tag, Verdict::withdrawn, ""});
  }
  decide(library, chosen, decisions);
  for (const std::string& id : arguments.ids) {
    const Item changed = item(library, chosen, id, {.machine = true});
    if (arguments.json) {
      print_json(item_json(changed));
      continue;
    }
    const std::string tags = join(changed.tags, &ItemTag::name);
    say(arguments, id + ": " + (tags.empty() ? "no tags" : tags));
  }
  return kSuccess;
}

}  // namespace tag_cli

void add_tag(CLI::App& app) {
  using namespace tag_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "tag", "Give, reject or withdraw tags; every decision is remembered",
      "  commonplace tag ~/library photos owl.jpg --add animals/birds/owl --reject cat\n"
      "  commonplace tag ~/library photos a.jpg b.jpg --add \"New York\"\n"
      "  commonplace tag ~/library photos owl.jpg --withdraw cat\n"
      "  commonplace tag ~/library --describe owl \"Birds of the night, also on coins\"\n"
      "A rejected tag is hidden, whoever gave it, and is never suggested for that item again.\n"
      "Your files are not changed; see: commonplace export --xmp",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection");
  command->add_option("ID", arguments->ids, "The items");
  command->add_option("--add,--accept", arguments->add, "Tags to give")->allow_extra_args(false);
  command->add_option("--reject,--remove", arguments->reject, "Tags that do not fit")
      ->allow_extra_args(false);
  command->add_option("--withdraw", arguments->withdraw, "Tags whose decision is taken back")
      ->allow_extra_args(false);
  command->add_option("--describe", arguments->describe, "A tag, and what it is for")
      ->expected(2)
      ->type_name("TAG TEXT")
      ->excludes("--add", "--reject", "--withdraw");
}

}  // namespace commonplace::app
