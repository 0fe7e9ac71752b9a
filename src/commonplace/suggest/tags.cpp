#include "commonplace/suggest/tags.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/files.h"
#include "commonplace/io/json.h"
#include "commonplace/io/lines.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/tags/decisions.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/library/tags/vocabulary.h"

namespace commonplace::suggest {
namespace {

/// Calls `visit` for each line that says something; '#' begins a comment only at a line's start.
template <class Visit>
void visit_lines(const std::string& file, const Visit& visit) {
  LineReader lines(open_bytes(file), file);
  std::string_view line;
  while (lines.next(line)) {
    const std::string text = tidy(line);
    if (!text.empty() && !text.starts_with("# ")) visit(line, lines.where());
  }
}

std::set<std::string> read_tag_list(const std::string& file) {
  std::set<std::string> keys;
  visit_lines(file,
              [&](std::string_view line, const Where&) { keys.insert(tag_key(tag_name(line))); });
  require(!keys.empty(), file, " names no tags; write one a line");
  return keys;
}

std::map<std::string, std::string> read_synonyms(const std::string& file) {
  std::map<std::string, std::string> synonyms;
  visit_lines(file, [&](std::string_view line, const Where& where) {
    const std::size_t tab = line.find('\t');
    const std::string from = tag_name(line.substr(0, tab));
    const std::string to =
        tab == std::string_view::npos ? std::string() : tag_name(line.substr(tab + 1));
    if (from.empty() || to.empty())
      fail(to_string(where), ": expected 'tag TAB tag that it is merged into', found '", line, "'");
    if (tag_key(from) != tag_key(to)) synonyms[tag_key(from)] = to;
  });
  // A chain leads to its end.
  for (auto& [from, to] : synonyms) {
    std::size_t steps = 0;
    for (auto next = synonyms.find(tag_key(to)); next != synonyms.end();
         next = synonyms.find(tag_key(to))) {
      to = next->second;
      if (++steps > synonyms.size()) fail(file, ": the synonyms of '", from, "' run in a circle");
    }
  }
  return synonyms;
}

bool allowed(const TagControl& control, const std::string& key) {
  return !control.exclude.contains(key) &&
         (!control.only_included || control.include.contains(key));
}

/// Numbers for the tags that may be suggested.
class Numbering {
 public:
  Numbering(const TagControl& control, const std::vector<std::string>& known) : control_(control) {
    for (const std::string& name : known) add(name);
  }
  std::int32_t add(const std::string& name) {
    const auto [entry, is_new] =
        numbers_.emplace(tag_key(name), static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return entry->second;
  }
  std::int32_t find(const std::string& name) const {
    const auto found = numbers_.find(tag_key(name));
    return found == numbers_.end() ? -1 : found->second;
  }
  /// What a tag of the library means in numbers, ascending.
  std::vector<std::int32_t> meant(const std::string& tag) const {
    std::vector<std::int32_t> result;
    for (const std::string& name : meant_by(control_, tag))
      if (const std::int32_t number = find(name); number >= 0) result.push_back(number);
    return result;
  }
  /// What its rejection means; -1 if that is no tag to suggest.
  std::int32_t rejected(const std::string& tag) const { return find(rejected_by(control_, tag)); }
  std::vector<std::string> names() && { return std::move(names_); }
  std::int64_t size() const { return std::ssize(names_); }

 private:
  const TagControl& control_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
};

/// How many items mean each allowed tag, by key, with the name it is shown by.
std::map<std::string, std::pair<std::string, std::int64_t>> count_uses(const TagMatrix& tags,
                                                                       const TagControl& control) {
  std::vector<std::vector<std::string>> meant;
  for (const std::string& name : tags.names) meant.push_back(meant_by(control, name));
  std::map<std::string, std::pair<std::string, std::int64_t>> uses;
  std::set<std::string> of_item;
  for (std::int64_t row = 0; row < tags.counts.rows(); ++row) {
    of_item.clear();
    for (const std::int32_t tag : tags.counts.view().row_indices(row))
      for (const std::string& name : meant[static_cast<std::size_t>(tag)]) {
        const std::string key = tag_key(name);
        if (!allowed(control, key) || !of_item.insert(key).second) continue;
        auto& entry = uses.try_emplace(key, name, 0).first->second;
        ++entry.second;
      }
  }
  return uses;
}

/// The tags that were rejected, by the item's id.
class Rejections {
 public:
  Rejections(const Library& library, const Collection& collection) {
    for (const Decision& each : decisions_in_force(library, collection.name))
      if (each.verdict == Verdict::rejected) tags_[each.item].push_back(each.tag);
  }
  bool none() const { return tags_.empty(); }
  /// Those of one item, as targets.
  void add(const std::string& id, const Numbering& numbering,
           std::map<std::int32_t, float>& row) const {
    const auto found = tags_.find(id);
    if (found == tags_.end()) return;
    for (const std::string& tag : found->second)
      if (const std::int32_t number = numbering.rejected(tag); number >= 0) row[number] = -1;
  }

 private:
  std::unordered_map<std::string, std::vector<std::string>> tags_;
};

void push_row(const std::map<std::int32_t, float>& row, Sparse& targets) {
  for (const auto& [number, value] : row) targets.push(number, value);
  targets.end_row();
}

}  // namespace

TagControl read_tag_control(const TagControlOptions& options) {
  require(options.min_uses >= 1, "min_uses is ", options.min_uses, "; expected 1 or more");
  TagControl control;
  control.min_uses = options.min_uses;
  control.parents = options.parents;
  control.only_included = !options.include.empty();
  if (!options.include.empty()) control.include = read_tag_list(options.include);
  if (!options.exclude.empty()) control.exclude = read_tag_list(options.exclude);
  if (!options.synonyms.empty()) control.synonyms = read_synonyms(options.synonyms);
  return control;
}

std::string to_json(const TagControl& control) {
  return json_text(nlohmann::json{{"min_uses", control.min_uses},
                                  {"parents", control.parents},
                                  {"only_included", control.only_included},
                                  {"described", control.described},
                                  {"include", control.include},
                                  {"exclude", control.exclude},
                                  {"synonyms", control.synonyms}});
}

TagControl tag_control_from_json(const std::string& text) {
  try {
    const nlohmann::json json = json_from(text);
    TagControl control;
    json.at("min_uses").get_to(control.min_uses);
    json.at("parents").get_to(control.parents);
    json.at("only_included").get_to(control.only_included);
    control.described = json.value("described", false);
    json.at("include").get_to(control.include);
    json.at("exclude").get_to(control.exclude);
    json.at("synonyms").get_to(control.synonyms);
    return control;
  } catch (const nlohmann::json::exception& error) {
    fail("the model's rules for tags cannot be read (", error.what(), "); the file is damaged");
  }
}

std::int64_t merge_leaves(const Library& library, const Collection& collection,
                          TagControl& control) {
  std::map<std::string, TagUse> flat;                // by key
  std::map<std::string, std::vector<TagUse>> paths;  // by the key of their last level
  for (TagUse& each : tag_uses(library, collection, control.parents)) {
    const std::size_t slash = each.name.rfind('/');
    const std::string key = tag_key(each.name.substr(slash + 1));  // all of it without a slash
    if (slash == std::string::npos)
      flat.emplace(key, std::move(each));
    else
      paths[key].push_back(std::move(each));
  }
  const auto named = [&](const std::string& name) {
    const std::string key = tag_key(name);
    return control.include.contains(key) || control.exclude.contains(key) ||
           control.synonyms.contains(key) ||
           std::ranges::any_of(control.synonyms,
                               [&](const auto& each) { return tag_key(each.second) == key; });
  };
  std::map<std::string, std::string> merged;
  for (const auto& [key, path] : paths) {
    const auto leaf = flat.find(key);
    if (leaf == flat.end() || path.size() > 1 || named(leaf->second.name) || named(path[0].name))
      continue;
    if (control.parents || path[0].items >= leaf->second.items)
      merged[key] = path[0].name;
    else
      merged[tag_key(path[0].name)] = leaf->second.name;
  }
  control.synonyms.insert(merged.begin(), merged.end());
  return std::ssize(merged);
}

std::string rejected_by(const TagControl& control, std::string_view tag) {
  const auto synonym = control.synonyms.find(tag_key(tag));
  return synonym == control.synonyms.end() ? std::string(tag) : synonym->second;
}

std::vector<std::string> meant_by(const TagControl& control, std::string_view tag) {
  const std::string name = rejected_by(control, tag);
  return control.parents ? tag_path(name) : std::vector<std::string>{name};
}

Tags read_tags(const Library& library, const Collection& collection, const TagControl& control,
               const std::vector<std::string>& known) {
  const TagMatrix tags = tag_matrix(library, collection);
  Numbering numbering(control, known);
  for (const auto& [key, use] : count_uses(tags, control))
    if (use.second >= control.min_uses) numbering.add(use.first);
  for (const std::string& name : described_for(library, control)) numbering.add(name);

  std::vector<std::vector<std::int32_t>> meant;
  for (const std::string& name : tags.names) meant.push_back(numbering.meant(name));
  const Rejections rejections(library, collection);
  const std::vector<std::string> ids =
      rejections.none() ? std::vector<std::string>() : item_ids(library, collection);
  std::vector<std::uint8_t> may;  // whether a tag could be suggested if it were common
  for (const std::string& name : tags.names)
    may.push_back(std::ranges::any_of(meant_by(control, name), [&](const std::string& each) {
      return allowed(control, tag_key(each));
    }));
  Tags result;
  result.targets.columns = numbering.size();
  std::map<std::int32_t, float> row;
  for (std::int64_t item = 0; item < tags.counts.rows(); ++item) {
    row.clear();
    if (static_cast<std::size_t>(item) < ids.size())
      rejections.add(ids[static_cast<std::size_t>(item)], numbering, row);
    for (const std::int32_t tag : tags.counts.view().row_indices(item))
      for (const std::int32_t number : meant[static_cast<std::size_t>(tag)]) row[number] = 1;
    if (row.empty() &&
        std::ranges::any_of(tags.counts.view().row_indices(item), [&](std::int32_t tag) {
          return may[static_cast<std::size_t>(tag)] != 0;
        }))
      result.strange.push_back(item);
    push_row(row, result.targets);
  }
  result.names = std::move(numbering).names();
  return result;
}

Tags read_tags(const Library& library, const Collection& collection, const TagControl& control,
               const std::vector<std::string>& known, const std::vector<std::string>& ids) {
  Numbering numbering(control, known);
  const Rejections rejections(library, collection);
  ItemReader reader(library, collection);
  Tags result;
  result.targets.columns = numbering.size();
  std::map<std::int32_t, float> row;
  for (const std::string& id : ids) {
    const std::optional<Item> item = reader.find(id);
    require(item.has_value(), "collection '", collection.name, "' has no item '", id, "'");
    row.clear();
    rejections.add(id, numbering, row);
    for (const ItemTag& tag : item->tags)
      for (const std::int32_t number : numbering.meant(tag.name)) row[number] = 1;
    push_row(row, result.targets);
  }
  result.names = std::move(numbering).names();
  return result;
}

std::vector<std::string> described_for(const Library& library, const TagControl& control) {
  std::vector<std::string> names;
  if (!control.described) return names;
  for (const TagEntry& each : described_tags(library)) {
    if (each.description.empty() || each.manual || each.hidden) continue;
    std::string name = rejected_by(control, each.name);
    if (allowed(control, tag_key(name))) names.push_back(std::move(name));
  }
  return names;
}

void require_tags(const Tags& tags, const std::string& collection) {
  require(!tags.names.empty(), "no tag of collection '", collection,
          "' may be suggested: give a smaller --min-uses, other lists, or tag more items");
}

std::optional<std::vector<std::string>> decided_since(const Library& library,
                                                      const Collection& collection,
                                                      const TagControl& control,
                                                      const std::vector<std::string>& known,
                                                      std::int64_t last) {
  const Numbering numbering(control, known);
  std::vector<std::string> ids;
  for (const Decision& each : decisions_since(library, collection, last)) {
    for (const std::string& name : meant_by(control, each.tag))
      if (numbering.find(name) < 0 && allowed(control, tag_key(name))) return std::nullopt;
    if (ids.empty() || ids.back() != each.item) ids.push_back(each.item);
  }
  return ids;
}

}  // namespace commonplace::suggest
