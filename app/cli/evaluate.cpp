#include "app/cli/command.h"

namespace commonplace::app {

void add_evaluate(CLI::App& app) {
  CLI::App* evaluate =
      app.add_subcommand("evaluate", "Prove on your own data what a verb is worth");
  evaluate->footer(
      "Examples:\n"
      "  commonplace evaluate suggest ~/library --collection bookmarks --split time\n"
      "  commonplace evaluate detect ~/library --collection photos\n"
      "  commonplace evaluate search ~/library --target photos --auxiliary museum");
  evaluate->require_subcommand(1);
  add_evaluate_search(*evaluate);
  add_evaluate_suggest(*evaluate);
  add_evaluate_classify(*evaluate);
  add_evaluate_audit(*evaluate);
  add_evaluate_review(*evaluate);
  add_evaluate_detect(*evaluate);
  add_evaluate_relate(*evaluate);
  add_evaluate_transfer(*evaluate);
}

}  // namespace commonplace::app
