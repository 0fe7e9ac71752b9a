#include "commonplace/upkeep/merge_candidates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "commonplace/base/edit_distance.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/library/tags/vocabulary.h"

namespace commonplace {
namespace {

/// Words of fewer letters are too near to each other.
constexpr std::size_t kLeastLetters = 5;
constexpr std::size_t kTwoErrors = 10;
/// By use only tags are compared that are common enough, and of the commonest so many.
constexpr std::int64_t kLeastUses = 5;
constexpr std::size_t kMostUsed = 3000;
constexpr double kLeastUse = 0.8;
constexpr std::size_t kMostTagsOfItem = 100;

/// A tag with the tags that it is given beside.
struct Used {
  std::string name;
  std::string key;
  std::int64_t items = 0;
  std::map<std::size_t, double> beside;
  double length = 0;
};

/// The tags of all collections, and what they are given beside.
std::vector<Used> used_tags(const Library& library, const Progress& progress) {
  std::unordered_map<std::int64_t, std::size_t> numbers;
  std::vector<Used> tags;
  for (KnownTag& each : known_tags(library)) {
    numbers.emplace(each.id, tags.size());
    tags.push_back({std::move(each.name), std::move(each.key), 0, {}, 0});
  }
  for (const Collection& collection : collections(library)) {
    if (progress) progress({"comparing tags", 0, 0, collection.name});
    visit_tags(library, collection, [&](std::int64_t, std::span<const NumberedTag> of_item) {
      const std::size_t count = std::min(of_item.size(), kMostTagsOfItem);
      for (const NumberedTag& each : of_item)
        if (const auto known = numbers.find(each.tag); known != numbers.end())
          ++tags[known->second].items;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
          const auto first = numbers.find(of_item[i].tag);
          const auto second = numbers.find(of_item[j].tag);
          if (i != j && first != numbers.end() && second != numbers.end())
            tags[first->second].beside[second->second] += 1;
        }
    });
  }
  return tags;
}

/// Letters and digits alone: all that is beyond ASCII counts as a letter.
std::string letters_of(std::string_view key) {
  std::string letters;
  for (const char c : key)
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80 ||
        c == '+' || c == '#')
      letters += c;
  return letters;
}

/// "cities" -> "city", "boxes" -> "box", "owls" -> "owl"; itself if it is no plural.
std::vector<std::string> singulars_of(const std::string& word) {
  std::vector<std::string> singulars;
  const auto without = [&](std::size_t letters, std::string_view ending) {
    singulars.push_back(word.substr(0, word.size() - letters) + std::string(ending));
  };
  if (word.size() >= 4 && word.ends_with('s') && !word.ends_with("ss")) without(1, "");
  if (word.size() >= 5 && word.ends_with("es")) without(2, "");
  if (word.size() >= 5 && word.ends_with("ies")) without(3, "y");
  return singulars;
}

/// What is left of a word when up to `most` of its characters are left out, itself among them: two
/// words within so many edits have one of these in common.
std::set<std::string> deletions(const std::string& word, std::size_t most) {
  std::set<std::string> all = {word};
  std::set<std::string> last = all;
  for (std::size_t round = 0; round < most; ++round) {
    std::set<std::string> next;
    for (const std::string& each : last)
      for (const std::string_view character : characters_of(each)) {
        const auto at = static_cast<std::size_t>(character.data() - each.data());
        next.insert(each.substr(0, at) + each.substr(at + character.size()));
      }
    all.insert(next.begin(), next.end());
    last = std::move(next);
  }
  return all;
}

bool has_digit(std::string_view word) {
  return word.find_first_of("0123456789") != std::string_view::npos;
}

class Search {
 public:
  Search(std::vector<Used> tags, std::set<std::pair<std::string, std::string>> apart)
      : tags_(std::move(tags)), apart_(std::move(apart)) {
    std::erase_if(tags_, [](const Used& tag) { return tag.items == 0; });
  }

  void by_writing() {
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < tags_.size(); ++i)
      if (const std::string letters = letters_of(without_leaf_signs(i)); !letters.empty())
        alike[letters].push_back(i);
    for (const auto& [letters, of] : alike) add_all(of, Likeness::writing, 0.95);
  }

  void by_plural() {
    std::unordered_map<std::string, std::size_t> by_key;
    for (std::size_t i = 0; i < tags_.size(); ++i) by_key.emplace(tags_[i].key, i);
    for (std::size_t i = 0; i < tags_.size(); ++i)
      for (const std::string& singular : singulars_of(tags_[i].key))
        if (const auto other = by_key.find(singular); other != by_key.end())
          add(i, other->second, Likeness::plural, 0.85);
  }

  void by_level() {
    std::map<std::string, std::vector<std::size_t>> by_leaf;
    std::unordered_map<std::string, std::size_t> flat;
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      const std::string_view leaf = tag_leaf(tags_[i].key);
      if (leaf.size() == tags_[i].key.size())
        flat.emplace(tags_[i].key, i);
      else
        by_leaf[std::string(leaf)].push_back(i);
    }
    for (const auto& [leaf, paths] : by_leaf)
      if (const auto other = flat.find(leaf); other != flat.end() && paths.size() == 1)
        add(other->second, paths[0], Likeness::level, 0.8, true);
  }

  void by_spelling() {
    std::unordered_map<std::string, std::vector<std::size_t>> parts;
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      const std::string& key = tags_[i].key;
      if (characters_of(key).size() < kLeastLetters || has_digit(key) || key.size() > 60) continue;
      for (const std::string& part : deletions(key, key.size() >= kTwoErrors ? 2 : 1))
        parts[part].push_back(i);
    }
    for (const auto& [part, of] : parts)
      for (std::size_t a = 0; a < of.size(); ++a)
        for (std::size_t b = a + 1; b < of.size(); ++b) {
          const std::string& first = tags_[of[a]].key;
          const std::string& second = tags_[of[b]].key;
          const std::size_t most = std::min(first.size(), second.size()) >= kTwoErrors ? 2 : 1;
          const std::size_t apart = edit_distance(first, second, most);
          // Of two words that are both common, neither is a slip of the pen.
          if (apart <= most && std::min(tags_[of[a]].items, tags_[of[b]].items) * 5 <=
                                   std::max(tags_[of[a]].items, tags_[of[b]].items))
            add(of[a], of[b], Likeness::spelling, apart == 1 ? 0.6 : 0.45);
        }
  }

  void by_use() {
    std::vector<std::size_t> common;
    for (std::size_t i = 0; i < tags_.size(); ++i)
      if (tags_[i].items >= kLeastUses) common.push_back(i);
    std::stable_sort(common.begin(), common.end(), [this](std::size_t a, std::size_t b) {
      return tags_[a].items > tags_[b].items;
    });
    if (common.size() > kMostUsed) common.resize(kMostUsed);
    for (std::size_t a = 0; a < common.size(); ++a)
      for (std::size_t b = a + 1; b < common.size(); ++b) {
        const Used& first = tags_[common[a]];
        const Used& second = tags_[common[b]];
        if (first.beside.size() < 3 || second.beside.size() < 3) continue;
        if (together(common[a], common[b]) * 10 > std::min(first.items, second.items)) continue;
        if (const double alike = use(common[a], common[b]); alike >= kLeastUse)
          add(common[a], common[b], Likeness::use, 0.7 * alike);
      }
  }

  std::vector<MergeCandidate> finish() {
    std::vector<MergeCandidate> result;
    for (auto& [pair, candidate] : found_) result.push_back(std::move(candidate));
    std::stable_sort(result.begin(), result.end(),
                     [](const MergeCandidate& a, const MergeCandidate& b) {
                       return a.score != b.score ? a.score > b.score : a.into_items > b.into_items;
                     });
    return result;
  }

  /// The numbers of tags change where those without items are left out, so lengths come after.
  void measure(const std::vector<Used>& all) {
    weights_.assign(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
      weights_[i] = 1 / std::log(2.0 + static_cast<double>(all[i].beside.size()));
    for (Used& tag : tags_) {
      double squares = 0;
      for (auto& [other, count] : tag.beside) {
        count = std::sqrt(count) * weights_[other];
        squares += count * count;
      }
      tag.length = std::sqrt(squares);
    }
    for (std::size_t i = 0; i < tags_.size(); ++i) number_of_[tags_[i].key] = i;
    for (const Used& tag : all) {
      const auto kept = number_of_.find(tag.key);
      kept_.push_back(kept == number_of_.end() ? tags_.size() : kept->second);
    }
    together_.resize(tags_.size());
    for (const Used& tag : all)
      if (const auto kept = number_of_.find(tag.key); kept != number_of_.end())
        for (const auto& [other, count] : tag.beside)
          together_[kept->second][kept_of(other)] = static_cast<std::int64_t>(count);
  }

 private:
  std::size_t kept_of(std::size_t original) {
    return original < kept_.size() ? kept_[original] : tags_.size();
  }

  std::string without_leaf_signs(std::size_t tag) const {
    // Levels stay apart: "a/bc" and "ab/c" are not one writing.
    std::string key = tags_[tag].key;
    std::replace(key.begin(), key.end(), '/', '#');
    return key;
  }

  std::int64_t together(std::size_t a, std::size_t b) const {
    const auto found = together_[a].find(b);
    return found == together_[a].end() ? 0 : found->second;
  }

  /// How alike two tags are used: the cosine of what they are given beside.
  double use(std::size_t a, std::size_t b) const {
    const Used& first = tags_[a];
    const Used& second = tags_[b];
    if (first.length == 0 || second.length == 0) return 0;
    double sum = 0;
    auto one = first.beside.begin();
    auto two = second.beside.begin();
    while (one != first.beside.end() && two != second.beside.end()) {
      if (one->first == two->first)
        sum += one++->second * two++->second;
      else if (one->first < two->first)
        ++one;
      else
        ++two;
    }
    return sum / (first.length * second.length);
  }

  void add_all(const std::vector<std::size_t>& tags, Likeness why, double score) {
    if (tags.size() < 2) return;
    const std::size_t most = *std::max_element(
        tags.begin(), tags.end(),
        [this](std::size_t a, std::size_t b) { return tags_[a].items < tags_[b].items; });
    for (const std::size_t each : tags)
      if (each != most) add(each, most, why, score);
  }

  void add(std::size_t a, std::size_t b, Likeness why, double score, bool ordered = false) {
    if (!ordered && (tags_[a].items > tags_[b].items ||
                     (tags_[a].items == tags_[b].items && tags_[a].key < tags_[b].key)))
      std::swap(a, b);
    const Used& tag = tags_[a];
    const Used& into = tags_[b];
    if (into.key.starts_with(tag.key + '/') || tag.key.starts_with(into.key + '/')) return;
    const auto pair = std::minmax(tag.key, into.key);
    if (apart_.contains({pair.first, pair.second})) return;
    MergeCandidate candidate{tag.name, into.name, why, 0, tag.items, into.items, together(a, b)};
    candidate.score = std::min(0.99, why == Likeness::use ? score : score + 0.1 * use(a, b));
    const auto [known, is_new] = found_.emplace(pair, candidate);
    if (!is_new && known->second.score < candidate.score) known->second = candidate;
  }

  std::vector<Used> tags_;
  std::set<std::pair<std::string, std::string>> apart_;
  std::map<std::pair<std::string, std::string>, MergeCandidate> found_;
  std::vector<double> weights_;
  std::unordered_map<std::string, std::size_t> number_of_;
  std::vector<std::size_t> kept_;  ///< of all tags: its number among those with items
  std::vector<std::unordered_map<std::size_t, std::int64_t>> together_;
};

}  // namespace

std::vector<MergeCandidate> merge_candidates(const Library& library, const Progress& progress) {
  const ReadSnapshot snapshot = read_snapshot(library);
  const std::vector<Used> all = used_tags(library, progress);
  Search search(all, kept_apart(library));
  search.measure(all);
  search.by_writing();
  search.by_plural();
  search.by_level();
  search.by_spelling();
  search.by_use();
  return search.finish();
}

}  // namespace commonplace
