#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/library/library.h"

namespace commonplace::app {

void add_init(CLI::App& app) {
  struct Arguments : Common {
    std::string library;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "init", "Make an empty library", "  commonplace init ~/library", *arguments,
      [arguments] {
        Library::create(arguments->library);
        if (arguments->json) {
          print_json({{"library", arguments->library}});
        } else {
          say(*arguments, "Made an empty library in " + arguments->library +
                              ". Next: commonplace add " + arguments->library + " NAME SOURCE");
        }
        return kSuccess;
      });
  command->add_option("LIB", arguments->library, "The folder to make")->required();
}

}  // namespace commonplace::app
