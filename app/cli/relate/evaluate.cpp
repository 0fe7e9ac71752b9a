#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/relate/evaluate_cross.h"
#include "commonplace/relate/evaluate_report.h"
#include "commonplace/relate/rows.h"

namespace commonplace::app {
namespace evaluate_relate_cli {

using namespace relate;

struct Arguments : EvaluateArguments {
  std::vector<std::string> features;
  std::string labels;
  std::vector<std::string> test_features;
  std::string test_labels;
  relate::EvaluationOptions options;
  relate::ModelOptions relate;
};

void show_cross(const std::vector<CrossQuality>& found) {
  std::vector<std::vector<std::string>> rows;
  for (const CrossQuality& each : found)
    rows.push_back({each.method, fixed(each.first_to_second), fixed(each.second_to_first),
                    fixed(each.seconds, 1), each.chosen});
  print_table({"METHOD", "MAP, FIRST TO SECOND", "SECOND TO FIRST", "SECONDS", "CHOSEN"}, rows);
}

int run_files(const Arguments& arguments) {
  require(!arguments.features.empty() && !arguments.labels.empty() &&
              !arguments.test_features.empty() && !arguments.test_labels.empty(),
          "give a library, or two --features files with --labels, --test-features and "
          "--test-labels");
  require(arguments.plot.empty(), "--plot draws what is measured on a library, not on files");
  const CrossTrial trial = read_cross_trial(
      {arguments.features.begin(), arguments.features.end()}, arguments.labels,
      {arguments.test_features.begin(), arguments.test_features.end()}, arguments.test_labels);
  const std::vector<CrossQuality> found = with_progress(
      arguments, [&](const Run& run) { return evaluate_cross(trial, arguments.relate, run); });
  return print_answer(arguments, to_json(found), [&] { show_cross(found); });
}

void show(const Arguments& arguments, const relate::Evaluation& evaluation) {
  say(arguments, counted(evaluation.items, "item") + ", " + with_commas(evaluation.nodes) + " " +
                     evaluation.target + ", by " + join(evaluation.modalities) +
                     "; in brackets the 95 % interval.");
  std::vector<std::vector<std::string>> rows;
  for (const relate::MethodQuality& each : evaluation.methods)
    rows.push_back({each.method, with_commas(each.learned_from),
                    each.dim > 0 ? with_commas(each.dim) : "", with_interval(each.ndcg),
                    each.met.empty() ? "" : fixed(100 * each.met[0], 0),
                    each.met.empty() ? "" : fixed(100 * each.met[4], 0),
                    each.rand < 0 ? "" : fixed(each.rand), fixed(each.seconds, 1)});
  print_table({"METHOD", "ITEMS", "DIM", "NDCG", "MET BY 10 %", "BY 50 %", "RAND", "SECONDS"},
              rows);
  if (evaluation.places.empty()) return;
  rows.clear();
  for (const PlaceQuality& each : evaluation.places)
    rows.push_back(
        {each.method, fixed(each.median.value, 0),
         fixed(each.median.interval.low, 0) + " .. " + fixed(each.median.interval.high, 0),
         fixed(100 * each.within_1_km, 0)});
  say(arguments, "Places of items held out, guessed from all else that they have:");
  print_table({"METHOD", "MEDIAN, METRES", "95 %", "WITHIN 1 KM, %"}, rows);
  tell("For " + fixed(100 * evaluation.told, 0) +
       " % of them the place could be told; of the others it would be a guess.");
}

int run(const Arguments& arguments) {
  if (arguments.library.empty()) return run_files(arguments);
  const Library library(arguments.library);
  return evaluate_and_report(
      arguments, "relate",
      arguments.options.target.empty() ? arguments.relate.read.collections
                                       : arguments.options.target,
      [&](const Run& run) {
        const relate::Data data = relate::read_data(library, arguments.relate.read, run);
        require_same_data(library, data, *arguments.comm);
        return relate::evaluate(data, arguments.relate, arguments.options, run);
      },
      show);
}

}  // namespace evaluate_relate_cli

void add_evaluate_relate(CLI::App& evaluate) {
  using namespace evaluate_relate_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      evaluate, "relate", "How well things are related, beside other methods",
      "  commonplace evaluate relate ~/library --collections photos,tags,places\n"
      "  commonplace evaluate relate ~/library --collections photos,tags --repeat 10 \\\n"
      "    --methods commonplace,cca,ridge --dims 5,10,20,50 --plot relate.svg\n"
      "  commonplace evaluate relate ~/library --collections photos,tags --shares 25,50,100\n"
      "  commonplace evaluate relate --features images.npy,texts.npy --labels classes.npy \\\n"
      "    --test-features new-images.npy,new-texts.npy --test-labels new-classes.npy\n"
      "On a library, tags of items held out are asked for; on files, texts of the same class by\n"
      "images and images by texts.",
      *arguments, [arguments] { return run(*arguments); }, Ranks::many);
  command->add_option("LIB", arguments->library, "A library");
  command->add_option("--features", arguments->features, "Two files of features")->delimiter(',');
  command->add_option("--labels", arguments->labels, "A file of classes");
  command
      ->add_option("--test-features", arguments->test_features, "The same for the items asked for")
      ->delimiter(',');
  command->add_option("--test-labels", arguments->test_labels, "Their classes");
  command->add_option("--plot", arguments->plot, "Draw the figures into this SVG file");
  visit_options(arguments->options, FlagMaker{command, "Evaluation"});
  visit_options(arguments->relate, FlagMaker{command, "Relating"});
}

}  // namespace commonplace::app
