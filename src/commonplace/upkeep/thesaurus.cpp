#include "commonplace/upkeep/thesaurus.h"

#include <algorithm>
#include <map>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/identity.h"
#include "commonplace/library/tags/tag_tree.h"

namespace commonplace {
namespace {

constexpr std::size_t kDeepest = 50;

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
        c == '/')
      result += c;
    else
      (result += '%') += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return result;
}

/// A label as one level of a tag.
std::string level_of(const std::string& label) {
  std::string level = tag_name(label);
  if (tag_path(level).size() > 1) std::replace(level.begin(), level.end(), '/', '-');
  return level;
}

/// The whole names of concepts, by what stands above them.
class Paths {
 public:
  explicit Paths(const std::vector<SkosConcept>& concepts) {
    for (const SkosConcept& each : concepts) by_uri_.emplace(each.uri, &each);
  }

  /// Of several concepts above, the first counts. Error where they go round in a circle.
  std::string of(const SkosConcept& each) const {
    std::string path = level_of(each.label);
    const SkosConcept* at = &each;
    for (std::size_t depth = 0;; ++depth) {
      const SkosConcept* above = nullptr;
      for (const std::string& uri : at->broader)
        if (const auto known = by_uri_.find(uri); above == nullptr && known != by_uri_.end())
          above = known->second;
      if (above == nullptr) return tag_name(path);
      require(depth < kDeepest, "the concept '", each.label, "' is below itself, or more than ",
              kDeepest, " levels deep");
      at = above;
      path = level_of(at->label) + '/' + path;
    }
  }

 private:
  std::map<std::string, const SkosConcept*> by_uri_;
};

}  // namespace

std::vector<SkosConcept> thesaurus_of(const Library& library) {
  const std::string front = concat("urn:commonplace:", identity_of(library), ':');
  const std::vector<TagNode> tree = tag_tree(library, {.hidden = true});
  std::vector<SkosConcept> concepts;
  for (const TagNode& each : tree) {
    SkosConcept& made = concepts.emplace_back();
    made.uri = front + percent_encoded(tag_key(each.name));
    made.label = tag_leaf(each.name);
    made.also = each.also;
    made.definition = each.description;
    made.colour = each.colour;
    made.manual = each.manual;
    const std::vector<std::string> path = tag_path(each.name);
    if (path.size() > 1)
      made.broader.push_back(front + percent_encoded(tag_key(path[path.size() - 2])));
  }
  return concepts;
}

std::vector<VocabularyEdit> edits_for(const Library& library,
                                      const std::vector<SkosConcept>& concepts) {
  using Kind = VocabularyEdit::Kind;
  std::set<std::string> there;
  for (const TagNode& each : tag_tree(library, {.hidden = true})) there.insert(tag_key(each.name));
  const Paths paths(concepts);
  // A word that two concepts have says nothing of which is meant.
  std::map<std::string, int> meanings;
  std::vector<std::string> names;
  for (const SkosConcept& each : concepts) {
    names.push_back(paths.of(each));
    std::set<std::string> words = {tag_key(level_of(each.label)), tag_key(names.back())};
    for (const std::string& word : each.also) words.insert(tag_key(tag_name(word)));
    for (const std::string& word : words) ++meanings[word];
  }
  std::vector<VocabularyEdit> edits;
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const SkosConcept& each = concepts[i];
    const std::string& name = names[i];
    if (name.empty()) continue;
    const std::string key = tag_key(name);
    std::vector<std::string> words = {level_of(each.label)};
    for (const std::string& word : each.also) words.push_back(tag_name(word));
    for (const std::string& word : words) {
      const std::string from = tag_key(word);
      if (from.empty() || from == key || !there.contains(from) || meanings[from] > 1 ||
          key.starts_with(from + '/'))
        continue;
      edits.push_back(
          {.kind = there.contains(key) ? Kind::merge : Kind::rename, .tag = word, .to = name});
      // All below goes along.
      std::set<std::string> moved;
      std::erase_if(there, [&](const std::string& tag) {
        if (tag != from && !tag.starts_with(from + '/')) return false;
        moved.insert(key + tag.substr(from.size()));
        return true;
      });
      there.insert(moved.begin(), moved.end());
    }
    if (each.definition.empty() && each.colour.empty() && !each.manual) continue;
    VocabularyEdit said{.kind = Kind::describe, .tag = name};
    if (!each.definition.empty()) said.description = each.definition;
    if (!each.colour.empty()) said.colour = each.colour;
    if (each.manual) said.manual = true;
    edits.push_back(std::move(said));
    there.insert(key);
  }
  return edits;
}

}  // namespace commonplace
