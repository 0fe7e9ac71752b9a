#include "commonplace/search/ask.h"

#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/io/files.h"
#include "commonplace/library/items/items.h"

namespace commonplace::app {
namespace search_cli {

using namespace search;

constexpr std::uint64_t kMostPicture = 1U << 30U;

struct Arguments : Common {
  std::string library;
  std::string query;
  std::string like;
  std::string like_image;
  std::vector<std::string> collections;
  std::vector<std::string> models;
  search::Options options;
};

void explain(const search::Reasons& reasons) {
  auto line = [&](const std::string& text) { tell(printable("      " + text)); };
  for (const auto& word : reasons.words)
    line("has '" + word.word + "' in its " +
         (word.in_tags && word.in_text ? "tags and text"
          : word.in_tags               ? "tags"
                                       : "text"));
  if (!reasons.seen.empty()) line("seen in the picture: " + join(reasons.seen));
  for (const auto& each : reasons.meanings)
    line(std::string(each.by == MeaningKind::texts ? "its text means much the same"
                                                   : "its picture fits the words") +
         " (" + fixed(each.weight, 2) + ")");
  for (const auto& each : reasons.associations)
    line("its tag '" + each.from + "' goes with '" + each.asked + "': together in " +
         counted(each.together, "item") + " of '" + each.collection + "' (" +
         fixed(each.weight, 2) + ")");
  for (const auto& each : reasons.neighbours)
    line("is like '" + each.id + "' of '" + each.collection + "', which has " + join(each.asked) +
         " (" + fixed(each.weight, 2) + ")");
  for (const auto& each : reasons.topics)
    line("topic '" + each.name + "' of " + join(each.members) + ": " + join(each.terms) + " (" +
         fixed(each.weight, 2) + ")");
}

/// Where most of a score comes from; "own+" for what has the words and more.
std::string how_found(const search::Hit& hit) {
  if (hit.own > 0) return hit.borrowed > 0 || hit.meant > 0 ? "own+" : "own";
  return hit.meant > hit.borrowed ? "meant" : "borrowed";
}

void show(const Arguments& arguments, const search::Answer& answer, bool by_meaning) {
  if (!answer.problem.empty())
    warn(printable("commonplace: searched by words alone: " + answer.problem));
  if (!answer.unknown.empty())
    warn(printable("commonplace: nothing here has, or is known to go with: " +
                   join(answer.unknown)));
  if (answer.hits.empty()) {
    say(arguments, by_meaning ? "Nothing fits." : "Nothing was found.");
    return;
  }
  if (arguments.options.explain) {
    for (const search::Hit& hit : answer.hits) {
      tell(printable(fixed(hit.score, 2) + "  " + hit.collection + "  " + hit.id +
                     (hit.title.empty() ? "" : "  " + shorten(hit.title, 60))));
      if (!hit.tags.empty()) tell(printable("      tags: " + join(hit.tags)));
      explain(hit.reasons);
    }
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const search::Hit& hit : answer.hits)
    rows.push_back({fixed(hit.score, 2), how_found(hit), hit.collection, shorten(hit.id, 40),
                    shorten(hit.title, 40), shorten(join(hit.tags), 60)});
  print_table({"SCORE", "BY", "COLLECTION", "ITEM", "TITLE", "TAGS"}, rows);
}

/// The collection that has the item; Error if none or several have.
std::string collection_with(const Arguments& arguments, const Library& library) {
  std::vector<std::string> having;
  for (const Collection& each : collections(library)) {
    const bool wanted = arguments.collections.empty() ||
                        std::find(arguments.collections.begin(), arguments.collections.end(),
                                  each.name) != arguments.collections.end();
    if (wanted && ItemReader(library, each).find(arguments.like)) having.push_back(each.name);
  }
  require(!having.empty(), "no collection here has an item '", arguments.like, "'");
  require(having.size() == 1, "item '", arguments.like, "' is in ", join(having),
          "; say which with --collection");
  return having.front();
}

/// An index that had to be made is kept for the next time, if the library can be written.
void keep_indexes(const Arguments& arguments, const search::Results::Searchers& searchers) {
  for (const auto& searcher : searchers) {
    if (!searcher->index_is_new()) continue;
    try {
      Library library(arguments.library, Library::Access::write);
      searcher->keep_index(library);
    } catch (const Error&) {
      return;  // read-only, full or locked: the answer stands without it
    }
  }
}

search::Ranking rank(const Arguments& arguments, const Answerer& searcher,
                     const search::Query& query, const std::string& like_in,
                     const std::string& picture) {
  if (!arguments.like.empty())
    return searcher.rank_like(like_in, arguments.like, arguments.options);
  if (!arguments.like_image.empty())
    return searcher.rank_like_picture(picture, arguments.like_image, arguments.options);
  return searcher.rank(query, arguments.options);
}

int run(Arguments& arguments) {
  const int asked = int{!arguments.query.empty()} + int{!arguments.like.empty()} +
                    int{!arguments.like_image.empty()};
  require(asked == 1, "give either words to search for or --like ITEM or --like-image FILE");
  require(arguments.options.limit >= 1, "--limit is ", arguments.options.limit,
          "; expected 1 or more");
  const Library library(arguments.library);
  const search::Query query = search::parse_query(arguments.query);
  require(arguments.query.empty() || !query.words.empty() || query.condition,
          "the query is empty; give words to search for");
  const std::string picture =
      arguments.like_image.empty() ? "" : read_file(arguments.like_image, kMostPicture);
  const std::string like_in = arguments.like.empty() ? "" : collection_with(arguments, library);
  search::Results::Searchers searchers;
  {
    ProgressBar bar(arguments);
    for (const SearchPlace& place : search_places(library, arguments.collections, arguments.models))
      searchers.push_back(
          std::make_shared<search::Answerer>(library, place.collection, place.model, bar.run()));
  }
  require(!searchers.empty(), "the library is empty; add something with: commonplace add ",
          arguments.library, " NAME SOURCE");
  const auto begin = Clock::now();
  std::vector<search::Ranking> rankings;
  for (const auto& searcher : searchers)
    rankings.push_back(rank(arguments, *searcher, query, like_in, picture));
  const bool by_meaning = std::any_of(rankings.begin(), rankings.end(),
                                      [](const auto& ranking) { return ranking.meant != nullptr; });
  const search::Results results(searchers, std::move(rankings), arguments.options.limit);
  const search::Answer answer = {results.page(0, results.total(), arguments.options),
                                 results.unknown(), results.problem()};
  const double seconds = seconds_since(begin);
  if (arguments.json) {
    Json json = {{"query", arguments.query}, {"milliseconds", seconds * 1000}};
    json.update(as_json(answer));
    print_json(json);
  } else {
    show(arguments, answer, by_meaning);
  }
  keep_indexes(arguments, searchers);
  return kSuccess;
}

}  // namespace search_cli

void add_search(CLI::App& app) {
  using namespace search_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "search", "Find items by their words, and by what a model knows to go with them",
      "  commonplace search ~/library \"river boat\"\n"
      "  commonplace search ~/library \"river boat\" --explain\n"
      "  commonplace search ~/library 'harbour -sail after:1900 before:1950'\n"
      "  commonplace search ~/library '(boat or ship) #river tag:\"new york\"' --collection "
      "photos\n"
      "  commonplace search ~/library --like owl.jpg -l 5 --json\n"
      "  commonplace search ~/library --like-image ~/Downloads/harbour.jpg\n"
      "Words rank; #tag, tag:\"two words\", before:, after:, \"a phrase\", and words joined by "
      "and,\n"
      "or, not, - or in parentheses are demanded. Without a model it searches by words alone;\n"
      "'commonplace learn LIB search' makes one.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("QUERY", arguments->query, "Words, tags and conditions");
  command->add_option("--like", arguments->like, "Items like the one of this id");
  command->add_option("--like-image", arguments->like_image,
                      "Items whose pictures look like this file");
  command->add_option("--collection", arguments->collections, "Search these collections only")
      ->delimiter(',');
  command->add_option("--model", arguments->models, "Search by these models only")->delimiter(',');
  command->add_option("-l,--limit", arguments->options.limit, "So many results")
      ->capture_default_str();
  command->add_flag("--explain", arguments->options.explain, "Say why each result is there");
  command->add_flag("--exact", arguments->options.whole_terms,
                    "Borrow through tags that are a word of the query, not that contain one");
  command->add_flag("--words-only", arguments->options.words_only,
                    "Rank by the words themselves and borrow nothing");
}

}  // namespace commonplace::app
