#include "commonplace/suggest/ask.h"

#include <iostream>
#include <iterator>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/suggest/reasons.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/io/files.h"
#include "commonplace/io/npy.h"
#include "commonplace/rows/item_texts.h"

namespace commonplace::app {
namespace suggest_cli {

using namespace suggest;

/// A text longer than this is not what a person would have tags suggested for.
constexpr std::uint64_t kMostText = 16U << 20U;
/// Larger files are no pictures that are decoded.
constexpr std::uint64_t kMostPicture = 1U << 30U;

struct Arguments : Common {
  std::string library;
  std::string model;
  std::string collection;
  std::vector<std::string> items;
  std::vector<std::string> texts;
  std::vector<std::string> files;
  std::vector<std::string> images;
  std::vector<std::string> vectors;  ///< NAME=FILE.npy
  std::vector<std::string> tags;     ///< known already
  bool read_input = false;
  std::int64_t limit = 10;
  double threshold = -1;
  bool explain = false;
};

/// What is asked for, with what to call it.
struct Asked {
  std::vector<std::string> names;
  std::vector<EvidenceOf> things;

  void add(std::string name, EvidenceOf thing) {
    names.push_back(std::move(name));
    things.push_back(std::move(thing));
  }
};

std::string read_text(const std::string& file) { return assume_utf8(read_file(file, kMostText)); }

EvidenceOf evidence_of_image(const std::string& file) {
  const Item item = read_photo(file);
  EvidenceOf thing;
  thing.text = item_text(item);
  for (const ItemTag& tag : item.tags) thing.tags.push_back(tag.name);
  thing.picture = read_file(file, kMostPicture);
  thing.picture_called = file;
  return thing;
}

void add_vectors(const std::vector<std::string>& vectors, EvidenceOf& thing) {
  for (const std::string& each : vectors) {
    const std::size_t equals = each.find('=');
    require(equals != std::string::npos, "'", each, "' is no vector; write --vector NAME=FILE.npy");
    const NpyMatrix matrix(each.substr(equals + 1));
    const auto row = matrix.view().row(0);
    thing.vectors[each.substr(0, equals)].assign(row.data(), row.data() + row.size());
  }
}

Asked asked_for(const Arguments& arguments) {
  Asked asked;
  for (const std::string& text : arguments.texts) asked.add("text", {text, {}, {}});
  for (const std::string& file : arguments.files) asked.add(file, {read_text(file), {}, {}});
  for (const std::string& file : arguments.images) asked.add(file, evidence_of_image(file));
  if (arguments.read_input) {
    std::string line;
    while (std::getline(std::cin, line)) asked.add(line, {assume_utf8(line), {}, {}});
  }
  if (asked.things.empty() && (!arguments.tags.empty() || !arguments.vectors.empty()))
    asked.add("tags", {});
  for (EvidenceOf& thing : asked.things) {
    thing.tags.insert(thing.tags.end(), arguments.tags.begin(), arguments.tags.end());
    add_vectors(arguments.vectors, thing);
  }
  return asked;
}

void show(const Arguments& arguments, const std::string& name, const suggest::Answer& answer,
          bool several) {
  if (several) tell(shorten(name, 100) + ":");
  if (!answer.unseen.empty()) say(arguments, "Without " + answer.unseen);
  if (answer.suggestions.empty()) {
    say(arguments,
        "Nothing fits" + std::string(answer.familiarity < 0.1
                                         ? "; the model has seen hardly anything like it."
                                         : "."));
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Suggestion& each : answer.suggestions) {
    rows.push_back({fixed(100 * each.confidence, 0) + " %", each.tag});
    if (arguments.explain) rows.back().push_back(why(each.reasons));
  }
  print_table(arguments.explain ? std::vector<std::string>{"SURE", "TAG", "WHY"}
                                : std::vector<std::string>{"SURE", "TAG"},
              rows);
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  require(arguments.limit >= 1, "--limit is ", arguments.limit, "; expected 1 or more");
  require(arguments.threshold <= 1, "--threshold is ", arguments.threshold,
          "; expected a confidence from 0 to 1");
  suggest::Options options;
  options.limit = arguments.limit;
  if (arguments.threshold >= 0) options.threshold = arguments.threshold;
  options.explain = arguments.explain;
  Asked asked = asked_for(arguments);
  require(!asked.things.empty() || !arguments.items.empty(),
          "say what to suggest tags for: --item ID, --text, --file, --image or --stdin");
  std::vector<suggest::Answer> answers;
  {
    ProgressBar bar(arguments);
    const suggest::Answerer suggester(library, arguments.model, arguments.collection, bar.run());
    answers = suggester.ask(asked.things, options);
    if (!arguments.items.empty()) {
      const std::string& from =
          arguments.collection.empty() ? suggester.collection() : arguments.collection;
      for (suggest::Answer& each : suggester.ask(from, arguments.items, options))
        answers.push_back(std::move(each));
      asked.names.insert(asked.names.end(), arguments.items.begin(), arguments.items.end());
    }
  }
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (arguments.json) {
      Json json = {{"of", asked.names[i]}};
      json.update(as_json(answers[i]));
      print_json(json);
    } else
      show(arguments, asked.names[i], answers[i], answers.size() > 1);
  return kSuccess;
}

}  // namespace suggest_cli

void add_suggest(CLI::App& app) {
  using namespace suggest_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "suggest", "Which of your tags fit, and how sure",
      "  commonplace suggest ~/library --text \"sparse matrices on many cores\"\n"
      "  commonplace suggest ~/library --item harbour.jpg --explain\n"
      "  commonplace suggest ~/library --file letter.txt -t 0.5 --json\n"
      "  commonplace suggest ~/library --image ~/new.jpg\n"
      "  cut -f2 titles.tsv | commonplace suggest ~/library --stdin --json\n"
      "Only tags that your items already have are suggested. The confidence is the share of such\n"
      "suggestions that were right for items held out; below the threshold nothing fits.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--item", arguments->items, "An item of the collection, by its id")
      ->delimiter('\0');
  command->add_option("--text", arguments->texts, "A text");
  command->add_option("--file", arguments->files, "A file of text");
  command->add_option(
      "--image", arguments->images,
      "A picture: what it looks like, its caption and its keywords are the evidence");
  command->add_option("--vector", arguments->vectors,
                      "NAME=FILE.npy: the features NAME of the thing asked for");
  command->add_option("--tag", arguments->tags, "A tag that the thing has already");
  command->add_flag("--stdin", arguments->read_input, "A text on each line of the standard input");
  command->add_option("--model", arguments->model, "The model, if there are several");
  command->add_option("--collection", arguments->collection,
                      "The collection that --item is of (the one the model was learned from)");
  command->add_option("-l,--limit", arguments->limit, "At most so many tags")
      ->capture_default_str();
  command->add_option("-t,--threshold", arguments->threshold,
                      "Least confidence, 0 .. 1 (the model's own, best on items held out)");
  command->add_flag("--explain", arguments->explain, "Say why");
}

}  // namespace commonplace::app
