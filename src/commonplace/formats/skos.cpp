#include "commonplace/formats/skos.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"

namespace commonplace {
namespace {

constexpr std::string_view kSkos = "http://www.w3.org/2004/02/skos/core#";
constexpr std::string_view kType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
constexpr std::string_view kTitle = "http://purl.org/dc/terms/title";
constexpr std::string_view kBoolean = "http://www.w3.org/2001/XMLSchema#boolean";
constexpr std::string_view kColour = "urn:commonplace:colour";
constexpr std::string_view kManual = "urn:commonplace:manual";
constexpr int kDeepestBrackets = 100;

/// A subject, predicate or object.
struct Term {
  enum class Kind { address, blank, literal };
  Kind kind = Kind::address;
  std::string text{};
  std::string language{};
};

struct Triple {
  std::string subject;
  std::string predicate;
  Term object;
};

void append_utf8(std::uint32_t code, std::string& to) {
  const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | code >> 6U);
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | code >> 12U);
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | code >> 18U);
    byte(0x80U | (code >> 12U & 0x3FU));
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

/// Reads Turtle, of which N-Triples is a part.
class TurtleReader {
 public:
  explicit TurtleReader(std::string_view text) : text_(text) {}

  std::vector<Triple> read() {
    for (skip(); at_ < text_.size(); skip()) {
      if (take_word("@prefix") || take_word("PREFIX", true))
        prefix();
      else if (take_word("@base") || take_word("BASE", true))
        base();
      else
        statement();
    }
    return std::move(triples_);
  }

 private:
  [[noreturn]] void wrong(std::string_view expected) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    fail("line ", line, " of the SKOS file: expected ", expected,
         at_ < text_.size()
             ? concat(", found '", text_.substr(at_, std::min<std::size_t>(20, text_.size() - at_)),
                      "'")
             : std::string(", found its end"));
  }

  /// To what is neither white space nor a comment.
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        ++at_;
      else
        return;
    }
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip();
    if (next() != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word, bool any_case = false) {
    if (text_.size() - at_ < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      char c = text_[at_ + i];
      if (any_case && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      if (c != word[i]) return false;
    }
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && (is_name(text_[end]) || text_[end] == ':')) return false;
    at_ = end;
    return true;
  }

  void prefix() {
    skip();
    std::string name;
    while (is_name(next()) || next() == '.') name += text_[at_++];
    if (!take(':')) wrong("the name of a prefix and ':'");
    skip();
    prefixes_[name] = address();
    take('.');
  }
  void base() {
    skip();
    base_ = address();
    take('.');
  }

  std::string escaped(char end_of) {
    std::string result;
    while (next() != end_of) {
      if (at_ >= text_.size()) wrong(concat("'", end_of, "'"));
      if (next() == '\\')
        result += escape();
      else
        result += text_[at_++];
    }
    ++at_;
    return result;
  }

  std::string escape() {
    ++at_;
    const char c = next();
    ++at_;
    std::string result;
    switch (c) {
      case 't':
        return "\t";
      case 'b':
        return "\b";
      case 'n':
        return "\n";
      case 'r':
        return "\r";
      case 'f':
        return "\f";
      case 'u':
      case 'U': {
        std::uint32_t code = 0;
        for (int i = 0; i < (c == 'u' ? 4 : 8); ++i, ++at_) {
          const char digit = next();
          const auto value = digit >= '0' && digit <= '9'   ? digit - '0'
                             : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                             : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                            : -1;
          if (value < 0) wrong("a hexadecimal digit");
          code = code * 16 + static_cast<std::uint32_t>(value);
        }
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) wrong("a character of Unicode");
        append_utf8(code, result);
        return result;
      }
      case '"':
      case '\'':
      case '\\':
        return std::string(1, c);
      default:
        wrong("a character that may stand behind '\\'");
    }
  }

  std::string address() {
    if (next() != '<') wrong("an address in <>");
    ++at_;
    std::string found = escaped('>');
    if (found.find(':') == std::string::npos) found = base_ + found;
    return found;
  }

  std::string prefixed() {
    std::string prefix;
    while (is_name(next()) || (next() == '.' && at_ + 1 < text_.size() && is_name(text_[at_ + 1])))
      prefix += text_[at_++];
    if (next() != ':') wrong("an address, or a name with its prefix");
    ++at_;
    std::string local;
    for (;;) {
      if (next() == '\\' && at_ + 1 < text_.size()) {
        local += text_[at_ + 1];
        at_ += 2;
      } else if (is_name(next()) || next() == ':' ||
                 (next() == '.' && at_ + 1 < text_.size() &&
                  (is_name(text_[at_ + 1]) || text_[at_ + 1] == ':'))) {
        local += text_[at_++];
      } else {
        break;
      }
    }
    if (prefix == "_") return "_:" + local;
    const auto known = prefixes_.find(prefix);
    if (known == prefixes_.end()) wrong(concat("a prefix that was declared, not '", prefix, ":'"));
    return known->second + local;
  }

  std::string blank(int depth) {
    if (depth > kDeepestBrackets) wrong("fewer brackets within brackets");
    const std::string name = concat("_:commonplace", ++blanks_);
    skip();
    if (next() != ']') predicates(name, depth);
    if (!take(']')) wrong("']'");
    return name;
  }

  std::string literal() {
    const char quote = next();
    if (text_.substr(at_, 3) != std::string(3, quote)) {
      ++at_;
      return escaped(quote);
    }
    at_ += 3;
    std::string result;
    while (text_.substr(at_, 3) != std::string(3, quote)) {
      if (at_ >= text_.size()) wrong("the end of a long text");
      if (next() == '\\')
        result += escape();
      else
        result += text_[at_++];
    }
    at_ += 3;
    return result;
  }

  Term term(int depth) {
    skip();
    const char c = next();
    if (c == '<') return {Term::Kind::address, address(), ""};
    if (c == '[') {
      ++at_;
      return {Term::Kind::blank, blank(depth + 1), ""};
    }
    if (c == '(') {
      if (depth > kDeepestBrackets) wrong("fewer brackets within brackets");
      ++at_;
      while (!take(')')) term(depth + 1);
      return {Term::Kind::blank, concat("_:commonplace", ++blanks_), ""};
    }
    if (c == '"' || c == '\'') {
      Term found{Term::Kind::literal, literal(), ""};
      if (next() == '@') {
        ++at_;
        while (is_name(next())) found.language += text_[at_++];
      } else if (text_.substr(at_, 2) == "^^") {
        at_ += 2;
        skip();
        next() == '<' ? address() : prefixed();
      }
      return found;
    }
    if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
      Term number{Term::Kind::literal, "", ""};
      while ((next() >= '0' && next() <= '9') || next() == '+' || next() == '-' || next() == 'e' ||
             next() == 'E' ||
             (next() == '.' && at_ + 1 < text_.size() && text_[at_ + 1] >= '0' &&
              text_[at_ + 1] <= '9'))
        number.text += text_[at_++];
      if (number.text.empty()) wrong("a number");
      return number;
    }
    for (const std::string_view word : {"true", "false"})
      if (take_word(word)) return {Term::Kind::literal, std::string(word), ""};
    std::string name = prefixed();
    const bool is_blank = name.starts_with("_:");
    return {is_blank ? Term::Kind::blank : Term::Kind::address, std::move(name), ""};
  }

  void statement() {
    skip();
    const bool bracket = next() == '[';
    const Term subject = term(0);
    if (subject.kind == Term::Kind::literal) wrong("something that a statement can be about");
    skip();
    if (!(bracket && next() == '.')) predicates(subject.text, 0);
    if (!take('.')) wrong("'.', ';' or ','");
  }

  void predicates(const std::string& subject, int depth) {
    for (;;) {
      skip();
      const std::string predicate = take_word("a") ? std::string(kType) : term(depth).text;
      do {
        triples_.push_back({subject, predicate, term(depth)});
      } while (take(','));
      bool more = false;
      while (take(';')) more = true;
      skip();
      if (!more || next() == '.' || next() == ']') return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int blanks_ = 0;
  std::string base_;
  std::map<std::string, std::string> prefixes_;
  std::vector<Triple> triples_;
};

std::string turtle_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else if (c == '\t')
      result += "\\t";
    else
      result += c;
  }
  return result + '"';
}

/// How well a label's language suits.
int rank(const Term& label, std::string_view language) {
  if (!language.empty() && label.language == language) return 3;
  if (label.language.empty()) return 2;
  return label.language == "en" || label.language.starts_with("en-") ? 1 : 0;
}

}  // namespace

std::string write_skos(std::string_view title, const std::vector<SkosConcept>& concepts,
                       SkosFormat format) {
  const bool turtle = format == SkosFormat::turtle;
  std::string out;
  const std::string scheme = "urn:commonplace:scheme";
  const auto address = [&](std::string_view uri) {
    if (turtle && uri.starts_with(kSkos)) return "skos:" + std::string(uri.substr(kSkos.size()));
    if (turtle && uri == kType) return std::string("a");
    return concat('<', uri, '>');
  };
  const auto write = [&](std::string_view subject,
                         const std::vector<std::pair<std::string, std::string>>& facts) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!turtle || i == 0) out += concat('<', subject, '>');
      out += concat(turtle && i > 0 ? "   " : "", ' ', address(facts[i].first), ' ',
                    facts[i].second, turtle && i + 1 < facts.size() ? " ;\n" : " .\n");
    }
  };
  const auto skos = [](std::string_view name) { return concat(kSkos, name); };
  if (turtle) out += concat("@prefix skos: <", kSkos, "> .\n\n");
  write(scheme, {{std::string(kType), address(skos("ConceptScheme"))},
                 {std::string(kTitle), turtle_text(title)}});
  for (const SkosConcept& each : concepts) {
    std::vector<std::pair<std::string, std::string>> facts = {
        {std::string(kType), address(skos("Concept"))},
        {skos("inScheme"), concat('<', scheme, '>')},
        {skos("prefLabel"), turtle_text(each.label)}};
    for (const std::string& label : each.also)
      facts.emplace_back(skos("altLabel"), turtle_text(label));
    if (!each.definition.empty())
      facts.emplace_back(skos("definition"), turtle_text(each.definition));
    for (const std::string& above : each.broader)
      facts.emplace_back(skos("broader"), concat('<', above, '>'));
    if (each.broader.empty()) facts.emplace_back(skos("topConceptOf"), concat('<', scheme, '>'));
    if (!each.colour.empty()) facts.emplace_back(std::string(kColour), turtle_text(each.colour));
    if (each.manual) facts.emplace_back(std::string(kManual), concat("\"true\"^^<", kBoolean, '>'));
    if (turtle) out += '\n';
    write(each.uri, facts);
  }
  return out;
}

std::vector<SkosConcept> read_skos(std::string_view text, std::string_view language) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  require(invalid_utf8(text) == std::string_view::npos, "the SKOS file is not UTF-8");
  const std::vector<Triple> triples = TurtleReader(text).read();
  std::vector<SkosConcept> concepts;
  std::map<std::string, std::size_t> numbers;
  const auto concept_of = [&](const std::string& uri) -> SkosConcept& {
    const auto [known, is_new] = numbers.emplace(uri, concepts.size());
    if (is_new) concepts.push_back({uri, ""});
    return concepts[known->second];
  };
  std::map<std::string, int> label_rank;
  std::map<std::string, int> definition_rank;
  const auto is = [](const Triple& triple, std::string_view name) {
    return triple.predicate.size() == kSkos.size() + name.size() &&
           triple.predicate.starts_with(kSkos) && triple.predicate.ends_with(name);
  };
  for (const Triple& each : triples) {
    const bool literal = each.object.kind == Term::Kind::literal;
    if (is(each, "prefLabel") && literal) {
      SkosConcept& of = concept_of(each.subject);
      const int suits = rank(each.object, language);
      if (of.label.empty() || suits > label_rank[each.subject]) {
        if (!of.label.empty()) of.also.push_back(of.label);
        of.label = each.object.text;
        label_rank[each.subject] = suits;
      } else {
        of.also.push_back(each.object.text);
      }
    } else if ((is(each, "altLabel") || is(each, "hiddenLabel")) && literal) {
      concept_of(each.subject).also.push_back(each.object.text);
    } else if ((is(each, "definition") || is(each, "scopeNote")) && literal) {
      SkosConcept& of = concept_of(each.subject);
      const int suits = 2 * rank(each.object, language) + (is(each, "definition") ? 1 : 0);
      if (of.definition.empty() || suits > definition_rank[each.subject]) {
        of.definition = each.object.text;
        definition_rank[each.subject] = suits;
      }
    } else if (is(each, "broader") && !literal) {
      concept_of(each.subject).broader.push_back(each.object.text);
    } else if (is(each, "narrower") && !literal) {
      concept_of(each.object.text).broader.push_back(each.subject);
    } else if (each.predicate == kColour && literal) {
      concept_of(each.subject).colour = each.object.text;
    } else if (each.predicate == kManual && literal) {
      concept_of(each.subject).manual = each.object.text == "true";
    }
  }
  std::erase_if(concepts, [](const SkosConcept& each) { return each.label.empty(); });
  for (SkosConcept& each : concepts) {
    std::set<std::string> seen;
    std::erase_if(each.broader,
                  [&](const std::string& above) { return !seen.insert(above).second; });
  }
  return concepts;
}

}  // namespace commonplace
