#include "commonplace/formats/xmp.h"

#include <algorithm>
#include <charconv>

#include <libxml/parser.h>
#include <libxml/xmlsave.h>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/picture_bytes.h"

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

void add_item(xmlNode* array, const std::string& value) {
  const std::string closing = indent_of(array);
  xmlNode* first = first_child(array);
  std::string indent = first != nullptr ? indent_of(first) : std::string();
  if (first == nullptr && !closing.empty()) indent = closing + " ";
  xmlNode* item = xmlNewNode(array->ns, xml("li"));
  xmlNodeAddContentLen(item, xml(value.data()), static_cast<int>(value.size()));
  add_indented(array, item, indent, indent.empty() ? std::string() : closing);
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

PhotoFacts facts_of_xmp(const XmpPacket& packet) {
  auto text = [&](const char* space, const char* local) { return packet.text({space, "", local}); };
  PhotoFacts facts;
  facts.paths = packet.list(xmp::tags_list);
  for (std::string path : packet.list(xmp::hierarchical_subject)) {
    std::replace(path.begin(), path.end(), '|', '/');
    facts.paths.push_back(std::move(path));
  }
  facts.keywords = packet.list(xmp::subject);
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
