#include "commonplace/transfer/ask.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/open_library.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/stored/stored_models.h"

namespace commonplace::app {
namespace transfer_cli {

using namespace transfer;

struct Arguments : Common {
  std::string library;
  std::string chain;
  bool undo = false;
  transfer::Request request;
  transfer::ReadOptions read;
  transfer::Options options;
};

std::string signed_points(double gain) {
  return (gain < 0 ? "" : "+") + fixed(100 * gain, 1) + " points";
}

void show_forecast(const Arguments& arguments, const transfer::Answer& summary) {
  if (!summary.forecast) return;
  const RankedBridge& bridge = *summary.forecast;
  if (bridge.only_way)
    say(arguments, "Through " + bridge.name + ": source and target have nothing in common, so " +
                       "there is no other way.");
  else
    say(arguments, "Through " + bridge.name + ": predicted " + signed_points(bridge.forecast.gain) +
                       " (+- " + fixed(100 * bridge.forecast.gain_error, 1) +
                       ") against direct transfer, by " + summary.advice + ".");
}

void show_stages(const transfer::Answer& summary) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < summary.stages.size(); ++i) {
    const transfer::Stage& stage = summary.stages[i];
    rows.push_back(
        {i < summary.through.size() ? summary.through[i] : summary.target,
         fixed(100 * stage.shared_features, 0), stage.told_by, fixed(100 * stage.expected, 0),
         std::string(stage.clustered ? "yes" : "no") +
             (stage.simulation.items > 0 ? ", " + fixed(100 * stage.simulation.refined, 0) + " (" +
                                               fixed(100 * stage.simulation.self_trained, 0) + ")"
                                         : ""),
         fixed(100 * stage.agreement, 0),
         with_commas(stage.report.iterations) +
             (stage.report.converged || !stage.clustered ? "" : ", not converged"),
         with_commas(stage.refinements)});
  }
  print_table({"REACHED", "SHARED FEATURES, %", "TOLD BY", "EXPECTED RIGHT, %",
               "GROUPED, % RIGHT (IF NOT)", "AGREES WITH THEM, %", "ITERATIONS", "REFINEMENTS"},
              rows);
  for (std::size_t i = 0; i < summary.stages.size(); ++i)
    if (summary.stages[i].collapsed)
      warn("In '" + (i < summary.through.size() ? summary.through[i] : summary.target) +
           "' items group by something else than these labels; that step was undone.");
}

/// Says how many labels will be wrong, if those are many, and how to write fewer.
void warn_of_doubt(const transfer::Answer& summary) {
  constexpr double kDoubtful = 0.75;
  constexpr double kSure = 0.9;
  if (summary.sure == 0 || summary.mean_probability >= kDoubtful) return;
  const auto sure =
      std::count_if(summary.predictions.begin(), summary.predictions.end(),
                    [](const transfer::Prediction& each) { return each.probability >= kSure; });
  warn("About " + fixed(100 * (1 - summary.mean_probability), 0) +
       " in 100 of the labels are expected to be wrong; --above 0.9 takes the " +
       with_commas(sure) + " that are surer than that alone.");
}

void show(const Arguments& arguments, const transfer::Answer& summary) {
  show_forecast(arguments, summary);
  if (summary.refused) {
    warn("Nothing was written: " + summary.reason + ". --force goes on nevertheless.");
    return;
  }
  if (!summary.reason.empty()) warn("Against advice: " + summary.reason + ".");
  if (!arguments.quiet) show_stages(summary);
  if (summary.same_items > 0)
    say(arguments, counted(summary.same_items, "item") + " of '" + summary.target +
                       "' stand in a labelled collection, too, word for word, and take the label "
                       "that they have there.");
  std::vector<std::vector<std::string>> rows;
  for (const LabelCount& each : summary.counts)
    rows.push_back({summary.field + " = " + each.label, with_commas(each.items)});
  print_table({"LABEL", "ITEMS"}, rows);
  tell(std::string(arguments.request.dry_run ? "Would write " : "Wrote ") +
       counted(summary.sure, "machine label") + " to '" + summary.target + "' as '" +
       summary.model + "', " + fixed(100 * summary.mean_probability, 0) +
       " % sure on average, in " + fixed(summary.seconds, 1) + " s. " +
       (summary.known > 0 ? with_commas(summary.known) + " items have a label of their own, "
                                                         "which is as it was."
                          : ""));
  if (arguments.request.above == 0) warn_of_doubt(summary);
}

int run_undo(const Arguments& arguments) {
  Comm& comm = *arguments.comm;
  Library library = open_to_write(arguments, arguments.library);
  const std::string model = transfer::model_name(arguments.request);
  const Collection target = collection(library, arguments.request.target);
  model_record(library, model);  // all ranks miss it alike, not only the one that removes
  std::int64_t removed = 0;
  on_root(comm, [&] { removed = remove_machine_labels(library, target, model); });
  removed = comm.broadcast(removed, 0);
  if (arguments.json)
    print_json({{"model", model}, {"target", arguments.request.target}, {"removed", removed}});
  else
    say(arguments, "Removed " + counted(removed, "machine label") + " of '" + model + "' from '" +
                       arguments.request.target + "'.");
  return kSuccess;
}

int run(Arguments& arguments) {
  if (arguments.undo) return run_undo(arguments);
  arguments.request.chain = !arguments.chain.empty();
  Library library = open_to_write(arguments, arguments.library);
  transfer::Answer summary;
  {
    ProgressBar bar(arguments);
    summary =
        transfer::ask(library, arguments.request, arguments.read, arguments.options, bar.run());
  }
  if (arguments.json)
    print_json(summary);
  else
    show(arguments, summary);
  return summary.refused ? kRefused : kSuccess;
}

}  // namespace transfer_cli

void add_transfer(CLI::App& app) {
  using namespace transfer_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "transfer", "Label a collection from one that it shares nothing with",
      "  commonplace transfer ~/library --source reviews --target letters\n"
      "  commonplace transfer ~/library --source news --target photos --through captioned\n"
      "  commonplace transfer ~/library --source a,b --target c --chain auto --dry-run\n"
      "  commonplace transfer ~/library --source books --target music --label-field sentiment \\\n"
      "    --above 0.9 --json\n"
      "  commonplace transfer ~/library --source books --target music --undo\n"
      "Items of the target that have no such label get one from the machine, with its\n"
      "probability ('commonplace show' tells); what you said yourself stays. Without --through "
      "the\n"
      "program chooses the collection in between that is clearly predicted to help, or none. "
      "Where\n"
      "harm is predicted it writes nothing.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--source", arguments->request.sources, "Where the labels are, or several")
      ->delimiter(',')
      ->required();
  command->add_option("--target", arguments->request.target, "The collection to label")->required();
  command->add_option("--through", arguments->request.through, "Go through these, in their order")
      ->delimiter(',');
  command->add_flag("--direct", arguments->request.direct, "Go through nothing");
  command->add_option("--chain", arguments->chain, "auto: search a path over several collections")
      ->check(CLI::IsMember({"auto"}));
  command
      ->add_option("--candidates", arguments->request.candidates,
                   "Collections that may be gone through (all others)")
      ->delimiter(',');
  command->add_option("--most", arguments->request.most, "Collections in between, of a chain")
      ->capture_default_str();
  command
      ->add_option("--above", arguments->request.above, "Write labels of this probability or more")
      ->capture_default_str();
  command->add_flag("--force", arguments->request.force, "Go on although harm is predicted");
  command->add_flag("--dry-run", arguments->request.dry_run, "Show what would be written");
  command->add_flag("--undo", arguments->undo, "Remove what this transfer wrote");
  command->add_option("--name", arguments->request.name,
                      "What to call the model (SOURCE-to-TARGET)");
  visit_options(arguments->read, FlagMaker{command, "Reading"});
  visit_options(arguments->options, FlagMaker{command, "Transfer"});
}

}  // namespace commonplace::app
