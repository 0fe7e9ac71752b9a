#include <exception>
#include <iostream>
#include <new>

#include "app/command.h"
#include "app/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/memory.h"

namespace commonplace::app {
namespace {

void add_commands(CLI::App& app) {
  app.description(
      "Commonplace: learn from the tags that people already gave, on your own machine.\n"
      "A library is a folder; a collection is one source of tagged things in it.");
  app.footer(
      "Examples:\n"
      "  commonplace init ~/library\n"
      "  commonplace add ~/library photos ~/Pictures\n"
      "  commonplace list ~/library photos --tags\n"
      "Every command has --help with examples of its own.\n"
      "Exit codes: 0 done, 1 wrong data or environment (nothing was changed), 2 wrong arguments,\n"
      "3 done but some records were skipped, 4 refused because it would do harm, 130 interrupted.");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("commonplace ") + COMMONPLACE_VERSION);
  add_init(app);
  add_add(app);
  add_list(app);
  add_show(app);
  add_tag(app);
  add_export(app);
  add_features(app);
  add_learn(app);
  add_search(app);
  add_topics(app);
  add_suggest(app);
  add_review(app);
  add_apply(app);
  add_teach(app);
  add_detect(app);
  add_relate(app);
  add_cluster(app);
  add_map(app);
  add_bridges(app);
  add_transfer(app);
  add_evaluate(app);
  add_link(app);
  add_remove(app);
  add_serve(app);
  add_version(app);
  add_completion(app);
}

int run(int argc, char** argv) {
  CLI::App app("", "commonplace");
  add_commands(app);
  catch_interrupts();
  keep_freed_blocks();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kSuccess : kUsage;
  } catch (const Cancelled& error) {
    warn(std::string("commonplace: ") + error.what());
    return kInterrupted;
  } catch (const Error& error) {
    warn(std::string("commonplace: ") + error.what());
    return kFailure;
  } catch (const std::bad_alloc&) {
    warn("commonplace: not enough memory; nothing was changed");
    return kFailure;
  } catch (const std::exception& error) {
    warn(std::string("commonplace: ") + error.what());
    return kFailure;
  }
  std::cout.flush();
  if (!std::cout) {
    warn("commonplace: the output cannot be written");
    return kFailure;
  }
  return exit_code();
}

}  // namespace
}  // namespace commonplace::app

int main(int argc, char** argv) { return commonplace::app::run(argc, argv); }
