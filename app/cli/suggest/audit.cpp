#include "commonplace/suggest/audit.h"

#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/evaluate_frame.h"
#include "app/cli/keyboard.h"
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/tags/decisions.h"

namespace commonplace::app {
namespace audit_cli {

using namespace suggest;

constexpr std::size_t kMostKept = 2000;
constexpr int kReasonWidth = 110;

struct Arguments : Common {
  std::string library;
  std::string collection;
  std::int64_t limit = 20;
  bool wrong = false;
  bool missing = false;
  bool last = false;
  bool review = false;
  ModelOptions model;
  AuditOptions options;
};

Audit found(const Arguments& arguments) {
  if (arguments.last) {
    const Library library(arguments.library);
    const auto stored = stored_audit(library, collection(library, arguments.collection).name);
    require(stored.has_value(), "the tags of '", arguments.collection,
            "' were not looked through yet; leave out --last");
    return *stored;
  }
  Audit made = with_progress(arguments, [&](const Run& run) {
    const Library library(arguments.library);
    return audit(library, arguments.collection, arguments.model, arguments.options, kMostKept, run);
  });
  Library library(arguments.library, Library::Access::write);
  store_audit(library, made);
  return made;
}

void shorten_to(const Arguments& arguments, Audit& audit) {
  if (arguments.missing && !arguments.wrong) audit.wrong.clear();
  if (arguments.wrong && !arguments.missing) audit.missing.clear();
  const auto most = static_cast<std::size_t>(arguments.limit);
  for (auto* list : {&audit.wrong, &audit.missing})
    if (list->size() > most) list->resize(most);
}

void show(const Arguments& arguments, const Audit& audit) {
  say(arguments, "Looked through " + counted(audit.given, "tag") + " of " +
                     counted(audit.items, "item") + ", each judged by what the others teach.");
  for (const auto* list : {&audit.wrong, &audit.missing}) {
    if (list->empty()) continue;
    std::vector<std::vector<std::string>> rows;
    for (const AuditEntry& each : *list)
      rows.push_back({fixed(each.doubt, 2), each.tag, shorten(each.id, 40),
                      shorten(each.reason, kReasonWidth)});
    print_table(
        {"DOUBT", list == &audit.wrong ? "PROBABLY WRONG" : "PROBABLY MISSING", "ITEM", "WHY"},
        rows);
  }
  say(arguments, "To answer them one by one: commonplace audit " + arguments.library + " " +
                     arguments.collection + " --last --review");
}

/// Asks of each entry whether the item should have the tag.
int review(const Arguments& arguments, const Audit& audit) {
  Library library(arguments.library, Library::Access::write);
  const Collection chosen = collection(library, arguments.collection);
  Keyboard keyboard;
  std::int64_t kept = 0;
  std::int64_t changed = 0;
  for (const auto* list : {&audit.wrong, &audit.missing})
    for (const AuditEntry& each : *list) {
      const bool has = each.kind == Fault::wrong;
      say(arguments, "");
      say(arguments, each.id + (has ? " has the tag '" : " has not the tag '") + each.tag +
                         "': " + each.reason);
      say(arguments, "  should it have it?  y: yes   n: no   s: skip   q: quit");
      std::cout << std::flush;
      std::optional<char> key = keyboard.next();
      while (key && std::string("ynsq ").find(*key) == std::string::npos) key = keyboard.next();
      if (!key || *key == 'q') goto end;
      if (*key != 'y' && *key != 'n') continue;
      decide(library, chosen,
             {{each.id, each.tag, *key == 'y' ? Verdict::accepted : Verdict::rejected, ""}});
      ++((*key == 'y') == has ? kept : changed);
    }
end:
  tell(counted(kept + changed, "answer") + ": " + with_commas(changed) + " changed something, " +
       with_commas(kept) + " said that it is right as it is.");
  return kSuccess;
}

int run(const Arguments& arguments) {
  Audit audit = found(arguments);
  shorten_to(arguments, audit);
  if (arguments.json)
    print_json(as_json(audit));
  else if (arguments.review)
    return review(arguments, audit);
  else
    show(arguments, audit);
  return kSuccess;
}

}  // namespace audit_cli

void add_audit(CLI::App& app) {
  using namespace audit_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "audit", "Find tags that are probably wrong, and tags that are probably missing",
      "  commonplace audit ~/library photos\n"
      "  commonplace audit ~/library photos --wrong --limit 100\n"
      "  commonplace audit ~/library photos --last --review\n"
      "  printf 'y\\nn\\n' | commonplace audit ~/library photos --last --review\n"
      "Every item is judged by models that learned from other items alone. What was found is "
      "kept,\n"
      "and --last shows it again without what was answered since. Answers are decisions as any\n"
      "other: y the item should have the tag, n it should not.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("NAME", arguments->collection, "The collection")->required();
  command->add_flag("--wrong", arguments->wrong, "Only tags that are probably wrong");
  command->add_flag("--missing", arguments->missing, "Only tags that are probably missing");
  command->add_option("-l,--limit", arguments->limit, "At most so many of either kind")
      ->capture_default_str()
      ->check(CLI::Range(1, 2000));
  command->add_flag("--last", arguments->last, "Show again what was found last");
  command->add_flag("--review", arguments->review, "Answer them one by one");
  visit_options(arguments->options, FlagMaker{command, "Judging"});
  visit_options(arguments->model, FlagMaker{command, "Learning"});
}

}  // namespace commonplace::app
