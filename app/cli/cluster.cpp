#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/join.h"
#include "commonplace/relate/overview.h"

namespace commonplace::app {
namespace cluster_cli {

using namespace relate;

struct Arguments : Common {
  std::string library;
  std::string model;
  std::int64_t groups = 10;
  std::int64_t limit = 5;
  std::uint64_t seed = 1;
};

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  const relate::Answerer relations(library, arguments.model, arguments.jobs);
  std::vector<relate::Group> groups;
  {
    ProgressBar bar(arguments);
    groups =
        group_relations(relations, arguments.groups, arguments.limit, arguments.seed, bar.run());
  }
  Json json = Json::array();
  int number = 0;
  for (const relate::Group& group : groups) {
    json.push_back(as_json(group));
    if (arguments.json) continue;
    tell("Group " + std::to_string(++number) + ", " + counted(group.nodes, "thing"));
    for (const GroupedModality& kind : group.modalities)
      tell("  " + kind.modality + " (" + with_commas(kind.nodes) +
           "): " + shorten(join(kind.nearest), 110));
  }
  if (arguments.json) print_json({{"groups", json}});
  return kSuccess;
}

}  // namespace cluster_cli

void add_cluster(CLI::App& app) {
  using namespace cluster_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "cluster", "Group photos, tags, text and places together",
      "  commonplace cluster ~/library --k 10\n"
      "  commonplace cluster ~/library --k 25 -l 8 --json\n"
      "Learn a model first (commonplace learn LIB relate). Each group shows what lies nearest to\n"
      "its centre, of each kind.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--k", arguments->groups, "So many groups")->capture_default_str();
  command->add_option("-l,--limit", arguments->limit, "Name so many of each kind")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Seed of the first centres");
  command->add_option("--model", arguments->model, "The model, if there are several");
}

}  // namespace commonplace::app
