#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/library/decisions.h"
#include "commonplace/library/items.h"

namespace commonplace::app {
namespace tag_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::vector<std::string> ids;
  std::vector<std::string> add;
  std::vector<std::string> reject;
  std::vector<std::string> withdraw;
};

int run(const Arguments& arguments) {
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
      "A rejected tag is hidden, whoever gave it, and is never suggested for that item again.\n"
      "Your files are not changed; see: commonplace export --xmp",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection")->required();
  command->add_option("ID", arguments->ids, "The items")->required();
  command->add_option("--add,--accept", arguments->add, "Tags to give")->allow_extra_args(false);
  command->add_option("--reject,--remove", arguments->reject, "Tags that do not fit")
      ->allow_extra_args(false);
  command->add_option("--withdraw", arguments->withdraw, "Tags whose decision is taken back")
      ->allow_extra_args(false);
}

}  // namespace commonplace::app
