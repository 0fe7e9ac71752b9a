#include "commonplace/formats/pictures/svg.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include <libxml/xmlreader.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

struct FreeReader {
  void operator()(xmlTextReader* reader) const { xmlFreeTextReader(reader); }
};

std::string_view view(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// The namespace of the current element. Illustrator writes it as an entity, xmlns="&ns_svg;", and
/// the reader leaves entities alone, because to expand them all would let in those of files.
std::string_view space_of(xmlTextReader* reader) {
  const std::string_view space = view(xmlTextReaderConstNamespaceUri(reader));
  if (!space.starts_with('&') || !space.ends_with(';')) return space;
  const std::string name(space.substr(1, space.size() - 2));
  const xmlNode* node = xmlTextReaderCurrentNode(reader);
  if (node == nullptr || node->doc == nullptr) return space;
  const xmlEntity* entity =
      xmlGetDocEntity(node->doc, reinterpret_cast<const xmlChar*>(name.c_str()));
  const bool internal = entity != nullptr && entity->etype == XML_INTERNAL_GENERAL_ENTITY;
  return internal ? view(entity->content) : space;
}

/// An open element, named as "dc:title" by what its namespace is rather than by its prefix.
std::string element_name(xmlTextReader* reader) {
  const std::string_view space = space_of(reader);
  const std::string local(view(xmlTextReaderConstLocalName(reader)));
  if (space.starts_with("http://purl.org/dc/")) return "dc:" + local;
  if (space == "http://www.w3.org/1999/02/22-rdf-syntax-ns#") return "rdf:" + local;
  if (space == "http://web.resource.org/cc/" || space == "http://creativecommons.org/ns#")
    return "cc:" + local;
  if (space.empty() || space == "http://www.w3.org/2000/svg") return local;
  return "other:" + local;
}

class SvgFacts {
 public:
  void open(std::string name) { path_.push_back(std::move(name)); }

  void close() {
    if (path_.back() == "rdf:li" && inside("dc:subject")) end_keyword();
    if (path_.back() == "dc:subject") end_keyword();
    path_.pop_back();
  }

  /// Text inside the elements that are open. A person is <dc:creator><cc:Agent><dc:title>, so the
  /// outer element decides what a dc:title means.
  void text(std::string_view text) {
    if (!inside("rdf:RDF")) {
      if (path_.size() == 2 && path_[1] == "title") title_ += text;
      if (path_.size() == 2 && path_[1] == "desc") description_ += text;
    } else if (inside("dc:subject")) {
      keyword_ += text;
    } else if (inside("dc:creator")) {
      facts_.creator += text;
    } else if (inside("dc:rights")) {
      facts_.rights += text;
    } else if (inside("dc:publisher") || inside("dc:contributor") || inside("dc:source")) {
      return;
    } else if (inside("dc:title")) {
      facts_.title += text;
    } else if (inside("dc:description")) {
      facts_.description += text;
    } else if (inside("dc:date")) {
      facts_.created += text;
    }
  }

  void license(std::string_view address) {
    if (facts_.license.empty()) facts_.license = address;
  }

  bool at(std::string_view name) const { return !path_.empty() && path_.back() == name; }

  PhotoFacts take() {
    PhotoFacts plain;
    plain.title = std::move(title_);
    plain.description = std::move(description_);
    if (blank(facts_.title)) facts_.title.clear();
    if (blank(facts_.description)) facts_.description.clear();
    merge(facts_, std::move(plain));
    return std::move(facts_);
  }

 private:
  static bool blank(const std::string& text) {
    return text.find_first_not_of(" \t\r\n") == std::string::npos;
  }
  bool inside(std::string_view name) const {
    return std::find(path_.begin(), path_.end(), name) != path_.end();
  }
  void end_keyword() {
    add_keywords(facts_, keyword_, "");
    keyword_.clear();
  }

  std::vector<std::string> path_;
  std::string keyword_;
  std::string title_;
  std::string description_;
  PhotoFacts facts_;
};

void take_node(xmlTextReader* reader, SvgFacts& facts) {
  switch (xmlTextReaderNodeType(reader)) {
    case XML_READER_TYPE_ELEMENT: {
      facts.open(element_name(reader));
      const bool empty = xmlTextReaderIsEmptyElement(reader) == 1;
      if (facts.at("cc:license")) {
        const auto* space =
            reinterpret_cast<const xmlChar*>("http://www.w3.org/1999/02/22-rdf-syntax-ns#");
        const auto* local = reinterpret_cast<const xmlChar*>("resource");
        if (xmlChar* address = xmlTextReaderGetAttributeNs(reader, local, space)) {
          facts.license(view(address));
          xmlFree(address);
        }
      }
      if (empty) facts.close();
      break;
    }
    case XML_READER_TYPE_END_ELEMENT:
      facts.close();
      break;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
      facts.text(view(xmlTextReaderConstValue(reader)));
      break;
    default:
      break;
  }
}

}  // namespace

PhotoFacts facts_of_svg(const std::string& svg, const std::string& name) {
  xmlInitParser();
  xmlResetLastError();
  const std::unique_ptr<xmlTextReader, FreeReader> reader(
      xmlReaderForMemory(svg.data(), static_cast<int>(svg.size()), nullptr, nullptr,
                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING));
  require(reader != nullptr, name, ": is not SVG: it cannot be read as XML");
  SvgFacts facts;
  bool any = false;
  int status = 0;
  while ((status = xmlTextReaderRead(reader.get())) == 1) {
    if (!any && xmlTextReaderNodeType(reader.get()) == XML_READER_TYPE_ELEMENT) {
      any = true;
      const std::string root = element_name(reader.get());
      require(root == "svg", name, ": is not SVG: its outermost element is <", root, ">");
    }
    take_node(reader.get(), facts);
  }
  if (status != 0 || !any) {
    const xmlError* error = xmlGetLastError();
    std::string message =
        error != nullptr && error->message != nullptr ? error->message : "it has no element";
    while (!message.empty() && message.back() == '\n') message.pop_back();
    fail(name, ": is not XML: line ", error != nullptr ? error->line : 1, ": ", message);
  }
  return facts.take();
}

}  // namespace commonplace
