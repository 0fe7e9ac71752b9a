#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/relate/ask.h"
#include "commonplace/relate/place_by_time.h"

namespace commonplace::app {
namespace place_cli {

using namespace relate;

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::vector<std::string> ids;
  std::string model;
  std::int64_t limit = 100;
};

/// The model of relations, if there is one.
std::optional<Answerer> relations_of(const Library& library, const Arguments& arguments) {
  if (!arguments.model.empty()) return Answerer(library, arguments.model, arguments.jobs);
  try {
    return Answerer(library, model_for(library, ""), arguments.jobs);
  } catch (const StorageError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<PlaceWithin> by_contents(const Answerer& relations, const Collection& collection,
                                       const std::string& id) {
  Query query;
  query.item = id;
  query.collection = collection.name;
  query.limit = 1;
  try {
    if (const auto told = relate::told(relations.ask(query).guess))
      return PlaceWithin{told->place, told->radius};
  } catch (const StorageError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;  // it knows nothing of this collection
  }
  return std::nullopt;
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  const Collection chosen = collection(library, arguments.collection);
  const PlacesByTime by_time(library, chosen);
  std::vector<std::string> ids = arguments.ids;
  if (ids.empty()) ids = by_time.unplaced();
  if (arguments.ids.empty() && std::ssize(ids) > arguments.limit)
    ids.resize(static_cast<std::size_t>(arguments.limit));
  const std::optional<Answerer> relations = relations_of(library, arguments);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const std::string& id : ids) {
    const Item one = item(library, chosen, id);
    const ItemPlace place = place_of(
        by_time, one, relations && !one.place ? by_contents(*relations, chosen, id) : std::nullopt);
    list.push_back(as_json(place));
    rows.push_back({shorten(id, 40),
                    place.known   ? to_string(*one.place)
                    : place.guess ? to_string(place.guess->place)
                                  : "cannot tell",
                    place.guess ? with_commas(std::llround(place.guess->radius)) + " m" : "",
                    shorten(place.why, 70)});
  }
  if (arguments.json)
    print_json({{"collection", chosen.name}, {"places", list}});
  else if (rows.empty())
    say(arguments, "Every item with a time has a place.");
  else
    print_table({"ITEM", "PLACE", "WITHIN", "WHY"}, rows);
  return kSuccess;
}

}  // namespace place_cli

void add_place(CLI::App& app) {
  using namespace place_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "place", "Guess where items without a place are from, by those of nearly the same time",
      "  commonplace place ~/library photos\n"
      "  commonplace place ~/library photos IMG_0007.jpg\n"
      "An item within an hour of one that has a place is put there, or on the way between two; "
      "half\n"
      "of such guesses are nearer than the radius, as measured on the items whose places are "
      "known.\n"
      "With a model of 'learn LIB relate' what an item shows counts, too. Nothing is written.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection")->required();
  command->add_option("ID", arguments->ids, "The items (all that have a time and no place)");
  command->add_option("--model", arguments->model, "The model of relations, if there are several");
  command->add_option("-l,--limit", arguments->limit, "At most so many items, where none is named")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

}  // namespace commonplace::app
