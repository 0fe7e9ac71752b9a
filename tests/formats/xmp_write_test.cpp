#include "commonplace/formats/pictures/xmp_write.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/formats/pictures/photo.h"
#include "tests/support/programs.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace xmp_write_test {

using namespace std::string_literals;
using test::slurp;
using test::TemporaryDirectory;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Names tags_of(const Item& item) {
  Names names;
  for (const ItemTag& tag : item.tags) names.push_back(tag.name);
  std::sort(names.begin(), names.end());
  return names;
}

/// A sidecar with what other programs put there: structures, history, comments, unknown names.
const std::string foreign =
    "<?xpacket begin='\xef\xbb\xbf' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
    "<x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Other 1.0'>\n"
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n\n"
    " <!-- a comment -->\n"
    " <rdf:Description rdf:about='uuid:1' xmlns:dc='http://purl.org/dc/elements/1.1/'"
    " xmlns:my='http://example.org/my/' my:note='a &quot;b&quot; &lt;c&#10;d'>\n"
    "  <dc:subject>\n   <rdf:Bag>\n    <rdf:li>Zürich</rdf:li>\n   </rdf:Bag>\n  </dc:subject>\n"
    "  <my:thing rdf:parseType='Resource'><my:x>1</my:x></my:thing>\n"
    " </rdf:Description>\n"
    "</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end='w'?>\n";

TEST(PlanXmp, MakesASidecarThatCarriesWhatThePhotoHas) {
  const TemporaryDirectory folder;
  const std::string inside =
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
      "xmlns:dc='http://purl.org/dc/elements/1.1/'><rdf:Description rdf:about=''>"
      "<dc:subject><rdf:Bag><rdf:li>inside</rdf:li></rdf:Bag></dc:subject>"
      "</rdf:Description></rdf:RDF>";
  const std::string content =
      test::jpeg_with(test::jpeg_segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + inside));
  const fs::path photo = folder.write("a.jpg", content);
  const auto written = fs::last_write_time(photo);

  const XmpChange change = plan_xmp(photo, {"animals/owl", "INSIDE", "night", "night", " "});
  EXPECT_EQ(change.sidecar, folder / "a.jpg.xmp");
  EXPECT_TRUE(change.creates);
  EXPECT_EQ(change.adds, (Names{"animals/owl", "night"}));
  EXPECT_FALSE(fs::exists(change.sidecar));

  apply_xmp(change);
  EXPECT_EQ(slurp(change.sidecar), change.packet);
  EXPECT_EQ(tags_of(parse_xmp(change.packet, "p")), (Names{"animals/owl", "inside", "night"}));
  EXPECT_EQ(tags_of(read_photo(photo)), (Names{"animals/owl", "inside", "night"}));
  EXPECT_EQ(slurp(photo), content);
  EXPECT_EQ(fs::last_write_time(photo), written);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
}

TEST(PlanXmp, ASidecarInUtf16IsWrittenBackInUtf8WithAllThatItHad) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  apply_xmp(plan_xmp((folder.write("b.jpg", test::tiny_jpeg()), folder.write("b.jpg.xmp", foreign),
                      folder / "b.jpg"),
                     {"Zürich", "new"}));
  for (const bool declared : {false, true}) {
    const std::string utf8 =
        (declared ? "<?xml version='1.0' encoding='UTF-16'?>\n" : "") + foreign;
    std::string utf16 = "\xff\xfe";
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      unsigned code = static_cast<unsigned char>(utf8[i]);
      if (code == 0xC3) code = 0xC0U | (static_cast<unsigned char>(utf8[++i]) & 0x3FU);
      if (code == 0xEF) {
        code = 0xFEFF;
        i += 2;
      }
      utf16 += static_cast<char>(code & 0xFFU);
      utf16 += static_cast<char>(code >> 8U);
    }
    folder.write("a.jpg.xmp", utf16);
    apply_xmp(plan_xmp(photo, {"Zürich", "new"}));
    std::string written = slurp(folder / "a.jpg.xmp");
    if (declared) {
      const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
      EXPECT_TRUE(written.starts_with(head)) << written;
      written.erase(0, head.size());
    }
    EXPECT_EQ(written, slurp(folder / "b.jpg.xmp"));
  }
}

TEST(PlanXmp, ASecondTimeChangesNothing) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.png", test::tiny_png());
  const Names tags = {"a/b/c", "plain", "b", "x|y/z"};
  apply_xmp(plan_xmp(photo, tags));
  const std::string once = slurp(folder / "a.png.xmp");
  const XmpChange again = plan_xmp(photo, tags);
  EXPECT_TRUE(again.adds.empty());
  EXPECT_TRUE(again.packet.empty());
  apply_xmp(again);
  EXPECT_EQ(slurp(folder / "a.png.xmp"), once);
  EXPECT_EQ(tags_of(read_photo(photo)), (Names{"a/b/c", "plain", "x|y/z"}));
}

TEST(PlanXmp, WritesEachListThatPhotoManagersRead) {
  const TemporaryDirectory folder;
  const XmpChange change = plan_xmp(folder.write("a.png", test::tiny_png()), {"a/b <&> c", "ü"});
  const char* const expected =
      "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\" x:xmptk=\"Commonplace\">\n"
      " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
      "  <rdf:Description xmlns:digiKam=\"http://www.digikam.org/ns/1.0/\" "
      "xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\" "
      "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" rdf:about=\"\">\n"
      "   <digiKam:TagsList>\n    <rdf:Seq>\n"
      "     <rdf:li>a/b &lt;&amp;&gt; c</rdf:li>\n     <rdf:li>ü</rdf:li>\n"
      "    </rdf:Seq>\n   </digiKam:TagsList>\n"
      "   <lr:hierarchicalSubject>\n    <rdf:Bag>\n"
      "     <rdf:li>a|b &lt;&amp;&gt; c</rdf:li>\n"
      "    </rdf:Bag>\n   </lr:hierarchicalSubject>\n"
      "   <dc:subject>\n    <rdf:Bag>\n"
      "     <rdf:li>b &lt;&amp;&gt; c</rdf:li>\n     <rdf:li>ü</rdf:li>\n"
      "    </rdf:Bag>\n   </dc:subject>\n"
      "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n";
  EXPECT_EQ(change.packet, expected);
}

TEST(PlanXmp, KeepsEverythingInTheSidecarThatExists) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  const fs::path sidecar = folder.write("a.xmp", foreign);
  const XmpChange change = plan_xmp(photo, {"owl"});
  EXPECT_EQ(change.sidecar, sidecar);
  EXPECT_FALSE(change.creates);
  EXPECT_EQ(change.adds, Names{"owl"});
  for (const char* kept : {"<!-- a comment -->", "rdf:about=\"uuid:1\"", "x:xmptk=\"Other 1.0\"",
                           "my:note=\"a &quot;b&quot; &lt;c&#10;d\"",
                           "<my:thing rdf:parseType=\"Resource\"><my:x>1</my:x></my:thing>",
                           "    <rdf:li>Zürich</rdf:li>\n    <rdf:li>owl</rdf:li>\n   </rdf:Bag>"})
    EXPECT_NE(change.packet.find(kept), std::string::npos) << kept << "\n" << change.packet;
  // digiKam reads its own list alone once there is one, so the older tag must be in it.
  EXPECT_NE(change.packet.find("<rdf:li>Zürich</rdf:li>\n    <rdf:li>owl</rdf:li>\n   </rdf:Seq>"),
            std::string::npos)
      << change.packet;
}

TEST(PlanXmp, AListThatWasASingleValueBecomesAList) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  for (const std::string& single :
       {" xmlns:d='http://purl.org/dc/elements/1.1/' d:subject='old'/>"s,
        " xmlns:d='http://purl.org/dc/elements/1.1/'><d:subject>old</d:subject>"
        "</rdf:Description>"s}) {
    folder.write("a.jpg.xmp",
                 "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
                 "<rdf:Description rdf:about=''" +
                     single + "</rdf:RDF>");
    apply_xmp(plan_xmp(photo, {"new"}));
    EXPECT_EQ(tags_of(read_photo(photo)), (Names{"new", "old"})) << slurp(folder / "a.jpg.xmp");
  }
}

TEST(PlanXmp, RefusesASidecarItDoesNotUnderstand) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  for (const std::string& broken :
       {"<broken"s, ""s, "\xff" + foreign,
        std::string(foreign).insert(foreign.find("<my:x>") + 6, "\xe9"),
        foreign.substr(0, foreign.size() / 2),
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description>"
        "<d:subject xmlns:d='http://purl.org/dc/elements/1.1/'><d:x>1</d:x></d:subject>"
        "</rdf:Description></rdf:RDF>"s}) {
    const fs::path sidecar = folder.write("a.jpg.xmp", broken);
    EXPECT_THROW(plan_xmp(photo, {"owl"}), Error) << broken;
    EXPECT_EQ(slurp(sidecar), broken);
  }
}

TEST(PlanXmp, RefusesATagThatXmlCannotHold) {
  const TemporaryDirectory folder;
  EXPECT_THROW(plan_xmp(folder.write("a.jpg", test::tiny_jpeg()), {"bad\xef\xbf\xbe"}), Error);
}

TEST(ApplyXmp, RefusesWhatChangedSinceItWasPlanned) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  const XmpChange creation = plan_xmp(photo, {"owl"});
  folder.write("a.jpg.xmp", foreign);
  EXPECT_THROW(apply_xmp(creation), Error);
  const XmpChange change = plan_xmp(photo, {"owl"});
  folder.write("a.jpg.xmp", foreign + "\n");
  EXPECT_THROW(apply_xmp(change), Error);
  EXPECT_EQ(slurp(folder / "a.jpg.xmp"), foreign + "\n");
}

TEST(ApplyXmp, KeepsPermissionsAndLinks) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  const fs::path target = folder.write("elsewhere/real.xmp", foreign);
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
  fs::create_symlink("elsewhere/real.xmp", folder / "a.jpg.xmp");
  apply_xmp(plan_xmp(photo, {"owl"}));
  EXPECT_TRUE(fs::is_symlink(folder / "a.jpg.xmp"));
  EXPECT_EQ(tags_of(parse_xmp(slurp(target), "p")), (Names{"Zürich", "owl"}));
  EXPECT_EQ(fs::status(target).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
}

TEST(ApplyXmp, DoesNotReplaceALinkToNothing) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  fs::create_symlink("nowhere.xmp", folder / "a.jpg.xmp");
  EXPECT_THROW(apply_xmp(plan_xmp(photo, {"owl"})), Error);
}

/// Everything that exiftool sees in a sidecar's XMP, by group and name.
nlohmann::json exiftool_view(const fs::path& sidecar) {
  nlohmann::json properties =
      nlohmann::json::parse(test::output_of("exiftool -j -G1 -a -struct " + sidecar.string()))[0];
  for (auto it = properties.begin(); it != properties.end();)
    it = it.key().starts_with("XMP-") ? std::next(it) : properties.erase(it);
  return properties;
}

TEST(OtherReaders, ExiftoolReadsOurSidecar) {
  if (!test::has_program("exiftool")) GTEST_SKIP() << "exiftool is not installed";
  const TemporaryDirectory folder;
  apply_xmp(plan_xmp(folder.write("a.jpg", test::tiny_jpeg()), {"Places/Köln", "北京", "a & b"}));
  const nlohmann::json seen = exiftool_view(folder / "a.jpg.xmp");
  EXPECT_EQ(seen.at("XMP-digiKam:TagsList"), (Names{"Places/Köln", "北京", "a & b"}));
  EXPECT_EQ(seen.at("XMP-lr:HierarchicalSubject"), Names{"Places|Köln"});
  EXPECT_EQ(seen.at("XMP-dc:Subject"), (Names{"Köln", "北京", "a & b"}));
}

TEST(OtherReaders, Exiv2ReadsOurSidecar) {
  if (!test::has_program("exiv2")) GTEST_SKIP() << "exiv2 is not installed";
  const TemporaryDirectory folder;
  apply_xmp(plan_xmp(folder.write("a.jpg", test::tiny_jpeg()), {"Places/Köln", "北京"}));
  const std::string seen = test::output_of("exiv2 -Pkv " + (folder / "a.jpg.xmp").string());
  for (const char* property : {"Places/Köln, 北京", "Places|Köln", "Köln, 北京"})
    EXPECT_NE(seen.find(property), std::string::npos) << seen;
}

TEST(OtherReaders, ExiftoolFindsAllItWroteAfterOurMerge) {
  if (!test::has_program("exiftool")) GTEST_SKIP() << "exiftool is not installed";
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  const fs::path sidecar = folder.write("a.jpg.xmp", foreign);
  test::output_of(
      "exiftool -q -overwrite_original -XMP-dc:Subject+=Paris -XMP-dc:Title-de='Titel' "
      "-XMP-dc:Title='A \"title\" <&>' -XMP-xmp:Rating=3 -XMP:GPSLatitude=-33.8 "
      "-XMP-xmpMM:HistoryAction=saved -XMP-xmpMM:HistoryWhen='2010:01:01 00:00:00' "
      "-XMP-crs:ToneCurve='0, 0' -XMP-crs:ToneCurve='255, 255' "
      "-XMP-mwg-rs:RegionName=Ann -XMP-mwg-rs:RegionType=Face "
      "-XMP-iptcExt:LocationCreatedCity=Köln -XMP-plus:LicenseID=1 " +
      sidecar.string());
  const nlohmann::json before = exiftool_view(sidecar);
  ASSERT_GT(before.size(), 10U) << before;
  apply_xmp(plan_xmp(photo, {"owl", "animals/owl2"}));
  nlohmann::json after = exiftool_view(sidecar);
  EXPECT_EQ(after.at("XMP-dc:Subject"), (Names{"Zürich", "Paris", "owl", "owl2"}));
  after["XMP-dc:Subject"] = before.at("XMP-dc:Subject");
  EXPECT_EQ(after.erase("XMP-digiKam:TagsList"), 1U);
  EXPECT_EQ(after.erase("XMP-lr:HierarchicalSubject"), 1U);
  EXPECT_EQ(after, before);
}

TEST(OtherReaders, Exiv2FindsAllItWroteAfterOurMerge) {
  if (!test::has_program("exiv2")) GTEST_SKIP() << "exiv2 is not installed";
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  const fs::path sidecar = folder.write("a.jpg.xmp", foreign);
  test::output_of(
      "exiv2 -M'set Xmp.digiKam.TagsList XmpSeq a/b' -M'set Xmp.xmp.Rating XmpText 3' "
      "-M'set Xmp.dc.title LangAlt lang=de Titel' " +
      sidecar.string());
  const std::string print = "exiv2 -PXkyv " + sidecar.string();
  const std::string before = test::output_of(print);
  apply_xmp(plan_xmp(photo, {"owl"}));
  const std::string after = test::output_of(print);
  std::istringstream lines(before);
  int compared = 0;
  for (std::string line; std::getline(lines, line);) {
    // The lists got longer: what was there is still in front.
    EXPECT_NE(after.find(line), std::string::npos) << line << "\nis not in\n" << after;
    ++compared;
  }
  EXPECT_GT(compared, 4) << before;
}

}  // namespace xmp_write_test
}  // namespace commonplace
