#include "tests/support/sample_library.h"

#include "commonplace/base/error.h"
#include "commonplace/formats/export.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/stored/stored_features.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {

ImportSummary import_jsonl(Library& library, const std::string& name, const std::string& lines,
                           const ImportOptions& options) {
  const TemporaryDirectory folder;
  return import_collection(library, name, folder.write("items.jsonl", lines), options, no_progress);
}

std::vector<std::string> tag_names(const Library& library, const std::string& name,
                                   const std::string& id) {
  std::vector<std::string> names;
  for (const ItemTag& tag : item(library, collection(library, name), id, {.machine = true}).tags)
    names.push_back(tag.name + (tag.by == GivenBy::machine ? "?" : ""));
  return names;
}

void decide_one(Library& library, const std::string& name, const std::string& id,
                const std::string& tag, Verdict verdict) {
  decide(library, collection(library, name), {{id, tag, verdict, ""}});
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string contents(const Library& library) {
  std::string text;
  const std::vector<Collection> all = collections(library);
  for (const Collection& each : all) {
    text += "collection " + each.name + " " + std::to_string(each.items) + "\n";
    ItemReader reader(library, each, {.machine = true});
    write_jsonl([&](Item& item) { return reader.next(item); },
                [&](std::string_view bytes) { text += bytes; });
    for (const FeatureRecord& record : feature_records(library, each))
      text += "features " + record.name + " " + slurp(record.file) + "\n";
    for (const Decision& decision : decisions_in_force(library, each.name))
      text += "decision " + decision.item + " " + decision.tag +
              std::to_string(static_cast<int>(decision.verdict)) + "\n";
    for (const Collection& other : all)
      visit_links(library, each, other, [&](const Link& link) {
        text += "link " + link.a + " " + link.b + " " + std::to_string(link.weight) + "\n";
      });
  }
  return text;
}

}  // namespace commonplace::test
