#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libxml/tree.h>

#include "commonplace/formats/pictures/photo_facts.h"
#include "commonplace/formats/pictures/xmp_write.h"

namespace commonplace {

/// The name of an XMP property: a namespace, the prefix commonly used for it, and a local name.
struct XmpName {
  const char* space;
  const char* prefix;
  const char* local;
};

namespace xmp {
constexpr const char* rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
constexpr XmpName tags_list{"http://www.digikam.org/ns/1.0/", "digiKam", "TagsList"};
constexpr XmpName hierarchical_subject{"http://ns.adobe.com/lightroom/1.0/", "lr",
                                       "hierarchicalSubject"};
constexpr XmpName subject{"http://purl.org/dc/elements/1.1/", "dc", "subject"};
/// Our own: which of the tags in those lists a machine gave, a bag of structures.
constexpr const char* own_space = "urn:commonplace:1.0/";
constexpr XmpName machine_tags{own_space, "commonplace", "MachineTags"};
}  // namespace xmp

/// A packet of XMP. It is kept as the XML it came in, so that whatever Commonplace does not know
/// (other namespaces, structures, comments) survives a rewrite. Lookups are linear in the packet.
class XmpPacket {
 public:
  /// A packet without properties.
  XmpPacket();
  /// Error if `bytes` are not XML in UTF-8 with an rdf:RDF element, declare a DOCTYPE (which XMP
  /// never has), nest deeper than 256, have more than 2,000 attributes in an element or are longer
  /// than `metadata_limit`. `name` is what errors call it.
  XmpPacket(std::string_view bytes, const std::string& name);

  /// A simple value; of an array its "x-default" or else its first item; empty if there is none.
  std::string text(const XmpName& name) const;
  /// The items of an array; a simple value counts as an array of one.
  std::vector<std::string> list(const XmpName& name) const;

  /// Adds items to an array, which is made ("Bag" or "Seq") where there is none. Error if the
  /// property has another shape.
  void append(const XmpName& name, const char* array, const std::vector<std::string>& values);

  /// Takes the items for which `gone` is true out of an array, and the property with the last one.
  void remove(const XmpName& name, const std::function<bool(const std::string&)>& gone);

  /// A structure: its fields by local name, all of one namespace.
  using Structure = std::vector<std::pair<std::string, std::string>>;
  /// The structures in an array, in any form that RDF has for them.
  std::vector<Structure> structures(const XmpName& name) const;
  /// Puts a "Bag" of structures in place of the property; none removes it.
  void set_structures(const XmpName& name, const std::vector<Structure>& structures);

  /// Whether it is one that we made and says nothing.
  bool is_bare() const;

  /// UTF-8; the same for the same content.
  std::string serialise() const;

 private:
  struct FreeDocument {
    void operator()(xmlDoc* document) const;
  };
  xmlNode* rdf() const;
  void remove_property(const XmpName& name);
  xmlNode* array_for(const XmpName& name, const char* array);
  std::unique_ptr<xmlDoc, FreeDocument> document_;
  std::string name_;
  bool declared_ = false;  ///< it began with <?xml ...?>
};

/// The tags that the packet marks as a machine's, whether or not its lists have them.
std::vector<MachineMark> machine_marks(const XmpPacket& packet);
void set_machine_marks(XmpPacket& packet, const std::vector<MachineMark>& marks);

/// What a packet says of its picture. A mark without its tag in any list says nothing: someone has
/// taken the tag away.
PhotoFacts facts_of_xmp(const XmpPacket& packet);

}  // namespace commonplace
