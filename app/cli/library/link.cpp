#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/items/links.h"

namespace commonplace::app {
namespace link_cli {

struct Arguments : Common {
  std::string library;
  std::string file;
  std::string from;
  std::string to;
};

int run(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const Collection from = collection(library, arguments.from);
  const Collection to = arguments.to.empty() ? from : collection(library, arguments.to);
  LinkSummary summary;
  {
    ProgressBar bar(arguments);
    summary = import_links(library, from, to, arguments.file, bar.callback());
  }
  if (arguments.json) {
    nlohmann::ordered_json json = {{"from", from.name}, {"to", to.name}};
    json.update(as_json(summary));
    print_json(json);
  } else {
    say(arguments, "Links between '" + from.name + "' and '" + to.name + "': " +
                       with_commas(summary.added) + " added, " + with_commas(summary.changed) +
                       " changed, " + with_commas(summary.unchanged) + " unchanged.");
  }
  return kSuccess;
}

}  // namespace link_cli

void add_link(CLI::App& app) {
  using namespace link_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "link", "Say which items belong together (or apart) from a CSV a,b,weight",
                  "  commonplace link ~/library same-day.csv --from photos\n"
                  "  commonplace link ~/library shows.csv.gz --from photos --to places",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("FILE", arguments->file, "CSV with a,b,weight; weights in [-1, 1]")
      ->required();
  command->add_option("--from", arguments->from, "The collection of the first column")->required();
  command->add_option("--to", arguments->to, "The collection of the second (default: the same)");
}

}  // namespace commonplace::app
