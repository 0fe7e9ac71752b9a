#include "commonplace/search/conditions.h"

#include "commonplace/formats/item.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace {
namespace {

using Rows = std::vector<std::uint8_t>;

class Meeting {
 public:
  Meeting(const SearchIndex& index, const TokenOptions& tokens, const HasPhrase& has_phrase)
      : index_(index), tokenizer_(tokens), has_phrase_(has_phrase) {}

  Rows rows(const QueryCondition& condition) {
    using Kind = QueryCondition::Kind;
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
          index_.times[row] != SearchIndex::kNoTime && compare(index_.times[row], bound) ? 1 : 0;
    return result;
  }

  Rows joined(const QueryCondition& condition) {
    const bool all = condition.kind == QueryCondition::Kind::all;
    Rows result = with_value(all ? 1 : 0);
    for (const QueryCondition& child : condition.children) {
      const Rows more = rows(child);
      for (std::size_t row = 0; row < result.size(); ++row)
        result[row] = all ? result[row] & more[row] : result[row] | more[row];
    }
    return result;
  }

  const SearchIndex& index_;
  Tokenizer tokenizer_;
  const HasPhrase& has_phrase_;
};

}  // namespace

std::vector<std::uint8_t> items_that_meet(const QueryCondition& condition, const SearchIndex& index,
                                          const TokenOptions& tokens, const HasPhrase& has_phrase) {
  return Meeting(index, tokens, has_phrase).rows(condition);
}

}  // namespace commonplace
