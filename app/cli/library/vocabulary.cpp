#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/answers_json.h"
#include "app/cli/command.h"
#include "app/cli/library/vocabulary_json.h"
#include "app/cli/terminal.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/io/files.h"
#include "commonplace/library/tags/tag_tree.h"
#include "commonplace/upkeep/merge_candidates.h"
#include "commonplace/upkeep/thesaurus.h"

namespace commonplace::app {
namespace vocabulary_cli {

using Kind = VocabularyEdit::Kind;

constexpr std::uint64_t kMostBytes = 256U << 20U;

struct Arguments : Common {
  std::string library;
  std::string under;
  std::vector<std::string> rename;
  std::vector<std::string> merge;
  std::vector<std::string> nest;
  std::vector<std::string> split;
  std::vector<std::string> remove;
  std::vector<std::string> describe;
  std::vector<std::string> colour;
  std::vector<std::string> manual;
  std::vector<std::string> not_manual;
  std::vector<std::string> hide;
  std::vector<std::string> show;
  std::vector<std::string> apart;
  std::string collection;
  std::vector<std::string> items;
  bool history = false;
  bool all = false;
  std::int64_t undo = 0;
  std::int64_t restore = 0;
  bool candidates = false;
  bool merge_candidates = false;
  double above = 0.9;
  std::string skos_out;
  std::string skos_in;
  std::string language;
};

std::string what_it_did(const nlohmann::ordered_json& change) {
  const auto tag = change.at("tag").get<std::string>();
  const auto to = change.at("to").get<std::string>();
  const auto kind = change.at("do").get<std::string>();
  if (kind == "delete") return "deleted '" + tag + "'";
  if (kind == "describe") return "described '" + tag + "'";
  if (kind == "keep") return "'" + tag + "' and '" + to + "' stay apart";
  if (kind == "split") return "split '" + to + "' off '" + tag + "'";
  if (kind == "nest")
    return to.empty() ? "'" + tag + "' to the top" : "'" + tag + "' below '" + to + "'";
  return kind + "d '" + tag + "' " + (kind == "merge" ? "into '" : "to '") + to + "'";
}

std::vector<VocabularyEdit> edits_of(const Library& library, const Arguments& arguments) {
  std::vector<VocabularyEdit> edits;
  const auto pairs = [&](const std::vector<std::string>& given, Kind kind) {
    for (std::size_t i = 0; i + 1 < given.size(); i += 2)
      edits.push_back({.kind = kind, .tag = given[i], .to = given[i + 1]});
  };
  pairs(arguments.rename, Kind::rename);
  pairs(arguments.merge, Kind::merge);
  pairs(arguments.nest, Kind::nest);
  pairs(arguments.apart, Kind::keep);
  for (const std::string& tag : arguments.remove)
    edits.push_back({.kind = Kind::remove, .tag = tag});
  if (!arguments.split.empty()) {
    require(!arguments.collection.empty() && !arguments.items.empty(),
            "--split needs the items that get the other tag: --collection NAME --items ID...");
    VocabularyEdit edit{.kind = Kind::split, .tag = arguments.split[0], .to = arguments.split[1]};
    edit.items = {{collection(library, arguments.collection), arguments.items}};
    edits.push_back(std::move(edit));
  }
  if (!arguments.describe.empty())
    edits.push_back({.tag = arguments.describe[0], .description = arguments.describe[1]});
  if (!arguments.colour.empty())
    edits.push_back({.tag = arguments.colour[0], .colour = arguments.colour[1]});
  for (const std::string& tag : arguments.manual) edits.push_back({.tag = tag, .manual = true});
  for (const std::string& tag : arguments.not_manual)
    edits.push_back({.tag = tag, .manual = false});
  for (const std::string& tag : arguments.hide) edits.push_back({.tag = tag, .hidden = true});
  for (const std::string& tag : arguments.show) edits.push_back({.tag = tag, .hidden = false});
  return edits;
}

int print_changes(const Arguments& arguments, const nlohmann::ordered_json& changes) {
  if (arguments.json) {
    print_json({{"changes", changes}});
    return kSuccess;
  }
  for (const auto& each : changes) {
    const auto items = each.at("items").get<std::int64_t>();
    say(arguments, "Change " + std::to_string(each.at("change").get<std::int64_t>()) + ": " +
                       what_it_did(each) + (items > 0 ? ", of " + counted(items, "item") : "") +
                       ".");
  }
  say(arguments, changes.empty()
                     ? "Nothing changed."
                     : "To take a change back: commonplace vocabulary " + arguments.library +
                           " --undo " +
                           std::to_string(changes.back().at("change").get<std::int64_t>()));
  return kSuccess;
}

int run_edits(const Arguments& arguments, const std::vector<VocabularyEdit>& edits,
              Library& library) {
  const std::vector<std::int64_t> ids = change_vocabulary(library, edits);
  return print_changes(arguments, changes_json(library, ids));
}

int run_undo(const Arguments& arguments) {
  Library library(arguments.library, Library::Access::write);
  const bool undo = arguments.undo != 0;
  const std::int64_t id = undo ? arguments.undo : arguments.restore;
  if (undo)
    undo_vocabulary_change(library, id);
  else
    restore_vocabulary_change(library, id);
  const nlohmann::ordered_json change = change_json(vocabulary_change(library, id));
  if (arguments.json)
    print_json(change);
  else
    say(arguments,
        std::string(undo ? "Taken back: " : "In force again: ") + what_it_did(change) + ".");
  return kSuccess;
}

int run_history(const Arguments& arguments) {
  const Library library(arguments.library);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const VocabularyChange& each : vocabulary_history(library)) {
    list.push_back(change_json(each));
    rows.push_back({std::to_string(each.id), each.time, each.who,
                    each.undone.empty() ? "" : "undone", what_it_did(list.back())});
  }
  if (arguments.json)
    print_json({{"total", list.size()}, {"changes", list}});
  else if (rows.empty())
    say(arguments, "The vocabulary was never changed.");
  else
    print_table({"CHANGE", "TIME", "BY", "", "WHAT"}, rows);
  return kSuccess;
}

int run_candidates(const Arguments& arguments) {
  Library library(arguments.library,
                  arguments.merge_candidates ? Library::Access::write : Library::Access::read);
  std::vector<MergeCandidate> found;
  {
    ProgressBar bar(arguments);
    found = merge_candidates(library, bar.run().progress);
  }
  if (arguments.merge_candidates) {
    std::vector<VocabularyEdit> edits;
    std::map<std::string, std::string> into;  // chains lead to one end, and never round
    for (const MergeCandidate& each : found)
      if (each.score >= arguments.above && !into.contains(each.tag)) {
        std::string end = each.into;
        while (into.contains(end)) end = into.at(end);
        if (end == each.tag) continue;
        into.emplace(each.tag, end);
        edits.push_back({.kind = Kind::merge, .tag = each.tag, .to = end});
      }
    return run_edits(arguments, edits, library);
  }
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MergeCandidate& each : found) list.push_back(as_json(each));
    print_json({{"candidates", list}});
    return kSuccess;
  }
  std::vector<std::vector<std::string>> rows;
  for (const MergeCandidate& each : found)
    rows.push_back(
        {fixed(each.score, 2), word_of(each.why), each.tag + " (" + with_commas(each.items) + ")",
         each.into + " (" + with_commas(each.into_items) + ")", with_commas(each.together)});
  if (rows.empty())
    say(arguments, "No two tags look as if they were one.");
  else
    print_table({"SURE", "WHY", "TAG", "INTO", "BOTH"}, rows);
  return kSuccess;
}

int run_skos(const Arguments& arguments) {
  if (!arguments.skos_out.empty()) {
    const Library library(arguments.library);
    const std::string text =
        write_skos(library.path().filename().string(), thesaurus_of(library),
                   arguments.skos_out.ends_with(".nt") ? SkosFormat::ntriples : SkosFormat::turtle);
    if (arguments.skos_out == "-") {
      std::cout << text << std::flush;
      return kSuccess;
    }
    AtomicFile file(arguments.skos_out);
    file.write(text);
    file.commit();
    say(arguments, "Wrote " + arguments.skos_out + ".");
    return kSuccess;
  }
  Library library(arguments.library, Library::Access::write);
  const std::string text = read_file(arguments.skos_in, kMostBytes);
  return run_edits(arguments, edits_for(library, read_skos(text, arguments.language)), library);
}

int run_tree(const Arguments& arguments) {
  const Library library(arguments.library);
  const std::vector<TagNode> tree =
      tag_tree(library, {.under = arguments.under, .hidden = arguments.all});
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TagNode& each : tree) list.push_back(as_json(each));
    print_json({{"total", tree.size()}, {"tags", list}});
    return kSuccess;
  }
  if (tree.empty()) {
    say(arguments, "There are no tags.");
    return kSuccess;
  }
  std::vector<std::vector<std::string>> rows;
  for (const TagNode& each : tree) {
    std::vector<std::string> notes;
    if (each.manual) notes.emplace_back("by people only");
    if (each.hidden) notes.emplace_back("hidden");
    if (!each.also.empty()) notes.push_back("also " + join(each.also));
    if (!each.description.empty()) notes.push_back(each.description);
    const std::size_t depth = tag_path(each.name).size() - 1;
    rows.push_back({with_commas(each.items), with_commas(each.below), with_commas(each.machine),
                    std::string(2 * depth, ' ') + std::string(tag_leaf(each.name)),
                    shorten(join(notes), 60)});
  }
  print_table({"ITEMS", "BELOW", "MACHINE", "TAG", ""}, rows);
  return kSuccess;
}

int run(const Arguments& arguments) {
  if (arguments.undo != 0 || arguments.restore != 0) return run_undo(arguments);
  if (arguments.history) return run_history(arguments);
  if (arguments.candidates || arguments.merge_candidates) return run_candidates(arguments);
  if (!arguments.skos_out.empty() || !arguments.skos_in.empty()) return run_skos(arguments);
  Library reading(arguments.library);
  const std::vector<VocabularyEdit> edits = edits_of(reading, arguments);
  if (edits.empty()) return run_tree(arguments);
  Library library(arguments.library, Library::Access::write);
  return run_edits(arguments, edits, library);
}

}  // namespace vocabulary_cli

void add_vocabulary(CLI::App& app) {
  using namespace vocabulary_cli;
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = add_command(
      app, "vocabulary", "Show all tags as a tree; rename, merge, nest, describe and delete them",
      "  commonplace vocabulary ~/library\n"
      "  commonplace vocabulary ~/library --rename owls owl --merge Eule owl\n"
      "  commonplace vocabulary ~/library --nest owl animals/birds\n"
      "  commonplace vocabulary ~/library --split jaguar car --collection photos --items a.jpg\n"
      "  commonplace vocabulary ~/library --manual family --colour family '#aa3311'\n"
      "  commonplace vocabulary ~/library --candidates\n"
      "  commonplace vocabulary ~/library --merge-candidates --above 0.95\n"
      "  commonplace vocabulary ~/library --history\n"
      "  commonplace vocabulary ~/library --undo 3\n"
      "  commonplace vocabulary ~/library --export tags.ttl\n"
      "What your files and you said is kept as it was, and shown by what the tags mean now: on\n"
      "items, in search, by models, and in sidecars at the next export. Any change can be taken\n"
      "back, also after later ones. What is below a tag goes along with it.",
      *arguments, [arguments] { return run(*arguments); });
  command->add_option("LIB", arguments->library, "The library")->required();
  command->add_option("--under", arguments->under, "Show this tag and what is below it");
  command->add_flag("--all", arguments->all, "Show hidden tags, too");
  const auto pair = [&](const char* name, std::vector<std::string>& to, const char* help,
                        const char* type) {
    return command->add_option(name, to, help)
        ->type_name(type)
        ->type_size(2)
        ->allow_extra_args(false);
  };
  pair("--rename", arguments->rename, "Give a tag another name", "TAG NEW");
  pair("--merge", arguments->merge, "Let a tag mean another from now on", "TAG INTO");
  pair("--nest", arguments->nest, "Put a tag below another; \"\" is the top", "TAG BELOW");
  pair("--apart", arguments->apart, "Never propose to merge these two again", "TAG TAG");
  command->add_option("--split", arguments->split, "Give some items of a tag another instead")
      ->expected(2)
      ->type_name("TAG NEW");
  command->add_option("--collection", arguments->collection, "The collection of --items");
  command->add_option("--items", arguments->items, "The items that --split is about");
  command->add_option("--delete", arguments->remove, "Delete a tag and all below it")
      ->allow_extra_args(false);
  command->add_option("--describe", arguments->describe, "Say what a tag is for")
      ->expected(2)
      ->type_name("TAG TEXT");
  command->add_option("--colour", arguments->colour, "Give it a colour such as #aa3311")
      ->expected(2)
      ->type_name("TAG COLOUR");
  command->add_option("--manual", arguments->manual, "A tag that machines shall never give")
      ->allow_extra_args(false);
  command->add_option("--not-manual", arguments->not_manual, "A tag that machines may give again")
      ->allow_extra_args(false);
  command->add_option("--hide", arguments->hide, "Show it no longer in lists of tags")
      ->allow_extra_args(false);
  command->add_option("--show", arguments->show, "Show it again")->allow_extra_args(false);
  command->add_flag("--history", arguments->history, "List what was changed, by whom and when");
  command->add_option("--undo", arguments->undo, "The change to take back");
  command->add_option("--restore", arguments->restore, "The change to make again");
  command->add_flag("--candidates", arguments->candidates, "List pairs of tags that may be one");
  command->add_flag("--merge-candidates", arguments->merge_candidates,
                    "Merge those that are as sure as --above");
  command->add_option("--above", arguments->above, "Least score of what is merged")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--export", arguments->skos_out,
                      "Write it as SKOS: FILE.ttl (Turtle), FILE.nt (N-Triples), or -");
  command->add_option("--import", arguments->skos_in,
                      "Bring it to a thesaurus in SKOS (Turtle or N-Triples)");
  command->add_option("--language", arguments->language, "Of the labels to import, such as de");
}

}  // namespace commonplace::app
