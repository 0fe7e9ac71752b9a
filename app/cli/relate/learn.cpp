#include "commonplace/relate/learn.h"

#include <cstdio>

#include "app/cli/command.h"
#include "app/cli/learn_frame.h"

namespace commonplace::app {
namespace learn_relate_cli {

using namespace relate;

struct Arguments : LearnArguments {
  relate::ModelOptions options;
};

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void show(const Arguments& arguments, const relate::Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const LearnedModality& each : report.modalities)
    rows.push_back({each.name, with_commas(each.nodes), with_commas(each.linked), each.features,
                    each.setting.kernel,
                    each.setting.width > 0 ? short_number(each.setting.width) : "",
                    short_number(each.setting.gamma), each.quality > 0 ? fixed(each.quality) : ""});
  print_table({"MODALITY", "NODES", "LINKED", "FEATURES", "KERNEL", "WIDTH", "GAMMA", "NDCG"},
              rows);
  say(arguments, counted(report.links, "link") + " in a space of " + with_commas(report.dim) +
                     " coordinates, " + counted(report.rounds, "round") + ", largest residual " +
                     short_number(report.largest_residual) + ", in " + fixed(report.seconds, 1) +
                     " s.");
  if (!report.converged)
    warn("The eigenvectors have not converged; raise --max-rounds or --gamma.");
  show_tried(arguments, report.tried, "NDCG");
  if (!report.tried.empty())
    say(arguments, "Chosen among " + counted(std::ssize(report.tried), "setting") +
                       " on items held out, whose " + report.asked + " were asked for.");
  else if (!arguments.update)
    say(arguments, "There are too few items to choose by, so the usual settings were taken.");
  say(arguments, "Model '" + report.model + "'. Try: commonplace relate " + arguments.library +
                     " ITEM, or commonplace cluster " + arguments.library + " --k 10");
}

int run(const Arguments& arguments) {
  return learn_and_report(
      arguments,
      [&](Library& library, const Run& run) {
        if (!arguments.update)
          return relate::learn(library, arguments.name, arguments.options, run);
        return relate::update(library, arguments.name.empty() ? "relate" : arguments.name, run);
      },
      show);
}

}  // namespace learn_relate_cli

void add_learn_relate(CLI::App& learn, std::string& library) {
  using namespace learn_relate_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_learn_command(
      learn, library, "relate", "Learn one space for photos, tags, text and places",
      "  commonplace learn ~/library relate --collections photos\n"
      "  commonplace learn ~/library relate --collections photos,tags,places --dim 30\n"
      "  commonplace learn ~/library relate --collections photos,photos/tags,notes,notes/tags \\\n"
      "    --kernel photos=rbf:sift,notes=linear:topics --weights tags=2,links=5\n"
      "  commonplace learn ~/library relate --collections photos,photos/label:group --gamma 0.3\n"
      "  commonplace learn ~/library relate --update\n"
      "Things belong together as often as items have both: a photograph and its tags, a tag and\n"
      "the places where it is used. Rejected tags and links of your own ('commonplace link') with\n"
      "weights below 0 keep things apart. --update takes in what is new and keeps all settings.",
      arguments, run);
  command->add_option("--name", arguments->name, "What to call the model (relate)");
  command->add_flag("--update", arguments->update,
                    "Take in what has come since the model was learned, from where it stands");
  visit_options(arguments->options, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
