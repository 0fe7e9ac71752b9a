#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/formats/json_text.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/tags/decisions.h"

namespace commonplace::app {
namespace show_cli {

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::string id;
};

std::string tag_line(const ItemTag& tag) {
  std::string line = tag.name;
  if (tag.count != 1) line += " x" + number_text(tag.count);
  if (tag.by == GivenBy::user) line += "  (given or accepted here)";
  if (tag.by == GivenBy::machine) line += concat("  (machine: ", tag.model, ", ", tag.score, ")");
  return line;
}

void print_item(const Collection& collection, const Item& item,
                const std::vector<Decision>& history, const std::vector<GivenLabel>& given) {
  auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) tell(concat(name, std::string(10 - name.size(), ' '), value));
  };
  field("id", item.id);
  field("title", item.title);
  field("text", item.text);
  field("image", image_location(collection, item));
  if (item.place)
    field("place", number_text(item.place->latitude) + ", " + number_text(item.place->longitude));
  field("time", item.time);
  for (const ItemTag& tag : item.tags) field("tag", tag_line(tag));
  for (const Label& label : item.labels) field("label", label.field + " = " + label.value);
  for (const GivenLabel& label : given)
    field("label", concat(label.field, " = ", label.value, "  (machine: ", label.model, ", ",
                          label.score, ")"));
  field("metadata", item.metadata);
  for (const Decision& decision : history)
    field("decision", word_of(decision.verdict) + " " + decision.tag + ", " + decision.time);
}

int run(const Arguments& arguments) {
  const Library library(arguments.library);
  const Collection chosen = collection(library, arguments.collection);
  const Item found = item(library, chosen, arguments.id, {.machine = true});
  const std::vector<Decision> history = decision_history(library, chosen.name, found.id);
  const std::vector<GivenLabel> given = machine_labels_of(library, chosen, found.id);
  if (!arguments.json) {
    print_item(chosen, found, history, given);
    return kSuccess;
  }
  Json json = whole_item_json(library, chosen, arguments.id);
  json["image_location"] = image_location(chosen, found);
  print_json(json);
  return kSuccess;
}

}  // namespace show_cli

void add_show(CLI::App& app) {
  using namespace show_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      add_command(app, "show", "Show one item with all that is known of it",
                  "  commonplace show ~/library photos 2019/owl.jpg\n"
                  "  commonplace show ~/library bookmarks https://example.org/ --json",
                  *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection")->required();
  command->add_option("ID", arguments->id, "The item")->required();
}

}  // namespace commonplace::app
