#include "commonplace/detect/learn.h"

#include "app/cli/command.h"
#include "app/cli/learn_frame.h"
#include "commonplace/base/join.h"
#include "commonplace/detect/update.h"

namespace commonplace::app {
namespace learn_detect_cli {

using namespace detect;

struct Arguments : LearnArguments {
  std::string collection;
  detect::ModelOptions options;
};

void show(const Arguments& arguments, const detect::Report& report) {
  show_tried(arguments, report.tried, "MIAP, %", 1, 100);
  say(arguments, "Learned " + counted(report.concepts, "concept") + " from " +
                     counted(report.labelled, "labelled item") + " and " +
                     counted(report.items, "item") + " in all, by " + join(report.features) + ": " +
                     report.representation + ", " + with_commas(report.columns) + " coordinates, " +
                     (report.head.svm ? "svm" : "laprls") + " head, in " +
                     fixed(report.seconds, 1) + " s.");
  if (report.tried.empty())
    say(arguments, "There are too few labelled items to choose by, so the usual way was taken.");
  else
    tell("Confidence is off by " + fixed(100 * report.calibration_error, 1) +
         " % on average on the items held out.");
  say(arguments, "Model '" + report.model + "'. Try: commonplace teach " + arguments.library +
                     " CONCEPT --yes ID,ID --no ID");
}

int run_update(const Arguments& arguments) {
  return update_and_report(
      arguments, "detect." + arguments.collection,
      [&](Library& library, const std::string& name, const Run& run) {
        return detect::update(library, name, run);
      },
      [](const detect::Update& update) {
        if (update.new_items + update.changed_items + update.statistics_items == 0)
          return std::string();
        std::string text = "Learned " + counted(update.changed_items, "changed item") +
                           " and coded " + counted(update.new_items, "new item");
        if (update.statistics_items > 0)
          text += ", took " + counted(update.statistics_items, "item") + " into the statistics";
        if (update.refreshed) text += " and refreshed the coordinates of all";
        return text;
      });
}

int run(const Arguments& arguments) {
  if (arguments.update) return run_update(arguments);
  return learn_and_report(
      arguments,
      [&](Library& library, const Run& run) {
        return detect::learn(library, arguments.collection, arguments.name, arguments.options, run);
      },
      show);
}

}  // namespace learn_detect_cli

void add_learn_detect(CLI::App& learn, std::string& library) {
  using namespace learn_detect_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_learn_command(
      learn, library, "detect",
      "Learn to detect concepts: from tags, from labels, and from examples later",
      "  commonplace features ~/library photos --image sift\n"
      "  commonplace learn ~/library detect --collection photos --features sift\n"
      "  commonplace learn ~/library detect --collection photos --features sift,clip --min-uses "
      "50\n"
      "  commonplace learn ~/library detect --collection photos --concepts-from none \\\n"
      "    --representation axis\n"
      "  commonplace learn ~/library detect --collection photos --update\n"
      "Unlabelled items are learned from too. --update takes in new labels and new items without\n"
      "learning from the others again.",
      arguments, run);
  command->add_option("--collection", arguments->collection, "The collection to detect in")
      ->required();
  command->add_option("--name", arguments->name, "What to call the model (detect.COLLECTION)");
  command->add_flag("--update", arguments->update,
                    "Take in what has come since the model was learned, and keep all else");
  visit_options(arguments->options, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
