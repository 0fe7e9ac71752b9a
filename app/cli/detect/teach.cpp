#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/detect/ask.h"
#include "commonplace/library/tags/lessons.h"

namespace commonplace::app {
namespace teach_cli {

using namespace detect;

struct Arguments : Common {
  std::string library;
  std::string name;
  std::string collection;
  std::vector<std::string> yes;
  std::vector<std::string> no;
  std::vector<std::string> forget;
};

int run(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const Collection chosen = collection(library, collection_to_teach(library, arguments.collection));
  std::vector<Lesson> lessons;
  for (const std::string& id : arguments.yes) lessons.push_back({id, 1, ""});
  for (const std::string& id : arguments.no) lessons.push_back({id, -1, ""});
  for (const std::string& id : arguments.forget) lessons.push_back({id, 0, ""});
  require(!lessons.empty(), "show at least one example: --yes ID,ID or --no ID,ID");
  teach(library, chosen, arguments.name, lessons);
  std::int64_t yes = 0;
  std::int64_t no = 0;
  for (const Lesson& each : lessons_in_force(library, chosen.name, arguments.name))
    (each.shows > 0 ? yes : no) += 1;
  if (arguments.json)
    print_json({{"concept", arguments.name},
                {"collection", chosen.name},
                {"shown", yes},
                {"not_shown", no}});
  else
    say(arguments, "The concept '" + arguments.name + "' of '" + chosen.name + "' has " +
                       counted(yes, "example") + " and " + counted(no, "counterexample") +
                       ". See: commonplace detect " + arguments.library + " \"" + arguments.name +
                       "\"");
  return kSuccess;
}

}  // namespace teach_cli

void add_teach(CLI::App& app) {
  using namespace teach_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "teach", "Show examples of a concept, so that it can be detected",
                  "  commonplace teach ~/library sunset --yes a.jpg,b.jpg,c.jpg --no d.jpg\n"
                  "  commonplace teach ~/library sunset --no e.jpg --collection photos\n"
                  "  commonplace teach ~/library sunset --forget c.jpg\n"
                  "Examples are kept in the library and change no item's tags.",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("CONCEPT", arguments->name, "What to call the concept")->required();
  command->add_option("--collection", arguments->collection,
                      "The collection of the items (if there are several)");
  command->add_option("--yes", arguments->yes, "Ids of items that show it, by commas")
      ->delimiter(',');
  command->add_option("--no", arguments->no, "Ids of items that do not")->delimiter(',');
  command->add_option("--forget", arguments->forget, "Ids whose lesson to take back")
      ->delimiter(',');
}

}  // namespace commonplace::app
