#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "commonplace/base/unicode.h"
#include "commonplace/formats/export.h"
#include "commonplace/formats/html_text.h"
#include "commonplace/formats/item_values.h"
#include "commonplace/formats/reading.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{256} << 20;
constexpr std::size_t kDeepestFolder = 100;
constexpr std::size_t kLongestPath = 1000;  // of a tag
constexpr std::size_t kMostMetadata = 100;
constexpr std::size_t kMostBookmarks = 1'000'000;
/// Our own attribute, beside TAGS: which of them a machine gave, as JSON.
constexpr const char* kMachineTags = "commonplace_machine_tags";

/// Folders that browsers make themselves and that say nothing of what is in them.
bool is_browsers_own(const HtmlToken& heading, const std::string& name) {
  if (heading.attribute("personal_toolbar_folder") || heading.attribute("unfiled_bookmarks_folder"))
    return true;
  constexpr std::array<std::string_view, 13> kNames{
      "bookmarks",        "bookmarks bar",   "bookmarks menu",  "bookmarks toolbar",
      "favorites",        "favorites bar",   "favourites",      "favourites bar",
      "mobile bookmarks", "other bookmarks", "other favorites", "unsorted bookmarks",
      "reading list"};
  return std::find(kNames.begin(), kNames.end(), lower_case(name)) != kNames.end();
}

/// Runs of white space made one blank, before references are decoded.
std::string collapsed(std::string_view written) {
  std::string out;
  for (const std::string_view word : split(written, " \t\r\n\f\v")) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

/// A bookmark as it is being read, its metadata still in parts.
struct Bookmark {
  Record record;
  Json metadata = Json::object();
  std::unordered_set<std::string> tag_names;

  std::vector<ItemTag> machine;  ///< those of the tags that a machine gave

  void add_tag(const std::string& name) {
    if (!name.empty() && tag_names.insert(name).second) record.item.tags.push_back(plain_tag(name));
  }
  /// One that another bookmark of the address has; a person's word goes before a machine's.
  void add_tag(const ItemTag& tag) {
    std::vector<ItemTag>& tags = record.item.tags;
    const auto same = std::find_if(tags.begin(), tags.end(),
                                   [&](const ItemTag& each) { return each.name == tag.name; });
    if (same == tags.end())
      tags.push_back(tag);
    else if (tag.by != GivenBy::machine)
      *same = tag;
    tag_names.insert(tag.name);
  }
  void add_metadata(const std::string& name, const Json& value) {
    if (metadata.size() < kMostMetadata && !metadata.contains(name)) metadata[name] = value;
  }
};

/// The same address in two folders is one item, with the tags of both.
class Bookmarks {
 public:
  /// A later bookmark of the same address is merged into the first.
  void add(Bookmark&& bookmark) {
    const auto [place, is_new] = positions_.try_emplace(bookmark.record.item.id, all_.size());
    if (is_new) {
      require(all_.size() < kMostBookmarks, to_string(bookmark.record.where), ": more than ",
              kMostBookmarks, " bookmarks; split the file");
      all_.push_back(std::move(bookmark));
      return;
    }
    Bookmark& first = all_[place->second];
    Item& item = first.record.item;
    Item& other = bookmark.record.item;
    if (item.title.empty()) item.title = std::move(other.title);
    if (item.text.empty()) item.text = std::move(other.text);
    if (item.time.empty() || (!other.time.empty() && other.time < item.time))
      item.time = other.time;
    for (const ItemTag& tag : other.tags) first.add_tag(tag);
    for (const auto& [name, value] : bookmark.metadata.get_ref<const Json::object_t&>())
      first.add_metadata(name, value);
  }
  std::vector<Bookmark>& all() { return all_; }

 private:
  std::vector<Bookmark> all_;
  std::unordered_map<std::string, std::size_t> positions_;
};

class BookmarkParser {
 public:
  BookmarkParser(std::string name, const Sink& sink) : name_(std::move(name)), sink_(sink) {}

  void parse(std::string_view html) {
    HtmlTokens tokens(html);
    HtmlToken token;
    while (tokens.next(token)) {
      if (token.kind == HtmlToken::Kind::text) {
        if (collecting_ != Collecting::nothing) collected_ += token.text;
      } else if (token.kind == HtmlToken::Kind::open) {
        open(token);
      } else {
        close(token);
      }
    }
    finish_collecting();
    finish_bookmark();
  }
  Bookmarks& bookmarks() { return bookmarks_; }

 private:
  enum class Collecting { nothing, folder_name, title, text };

  void open(const HtmlToken& token) {
    if (token.name == "a" && collecting_ == Collecting::text) {
      inner_link_ = decode_html(trim(token.attribute("href").value_or("")));
      inner_begin_ = collected_.size();
    } else if (token.name == "a") {
      finish_collecting();
      finish_bookmark();
      begin_bookmark(token);
    } else if (token.name == "h3") {
      finish_collecting();
      finish_bookmark();
      heading_ = token;
      collect(Collecting::folder_name);
    } else if (token.name == "dl") {
      finish_collecting();
      finish_bookmark();
      enter_folder();
    } else if (token.name == "dd") {
      finish_collecting();
      if (open_bookmark_) collect(Collecting::text);
    } else if (token.name == "dt" || token.name == "hr") {
      finish_collecting();
    } else if (token.name == "br" && collecting_ == Collecting::text) {
      collected_ += '\n';
    }
  }

  void close(const HtmlToken& token) {
    if (token.name == "a" && collecting_ == Collecting::text) return finish_inner_link();
    if (token.name == "a" || token.name == "h3" || token.name == "dd") finish_collecting();
    if (token.name != "dl") return;
    finish_collecting();
    finish_bookmark();
    leave_folder();
  }

  /// A link within a description stays in it, with its address.
  void finish_inner_link() {
    const std::string address = std::exchange(inner_link_, {});
    if (address.empty() ||
        decode_html(trim(std::string_view(collected_).substr(inner_begin_))) == address)
      return;
    collected_.append(" (").append(encode_html(address)).append(")");
  }

  void enter_folder() {
    if (folders_.size() < kDeepestFolder) {
      folders_.push_back(next_folder_);
    } else {
      ++deeper_;
    }
    next_folder_.clear();
  }

  void leave_folder() {
    next_folder_.clear();
    if (deeper_ > 0) {
      --deeper_;
    } else if (!folders_.empty()) {
      folders_.pop_back();
    }
  }

  void collect(Collecting what) {
    collecting_ = what;
    collected_.clear();
  }

  void finish_collecting() {
    const Collecting what = std::exchange(collecting_, Collecting::nothing);
    if (what == Collecting::folder_name) {
      next_folder_ = decode_html(collapsed(collected_));
      const bool at_the_top = folders_.size() <= 1;
      if (at_the_top && is_browsers_own(heading_, next_folder_)) next_folder_.clear();
    } else if (what == Collecting::title && open_bookmark_) {
      open_bookmark_->record.item.title = decode_html(collapsed(collected_));
    } else if (what == Collecting::text && open_bookmark_) {
      open_bookmark_->record.item.text = decode_html(trim(collected_));
    }
  }

  void begin_bookmark(const HtmlToken& token) {
    const std::string address = decode_html(trim(token.attribute("href").value_or("")));
    const std::string scheme = lower_case(address.substr(0, address.find(':')));
    if (address.empty() || scheme == "place") return;  // Firefox's saved queries
    if (scheme == "data") {
      report_bad(sink_, {name_, token.line},
                 "a bookmark of a data: address, which holds a page "
                 "rather than pointing to one, is left out");
      return;
    }
    open_bookmark_.emplace();
    open_bookmark_->record.where = {name_, token.line};
    open_bookmark_->record.item.id = address;
    open_bookmark_->metadata["url"] = address;
    for (const auto& [name, value] : token.attributes) set_attribute(name, value);
    if (const std::string folder = folder_path(); !folder.empty()) {
      open_bookmark_->add_tag(folder);
      open_bookmark_->add_metadata("folder", folder);
    }
    collect(Collecting::title);
  }

  /// Takes the tags that we marked as a machine's from people's. Marks that cannot be understood
  /// are metadata.
  void part_from_machines(Bookmark& bookmark) {
    std::vector<ItemTag>& tags = bookmark.record.item.tags;
    for (const ItemTag& mark : bookmark.machine) {
      const auto marked = [&](const ItemTag& tag) { return tag.name == mark.name; };
      if (std::erase_if(tags, marked) == 0) continue;  // someone took it away
      bookmark.tag_names.erase(mark.name);
      tags.push_back(mark);
    }
  }

  /// The open folders as one tag, as many levels as fit.
  std::string folder_path() const {
    std::string path;
    for (const std::string& folder : folders_) {
      if (path.size() + 1 + folder.size() > kLongestPath) break;
      if (!folder.empty()) path += (path.empty() ? "" : "/") + folder;
    }
    return path;
  }

  void set_attribute(const std::string& name, std::string_view value) {
    Item& item = open_bookmark_->record.item;
    if (name == "href" || name == "icon" || name == "icon_uri") return;
    if (name == "tags") {
      // Split before decoding, so that a tag may hold a comma as &#44;.
      for (const std::string_view tag : split(value, ","))
        open_bookmark_->add_tag(decode_html(tag));
      return;
    }
    const std::string text = decode_html(value);
    if (name == kMachineTags && read_marks(text)) return;
    if (name == "add_date" || name == "time") {
      // TIME is ours, for times that are less precise than ADD_DATE's seconds.
      if (const auto time = parse_time(text); time && (item.time.empty() || name == "time"))
        item.time = *time;
    } else if (name == "description") {
      item.text = text;  // Scuttle's
    } else if (!text.empty()) {
      open_bookmark_->add_metadata(assume_utf8(name), text);
    }
  }

  bool read_marks(const std::string& text) {
    try {
      std::vector<ItemTag> marks = tags_of(parse_json(text), kMachineTags);
      std::erase_if(marks, [](const ItemTag& tag) { return tag.by != GivenBy::machine; });
      open_bookmark_->machine = std::move(marks);
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  void finish_bookmark() {
    if (open_bookmark_) part_from_machines(*open_bookmark_);
    if (open_bookmark_) bookmarks_.add(std::move(*open_bookmark_));
    open_bookmark_.reset();
  }

  std::string name_;
  const Sink& sink_;
  Bookmarks bookmarks_;
  std::optional<Bookmark> open_bookmark_;
  std::vector<std::string> folders_;  ///< open lists, empty for the nameless
  std::size_t deeper_ = 0;            ///< lists open below the deepest that counts
  std::string next_folder_;           ///< of the heading whose list has not begun
  HtmlToken heading_;
  std::string inner_link_;  ///< the address of a link within a description
  std::size_t inner_begin_ = 0;
  Collecting collecting_ = Collecting::nothing;
  std::string collected_;
};

bool is_address(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) return false;
  const bool scheme =
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '-' || c == '.';
      });
  const std::string name = lower_case(text.substr(0, colon));
  return scheme && (text.compare(colon, 3, "://") == 0 || name == "javascript" ||
                    name == "mailto" || name == "about");
}

std::string address_of(const Item& item) {
  if (is_address(item.id)) return item.id;
  if (item.metadata.empty()) return {};
  const Json metadata = parse_json(item.metadata);
  const auto url = metadata.is_object() ? metadata.find("url") : metadata.end();
  if (url == metadata.end() || !url->is_string()) return {};
  return is_address(url->get<std::string>()) ? url->get<std::string>() : std::string();
}

void append_attribute(std::string& out, const char* name, const std::string& encoded) {
  out.append(" ").append(name).append("=\"").append(encoded).append("\"");
}

/// What the metadata of an item says that an attribute of a bookmark can hold.
Json metadata_of(const Item& item) {
  Json metadata = item.metadata.empty() ? Json::object() : parse_json(item.metadata);
  return metadata.is_object() ? metadata : Json::object();
}

bool is_attribute_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kOwn{"href", "add_date", "time",      "tags",
                                                 "url",  "folder",   kMachineTags};
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), fits) &&
         std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end();
}

std::string upper_case(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string bookmark_lines(const Item& item, const std::string& address, const Json& metadata,
                           const std::string& folder) {
  std::string out = "    <DT><A";
  append_attribute(out, "HREF", encode_html(address));
  if (!item.time.empty()) {
    append_attribute(out, "ADD_DATE", std::to_string(epoch_seconds(item.time)));
    if (item.time.find('T') == std::string::npos) append_attribute(out, "TIME", item.time);
  }
  for (const auto& [name, value] : metadata.get_ref<const Json::object_t&>())
    if (const auto text = scalar_text(value); text && is_attribute_name(name))
      append_attribute(out, upper_case(name).c_str(), encode_html(*text));
  std::string tags;
  std::vector<ItemTag> machine;
  for (const ItemTag& tag : item.tags) {
    if (tag.name == folder) continue;  // it stands in that folder
    if (tag.by == GivenBy::machine) machine.push_back(tag);
    if (!tags.empty()) tags += ',';
    for (const char c : encode_html(tag.name)) tags += c == ',' ? "&#44;" : std::string(1, c);
  }
  if (!tags.empty()) append_attribute(out, "TAGS", tags);
  if (!machine.empty())
    append_attribute(out, upper_case(kMachineTags).c_str(), encode_html(tags_json(machine)));
  out.append(">").append(encode_html(item.title)).append("</A>\n");
  if (!item.text.empty()) out.append("    <DD>").append(encode_html(item.text)).append("\n");
  return out;
}

/// The folder that a bookmark was read from, if its tag was not taken away since.
std::string folder_of(const Item& item, const Json& metadata) {
  const auto found = metadata.find("folder");
  if (found == metadata.end() || !found->is_string()) return {};
  const std::string folder = tag_name(found->get<std::string>());
  const bool tagged = std::any_of(item.tags.begin(), item.tags.end(), [&](const ItemTag& tag) {
    return tag.name == folder && tag.by != GivenBy::machine;
  });
  return tagged ? folder : std::string();
}

/// Writes the folders one within another.
void write_folders(const std::map<std::string, std::string>& folders, const Output& out) {
  std::vector<std::string> open;
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) out("    </DL><p>\n");
  };
  for (const auto& [folder, lines] : folders) {
    const std::vector<std::string> path = tag_path(folder);
    std::size_t common = 0;
    while (common < std::min(open.size(), path.size()) && open[common] == path[common]) ++common;
    close_to(common);
    for (; open.size() < path.size(); open.push_back(path[open.size()]))
      out(concat("    <DT><H3>", encode_html(tag_leaf(path[open.size()])), "</H3>\n    <DL><p>\n"));
    out(lines);
  }
  close_to(0);
}

}  // namespace

bool fits_bookmark(const Item& item) {
  if (!item.image.empty() || item.place || !item.labels.empty()) return false;
  if (const std::string address = address_of(item); !address.empty() && address != item.id)
    return false;
  for (const ItemTag& tag : item.tags)
    if (tag.count != 1) return false;
  if (item.metadata.empty()) return true;
  const Json metadata = parse_json(item.metadata);
  if (!metadata.is_object()) return false;
  for (const auto& [name, value] : metadata.get_ref<const Json::object_t&>())
    if (name != "url" && name != "folder" && !(is_attribute_name(name) && scalar_text(value)))
      return false;
  return true;
}

void read_bookmarks(ByteSource& bytes, const std::string& name, const Sink& sink) {
  const std::string html = read_all(bytes, kLimit, name);
  BookmarkParser parser(name, sink);
  parser.parse(html);
  ReadingProgress progress(sink, name);
  for (Bookmark& bookmark : parser.bookmarks().all()) {
    progress.step(bytes);
    bookmark.record.item.metadata = json_text(bookmark.metadata);
    sink.record(std::move(bookmark.record));
  }
}

std::size_t write_bookmarks(const ItemSource& items, const std::string& title, const Output& out) {
  out("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
      "<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n");
  out("<TITLE>" + encode_html(title) + "</TITLE>\n<H1>" + encode_html(title) + "</H1>\n<DL><p>\n");
  std::size_t left_out = 0;
  std::map<std::string, std::string> folders;  // what stands in each
  Item item;
  while (items(item)) {
    const std::string address = address_of(item);
    if (address.empty()) {
      ++left_out;
      continue;
    }
    const Json metadata = metadata_of(item);
    const std::string folder = folder_of(item, metadata);
    const std::string lines = bookmark_lines(item, address, metadata, folder);
    if (folder.empty())
      out(lines);
    else
      folders[folder] += lines;
  }
  write_folders(folders, out);
  out("</DL><p>\n");
  return left_out;
}

}  // namespace commonplace
