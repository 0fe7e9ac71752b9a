#include "commonplace/search/topics.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/library/stored/stored_models.h"

namespace commonplace::app {
namespace topics_cli {

using namespace search;

struct Arguments : Common {
  std::string library;
  std::string model;
  std::size_t terms = 8;
  std::size_t examples = 3;
  std::size_t limit = 0;
};

std::vector<ModelRecord> chosen_models(const Arguments& arguments, const Library& library) {
  if (!arguments.model.empty()) {
    ModelRecord record = model_record(library, arguments.model);
    require(record.kind == search::kModelKind, "model '", record.name, "' is of kind '",
            record.kind, "', which has no topics to show; name a search model");
    return {std::move(record)};
  }
  std::vector<ModelRecord> records;
  for (ModelRecord& record : model_records(library))
    if (record.kind == search::kModelKind) records.push_back(std::move(record));
  require(!records.empty(), "there is no search model yet; learn one with: commonplace learn ",
          arguments.library, " search --target NAME");
  return records;
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  Json json = Json::array();
  for (const ModelRecord& record : chosen_models(arguments, library)) {
    const search::Model model = search::load_model(TensorFile(record.file));
    search::Index index;
    {
      ProgressBar bar(arguments);
      index = search::open_index(library, collection(library, model.target), &record, &model,
                                 bar.run());
    }
    std::vector<std::vector<std::string>> rows;
    Json topics = Json::array();
    std::vector<TopicSummary> summaries =
        topic_summaries(library, model, index, arguments.terms, arguments.examples, arguments.jobs);
    if (arguments.limit > 0 && summaries.size() > arguments.limit)
      summaries.resize(arguments.limit);
    for (const TopicSummary& topic : summaries) {
      topics.push_back(as_json(topic));
      rows.push_back({topic.name, fixed(100 * topic.share, 1) + " %",
                      shorten(join(topic.terms), 70),
                      shorten(join(topic.examples, &TopicSummary::Example::id), 50)});
    }
    json.push_back({{"model", record.name}, {"topics", topics}});
    if (arguments.json) continue;
    tell("Model '" + record.name + "'");
    print_table({"TOPIC", "SHARE", "TERMS", "EXAMPLES"}, rows);
  }
  if (arguments.json) print_json({{"models", json}});
  return kSuccess;
}

}  // namespace topics_cli

void add_topics(CLI::App& app) {
  using namespace topics_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "topics", "Show what the topics of a search model are about, shared and private",
      "  commonplace topics ~/library\n"
      "  commonplace topics ~/library --model search.photos --terms 12 --examples 5 --json",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--model", arguments->model, "The model (all search models)");
  command->add_option("-l,--limit", arguments->limit, "So many topics (0: all)")
      ->capture_default_str();
  command->add_option("--terms", arguments->terms, "Terms of each topic")->capture_default_str();
  command->add_option("--examples", arguments->examples, "Items of each topic, per collection")
      ->capture_default_str();
}

}  // namespace commonplace::app
