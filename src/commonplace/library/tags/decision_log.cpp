#include "commonplace/library/tags/decision_log.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/base/fields.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/identity.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

/// The origin of entries that nobody made: they put in force what the rule says.
constexpr std::string_view kRule = "rule";

/// An item and a tag by its number.
using Question = std::tuple<std::string, std::string, std::int64_t>;

struct Entry {
  std::string person;
  Verdict verdict = Verdict::accepted;
  std::string written;
  std::string time;
  std::string library;
  std::int64_t number = 0;

  /// Of one person's words the greatest is the last.
  auto own_order() const {
    return std::tuple(std::string_view(time), std::string_view(library), number);
  }
  /// Of the words of several the greatest counts.
  auto order() const {
    return std::tuple(std::string_view(time), verdict == Verdict::rejected,
                      std::string_view(person), std::string_view(library), number);
  }
};

/// The last word of each person, the newest first; who withdrew has none.
std::vector<Entry> last_words(const std::vector<Entry>& entries) {
  std::map<std::string, Entry> last;
  for (const Entry& each : entries) {
    const auto [known, is_new] = last.emplace(each.person, each);
    if (!is_new && known->second.own_order() < each.own_order()) known->second = each;
  }
  std::vector<Entry> words;
  for (auto& [person, entry] : last)
    if (entry.verdict != Verdict::withdrawn) words.push_back(std::move(entry));
  std::sort(words.begin(), words.end(),
            [](const Entry& a, const Entry& b) { return b.order() < a.order(); });
  return words;
}

/// What was said of every question on which more than one person, or another library, has spoken.
std::map<Question, std::vector<Entry>> shared_questions(const Library& library,
                                                        std::string_view collection) {
  Statement query = library.database().prepare(
      "SELECT collection, item, tag, who, verdict, written, time, origin, "
      "CASE origin WHEN '' THEN id ELSE number END FROM decision d "
      "WHERE origin <> 'rule' AND (?1 = '' OR collection = ?1) AND EXISTS(SELECT 1 FROM decision o "
      "WHERE o.collection = d.collection AND o.item = d.item AND o.tag = d.tag AND "
      "o.origin <> 'rule' AND (o.origin <> d.origin OR o.who <> d.who OR o.origin <> '')) "
      "ORDER BY id");
  query.bind(collection);
  const std::string own = identity_of(library);
  std::map<Question, std::vector<Entry>> questions;
  while (query.step()) {
    const std::string origin(query.text(7));
    Entry entry{std::string(query.text(3)),    static_cast<Verdict>(query.integer(4)),
                std::string(query.text(5)),    std::string(query.text(6)),
                origin.empty() ? own : origin, query.integer(8)};
    // Who is not known is somebody else in every library.
    if (entry.person.empty()) entry.person = "?" + entry.library;
    questions[{std::string(query.text(0)), std::string(query.text(1)), query.integer(2)}].push_back(
        std::move(entry));
  }
  return questions;
}

/// Puts in force what the rule says, where that is not so already.
void settle(Library& library) {
  Statement newest = library.database().prepare(
      "SELECT verdict FROM decision WHERE collection = ? AND item = ? AND tag = ? "
      "ORDER BY id DESC LIMIT 1");
  Statement insert = library.database().prepare(
      "INSERT INTO decision(collection, item, tag, verdict, written, time, who, origin) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  for (const auto& [question, entries] : shared_questions(library, {})) {
    const auto& [collection, item, tag] = question;
    const std::vector<Entry> words = last_words(entries);
    const Verdict verdict = words.empty() ? Verdict::withdrawn : words.front().verdict;
    newest.bind(collection, item, tag).step();
    const bool settled = newest.integer(0) == static_cast<int>(verdict);
    newest.reset();
    if (settled) continue;
    const Entry& by = words.empty() ? entries.back() : words.front();
    insert.run(collection, item, tag, static_cast<int>(verdict), by.written, by.time, by.person,
               kRule);
  }
}

LoggedDecision decision_of(const Json& json) {
  LoggedDecision each;
  json.at("library").get_to(each.library);
  json.at("number").get_to(each.number);
  json.at("collection").get_to(each.collection);
  json.at("item").get_to(each.item);
  json.at("tag").get_to(each.tag);
  json.at("who").get_to(each.who);
  json.at("time").get_to(each.time);
  const auto word = json.at("verdict").get<std::string>();
  const auto verdict = from_word<Verdict>(word);
  require(verdict.has_value(), "the verdict is '", word, "'; expected one of ",
          all_words<Verdict>());
  each.verdict = *verdict;
  require(each.library.size() == 32 &&
              each.library.find_first_not_of("0123456789abcdef") == std::string::npos,
          "'library' is '", each.library, "'; expected 32 hexadecimal digits");
  require(each.number > 0, "'number' is ", each.number, "; expected 1 or more");
  require(!each.collection.empty() && !each.item.empty() && !tag_name(each.tag).empty(),
          "the collection, the item or the tag is empty");
  require(each.time.size() == 20 && each.time[4] == '-' && each.time[10] == 'T' &&
              each.time.back() == 'Z',
          "'time' is '", each.time, "'; expected one such as 2026-05-04T10:00:00Z");
  each.tag = tag_name(each.tag);
  return each;
}

}  // namespace

std::vector<LoggedDecision> decision_log(const Library& library, std::string_view collection) {
  Statement query = library.database().prepare(
      "SELECT item, written, coalesce(meant, verdict), time, "
      "CASE origin WHEN '' THEN id ELSE number END, collection, who, origin FROM decision "
      "WHERE origin <> 'rule' AND (?1 = '' OR collection = ?1) ORDER BY id");
  query.bind(collection);
  const std::string own = identity_of(library);
  std::vector<LoggedDecision> result;
  while (query.step()) {
    LoggedDecision& each = result.emplace_back();
    each.item = query.text(0);
    each.tag = query.text(1);
    each.verdict = static_cast<Verdict>(query.integer(2));
    each.time = query.text(3);
    each.number = query.integer(4);
    each.collection = query.text(5);
    each.who = query.text(6);
    each.library = query.text(7).empty() ? own : std::string(query.text(7));
  }
  return result;
}

std::string write_decision_log(const std::vector<LoggedDecision>& log) {
  std::string text;
  for (const LoggedDecision& each : log) text += as_json(each).dump() + '\n';
  return text;
}

std::vector<LoggedDecision> read_decision_log(std::string_view text) {
  std::vector<LoggedDecision> log;
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      log.push_back(decision_of(Json::parse(line)));
    } catch (const nlohmann::json::exception&) {
      fail("line ", number,
           " of the log is no decision; expected what 'commonplace decisions "
           "export' writes");
    } catch (const Error& error) {
      fail("line ", number, " of the log: ", error.what());
    }
  }
  return log;
}

MergedLog merge_decisions(Library& library, const std::vector<LoggedDecision>& log) {
  Transaction transaction(library.database());
  std::map<std::pair<std::string, std::int64_t>, LoggedDecision> known;
  for (LoggedDecision& each : decision_log(library)) {
    const auto key = std::pair(each.library, each.number);
    known.emplace(key, std::move(each));
  }
  const std::string own = identity_of(library);
  TagTable tags(library.database());
  Statement insert = library.database().prepare(
      "INSERT INTO decision(collection, item, tag, verdict, written, time, who, origin, number, "
      "said, meant) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  MergedLog merged;
  for (const LoggedDecision& each : log) {
    ++merged.read;
    const auto [before, is_new] = known.emplace(std::pair(each.library, each.number), each);
    if (!is_new) {
      require(before->second == each, "decision ", each.number, " of library ", each.library,
              " is known with another content; one of the two logs was changed by hand, or a "
              "library was copied and both were used");
      ++merged.known;
      continue;
    }
    require(
        each.library != own, "decision ", each.number,
        " is said to be this library's, which has none of that number; was it brought back from "
        "an older copy?");
    const std::string name = tag_name(each.tag);
    const TagTable::Entry& tag = tags.find_or_make(name);
    const bool gone = tag.means == 0;
    insert.run(each.collection, each.item, gone ? tag.id : tag.means,
               gone ? 0 : static_cast<int>(each.verdict), each.tag, each.time, each.who,
               each.library, each.number, tag.changed ? std::optional(tag.id) : std::nullopt,
               gone ? std::optional(std::int64_t{static_cast<int>(each.verdict)}) : std::nullopt);
    ++merged.fresh;
  }
  settle(library);
  transaction.commit();
  return merged;
}

std::vector<DecisionConflict> decision_conflicts(const Library& library,
                                                 std::string_view collection) {
  std::vector<DecisionConflict> conflicts;
  for (const auto& [question, entries] : shared_questions(library, collection)) {
    const std::vector<Entry> words = last_words(entries);
    if (std::ranges::all_of(
            words, [&](const Entry& each) { return each.verdict == words.front().verdict; }))
      continue;
    DecisionConflict& conflict = conflicts.emplace_back();
    conflict.collection = std::get<0>(question);
    conflict.item = std::get<1>(question);
    conflict.tag = words.front().written;
    conflict.in_force = words.front().verdict;
    for (const Entry& each : words)
      conflict.said.push_back(
          {each.person.starts_with('?') ? "" : each.person, each.verdict, each.time});
  }
  return conflicts;
}

}  // namespace commonplace
