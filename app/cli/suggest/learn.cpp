#include "commonplace/suggest/learn.h"

#include "app/cli/command.h"
#include "app/cli/learn_frame.h"
#include "commonplace/base/error.h"
#include "commonplace/suggest/ask.h"

namespace commonplace::app {
namespace learn_suggest_cli {

using namespace suggest;

struct Arguments : LearnArguments {
  std::string collection;
  suggest::ModelOptions options;
};

/// A fall of the first tag from older to newer items that people should hear of.
constexpr double kWorthAWord = 0.1;

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

void show_quality(const Arguments& arguments, const SuggesterReport& report) {
  const SuggesterQuality& quality = report.quality;
  if (quality.items == 0) {
    say(arguments,
        "There are too few tagged items to hold some out, so nothing was chosen or tested, "
        "and the confidence is a guess.");
    return;
  }
  tell("On " +
       (quality.newest ? "the newest " + counted(quality.items, "item")
                       : counted(quality.items, "item")) +
       ", held out: the first tag is right for " + percent(quality.precision_at_1) +
       " (95 %: " + percent(quality.precision_at_1_interval.low) + " .. " +
       percent(quality.precision_at_1_interval.high) + "), of the first 3 " +
       percent(quality.precision_at_3) + ", of the first 5 " + percent(quality.precision_at_5) +
       "." +
       (quality.strange > 0
            ? " " + counted(quality.strange, "item") + " with new or rare tags only count as wrong."
            : ""));
  if (quality.newest && quality.older_precision_at_1 > quality.precision_at_1 + kWorthAWord)
    tell(
        "What is tagged changes with time: of items drawn from among the older ones it "
        "is right for " +
        percent(quality.older_precision_at_1) + ". Expect the figures above, or less.");
  if (!quality.precision_in_time.empty()) {
    std::string shares;
    for (const double share : quality.precision_in_time)
      shares += (shares.empty() ? "" : ", ") + percent(share);
    tell("In parts of time one after the other, each told by what came before: " + shares +
         ". The intervals reach as far as that may go on.");
  }
  const auto shown = [](const ShownSuggestions& each) {
    return percent(each.confidence) + " sure on average and " + percent(each.right) +
           " right (95 %: " + percent(each.interval.low) + " .. " + percent(each.interval.high) +
           ")";
  };
  if (quality.shown.count > 0)
    tell("What is shown is " + shown(quality.shown) +
         (quality.shown_rare.count > 0 ? "; of rarer tags, " + shown(quality.shown_rare) : "") +
         ".");
  tell("Above the threshold of " + fixed(report.threshold, 2) + " the F1 is " + fixed(quality.f1) +
       "; below it the answer is: nothing fits.");
}

void show(const Arguments& arguments, const suggest::Report& report) {
  const SuggesterReport& fit = report.fit;
  show_tried(arguments, fit.tried, "NDCG@5", 4);
  say(arguments, "Learned " + counted(fit.tags, "tag") + " from the " + report.features + " of " +
                     counted(fit.items, "item") + " with " + counted(fit.prototypes, "prototype") +
                     (fit.weighting.empty() ? "" : ", words weighed by '" + fit.weighting + "'") +
                     ", in " + fixed(fit.seconds, 1) + " s.");
  say(arguments,
      "Score: tags " + fixed(fit.mixture.tags, 1) + ", k-NN " + fixed(fit.mixture.neighbours, 1) +
          ", category " + fixed(fit.mixture.category, 1) +
          (fit.linear.empty() ? "" : ", " + fit.linear + " " + fixed(fit.mixture.linear, 1)) +
          (fit.mixture.names == 0 ? "" : ", names of tags " + fixed(fit.mixture.names, 1)) + ".");
  show_quality(arguments, fit);
  if (report.merged > 0)
    say(arguments, counted(report.merged, "tag") +
                       " such as 'dog' beside a single 'animals/dog' count as the one that more "
                       "items have.");
  if (report.from_tags)
    say(arguments,
        "Tags are told from an item's other tags alone: an item without tags gets no suggestion.");
  say(arguments, "Model '" + report.model + "', " + with_commas(report.file_bytes >> 10) +
                     " KiB. Try: commonplace suggest " + arguments.library + " --text \"...\"");
}

int run_update(const Arguments& arguments) {
  return update_and_report(
      arguments, "suggest." + arguments.collection,
      [&](Library& library, const std::string& name, const Run& run) {
        return suggest::update(library, name, run);
      },
      [](const suggest::Update& update) {
        return !update.any() ? ""
                             : "Learned " + counted(update.new_items, "new item") + ", " +
                                   counted(update.changed_items, "changed item") + " and " +
                                   counted(update.new_tags, "new tag");
      });
}

int run(const Arguments& arguments) {
  if (arguments.update) return run_update(arguments);
  return learn_and_report(
      arguments,
      [&](Library& library, const Run& run) {
        return suggest::learn(library, arguments.collection, arguments.name, arguments.options,
                              run);
      },
      show);
}

}  // namespace learn_suggest_cli

void add_learn_suggest(CLI::App& learn, std::string& library) {
  using namespace learn_suggest_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_learn_command(
      learn, library, "suggest",
      "Learn to suggest the tags of a collection, with honest confidence",
      "  commonplace learn ~/library suggest --collection bookmarks\n"
      "  commonplace learn ~/library suggest --collection photos --features text,clip\n"
      "  commonplace learn ~/library suggest --collection photos --features tags --min-uses 5\n"
      "  commonplace learn ~/library suggest --collection books --exclude todo.txt \\\n"
      "    --synonyms same.tsv --parents\n"
      "  commonplace learn ~/library suggest --collection bookmarks --update\n"
      "Some items are held out to choose settings, and others, the newest where items have times, "
      "to\n"
      "find out how far the confidence can be trusted. --update learns tags and decisions that "
      "have come since, in a moment.",
      arguments, run);
  command->add_option("--collection", arguments->collection, "The collection whose tags to learn")
      ->required();
  command->add_option("--name", arguments->name, "What to call the model (suggest.COLLECTION)");
  command->add_flag("--update", arguments->update,
                    "Teach the model what has come since it was learned, and keep all else");
  visit_options(arguments->options, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
