#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "commonplace/base/unicode.h"
#include "commonplace/formats/item_values.h"
#include "commonplace/formats/latex.h"
#include "commonplace/formats/reading.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

constexpr std::size_t kLongestEntry = std::size_t{16} << 20;
constexpr std::size_t kLongestValue = std::size_t{1} << 20;
constexpr std::size_t kMostFields = 1'000;

bool is_name_character(char c) {
  constexpr std::string_view kSpecial = "\"#%'(),={} \t\r\n";
  return kSpecial.find(c) == std::string_view::npos;
}

/// The length of "@article {" at the front of `text`, or 0.
std::size_t entry_start(std::string_view text) {
  if (!text.starts_with('@')) return 0;
  std::size_t at = 1;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  const std::size_t name = at;
  while (at < text.size() && is_letter(text[at])) ++at;
  if (at == name) return 0;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at < text.size() && (text[at] == '{' || text[at] == '(') ? at + 1 : 0;
}

using Fields = std::vector<std::pair<std::string, std::string>>;  ///< values still in LaTeX

struct Entry {
  std::string type;  ///< in small letters
  std::string key;
  Fields fields;
};

/// @string definitions so far. Their total is bounded, because one can be built of others.
class Macros {
 public:
  void define(const std::string& name, std::string value) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    bytes_ += name.size() + value.size();
    require(bytes_ <= kMostBytes, "the @string definitions take more than ", kMostBytes >> 20,
            " MiB");
    values_[name] = std::move(value);
  }
  /// An unknown name stands for itself.
  std::string value(const std::string& name) const {
    const auto found = values_.find(lower_case(name));
    return found == values_.end() ? name : found->second;
  }

 private:
  std::map<std::string, std::string> values_;
  std::size_t bytes_ = 0;
};

/// Reads one entry from the front of a text.
class EntryParser {
 public:
  EntryParser(std::string_view text, const Macros& macros) : text_(text), macros_(macros) {}

  /// Error if the entry is broken.
  Entry read() {
    Entry entry;
    at_ = entry_start(text_);
    const char closing = text_[at_ - 1] == '{' ? '}' : ')';
    entry.type = lower_case(trim(text_.substr(1, at_ - 2)));
    if (entry.type == "comment" || entry.type == "preamble") {
      skip_group(closing);
      return entry;
    }
    if (entry.type != "string") entry.key = read_key(closing);
    read_fields(entry.fields, closing);
    return entry;
  }
  /// Where reading stopped.
  std::size_t end() const { return at_; }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// Skips white space and comments, which go from % to the end of the line.
  void skip_blanks() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (peek() != '%') return;
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  void skip_group(char closing) {
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == closing && depth == 0) {
        ++at_;
        return;
      }
      if (c == '{') ++depth;
      if (c == '}' && depth > 0) --depth;
    }
  }

  std::string read_key(char closing) {
    const std::size_t end = text_.find_first_of(std::string{',', closing, '\n', '='}, at_);
    require(end != std::string_view::npos && text_[end] != '=',
            "no key before the first field; expected @type{key, field = {value}, ...}");
    const std::string key(trim(text_.substr(at_, end - at_)));
    require(key.find_first_of(" \t") == std::string::npos, "the key ", in_quotes(key),
            " has blanks in it; is a comma missing after it?");
    at_ = end;
    return key;
  }

  void read_fields(Fields& fields, char closing) {
    for (;;) {
      skip_blanks();
      while (peek() == ',') {
        ++at_;
        skip_blanks();
      }
      if (peek() == closing) {
        ++at_;
        return;
      }
      require(at_ < text_.size(), "the entry is not closed; expected '", closing, "'");
      std::string name = lower_case(read_name());
      require(!name.empty(), "found ", in_quotes(text_.substr(at_, 20)),
              "; expected a field's name");
      skip_blanks();
      require(peek() == '=', "field ", in_quotes(name), " has no '=' after its name");
      ++at_;
      std::string value = read_value(name);
      require(fields.size() < kMostFields, "more than ", kMostFields, " fields");
      fields.emplace_back(std::move(name), std::move(value));
      skip_blanks();
      require(peek() == ',' || peek() == closing, "field ", in_quotes(fields.back().first),
              " is followed by ", in_quotes(text_.substr(at_, 20)), "; expected ',' or '", closing,
              "'");
    }
  }

  std::string_view read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Pieces joined by '#'.
  std::string read_value(const std::string& field) {
    std::string value;
    for (;;) {
      skip_blanks();
      if (peek() == '{') {
        value += read_delimited(field, '}');
      } else if (peek() == '"') {
        value += read_delimited(field, '"');
      } else {
        const std::string_view word = read_name();
        require(!word.empty(), "field ", in_quotes(field), " has no value");
        value += macros_.value(std::string(word));
      }
      require(value.size() <= kLongestValue, "field ", in_quotes(field), " is longer than ",
              kLongestValue >> 20, " MiB");
      skip_blanks();
      if (peek() != '#') return value;
      ++at_;
    }
  }

  /// {braces} or "quotes", in which braces balance.
  std::string_view read_delimited(const std::string& field, char closing) {
    const std::size_t begin = ++at_;
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (closing == '"' && text_.substr(at_).starts_with("\\\"")) {
        ++at_;  // strictly an error, but people write \"u within quotes
      } else if (c == closing && depth == 0) {
        return text_.substr(begin, at_++ - begin);
      } else if (c == '{') {
        ++depth;
      } else if (c == '}') {
        require(depth > 0, "field ", in_quotes(field), " has a '}' too many");
        --depth;
      }
    }
    fail("field ", in_quotes(field), " is not closed; expected '", closing, "'");
  }

  std::string_view text_;
  const Macros& macros_;
  std::size_t at_ = 0;
};

/// Addresses are not LaTeX, but people escape what LaTeX would trip over.
std::string plain_address(std::string_view written) {
  std::string out;
  for (const char c : trim(written))
    if (c != '{' && c != '}' && c != '\\') out += c;
  return out;
}

/// Keywords separated by ';' or else by ',', but not within braces.
void add_keywords(Item& item, std::string_view written) {
  const char separator = written.find(';') == std::string_view::npos ? ',' : ';';
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= written.size(); ++at) {
    const char c = at < written.size() ? written[at] : separator;
    if (c == '{') ++depth;
    if (c == '}' && depth > 0) --depth;
    if (at < written.size() && (c != separator || depth > 0)) continue;
    std::string name = plain_text(written.substr(begin, at - begin));
    if (!name.empty()) item.tags.push_back(plain_tag(std::move(name)));
    begin = at + 1;
  }
}

std::optional<int> month_number(std::string_view written) {
  constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  const std::string month = lower_case(trim(written));
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (month.starts_with(kMonths[i]) || month == std::to_string(i + 1) ||
        month == concat("0", i + 1))
      return static_cast<int>(i) + 1;
  return std::nullopt;
}

/// The time in date, or in year, month and day; what was understood is taken out of `fields`.
std::string take_time(std::map<std::string, std::string>& fields) {
  const auto text = [&](const char* name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  const std::string date = text("date");
  const std::string first_of_range = date.substr(0, date.find('/'));
  for (const std::string& written : {date, first_of_range}) {
    const auto time = parse_time(written);
    if (!time) continue;
    if (written == date) fields.erase("date");
    return *time;
  }
  const auto year = parse_time(text("year"));
  if (!year || year->size() != 4) return {};
  fields.erase("year");
  const auto month = month_number(text("month"));
  if (!month) return *year;
  fields.erase("month");
  const std::string year_and_month = concat(*year, "-", *month);
  const auto with_day = parse_time(concat(year_and_month, "-", text("day")));
  if (!with_day) return *parse_time(year_and_month);
  fields.erase("day");
  return *with_day;
}

Item item_of_entry(const Entry& entry, const Where& where) {
  Item item;
  item.id = entry.key.empty() ? std::to_string(where.line) : entry.key;
  Json metadata = Json::object();
  metadata["type"] = entry.type;
  std::map<std::string, std::string> dates;
  for (const auto& [name, value] : entry.fields) {
    if (name == "title") {
      item.title = plain_text(value);
    } else if (name == "abstract") {
      item.text = plain_text(value);
    } else if (name == "keywords" || name == "keyword") {
      add_keywords(item, value);
    } else if (name == "date" || name == "year" || name == "month" || name == "day") {
      dates[name] = plain_text(value);
    } else {
      const bool address = name == "url" || name == "doi" || name == "eprint" || name == "file";
      const std::string text = address ? plain_address(value) : plain_text(value);
      if (!text.empty()) metadata[name == "type" ? "subtype" : name] = text;
    }
  }
  item.time = take_time(dates);
  for (const auto& [name, text] : dates)
    if (!text.empty()) metadata[name] = text;
  item.metadata = json_text(metadata);
  return item;
}

/// Gives entries with a crossref the fields that they lack and the entry referred to has, once that
/// is known: BibTeX wants it after them, biblatex takes it anywhere. Keywords, abstract and notes
/// are about the other entry alone; its title is the booktitle. One level, as in BibTeX.
class CrossReferences {
 public:
  struct Waiting {
    Entry entry;
    Where where;
    std::string parent;  ///< the key, in small letters
  };

  /// Whether the entry refers to another; if so it is kept for later.
  bool take_waiting(Entry& entry, const Where& where) {
    const std::string* parent = field(entry.fields, "crossref");
    if (parent == nullptr) return false;
    std::string key = lower_case(plain_text(*parent));
    wanted_.insert(key);
    waiting_.push_back({std::move(entry), where, std::move(key)});
    return true;
  }
  /// Remembers the fields of what may be referred to: kinds that contain others, wherever they
  /// stand, and whatever was referred to before.
  void offer(const Entry& entry) {
    static const std::set<std::string> containers = {
        "book",   "booklet",     "collection",    "conference", "mvbook",      "mvcollection",
        "manual", "mvreference", "mvproceedings", "periodical", "proceedings", "reference"};
    std::string key = lower_case(entry.key);
    if (containers.count(entry.type) != 0 || wanted_.count(key) != 0)
      parents_.emplace(std::move(key), entry.fields);
  }
  std::vector<Waiting> take_all() { return std::exchange(waiting_, {}); }

  /// Whether the entry referred to is there. Error if all that is inherited would be too much.
  bool inherit(Waiting& waiting) {
    const auto parent = parents_.find(waiting.parent);
    if (parent == parents_.end()) return false;
    for (const auto& [name, value] : parent->second) {
      static const std::set<std::string> own = {"abstract", "annotation", "crossref", "ids",
                                                "file",     "key",        "keyword",  "keywords",
                                                "label",    "note",       "xref"};
      const std::string as = name == "title" ? "booktitle" : name;
      if (own.count(name) != 0 || field(waiting.entry.fields, as) != nullptr ||
          (as != name && field(parent->second, as) != nullptr))
        continue;
      constexpr std::size_t kMostBytes = std::size_t{64} << 20;
      bytes_ += as.size() + value.size();
      require(bytes_ <= kMostBytes, "what entries inherit by crossref takes more than ",
              kMostBytes >> 20, " MiB");
      waiting.entry.fields.emplace_back(as, value);
    }
    return true;
  }

 private:
  static const std::string* field(const Fields& fields, const std::string& name) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const auto& each) { return each.first == name; });
    return found == fields.end() ? nullptr : &found->second;
  }
  std::vector<Waiting> waiting_;
  std::set<std::string> wanted_;
  std::map<std::string, Fields> parents_;
  std::size_t bytes_ = 0;
};

/// Reads a file in pieces that begin at an entry at a line's start, so that a broken entry spoils
/// nothing after it. Entries with a crossref come last.
class BibtexReader {
 public:
  explicit BibtexReader(const Sink& sink) : sink_(sink) {}

  /// Reads the entries in one piece; the first begins at its front.
  void read_piece(const std::string& written, Where where) {
    if (written.empty()) return;
    if (written.size() > kLongestEntry) {
      report_bad(sink_, where, concat("the entry is longer than ", kLongestEntry >> 20, " MiB"));
      return;
    }
    const std::string piece = assume_utf8(written);
    std::string_view rest = piece;
    while (!rest.empty()) {
      EntryParser parser(rest, macros_);
      Record record;
      record.where = where;
      bool complete = false;
      const auto work = [&] {
        Entry entry = parser.read();
        if (entry.type == "string")
          for (auto& [name, value] : entry.fields) macros_.define(name, std::move(value));
        if (!is_item(entry)) return;
        references_.offer(entry);
        complete = !references_.take_waiting(entry, where);
        if (complete) record.item = item_of_entry(entry, where);
      };
      if (!understand(sink_, where, work)) return;
      if (complete) sink_.record(std::move(record));
      pass(rest, where, parser.end());
      skip_to_entry(rest, where);
    }
  }

  /// Reads what waited for the entries that it refers to.
  void finish() {
    for (CrossReferences::Waiting& each : references_.take_all()) {
      Record record;
      record.where = each.where;
      bool found = true;
      const auto work = [&] {
        found = references_.inherit(each);
        record.item = item_of_entry(each.entry, each.where);
      };
      if (!understand(sink_, each.where, work)) continue;
      if (!found)
        report_note(sink_, each.where,
                    concat("it refers to ", in_quotes(each.parent),
                           ", which is neither later in the file nor a volume (a book, proceedings "
                           "...) in it; what "
                           "it would have from there is missing"));
      sink_.record(std::move(record));
    }
  }

 private:
  static bool is_item(const Entry& entry) {
    return entry.type != "string" && entry.type != "comment" && entry.type != "preamble";
  }
  static void pass(std::string_view& rest, Where& where, std::size_t count) {
    const std::string_view passed = rest.substr(0, count);
    where.line += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
    rest.remove_prefix(passed.size());
  }
  /// What stands between entries is a comment.
  static void skip_to_entry(std::string_view& rest, Where& where) {
    for (;;) {
      pass(rest, where, std::min(rest.find('@'), rest.size()));
      if (rest.empty() || entry_start(rest) != 0) return;
      pass(rest, where, 1);
    }
  }

  const Sink& sink_;
  Macros macros_;
  CrossReferences references_;
};

}  // namespace

void read_bibtex(LineReader& lines, const Sink& sink) {
  BibtexReader reader(sink);
  ReadingProgress progress(sink, lines.where().file);
  std::string piece;
  Where where;
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view begun =
        line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (entry_start(begun) != 0) {
      reader.read_piece(piece, where);
      progress.step(lines.source());
      piece.assign(begun).append("\n");
      where = lines.where();
    } else if (!piece.empty() && piece.size() <= kLongestEntry) {
      piece.append(line).append("\n");
    }
  }
  reader.read_piece(piece, where);
  reader.finish();
}

}  // namespace commonplace
