// Files in the style of other people's programs, written anew: how each spells what we read.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/formats/pictures/photo.h"
#include "commonplace/formats/pictures/xmp_write.h"
#include "tests/formats/reading_support.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_images.h"

namespace commonplace::test {
namespace styles_test {

using Names = std::vector<std::string>;
using nlohmann::json;

Names sorted_tags(const Item& item) {
  Names names = tag_names(item);
  std::sort(names.begin(), names.end());
  return names;
}

/// A bookmark in the words of one program, and what it says.
struct BookmarkStyle {
  const char* program;
  const char* html;
  Names tags;
  const char* title;
  const char* text;
  const char* time;
  json metadata;  ///< some of it
};

std::ostream& operator<<(std::ostream& out, const BookmarkStyle& style) {
  return out << style.program;
}

class BookmarkStyles : public testing::TestWithParam<BookmarkStyle> {
 protected:
  static Item read(const std::string& html) {
    Collected collected;
    read_bookmarks(*bytes_of(html), "bookmarks.html", collected.sink());
    EXPECT_TRUE(collected.bad.empty());
    EXPECT_EQ(collected.records.size(), 1U) << html;
    return collected.item();
  }
};

TEST_P(BookmarkStyles, AreReadAndComeOutAgain) {
  const BookmarkStyle& style = GetParam();
  const Item item = read(style.html);
  EXPECT_EQ(item.id, "https://example.org/owl?a=1&b=2");
  EXPECT_EQ(sorted_tags(item), style.tags);
  EXPECT_EQ(item.title, style.title);
  EXPECT_EQ(item.text, style.text);
  EXPECT_EQ(item.time, style.time);
  const json metadata = json::parse(item.metadata);
  for (const auto& [name, value] : style.metadata.items()) EXPECT_EQ(metadata.at(name), value);

  const std::vector<Item> items = {item};
  const Item back =
      read(written([&](const Output& out) { write_bookmarks(each_of(items), "All", out); }));
  EXPECT_EQ(sorted_tags(back), sorted_tags(item));
  EXPECT_EQ(back.title, item.title);
  EXPECT_EQ(back.text, item.text);
  EXPECT_EQ(back.time, item.time);
  EXPECT_EQ(json::parse(back.metadata), metadata);
}

#define ADDRESS "https://example.org/owl?a=1&amp;b=2"
#define HEAD                                                                                     \
  "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; " \
  "charset=UTF-8\">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n"

INSTANTIATE_TEST_SUITE_P(
    Programs, BookmarkStyles,
    testing::Values(
        BookmarkStyle{"Chrome",
                      HEAD "<DL><p>\n    <DT><H3 ADD_DATE=\"1600000000\" LAST_MODIFIED=\"0\" "
                           "PERSONAL_TOOLBAR_FOLDER=\"true\">Bookmarks bar</H3>\n    <DL><p>\n"
                           "        <DT><H3 ADD_DATE=\"1600000000\">Birds</H3>\n        <DL><p>\n"
                           "            <DT><A HREF=\"" ADDRESS "\" ADD_DATE=\"1600000000\" "
                           "ICON=\"data:image/png;base64,AAAA\">Owls</A>\n        </DL><p>\n"
                           "    </DL><p>\n</DL><p>\n",
                      {"Birds"},
                      "Owls",
                      "",
                      "2020-09-13T12:26:40Z",
                      {{"folder", "Birds"}}},
        BookmarkStyle{"Firefox",
                      HEAD "<DL><p>\n    <DT><H3 ADD_DATE=\"1\" UNFILED_BOOKMARKS_FOLDER=\"true\">"
                           "Other Bookmarks</H3>\n    <DL><p>\n        <DT><A HREF=\"" ADDRESS
                           "\" ADD_DATE=\"1600000000\" LAST_MODIFIED=\"1600000001\" "
                           "SHORTCUTURL=\"o\" TAGS=\"night,birds\">Owls</A>\n        <DD>All of "
                           "them\n    </DL><p>\n</DL>\n",
                      {"birds", "night"},
                      "Owls",
                      "All of them",
                      "2020-09-13T12:26:40Z",
                      {{"shortcuturl", "o"}, {"last_modified", "1600000001"}}},
        BookmarkStyle{"Safari",
                      "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n\t<HTML>\n\t<Title>Bookmarks</Title>\n"
                      "\t<H1>Bookmarks</H1>\n\t<DT><H3 FOLDED>Favourites</H3>\n\t<DL><p>\n"
                      "\t\t<DT><H3 FOLDED>Birds</H3>\n\t\t<DL><p>\n\t\t\t<DT><A HREF=\"" ADDRESS
                      "\">Owls</A>\n\t\t</DL><p>\n\t</DL><p>\n</HTML>\n",
                      {"Birds"},
                      "Owls",
                      "",
                      "",
                      json::object()},
        BookmarkStyle{"Edge",
                      HEAD "<DL><p>\n    <DT><H3 ADD_DATE=\"1600000000\" "
                           "PERSONAL_TOOLBAR_FOLDER=\"true\">Favorites bar</H3>\n    <DL><p>\n"
                           "        <DT><A HREF=\"" ADDRESS "\" ADD_DATE=\"1600000000\" ICON=\"x\">"
                           "Owls &#39;n&#39; co</A>\n    </DL><p>\n</DL><p>\n",
                      {},
                      "Owls 'n' co",
                      "",
                      "2020-09-13T12:26:40Z",
                      json::object()},
        BookmarkStyle{"Internet Explorer",
                      "<!DOCTYPE NETSCAPE-Bookmark-file-1>\r\n<TITLE>Bookmarks</TITLE>\r\n"
                      "<DL><p>\r\n    <DT><H3 FOLDED ADD_DATE=\"1600000000\">Birds</H3>\r\n"
                      "    <DL><p>\r\n        <DT><A HREF=\"" ADDRESS
                      "\" ADD_DATE=\"1600000000\" LAST_VISIT=\"1600000002\">Owls</A>\r\n"
                      "    </DL><p>\r\n</DL><p>\r\n",
                      {"Birds"},
                      "Owls",
                      "",
                      "2020-09-13T12:26:40Z",
                      {{"last_visit", "1600000002"}}},
        BookmarkStyle{"Delicious",
                      HEAD "<DL><p><DT><A HREF=\"" ADDRESS
                           "\" ADD_DATE=\"1600000000\" PRIVATE=\"1\" TAGS=\"birds,night\">Owls</A>"
                           "\n<DD>All of them\n</DL><p>",
                      {"birds", "night"},
                      "Owls",
                      "All of them",
                      "2020-09-13T12:26:40Z",
                      {{"private", "1"}}},
        BookmarkStyle{"Pinboard",
                      HEAD "<DL><p><DT><A HREF=\"" ADDRESS
                           "\" ADD_DATE=\"1600000000\" PRIVATE=\"1\" TOREAD=\"1\" "
                           "TAGS=\"birds,night\">Owls</A>\n\n<DD>See &lt;b&gt;\n</DL></p>",
                      {"birds", "night"},
                      "Owls",
                      "See <b>",
                      "2020-09-13T12:26:40Z",
                      {{"private", "1"}, {"toread", "1"}}},
        BookmarkStyle{"Scuttle",
                      HEAD "<DL><p>\n<DT><a href=\"" ADDRESS
                           "\" tags=\"birds,night\" description=\"All of them\">Owls</a>\n</DL>",
                      {"birds", "night"},
                      "Owls",
                      "All of them",
                      "",
                      json::object()},
        BookmarkStyle{"Shaarli",
                      HEAD "<!-- Shaarli all bookmarks export -->\n<DL><p>\n<DT><A HREF=\"" ADDRESS
                           "\" ADD_DATE=\"1600000000\" LAST_MODIFIED=\"1600000001\" PRIVATE=\"0\" "
                           "TAGS=\"birds,night\">Owls</A>\n<DD>See <a href=\"http://b.org/\">this"
                           "</a>\n</DL><p>\n",
                      {"birds", "night"},
                      "Owls",
                      "See this (http://b.org/)",
                      "2020-09-13T12:26:40Z",
                      {{"private", "0"}}},
        BookmarkStyle{"Raindrop",
                      HEAD "<DL><p>\n<DT><H3 ADD_DATE=\"1600000000\">Birds</H3>\n<DL><p>\n<DT><A "
                           "HREF=\"" ADDRESS
                           "\" ADD_DATE=\"1600000000\" LAST_MODIFIED=\"1600000001\" "
                           "TAGS=\"night\" DATA-COVER=\"http://c.org/\" DATA-IMPORTANT=\"true\">"
                           "Owls</A>\n<DD>All of them\n</DL><p>\n</DL><p>\n",
                      {"Birds", "night"},
                      "Owls",
                      "All of them",
                      "2020-09-13T12:26:40Z",
                      {{"data-cover", "http://c.org/"}, {"data-important", "true"}}}),
    [](const auto& style) {
      std::string name = style.param.program;
      std::erase(name, ' ');
      return name;
    });

/// A sidecar in the words of one program.
struct SidecarStyle {
  const char* program;
  const char* file;  ///< beside a.jpg
  const char* packet;
  Names tags;
};

std::ostream& operator<<(std::ostream& out, const SidecarStyle& style) {
  return out << style.program;
}

class SidecarStyles : public testing::TestWithParam<SidecarStyle> {};

TEST_P(SidecarStyles, AreReadAndWrittenTo) {
  const SidecarStyle& style = GetParam();
  const TemporaryDirectory folder;
  const std::filesystem::path photo = folder.write("a.jpg", tiny_jpeg());
  folder.write(style.file, style.packet);
  const Item before = read_photo(photo);
  EXPECT_EQ(sorted_tags(before), style.tags);
  EXPECT_NE(before.metadata.find("\"rating\":4"), std::string::npos) << before.metadata;

  const XmpChange change = plan_xmp(photo, {"Länder/Chile"});
  EXPECT_EQ(change.sidecar, folder / style.file);
  apply_xmp(change);
  Names more = style.tags;
  more.emplace_back("Länder/Chile");
  std::sort(more.begin(), more.end());
  const Item after = read_photo(photo);
  EXPECT_EQ(sorted_tags(after), more);
  EXPECT_EQ(after.metadata, before.metadata);
}

#define RDF "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

INSTANTIATE_TEST_SUITE_P(
    Programs, SidecarStyles,
    testing::Values(
        // Attributes for simple values; every level as a keyword of its own.
        SidecarStyle{
            "Lightroom",
            "a.xmp",
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"Adobe XMP Core 5.6-c140\">\n"
            " <rdf:RDF xmlns:rdf=\"" RDF "\">\n  <rdf:Description rdf:about=\"\"\n"
            "    xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"\n"
            "    xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n"
            "    xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\"\n"
            "    xmlns:crs=\"http://ns.adobe.com/camera-raw-settings/1.0/\"\n"
            "   xmp:Rating=\"4\"\n   crs:Version=\"9.1\">\n   <dc:subject>\n    <rdf:Bag>\n"
            "     <rdf:li>animals</rdf:li>\n     <rdf:li>owl</rdf:li>\n"
            "     <rdf:li>night</rdf:li>\n    </rdf:Bag>\n   </dc:subject>\n"
            "   <lr:hierarchicalSubject>\n    <rdf:Bag>\n"
            "     <rdf:li>animals|owl</rdf:li>\n     <rdf:li>night</rdf:li>\n"
            "    </rdf:Bag>\n   </lr:hierarchicalSubject>\n  </rdf:Description>\n"
            " </rdf:RDF>\n</x:xmpmeta>\n",
            {"animals/owl", "night"}},
        // a.jpg.xmp, with its own tags of what was done in subject and hierarchy.
        SidecarStyle{
            "darktable",
            "a.jpg.xmp",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"XMP Core 4.4.0-Exiv2\">\n"
            " <rdf:RDF xmlns:rdf=\"" RDF "\">\n  <rdf:Description rdf:about=\"\"\n"
            "    xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"\n"
            "    xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n"
            "    xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\"\n"
            "    xmlns:darktable=\"http://darktable.sf.net/\"\n   xmp:Rating=\"4\"\n"
            "   darktable:xmp_version=\"4\">\n   <dc:subject>\n    <rdf:Seq>\n"
            "     <rdf:li>owl</rdf:li>\n     <rdf:li>night</rdf:li>\n    </rdf:Seq>\n"
            "   </dc:subject>\n   <lr:hierarchicalSubject>\n    <rdf:Seq>\n"
            "     <rdf:li>animals|owl</rdf:li>\n     <rdf:li>night</rdf:li>\n"
            "    </rdf:Seq>\n   </lr:hierarchicalSubject>\n   <darktable:history>\n"
            "    <rdf:Seq>\n     <rdf:li darktable:num=\"0\" darktable:operation=\"flip\"/>\n"
            "    </rdf:Seq>\n   </darktable:history>\n  </rdf:Description>\n </rdf:RDF>\n"
            "</x:xmpmeta>\n",
            {"animals/owl", "night"}},
        // The same hierarchy for three other programs beside its own.
        SidecarStyle{
            "digiKam",
            "a.jpg.xmp",
            "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"XMP Core 4.4.0-Exiv2\">\n"
            " <rdf:RDF xmlns:rdf=\"" RDF "\">\n  <rdf:Description rdf:about=\"\"\n"
            "    xmlns:digiKam=\"http://www.digikam.org/ns/1.0/\"\n"
            "    xmlns:MicrosoftPhoto=\"http://ns.microsoft.com/photo/1.0/\"\n"
            "    xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\"\n"
            "    xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"\n"
            "    xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n   xmp:Rating=\"4\">\n"
            "   <digiKam:TagsList>\n    <rdf:Seq>\n     <rdf:li>animals/owl</rdf:li>\n"
            "     <rdf:li>night</rdf:li>\n    </rdf:Seq>\n   </digiKam:TagsList>\n"
            "   <MicrosoftPhoto:LastKeywordXMP>\n    <rdf:Bag>\n"
            "     <rdf:li>animals/owl</rdf:li>\n    </rdf:Bag>\n"
            "   </MicrosoftPhoto:LastKeywordXMP>\n   <lr:hierarchicalSubject>\n"
            "    <rdf:Bag>\n     <rdf:li>animals|owl</rdf:li>\n     <rdf:li>night</rdf:li>\n"
            "    </rdf:Bag>\n   </lr:hierarchicalSubject>\n   <dc:subject>\n    <rdf:Bag>\n"
            "     <rdf:li>owl</rdf:li>\n     <rdf:li>night</rdf:li>\n    </rdf:Bag>\n"
            "   </dc:subject>\n  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n"
            "<?xpacket end=\"w\"?>",
            {"animals/owl", "night"}},
        // Elements throughout, a description for each namespace.
        SidecarStyle{
            "exiftool",
            "a.xmp",
            "<?xpacket begin='\xef\xbb\xbf' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
            "<x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.57'>\n"
            "<rdf:RDF xmlns:rdf='" RDF "'>\n\n <rdf:Description rdf:about=''\n"
            "  xmlns:dc='http://purl.org/dc/elements/1.1/'>\n  <dc:subject>\n   <rdf:Bag>\n"
            "    <rdf:li>owl</rdf:li>\n    <rdf:li>night</rdf:li>\n   </rdf:Bag>\n"
            "  </dc:subject>\n </rdf:Description>\n\n <rdf:Description rdf:about=''\n"
            "  xmlns:lr='http://ns.adobe.com/lightroom/1.0/'>\n  <lr:hierarchicalSubject>\n"
            "   <rdf:Bag>\n    <rdf:li>animals|owl</rdf:li>\n   </rdf:Bag>\n"
            "  </lr:hierarchicalSubject>\n </rdf:Description>\n\n"
            " <rdf:Description rdf:about=''\n  xmlns:xmp='http://ns.adobe.com/xap/1.0/'>\n"
            "  <xmp:Rating>4</xmp:Rating>\n </rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n"
            "<?xpacket end='w'?>",
            {"animals/owl", "night"}}),
    [](const auto& style) { return std::string(style.param.program); });

TEST(BibtexStyles, CommentsAndCrossReferences) {
  const std::string text =
      "% Encoding: UTF-8\n"
      "@comment{jabref-meta: databaseType:bibtex;}\n"
      "@string{ieee = {IEEE}}\n"
      "@inproceedings{owl, % the talk\n"
      "  title    = {Owls at Night}, % and by day\n"
      "  author   = {Ann Strix},\n"
      "  % keywords = {no},\n"
      "  keywords = {birds, night},\n"
      "  crossref = {proc}\n"
      "}\n"
      "@comment{@article{hidden, title = {Not there}}}\n"
      "@proceedings{proc,\n"
      "  title = {Proceedings of 50\\% Birds},\n"
      "  publisher = ieee # { Press},\n"
      "  year = 2001\n"
      "}\n";
  Collected read;
  LineReader lines(bytes_of(text), "a.bib");
  read_bibtex(lines, read.sink());
  EXPECT_TRUE(read.bad.empty());
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.item(0).id, "proc");
  EXPECT_EQ(read.item(0).title, "Proceedings of 50% Birds");
  EXPECT_EQ(json::parse(read.item(0).metadata).at("publisher"), "IEEE Press");
  EXPECT_EQ(read.item(0).time, "2001");
  EXPECT_EQ(read.item(1).id, "owl");
  EXPECT_EQ(read.item(1).title, "Owls at Night");
  EXPECT_EQ(tag_names(read.item(1)), (Names{"birds", "night"}));
  // What it lacks it has from the proceedings.
  EXPECT_EQ(read.item(1).time, "2001");
  const json metadata = json::parse(read.item(1).metadata);
  EXPECT_EQ(metadata.at("crossref"), "proc");
  EXPECT_EQ(metadata.at("booktitle"), "Proceedings of 50% Birds");
  EXPECT_EQ(metadata.at("publisher"), "IEEE Press");
}

TEST(BibtexStyles, CrossReferencesInAnyOrderInheritWhatIsMissing) {
  const std::string text =
      "@collection{Vol, title = {Volume}, booktitle = {The Volume}, keywords = {parent}, abstract "
      "= "
      "{All}, year = 1999, editor = {E}}\n"
      "@incollection{a, title = {A}, year = 2000, crossref = {vol}}\n"
      "@incollection{b, title = {B}, booktitle = {Own}, crossref = {VOL}}\n"
      "@incollection{c, title = {C}, crossref = {nowhere}}\n"
      "@incollection{d, title = {D}, crossref = {misc}}\n"
      "@misc{misc, howpublished = {on paper}, crossref = {vol}}\n";
  Collected read;
  LineReader lines(bytes_of(text), "a.bib");
  read_bibtex(lines, read.sink());
  EXPECT_TRUE(read.bad.empty());
  ASSERT_EQ(read.records.size(), 6U);
  const auto metadata = [&](std::size_t i) { return json::parse(read.item(i).metadata); };
  EXPECT_EQ(read.item(1).time, "2000");
  EXPECT_TRUE(read.item(1).tags.empty());
  EXPECT_TRUE(read.item(1).text.empty());
  EXPECT_EQ(metadata(1).at("booktitle"), "The Volume");
  EXPECT_EQ(metadata(1).at("editor"), "E");
  EXPECT_EQ(read.item(2).time, "1999");
  EXPECT_EQ(metadata(2).at("booktitle"), "Own");
  EXPECT_FALSE(metadata(3).contains("editor"));
  EXPECT_EQ(metadata(4).at("howpublished"), "on paper");
  EXPECT_FALSE(metadata(4).contains("editor"));  // one level
  EXPECT_EQ(metadata(5).at("editor"), "E");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_NE(read.notes[0].find("'nowhere'"), std::string::npos) << read.notes[0];
}

#undef ADDRESS
#undef HEAD
#undef RDF

}  // namespace styles_test
}  // namespace commonplace::test
