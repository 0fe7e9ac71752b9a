#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/formats/pictures/photo.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace svg_test {

std::string drawing(const std::string& work, const std::string& rest = "") {
  return "<?xml version='1.0' encoding='UTF-8'?>"
         "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 20010904//EN' "
         "'http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd'>"
         "<svg xmlns='http://www.w3.org/2000/svg'>" +
         rest +
         "<metadata><rdf:RDF xmlns:cc='http://web.resource.org/cc/' "
         "xmlns:dc='http://purl.org/dc/elements/1.1/' "
         "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><cc:Work rdf:about=''>" +
         work + "</cc:Work></rdf:RDF></metadata><path d='M 0 0'/></svg>";
}

std::string agent(const std::string& role, const std::string& name) {
  return "<" + role + "><cc:Agent><dc:title>" + name + "</dc:title></cc:Agent></" + role + ">";
}

TEST(ParseSvg, ReadsTheWorkAndNotItsPeople) {
  const Item item = parse_svg(
      drawing(agent("dc:publisher", "Open Clip Art") + "<dc:title>Two frogs</dc:title>" +
                  agent("dc:creator", "Ann &amp; Bo") + agent("dc:rights", "Public") +
                  "<dc:description>Green\n and wet</dc:description><dc:date>2005-03-20</dc:date>"
                  "<dc:subject><rdf:Bag><rdf:li>frog</rdf:li><rdf:li/><rdf:li></rdf:li>"
                  "<rdf:li> Tier </rdf:li></rdf:Bag></dc:subject>"
                  "<cc:license rdf:resource='http://web.resource.org/cc/PublicDomain'/>",
              "<title>ignored</title>"),
      "a.svg");
  EXPECT_EQ(item.title, "Two frogs");
  EXPECT_EQ(item.text, "Green\n and wet");
  EXPECT_EQ(item.time, "2005-03-20");
  ASSERT_EQ(item.tags.size(), 2U);
  EXPECT_EQ(item.tags[0].name, "frog");
  EXPECT_EQ(item.tags[1].name, "Tier");
  EXPECT_EQ(item.metadata, R"({"creator":"Ann & Bo","rights":"Public",)"
                           R"("license":"http://web.resource.org/cc/PublicDomain"})");
}

TEST(ParseSvg, TheElementsOfTheDrawingStandInForMissingOnes) {
  const Item item =
      parse_svg(drawing("<dc:title> </dc:title>",
                        "<title>Frog</title><desc>Wet</desc><g><title>no</title></g>"),
                "a.svg");
  EXPECT_EQ(item.title, "Frog");
  EXPECT_EQ(item.text, "Wet");
}

TEST(ParseSvg, NamespacesMayBeEntities) {
  EXPECT_EQ(parse_svg("<!DOCTYPE svg [<!ENTITY ns_svg 'http://www.w3.org/2000/svg'>]>"
                      "<svg xmlns='&ns_svg;'><title>Frog</title></svg>",
                      "a.svg")
                .title,
            "Frog");
}

TEST(ParseSvg, EntitiesDoNotExplode) {
  std::string entities = "<!DOCTYPE svg [<!ENTITY a0 'aaaaaaaaaa'>";
  for (int i = 1; i < 10; ++i) {
    entities += "<!ENTITY a" + std::to_string(i) + " '";
    for (int j = 0; j < 10; ++j) entities += "&a" + std::to_string(i - 1) + ";";
    entities += "'>";
  }
  entities += "]><svg xmlns='http://www.w3.org/2000/svg'>";
  EXPECT_THROW(parse_svg(entities + "<title>&a9;</title></svg>", "a.svg"), Error);
  EXPECT_THROW(parse_svg(entities + "<g id='&a9;'/></svg>", "a.svg"), Error);
}

TEST(ParseSvg, EntitiesDoNotReachFiles) {
  const test::TemporaryDirectory folder;
  const std::string secret = folder.write("secret", "secret").string();
  const Item item = parse_svg("<!DOCTYPE svg [<!ENTITY file SYSTEM 'file://" + secret +
                                  "'>]><svg xmlns='http://www.w3.org/2000/svg'>"
                                  "<title>x&file;</title></svg>",
                              "a.svg");
  EXPECT_EQ(item.title, "x");
}

TEST(ParseSvg, RefusesWhatIsNotADrawing) {
  for (const std::string& wrong :
       {std::string(), std::string("words"), std::string("<svg>"), std::string("<html></html>"),
        drawing("<dc:title>").substr(0, 300)})
    EXPECT_THROW(parse_svg(wrong, "a.svg"), Error) << wrong;
}

TEST(ReadPhoto, ReadsDrawingsToo) {
  const test::TemporaryDirectory folder;
  EXPECT_EQ(read_photo(folder.write("a.svg", drawing("<dc:title>Frog</dc:title>"))).title, "Frog");
}

}  // namespace svg_test
}  // namespace commonplace
