#include <algorithm>
#include <charconv>

#include "commonplace/formats/xmp.h"

namespace commonplace {
namespace {

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
