#include "commonplace/relate/ask.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"

namespace commonplace::app {
namespace relate_cli {

using namespace relate;

struct Arguments : Common {
  std::string library;
  std::string model;
  std::string at;
  bool same_tags = false;
  relate::Query query;
};

std::string metres(double value) {
  return value < 950 ? fixed(value, 0) + " m" : fixed(value / 1000, 1) + " km";
}

void show(const Arguments& arguments, const relate::Answer& answer) {
  if (answer.nearest)
    tell("Nothing is near the place: the nearest that is known is " + metres(*answer.nearest) +
         " away.");
  for (const RelatedNodes& kind : answer.modalities) {
    if (kind.nodes.empty() && answer.nearest) continue;
    tell(kind.modality + ":");
    std::vector<std::vector<std::string>> rows;
    for (const RelatedNode& each : kind.nodes) {
      rows.push_back({fixed(each.score / kind.nodes.front().score, 2), fixed(each.times, 1) + " x",
                      shorten(each.name, 60), each.known ? "has it" : ""});
      if (!arguments.query.explain) continue;
      std::string why;
      for (const relate::Reason& reason : each.reasons)
        why += (why.empty() ? "" : ", ") + reason.modality + (reason.adds < 0 ? " " : " +") +
               fixed(reason.adds, 1);
      if (!each.examples.empty()) why += "; as have " + join(each.examples);
      rows.back().push_back(shorten(why, 100));
    }
    if (arguments.query.explain)
      print_table({"SCORE", "LIKELY", "NAME", "", "BECAUSE"}, rows);
    else
      print_table({"SCORE", "LIKELY", "NAME", ""}, rows);
  }
  if (answer.known_place) tell("It is at " + to_string(*answer.known_place) + ".");
  if (answer.guess)
    tell(answer.guess->tells
             ? "It was probably taken near " + to_string(answer.guess->place) +
                   ": half of such guesses are within " + metres(answer.guess->radius) + "."
             : "Cannot tell where it was taken.");
  say(arguments,
      "SCORE: what they are ranked by, beside the first. LIKELY: so many times as often "
      "as chance would have it. By " +
          join(answer.evidence) + ", in " + fixed(1000 * answer.seconds, 0) + " ms.");
}

int run_same_tags(const Arguments& arguments, const relate::Answerer& relations) {
  const std::vector<SameTags> pairs = relations.same_tags(arguments.query.limit);
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const SameTags& each : pairs) {
    json.push_back(as_json(each));
    rows.push_back({fixed(each.alike, 2), each.first, with_commas(each.first_items), each.second,
                    with_commas(each.second_items), with_commas(each.together)});
  }
  if (arguments.json) {
    print_json({{"pairs", json}});
  } else if (rows.empty()) {
    say(arguments, "No two tags are alike enough to mean the same.");
  } else {
    print_table({"ALIKE", "TAG", "ITEMS", "TAG", "ITEMS", "BOTH"}, rows);
    say(arguments,
        "Tags that are used alike; those that rarely stand together may be one in two spellings.");
  }
  return kSuccess;
}

int run(Arguments& arguments) {
  const Library library(arguments.library);
  const relate::Answerer relations(library, arguments.model, arguments.jobs);
  if (arguments.same_tags) return run_same_tags(arguments, relations);
  if (!arguments.at.empty()) arguments.query.at = parse_place(arguments.at);
  const relate::Answer answer = relations.ask(arguments.query);
  if (arguments.json)
    print_json(answer);
  else
    show(arguments, answer);
  return kSuccess;
}

}  // namespace relate_cli

void add_relate(CLI::App& app) {
  using namespace relate_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "relate", "What belongs to an item, a tag, a place or words, of every kind",
                  "  commonplace relate ~/library p1042\n"
                  "  commonplace relate ~/library p1042 --kinds tags,places -l 5 --explain\n"
                  "  commonplace relate ~/library --tag harbour\n"
                  "  commonplace relate ~/library --at 40.7127,-74.0059 --kinds tags\n"
                  "  commonplace relate ~/library --text 'steam ferry' --tag harbour --json\n"
                  "  commonplace relate ~/library --same-tags -l 30\n"
                  "Learn a model first (commonplace learn LIB relate).",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("ITEM", arguments->query.item, "Start from this item");
  command->add_option("--collection", arguments->query.collection,
                      "The collection of the item or tag, if several have it");
  command->add_option("--tag", arguments->query.tag, "Start from this tag");
  command->add_option("--at", arguments->at, "Start from this place: LATITUDE,LONGITUDE");
  command->add_option("--text", arguments->query.text, "Start from these words");
  command
      ->add_option("--kinds", arguments->query.modalities, "Only these kinds, separated by commas")
      ->delimiter(',');
  command->add_option("-l,--limit", arguments->query.limit, "So many of each kind")
      ->capture_default_str();
  command->add_flag("--explain", arguments->query.explain, "Say what each answer comes from");
  command->add_flag("--same-tags", arguments->same_tags, "List tags that may mean the same");
  command->add_option("--model", arguments->model, "The model, if there are several");
}

}  // namespace commonplace::app
