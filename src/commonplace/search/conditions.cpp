#include "commonplace/search/conditions.h"

#include <algorithm>
#include <optional>

#include "commonplace/formats/item.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace::search {
namespace {

using Rows = std::vector<std::uint8_t>;

class Meeting {
 public:
  Meeting(const Index& index, const TokenOptions& tokens, const HasPhrase& has_phrase,
          const ReadFacts& read_facts)
      : index_(index), tokenizer_(tokens), has_phrase_(has_phrase), read_facts_(read_facts) {}

  Rows rows(const Condition& condition) {
    using Kind = Condition::Kind;
    switch (condition.kind) {
      case Kind::word:
      case Kind::phrase:
        return phrase(condition.text);
      case Kind::tag:
        return tag(condition.text);
      case Kind::before:
        return times(condition.text,
                     [](std::int64_t time, std::int64_t bound) { return time < bound; });
      case Kind::after:
        return times(condition.text,
                     [](std::int64_t time, std::int64_t bound) { return time >= bound; });
      case Kind::during: {
        const std::int64_t end = end_of(condition.text);
        return times(condition.text, [end](std::int64_t time, std::int64_t bound) {
          return time >= bound && time < end;
        });
      }
      case Kind::fact:
        return fact(condition.text);
      case Kind::area:
        return area(condition.text);
      case Kind::all:
      case Kind::any:
        return joined(condition);
      case Kind::negation: {
        Rows result = rows(condition.children.front());
        for (std::uint8_t& row : result) row = row == 0 ? 1 : 0;
        return result;
      }
    }
    return {};
  }

 private:
  Rows with_value(std::uint8_t value) const {
    return Rows(static_cast<std::size_t>(index_.items), value);
  }

  static void mark(const SparseView& postings, std::int32_t word, Rows& rows) {
    if (word < 0) return;
    for (const std::int32_t row : postings.row_indices(word))
      rows[static_cast<std::size_t>(row)] = 1;
  }

  Rows word(const std::string& token) const {
    Rows result = with_value(0);
    mark(index_.tag_words.items.view(), index_.tag_words.words.find(token), result);
    mark(index_.text_words.items.view(), index_.text_words.words.find(token), result);
    return result;
  }

  /// Text without any word, such as "!", demands nothing.
  Rows phrase(const std::string& text) {
    const std::vector<std::string> tokens = tokenizer_.tokens(text);
    Rows result = with_value(1);
    for (const std::string& token : tokens) {
      const Rows having = word(token);
      for (std::size_t row = 0; row < result.size(); ++row) result[row] &= having[row];
    }
    if (tokens.size() < 2) return result;
    for (std::size_t row = 0; row < result.size(); ++row)
      if (result[row] != 0 && !has_phrase_(static_cast<std::int64_t>(row), tokens)) result[row] = 0;
    return result;
  }

  Rows tag(const std::string& name) const {
    Rows result = with_value(0);
    mark(index_.tag_items.view(), index_.tags.find(tag_key(tag_name(name))), result);
    return result;
  }

  template <class Compare>
  Rows times(const std::string& time, const Compare& compare) const {
    const std::int64_t bound = epoch_seconds(time);
    Rows result = with_value(0);
    for (std::size_t row = 0; row < result.size(); ++row)
      result[row] =
          index_.times[row] != Index::kNoTime && compare(index_.times[row], bound) ? 1 : 0;
    return result;
  }

  /// Seconds since 1970 of what comes after a year, a month or a day.
  static std::int64_t end_of(const std::string& time) {
    const std::int64_t begin = epoch_seconds(time);
    if (time.size() >= 10) return begin + 86'400;
    // The next month begins within 32 days, the next year within 367.
    const std::string next = time_of_epoch(begin + (time.size() >= 7 ? 32 : 367) * 86'400LL);
    return epoch_seconds(next.substr(0, time.size()));
  }

  Rows fact(const std::string& name) {
    if (name == "tagged" || name == "untagged") {
      Rows result = with_value(0);
      const SparseView tags = index_.tag_items.view();
      for (std::int64_t tag = 0; tag < index_.tag_items.rows(); ++tag)
        mark(tags, static_cast<std::int32_t>(tag), result);
      if (name == "untagged")
        for (std::uint8_t& row : result) row = row == 0 ? 1 : 0;
      return result;
    }
    const ItemFacts& known = facts();
    return rows_where([&](std::size_t row) {
      if (name == "picture") return known.picture[row] != 0;
      if (name == "text") return known.picture[row] == 0;
      if (name == "link") return known.link[row] != 0;
      if (name == "automatic") return known.automatic[row] != 0;
      return known.place[row].has_value();
    });
  }

  Rows area(const std::string& text) {
    const QueryArea asked = parse_area(text).value();
    const ItemFacts& known = facts();
    return rows_where([&](std::size_t row) {
      return known.place[row] &&
             asked.holds(known.place[row]->latitude, known.place[row]->longitude);
    });
  }

  /// Of items that came after the index nothing is said.
  template <class Holds>
  Rows rows_where(const Holds& holds) {
    Rows result = with_value(0);
    const std::size_t known = std::min(result.size(), facts().place.size());
    for (std::size_t row = 0; row < known; ++row) result[row] = holds(row) ? 1 : 0;
    return result;
  }

  const ItemFacts& facts() {
    if (!facts_) facts_ = read_facts_ ? read_facts_() : ItemFacts();
    return *facts_;
  }

  Rows joined(const Condition& condition) {
    const bool all = condition.kind == Condition::Kind::all;
    Rows result = with_value(all ? 1 : 0);
    for (const Condition& child : condition.children) {
      const Rows more = rows(child);
      for (std::size_t row = 0; row < result.size(); ++row)
        result[row] = all ? result[row] & more[row] : result[row] | more[row];
    }
    return result;
  }

  const Index& index_;
  Tokenizer tokenizer_;
  const HasPhrase& has_phrase_;
  const ReadFacts& read_facts_;
  std::optional<ItemFacts> facts_;
};

}  // namespace

std::vector<std::uint8_t> items_that_meet(const Condition& condition, const Index& index,
                                          const TokenOptions& tokens, const HasPhrase& has_phrase,
                                          const ReadFacts& read_facts) {
  return Meeting(index, tokens, has_phrase, read_facts).rows(condition);
}

}  // namespace commonplace::search
