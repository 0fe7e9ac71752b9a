#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/relate/overview.h"

namespace commonplace::app {
namespace map_cli {

using namespace relate;

struct Arguments : Common {
  std::string library;
  std::string model;
  std::string out;
  MapOptions options;
};

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  const relate::Answerer relations(library, arguments.model, arguments.jobs);
  write_whole(arguments.out, draw_map(relations, arguments.options, arguments.jobs));
  if (arguments.json)
    print_json({{"file", arguments.out}});
  else
    say(arguments, "Drew " + arguments.out + "; open it in a browser.");
  return kSuccess;
}

}  // namespace map_cli

void add_map(CLI::App& app) {
  using namespace map_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "map", "Draw what belongs together, of every kind, as a page",
                  "  commonplace map ~/library --out map.html\n"
                  "  commonplace map ~/library --out map.html --most 8000 --title 'Old New York'\n"
                  "Learn a model first (commonplace learn LIB relate). The page needs no network.",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--out", arguments->out, "The HTML file to write")->required();
  command->add_option("--most", arguments->options.most, "Draw so many things at most")
      ->capture_default_str();
  command->add_option("--title", arguments->options.title, "What to call it");
  command->add_option("--seed", arguments->options.seed, "Seed of the drawing");
  command->add_option("--model", arguments->model, "The model, if there are several");
}

}  // namespace commonplace::app
