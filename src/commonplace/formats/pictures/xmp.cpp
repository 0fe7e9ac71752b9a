#include "commonplace/formats/pictures/xmp.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <libxml/parser.h>
#include <libxml/xmlsave.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/json_text.h"
#include "commonplace/formats/pictures/picture_bytes.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace {
namespace {

constexpr const char* empty_packet =
    "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"Commonplace\">\n"
    " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
    "  <rdf:Description rdf:about=\"\">\n"
    "  </rdf:Description>\n"
    " </rdf:RDF>\n"
    "</x:xmpmeta>\n"
    "<?xpacket end=\"w\"?>\n";

constexpr const char* xml_space = "http://www.w3.org/XML/1998/namespace";

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

struct FreeParser {
  void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};

/// A string that libxml2 allocated, released.
std::string take(xmlChar* text) {
  if (text == nullptr) return {};
  std::string result(reinterpret_cast<const char*>(text));
  xmlFree(text);
  return result;
}

bool is(const xmlNode* node, const char* space, const char* local) {
  return node->type == XML_ELEMENT_NODE && node->ns != nullptr && node->ns->href != nullptr &&
         xmlStrEqual(node->ns->href, xml(space)) && xmlStrEqual(node->name, xml(local));
}

bool is_array(const xmlNode* node) {
  return is(node, xmp::rdf, "Bag") || is(node, xmp::rdf, "Seq") || is(node, xmp::rdf, "Alt");
}

xmlNode* next_element(xmlNode* node) {
  while (node != nullptr && node->type != XML_ELEMENT_NODE) node = node->next;
  return node;
}

xmlNode* first_child(xmlNode* node) { return next_element(node->children); }

xmlNode* child(xmlNode* node, const char* space, const char* local) {
  xmlNode* found = first_child(node);
  while (found != nullptr && !is(found, space, local)) found = next_element(found->next);
  return found;
}

xmlNode* array_in(xmlNode* property) {
  xmlNode* node = first_child(property);
  return node != nullptr && is_array(node) ? node : nullptr;
}

/// The value of a property or an array's item: its text, a link, or the rdf:value among qualifiers.
std::string value_of(xmlNode* node) {
  if (xmlChar* link = xmlGetNsProp(node, xml("resource"), xml(xmp::rdf))) return take(link);
  if (xmlNode* inner = child(node, xmp::rdf, "Description")) node = inner;
  if (xmlChar* value = xmlGetNsProp(node, xml("value"), xml(xmp::rdf))) return take(value);
  if (xmlNode* value = child(node, xmp::rdf, "value")) node = value;
  if (first_child(node) != nullptr) return {};  // a structure
  return take(xmlNodeGetContent(node));
}

/// Calls `visit(description)` for the nodes that properties stand in, until it returns true.
template <class Visit>
void for_each_description(xmlNode* rdf, const Visit& visit) {
  for (xmlNode* node = first_child(rdf); node != nullptr; node = next_element(node->next))
    if (visit(node)) return;
}

xmlNode* property_element(xmlNode* rdf, const XmpName& name) {
  xmlNode* found = nullptr;
  for_each_description(rdf, [&](xmlNode* description) {
    found = child(description, name.space, name.local);
    return found != nullptr;
  });
  return found;
}

xmlAttr* property_attribute(xmlNode* rdf, const XmpName& name) {
  xmlAttr* found = nullptr;
  for_each_description(rdf, [&](xmlNode* description) {
    found = xmlHasNsProp(description, xml(name.local), xml(name.space));
    return found != nullptr;
  });
  return found;
}

xmlNode* find_rdf(xmlNode* node, int depth) {
  if (node == nullptr || depth > 4) return nullptr;
  if (is(node, xmp::rdf, "RDF")) return node;
  for (xmlNode* inner = first_child(node); inner != nullptr; inner = next_element(inner->next))
    if (xmlNode* found = find_rdf(inner, depth + 1)) return found;
  return nullptr;
}

xmlNs* namespace_at(xmlNode* node, const char* space, const char* prefix) {
  // An attribute or array needs a prefix, so a default namespace will not do.
  for (xmlNs* known = node->nsDef; known != nullptr; known = known->next)
    if (known->prefix != nullptr && xmlStrEqual(known->href, xml(space))) return known;
  if (xmlNs* known = xmlSearchNsByHref(node->doc, node, xml(space)))
    if (known->prefix != nullptr) return known;
  std::string free_prefix = prefix;
  while (xmlSearchNs(node->doc, node, xml(free_prefix.c_str())) != nullptr) free_prefix += "_";
  return xmlNewNs(node, xml(space), xml(free_prefix.c_str()));
}

/// The white space in front of `node`, to indent its new siblings alike.
std::string indent_of(const xmlNode* node) {
  const xmlNode* before = node->prev;
  if (before == nullptr || before->type != XML_TEXT_NODE || xmlIsBlankNode(before) == 0) return {};
  const std::string blank(reinterpret_cast<const char*>(before->content));
  const std::size_t line = blank.rfind('\n');
  return line == std::string::npos ? std::string() : blank.substr(line);
}

/// Adds `added` as the last child of `parent`, on a line of its own if `indent` says so.
void add_indented(xmlNode* parent, xmlNode* added, const std::string& indent,
                  const std::string& closing_indent) {
  xmlNode* last = parent->last;
  if (last != nullptr && last->type == XML_TEXT_NODE && xmlIsBlankNode(last) != 0) {
    xmlUnlinkNode(last);
    xmlFreeNode(last);
  }
  if (!indent.empty()) xmlAddChild(parent, xmlNewText(xml(indent.c_str())));
  xmlAddChild(parent, added);
  if (!closing_indent.empty()) xmlAddChild(parent, xmlNewText(xml(closing_indent.c_str())));
}

xmlNode* add_item(xmlNode* array, const std::string& value) {
  const std::string closing = indent_of(array);
  xmlNode* first = first_child(array);
  std::string indent = first != nullptr ? indent_of(first) : std::string();
  if (first == nullptr && !closing.empty()) indent = closing + " ";
  xmlNode* item = xmlNewNode(array->ns, xml("li"));
  xmlNodeAddContentLen(item, xml(value.data()), static_cast<int>(value.size()));
  add_indented(array, item, indent, indent.empty() ? std::string() : closing);
  return item;
}

/// An empty array inside `property`, in place of whatever text stood there.
xmlNode* make_array(xmlNode* property, const char* kind) {
  while (property->children != nullptr) {
    xmlNode* old = property->children;
    xmlUnlinkNode(old);
    xmlFreeNode(old);
  }
  const std::string closing = indent_of(property);
  xmlNode* array = xmlNewNode(namespace_at(property, xmp::rdf, "rdf"), xml(kind));
  add_indented(property, array, closing.empty() ? std::string() : closing + " ", closing);
  return array;
}

/// Frees a node, with the white space in front of it.
void free_node(xmlNode* node) {
  if (xmlNode* before = node->prev;
      before != nullptr && before->type == XML_TEXT_NODE && xmlIsBlankNode(before) != 0) {
    xmlUnlinkNode(before);
    xmlFreeNode(before);
  }
  xmlUnlinkNode(node);
  xmlFreeNode(node);
}

/// The largest number of attributes in one tag of `text`. A '<' begins a tag wherever it stands,
/// for neither text nor a value between quotes may hold one.
std::size_t most_attributes(std::string_view text) {
  std::size_t most = 0;
  std::size_t count = 0;
  bool in_tag = false;
  char quote = 0;
  for (const char c : text) {
    if (c == '<') {
      in_tag = true;
      quote = 0;
      count = 0;
    } else if (!in_tag) {
      continue;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      in_tag = false;
    } else if (c == '=') {
      most = std::max(most, ++count);
    }
  }
  return most;
}

constexpr const char* dc = "http://purl.org/dc/elements/1.1/";
constexpr const char* exif = "http://ns.adobe.com/exif/1.0/";
constexpr const char* tiff = "http://ns.adobe.com/tiff/1.0/";
constexpr const char* photoshop = "http://ns.adobe.com/photoshop/1.0/";
constexpr const char* basic = "http://ns.adobe.com/xap/1.0/";
constexpr const char* creative_commons = "http://creativecommons.org/ns#";

std::optional<int> parse_number(const std::string& text, int smallest, int largest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || value < smallest || value > largest) return {};
  return value;
}

}  // namespace

void XmpPacket::FreeDocument::operator()(xmlDoc* document) const { xmlFreeDoc(document); }

XmpPacket::XmpPacket() : XmpPacket(empty_packet, "new XMP") {}

XmpPacket::XmpPacket(std::string_view bytes, const std::string& name) : name_(name) {
  require(bytes.size() <= metadata_limit, name, ": has ", bytes.size(), " bytes of XMP; more than ",
          metadata_limit, " are not read");
  // Some writers end a packet with a NUL or pad it with them.
  while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  bytes.remove_prefix(std::min(bytes.size(), start));
  require(bytes.find("<!DOCTYPE") == std::string_view::npos, name,
          ": declares a DOCTYPE, which XMP never has; it is not read");
  const std::size_t bad = invalid_utf8(bytes);
  require(bad == std::string_view::npos, name, ": is not UTF-8 (byte ", bad, " of its XMP)");
  // libxml2 compares each attribute with all before it, which thousands would make very slow.
  constexpr std::size_t attribute_limit = 2000;
  require(most_attributes(bytes) <= attribute_limit, name, ": has more than ", attribute_limit,
          " attributes in one element of its XMP");
  declared_ = bytes.starts_with("<?xml ") || bytes.starts_with("\xef\xbb\xbf<?xml ");
  xmlInitParser();
  const std::unique_ptr<xmlParserCtxt, FreeParser> parser(xmlNewParserCtxt());
  document_.reset(xmlCtxtReadMemory(
      parser.get(), bytes.data(), static_cast<int>(bytes.size()), nullptr, "UTF-8",
      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_IGNORE_ENC));
  // An undeclared prefix is no mistake to libxml2, but what it means would change with ours.
  if (document_ == nullptr || parser->nsWellFormed == 0) {
    const char* reason = parser->lastError.message;
    std::string message = reason == nullptr ? "it is empty" : reason;
    while (message.ends_with('\n')) message.pop_back();
    fail(name, ": is not XMP: line ", parser->lastError.line, ": ", message);
  }
  require(document_->intSubset == nullptr, name, ": declares a DOCTYPE, which XMP never has");
  require(rdf() != nullptr, name, ": is not XMP: it has no rdf:RDF element");
}

xmlNode* XmpPacket::rdf() const { return find_rdf(xmlDocGetRootElement(document_.get()), 0); }

std::string XmpPacket::text(const XmpName& name) const {
  if (xmlAttr* attribute = property_attribute(rdf(), name))
    return take(xmlNodeGetContent(reinterpret_cast<xmlNode*>(attribute)));
  xmlNode* property = property_element(rdf(), name);
  if (property == nullptr) return {};
  xmlNode* array = array_in(property);
  if (array == nullptr) return value_of(property);
  xmlNode* chosen = first_child(array);
  for (xmlNode* item = chosen; item != nullptr; item = next_element(item->next))
    if (take(xmlGetNsProp(item, xml("lang"), xml(xml_space))) == "x-default") {
      chosen = item;
      break;
    }
  return chosen == nullptr ? std::string() : value_of(chosen);
}

std::vector<std::string> XmpPacket::list(const XmpName& name) const {
  std::vector<std::string> values;
  xmlNode* property = property_element(rdf(), name);
  if (property != nullptr) {
    if (xmlNode* array = array_in(property)) {
      for (xmlNode* item = first_child(array); item != nullptr; item = next_element(item->next))
        values.push_back(value_of(item));
      return values;
    }
  }
  if (std::string value = text(name); !value.empty()) values.push_back(std::move(value));
  return values;
}

xmlNode* XmpPacket::array_for(const XmpName& name, const char* array) {
  xmlNode* property = property_element(rdf(), name);
  if (property != nullptr)
    if (xmlNode* existing = array_in(property)) return existing;

  const std::string simple = text(name);
  if (property != nullptr) {
    require(first_child(property) == nullptr && property->properties == nullptr, name_, ": ",
            name.prefix, ":", name.local, " is not a list; nothing was added to it");
  } else {
    if (xmlAttr* attribute = property_attribute(rdf(), name)) xmlRemoveProp(attribute);
    xmlNode* description = child(rdf(), xmp::rdf, "Description");
    if (description == nullptr) {
      description = xmlNewNode(rdf()->ns, xml("Description"));
      xmlNewNsProp(description, namespace_at(rdf(), xmp::rdf, "rdf"), xml("about"), xml(""));
      const std::string closing = indent_of(rdf());
      add_indented(rdf(), description, closing.empty() ? closing : closing + " ", closing);
    }
    xmlNode* first = first_child(description);
    const std::string closing = indent_of(description);
    std::string indent = first != nullptr ? indent_of(first) : std::string();
    if (indent.empty() && !closing.empty()) indent = closing + " ";
    property = xmlNewNode(namespace_at(description, name.space, name.prefix), xml(name.local));
    add_indented(description, property, indent, closing);
  }
  xmlNode* made = make_array(property, array);
  if (!simple.empty()) add_item(made, simple);
  return made;
}

void XmpPacket::append(const XmpName& name, const char* array,
                       const std::vector<std::string>& values) {
  if (values.empty()) return;
  xmlNode* into = array_for(name, array);
  for (const std::string& value : values) add_item(into, value);
}

void XmpPacket::remove_property(const XmpName& name) {
  while (xmlAttr* attribute = property_attribute(rdf(), name)) xmlRemoveProp(attribute);
  while (xmlNode* property = property_element(rdf(), name)) free_node(property);
}

void XmpPacket::remove(const XmpName& name, const std::function<bool(const std::string&)>& gone) {
  xmlNode* property = property_element(rdf(), name);
  xmlNode* array = property == nullptr ? nullptr : array_in(property);
  if (array == nullptr) {
    if (const std::string value = text(name); !value.empty() && gone(value)) remove_property(name);
    return;
  }
  for (xmlNode* item = first_child(array); item != nullptr;) {
    xmlNode* next = next_element(item->next);
    if (gone(value_of(item))) free_node(item);
    item = next;
  }
  if (first_child(array) == nullptr) remove_property(name);
}

std::vector<XmpPacket::Structure> XmpPacket::structures(const XmpName& name) const {
  std::vector<Structure> result;
  xmlNode* property = property_element(rdf(), name);
  xmlNode* array = property == nullptr ? nullptr : array_in(property);
  if (array == nullptr) return result;
  for (xmlNode* item = first_child(array); item != nullptr; item = next_element(item->next)) {
    xmlNode* inner = child(item, xmp::rdf, "Description");
    xmlNode* node = inner == nullptr ? item : inner;
    Structure& fields = result.emplace_back();
    for (xmlAttr* each = node->properties; each != nullptr; each = each->next)
      if (each->ns != nullptr && xmlStrEqual(each->ns->href, xml(name.space)))
        fields.emplace_back(reinterpret_cast<const char*>(each->name),
                            take(xmlNodeGetContent(reinterpret_cast<xmlNode*>(each))));
    for (xmlNode* each = first_child(node); each != nullptr; each = next_element(each->next))
      if (each->ns != nullptr && xmlStrEqual(each->ns->href, xml(name.space)))
        fields.emplace_back(reinterpret_cast<const char*>(each->name), value_of(each));
  }
  return result;
}

void XmpPacket::set_structures(const XmpName& name, const std::vector<Structure>& structures) {
  remove_property(name);
  if (structures.empty()) return;
  xmlNode* array = array_for(name, "Bag");
  for (const Structure& fields : structures) {
    xmlNode* item = add_item(array, "");
    xmlNewNsProp(item, namespace_at(array, xmp::rdf, "rdf"), xml("parseType"), xml("Resource"));
    const std::string closing = indent_of(item);
    for (const auto& [field, value] : fields) {
      xmlNode* node = xmlNewNode(namespace_at(item, name.space, name.prefix), xml(field.c_str()));
      xmlNodeAddContentLen(node, xml(value.data()), static_cast<int>(value.size()));
      add_indented(item, node, closing.empty() ? closing : closing + " ", closing);
    }
  }
}

bool XmpPacket::is_bare() const {
  const xmlNode* root = xmlDocGetRootElement(document_.get());
  if (take(xmlGetNsProp(root, xml("xmptk"), xml("adobe:ns:meta/"))) != "Commonplace") return false;
  bool bare = true;
  for_each_description(rdf(), [&](xmlNode* description) {
    bare = first_child(description) == nullptr;
    for (xmlAttr* each = description->properties; each != nullptr; each = each->next)
      bare = bare && each->ns != nullptr && xmlStrEqual(each->ns->href, xml(xmp::rdf));
    return !bare;
  });
  return bare;
}

std::string XmpPacket::serialise() const {
  xmlBuffer* buffer = xmlBufferCreate();
  xmlSaveCtxt* save = xmlSaveToBuffer(buffer, "UTF-8", declared_ ? 0 : XML_SAVE_NO_DECL);
  xmlSaveDoc(save, document_.get());
  xmlSaveClose(save);
  std::string result(reinterpret_cast<const char*>(xmlBufferContent(buffer)),
                     static_cast<std::size_t>(xmlBufferLength(buffer)));
  xmlBufferFree(buffer);
  return result;
}

namespace {

/// Takes what is marked as a machine's out of the lists. A keyword that is a level of such a tag is
/// its own too: writers put people's plain tags among the paths as well.
void part_from_machines(PhotoFacts& facts, const std::vector<MachineMark>& marks) {
  std::map<std::string, std::size_t> by_key;
  std::map<std::string, std::vector<std::size_t>> by_level;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    by_key.emplace(tag_key(marks[i].tag.name), i);
    for (const std::string& path : tag_path(marks[i].tag.name))
      by_level[tag_key(tag_leaf(path))].push_back(i);
  }
  std::set<std::size_t> found;
  std::erase_if(facts.paths, [&](const std::string& path) {
    const auto mark = by_key.find(tag_key(tag_name(path)));
    if (mark != by_key.end()) found.insert(mark->second);
    return mark != by_key.end();
  });
  std::erase_if(facts.keywords, [&](const std::string& keyword) {
    const auto levels = by_level.find(tag_key(tag_name(keyword)));
    if (levels != by_level.end()) found.insert(levels->second.begin(), levels->second.end());
    return levels != by_level.end();
  });
  for (const std::size_t i : found) facts.machine.push_back(marks[i].tag);
}

}  // namespace

std::vector<MachineMark> machine_marks(const XmpPacket& packet) {
  std::vector<MachineMark> marks;
  std::set<std::string> keys;
  for (const XmpPacket::Structure& fields : packet.structures(xmp::machine_tags)) {
    MachineMark mark{{"", 1, GivenBy::machine, "unknown", 0}};
    for (const auto& [field, value] : fields) {
      if (field == "Tag") mark.tag.name = tag_name(value);
      if (field == "Model" && !value.empty()) mark.tag.model = value;
      if (field == "Run") mark.run = value;
      if (field != "Score") continue;
      double score = 0;
      const auto read = std::from_chars(value.data(), value.data() + value.size(), score);
      if (read.ec == std::errc() && score >= 0 && score <= 1) mark.tag.score = score;
    }
    if (!mark.tag.name.empty() && keys.insert(tag_key(mark.tag.name)).second)
      marks.push_back(std::move(mark));
  }
  return marks;
}

void set_machine_marks(XmpPacket& packet, const std::vector<MachineMark>& marks) {
  std::vector<XmpPacket::Structure> structures;
  for (const MachineMark& mark : marks) {
    XmpPacket::Structure& fields = structures.emplace_back();
    fields = {{"Tag", mark.tag.name}, {"Model", mark.tag.model}};
    if (!mark.run.empty()) fields.emplace_back("Run", mark.run);
    fields.emplace_back("Score", number_text(mark.tag.score));
  }
  packet.set_structures(xmp::machine_tags, structures);
}

PhotoFacts facts_of_xmp(const XmpPacket& packet) {
  auto text = [&](const char* space, const char* local) { return packet.text({space, "", local}); };
  PhotoFacts facts;
  facts.paths = packet.list(xmp::tags_list);
  for (std::string path : packet.list(xmp::hierarchical_subject)) {
    std::replace(path.begin(), path.end(), '|', '/');
    facts.paths.push_back(std::move(path));
  }
  facts.keywords = packet.list(xmp::subject);
  if (const std::vector<MachineMark> marks = machine_marks(packet); !marks.empty())
    part_from_machines(facts, marks);
  facts.title = text(dc, "title");
  facts.headline = text(photoshop, "Headline");
  facts.description = text(dc, "description");
  if (facts.description.empty()) facts.description = text(tiff, "ImageDescription");
  facts.comment = text(exif, "UserComment");
  facts.taken = text(exif, "DateTimeOriginal");
  facts.created = text(photoshop, "DateCreated");
  facts.digitised = text(basic, "CreateDate");
  facts.creator = text(dc, "creator");
  facts.rights = text(dc, "rights");
  facts.license = text(creative_commons, "license");
  facts.make = text(tiff, "Make");
  facts.model = text(tiff, "Model");
  facts.place = parse_place(text(exif, "GPSLatitude"), text(exif, "GPSLatitudeRef"),
                            text(exif, "GPSLongitude"), text(exif, "GPSLongitudeRef"));
  facts.rating = parse_number(text(basic, "Rating"), -1, 5);
  facts.orientation = parse_number(text(tiff, "Orientation"), 1, 8);
  return facts;
}

}  // namespace commonplace
