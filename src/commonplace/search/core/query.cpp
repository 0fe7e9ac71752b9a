// The grammar, where `and` with a joining word binds more than standing side by side only to know
// which words it demands; both mean that all must hold:
//   alternatives  = side_by_side { "or" side_by_side }
//   side_by_side  = conjunction { conjunction }
//   conjunction   = negation { "and" negation }
//   negation      = { "not" | "-" } operand
//   operand       = word | phrase | tag | before | after | in | is | area | "(" alternatives ")"
#include "commonplace/search/core/query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/item.h"

namespace commonplace::search {
namespace {

using Kind = Condition::Kind;

constexpr std::size_t kMostBytes = 10'000;
constexpr int kDeepest = 100;

enum class Sign { leaf, open, close, conjunction, alternative, negation, end };

struct Token {
  Sign sign = Sign::end;
  Kind kind = Kind::word;  ///< of a leaf
  std::string text;        ///< of a leaf as in Condition, of a sign as written
  std::size_t place = 0;   ///< in bytes
};

template <class... Parts>
[[noreturn]] void fail_at(std::string_view query, std::size_t place, const Parts&... parts) {
  const auto before = query.substr(0, place);
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  });
  fail("the query, at character ", characters + 1, ": ", parts...);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

class Lexer {
 public:
  /// `query` must be UTF-8.
  explicit Lexer(std::string_view query) : query_(query) {}

  std::vector<Token> tokens() {
    std::vector<Token> result;
    do {
      result.push_back(next());
    } while (result.back().sign != Sign::end);
    return result;
  }

 private:
  bool done() const { return at_ == query_.size(); }

  /// The bytes of the white space that begins at `place`, or 0.
  std::size_t blank(std::size_t place) const {
    const auto length = static_cast<std::int32_t>(query_.size());
    auto end = static_cast<std::int32_t>(place);
    if (end == length) return 0;
    UChar32 character = 0;
    U8_NEXT(query_.data(), end, length, character);
    return character >= 0 && u_isUWhiteSpace(character) != 0 ? static_cast<std::size_t>(end) - place
                                                             : 0;
  }

  bool ends_word(std::size_t place) const {
    return place == query_.size() || std::string_view("()\"").find(query_[place]) != npos ||
           blank(place) > 0;
  }

  bool take(char wanted) {
    if (done() || query_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool take_prefix(std::string_view lower) {
    if (!equals_ignoring_case(query_.substr(at_, lower.size()), lower)) return false;
    at_ += lower.size();
    return true;
  }

  /// What stands before the closing quote; the opening one has been taken.
  std::string take_quoted(std::size_t place) {
    std::string text;
    while (!take('"')) {
      if (done()) fail_at(query_, place, "a '\"' is not closed; add another after the last word");
      if (query_.substr(at_).starts_with("\\\"")) ++at_;
      text += query_[at_++];
    }
    if (tidy(text).empty())
      fail_at(query_, place, "nothing stands between the quotes; write words there");
    return text;
  }

  std::string take_word() {
    const std::size_t begin = at_;
    while (!ends_word(at_)) ++at_;
    return std::string(query_.substr(begin, at_ - begin));
  }

  /// What follows "#" or "tag:", with or without quotes.
  std::string take_value(std::size_t place) {
    std::string value = take('"') ? take_quoted(place) : take_word();
    if (value.empty())
      fail_at(query_, place, "'", query_.substr(place, at_ - place),
              "' has nothing after it; write for example tag:harbour or before:1950");
    return value;
  }

  std::string take_time(std::size_t place) {
    const std::string written = take_value(place);
    const auto time = parse_time(written);
    if (!time)
      fail_at(query_, place, "'", written,
              "' is not a date; write it like 1904, 1904-05 or 1904-05-03");
    return *time;
  }

  std::string take_fact(std::size_t place) {
    static constexpr std::string_view kFacts[] = {"untagged", "tagged", "automatic", "picture",
                                                  "text",     "link",   "placed"};
    const std::string written = take_value(place);
    for (const std::string_view each : kFacts)
      if (equals_ignoring_case(written, each)) return std::string(each);
    fail_at(query_, place, "'", written,
            "' is nothing that an item can be; write is:untagged, is:tagged, is:automatic, "
            "is:picture, is:text, is:link or is:placed");
  }

  std::string take_area(std::size_t place) {
    std::string written = take_value(place);
    if (!parse_area(written))
      fail_at(query_, place, "'", written,
              "' is no area; write south, west, north and east in degrees, like "
              "40.5,-74.3,40.9,-73.7");
    return written;
  }

  Token next() {
    while (const std::size_t length = blank(at_)) at_ += length;
    const std::size_t place = at_;
    const auto leaf = [&](Kind kind, std::string text) {
      return Token{Sign::leaf, kind, std::move(text), place};
    };
    if (done()) return {Sign::end, Kind::word, "", place};
    if (take('(')) return {Sign::open, Kind::word, "(", place};
    if (take(')')) return {Sign::close, Kind::word, ")", place};
    if (take('"')) return leaf(Kind::phrase, take_quoted(place));
    if (take_prefix("tag:")) return leaf(Kind::tag, take_value(place));
    if (take_prefix("before:")) return leaf(Kind::before, take_time(place));
    if (take_prefix("after:")) return leaf(Kind::after, take_time(place));
    if (take_prefix("in:")) return leaf(Kind::during, take_time(place));
    if (take_prefix("is:")) return leaf(Kind::fact, take_fact(place));
    if (take_prefix("area:")) return leaf(Kind::area, take_area(place));
    // A lone '#' or '-' is a word like any other: people write "river - boat".
    const bool alone =
        place + 1 == query_.size() || query_[place + 1] == ')' || blank(place + 1) > 0;
    if (!alone && take('#')) return leaf(Kind::tag, take_value(place));
    if (!alone && take('-')) return {Sign::negation, Kind::word, "-", place};
    return word_or_sign(place);
  }

  Token word_or_sign(std::size_t place) {
    Token token{Sign::leaf, Kind::word, take_word(), place};
    if (equals_ignoring_case(token.text, "and")) token.sign = Sign::conjunction;
    if (equals_ignoring_case(token.text, "or")) token.sign = Sign::alternative;
    if (equals_ignoring_case(token.text, "not")) token.sign = Sign::negation;
    return token;
  }

  static constexpr std::size_t npos = std::string_view::npos;
  std::string_view query_;
  std::size_t at_ = 0;
};

/// A condition before it is known which of its words are demanded.
struct Node {
  Kind kind = Kind::word;
  std::string text;
  std::vector<Node> children;
  bool loose = false;  ///< a word, or things side by side: demanded only if it is joined to others
};

class Parser {
 public:
  explicit Parser(std::string_view query) : query_(query), tokens_(Lexer(query).tokens()) {}

  bool empty() const { return peek().sign == Sign::end; }

  Node parse() {
    Node node = alternatives();
    if (peek().sign == Sign::close)
      fail_here("there is no '(' for this ')'; add one, or leave it out");
    return node;
  }

  /// Those outside any negation, in order.
  std::vector<std::string> take_words() { return std::move(words_); }

 private:
  const Token& peek() const { return tokens_[at_]; }

  bool take(Sign sign) {
    if (peek().sign != sign) return false;
    ++at_;
    return true;
  }

  template <class... Parts>
  [[noreturn]] void fail_here(const Parts&... parts) const {
    fail_at(query_, peek().place, parts...);
  }

  /// One level further down, where nesting may end in a stack overflow.
  template <class Inner>
  Node nested(Inner inner) {
    if (++depth_ > kDeepest)
      fail_here("more than ", kDeepest, " '(' and 'not' inside each other; write fewer");
    Node node = inner();
    --depth_;
    return node;
  }

  static Node group(Kind kind, bool loose, std::vector<Node> children) {
    if (children.size() == 1) return std::move(children.front());
    return {kind, "", std::move(children), loose};
  }

  Node alternatives() {
    std::vector<Node> children;
    do {
      children.push_back(side_by_side());
    } while (take(Sign::alternative));
    return group(Kind::any, false, std::move(children));
  }

  Node side_by_side() {
    const auto more = [&] {
      const Sign sign = peek().sign;
      return sign == Sign::leaf || sign == Sign::open || sign == Sign::negation;
    };
    std::vector<Node> children;
    do {
      children.push_back(conjunction());
    } while (more());
    return group(Kind::all, true, std::move(children));
  }

  Node conjunction() {
    std::vector<Node> children;
    do {
      children.push_back(negation());
    } while (take(Sign::conjunction));
    return group(Kind::all, false, std::move(children));
  }

  Node negation() {
    if (!take(Sign::negation)) return operand();
    ++negations_;
    Node node{Kind::negation, "", {}, false};
    node.children.push_back(nested([&] { return negation(); }));
    --negations_;
    return node;
  }

  Node operand() {
    const std::size_t opened = peek().place;
    if (take(Sign::open)) {
      Node node = nested([&] { return alternatives(); });
      if (!take(Sign::close)) fail_at(query_, opened, "this '(' is not closed; add ')'");
      return node;
    }
    if (peek().sign != Sign::leaf) fail_missing();
    Token& token = tokens_[at_++];
    const bool is_word = token.kind == Kind::word;
    if (negations_ == 0 && (is_word || token.kind == Kind::phrase)) words_.push_back(token.text);
    return {token.kind, std::move(token.text), {}, is_word};
  }

  /// Something to look for should stand here: says what asked for it.
  [[noreturn]] void fail_missing() const {
    const auto joins = [](Sign sign) {
      return sign == Sign::conjunction || sign == Sign::alternative || sign == Sign::negation;
    };
    if (at_ > 0 && joins(tokens_[at_ - 1].sign))
      fail_at(query_, tokens_[at_ - 1].place, "nothing follows '", tokens_[at_ - 1].text,
              "'; write what it joins, or put it in quotes to search for the word");
    if (joins(peek().sign))
      fail_here("nothing stands before '", peek().text,
                "'; write what it joins, or put it in quotes to search for the word");
    if (at_ > 0 && peek().sign == Sign::close)
      fail_here("nothing stands between '(' and ')'; write something there, or leave them out");
    fail_here("something to search for is missing; write a word, a \"phrase\" or a #tag");
  }

  std::string_view query_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int negations_ = 0;
  std::vector<std::string> words_;
};

/// What `node` demands: all of it if it is joined to others, or else what is not loose.
std::optional<Condition> demands(Node node, bool joined) {
  joined = joined || !node.loose;
  if (node.kind == Kind::word && !joined) return std::nullopt;
  Condition condition{node.kind, std::move(node.text), {}};
  for (Node& child : node.children)
    if (auto demanded = demands(std::move(child), joined))
      condition.children.push_back(*std::move(demanded));
  if (joined) return condition;
  if (condition.children.empty()) return std::nullopt;
  if (condition.children.size() == 1) return Condition(std::move(condition.children.front()));
  return condition;
}

}  // namespace

std::optional<QueryArea> parse_area(std::string_view text) {
  double degrees[4];
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return std::nullopt;
    const auto [stop, error] = std::from_chars(at, end, degrees[i]);
    if (error != std::errc() || !std::isfinite(degrees[i])) return std::nullopt;
    at = stop;
  }
  if (at != end || degrees[0] > degrees[2]) return std::nullopt;
  return QueryArea{degrees[0], degrees[1], degrees[2], degrees[3]};
}

bool QueryArea::holds(double latitude, double longitude) const {
  if (latitude < south || latitude > north) return false;
  return west <= east ? longitude >= west && longitude <= east
                      : longitude >= west || longitude <= east;
}

Query parse_query(std::string_view text) {
  require(text.size() <= kMostBytes, "the query has ", text.size(), " bytes; the limit is ",
          kMostBytes);
  if (const std::size_t bad = invalid_utf8(text); bad != std::string_view::npos)
    fail_at(text, bad, "this is not UTF-8; convert the query to UTF-8");
  Parser parser(text);
  Query query;
  if (parser.empty()) return query;
  query.condition = demands(parser.parse(), false);
  query.words = parser.take_words();
  return query;
}

}  // namespace commonplace::search
