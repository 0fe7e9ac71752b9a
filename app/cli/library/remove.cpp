#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/search/index.h"

namespace commonplace::app {
namespace remove_cli {

using namespace search;

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string features;
  std::string model;
};

int remove_model_only(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  remove_model_and_index(library, arguments.model);
  if (arguments.json)
    print_json({{"removed", arguments.model}});
  else
    say(arguments, "Removed the model '" + arguments.model + "' and what it said.");
  return kSuccess;
}

int run(const Arguments& arguments) {
  require(arguments.collection.empty() != arguments.model.empty(),
          "say what to remove: a collection, or --model NAME");
  if (!arguments.model.empty()) return remove_model_only(arguments);
  Library library(arguments.library, Library::Access::write);
  const Collection chosen = collection(library, arguments.collection);
  if (arguments.features.empty()) {
    remove_collection(library, chosen);
  } else {
    remove_features(library, chosen, arguments.features);
  }
  if (arguments.json) {
    print_json({{"removed", arguments.features.empty() ? chosen.name : arguments.features}});
  } else if (arguments.features.empty()) {
    say(arguments, "Removed '" + chosen.name + "' (" + counted(chosen.items, "item") +
                       "). Its source is untouched, and decisions are kept.");
  } else {
    say(arguments, "Removed the features '" + arguments.features + "' of '" + chosen.name + "'.");
  }
  return kSuccess;
}

}  // namespace remove_cli

void add_remove(CLI::App& app) {
  using namespace remove_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "remove", "Remove a collection, features of it, or a model from the library",
                  "  commonplace remove ~/library photos\n"
                  "  commonplace remove ~/library photos --features clip\n"
                  "  commonplace remove ~/library --model search.photos\n"
                  "The source is never touched; decisions are kept for when it is added again.",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection");
  command->add_option("--features", arguments->features, "Remove only these features");
  command->add_option("--model", arguments->model, "Remove this model, with the tags it gave");
}

}  // namespace commonplace::app
