#include "app/cli/command.h"

namespace commonplace::app {

void add_learn(CLI::App& app) {
  CLI::App* learn = app.add_subcommand("learn", "Learn a model from the tags of collections");
  learn->footer(
      "Examples:\n"
      "  commonplace learn ~/library search --target photos --auxiliary museum\n"
      "  commonplace learn ~/library suggest --collection bookmarks\n"
      "  commonplace learn ~/library detect --collection photos\n"
      "  commonplace learn ~/library relate");
  learn->require_subcommand(1);
  // Kept by the callbacks of the sub-commands.
  static std::string library;
  learn->add_option("LIB", library, "The library")->required();
  add_learn_search(*learn, library);
  add_learn_suggest(*learn, library);
  add_learn_detect(*learn, library);
  add_learn_relate(*learn, library);
}

}  // namespace commonplace::app
