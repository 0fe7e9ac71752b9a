#include "commonplace/formats/pictures/photo.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <zlib.h>

#include "commonplace/base/error.h"
#include "commonplace/formats/import.h"
#include "commonplace/formats/pictures/photo_facts.h"
#include "tests/support/programs.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace photo_test {

using namespace std::string_literals;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

std::vector<std::string> names(const Item& item) {
  std::vector<std::string> result;
  for (const ItemTag& tag : item.tags) result.push_back(tag.name);
  std::sort(result.begin(), result.end());
  return result;
}

using Names = std::vector<std::string>;

std::string packet(const std::string& properties) {
  return "<x:xmpmeta xmlns:x='adobe:ns:meta/'>"
         "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
         "<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/' "
         "xmlns:exif='http://ns.adobe.com/exif/1.0/' "
         "xmlns:lr='http://ns.adobe.com/lightroom/1.0/' "
         "xmlns:digiKam='http://www.digikam.org/ns/1.0/' "
         "xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' "
         "xmlns:xmp='http://ns.adobe.com/xap/1.0/'>" +
         properties + "</rdf:Description></rdf:RDF></x:xmpmeta>";
}

std::string bag(const std::string& property, const Names& items) {
  std::string text = "<" + property + "><rdf:Bag>";
  for (const std::string& item : items) text += "<rdf:li>" + item + "</rdf:li>";
  return text + "</rdf:Bag></" + property + ">";
}

std::string error_of(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseXmp, KeywordsThatAreLevelsOfAPathAreNotRepeated) {
  const Item item = parse_xmp(packet(bag("dc:subject", {"Owl", "ANIMALS", "night"}) +
                                     bag("lr:hierarchicalSubject", {"animals|birds|owl"}) +
                                     bag("digiKam:TagsList", {"animals/birds/owl", "Zürich"})),
                              "p");
  EXPECT_EQ(names(item), (Names{"Zürich", "animals/birds/owl", "night"}));
  EXPECT_EQ(item.tags.front().name, "animals/birds/owl");
}

TEST(ParseXmp, ReadsEveryFormThatRdfAllows) {
  const std::string attributes =
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
      "xmlns:a='http://purl.org/dc/elements/1.1/' xmlns:t='http://ns.adobe.com/tiff/1.0/'>"
      "<rdf:Description rdf:about='' t:Make='A &amp; B' a:subject='single'/>"
      "<rdf:Description rdf:about=''><a:title><rdf:Alt><rdf:li xml:lang='de'>Nacht</rdf:li>"
      "<rdf:li xml:lang='x-default'>Night</rdf:li></rdf:Alt></a:title>"
      "<a:creator><rdf:Seq><rdf:li rdf:parseType='Resource'><rdf:value>Ann</rdf:value>"
      "</rdf:li></rdf:Seq></a:creator></rdf:Description></rdf:RDF>";
  const Item item = parse_xmp(attributes, "p");
  EXPECT_EQ(names(item), Names{"single"});
  EXPECT_EQ(item.title, "Night");
  EXPECT_EQ(item.metadata, R"({"creator":"Ann","make":"A & B"})");
}

TEST(ParseXmp, TheDateOfTakingComesBeforeTheOthers) {
  const std::string created = "<photoshop:DateCreated>1999</photoshop:DateCreated>";
  const std::string made = "<xmp:CreateDate>2001-02-03</xmp:CreateDate>";
  EXPECT_EQ(parse_xmp(packet(made + created +
                             "<exif:DateTimeOriginal>2004-05-03T10:11:12+02:00"
                             "</exif:DateTimeOriginal>"),
                      "p")
                .time,
            "2004-05-03T08:11:12Z");
  EXPECT_EQ(parse_xmp(packet(made + created), "p").time, "1999");
  EXPECT_EQ(parse_xmp(packet(made), "p").time, "2001-02-03");
}

TEST(ParseXmp, RefusesWhatIsNotXmp) {
  EXPECT_NE(error_of([] { parse_xmp("", "a.xmp"); }).find("a.xmp: is not XMP"), std::string::npos);
  EXPECT_NE(error_of([] { parse_xmp("<a><b></a>", "a.xmp"); }).find("line 1"), std::string::npos);
  EXPECT_NE(error_of([] { parse_xmp("<html/>", "a.xmp"); }).find("rdf:RDF"), std::string::npos);
  EXPECT_NE(error_of([] {
              parse_xmp("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a.xmp");
            }).find("DOCTYPE"),
            std::string::npos);
}

TEST(ParseXmp, RefusesNestingThatWouldExhaustTheStack) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<dc:subject>";
  EXPECT_THROW(parse_xmp(packet(deep), "p"), Error);
  for (int i = 0; i < 100'000; ++i) deep += "</dc:subject>";
  EXPECT_THROW(parse_xmp(packet(deep), "p"), Error);
}

TEST(ParseXmp, RefusesElementsOfVeryManyAttributes) {
  std::string many = "<dc:x a='>\"' b=\"'\"";
  for (int i = 0; i < 40'000; ++i) many += " a" + std::to_string(i) + "= ''";
  EXPECT_NE(error_of([&] { parse_xmp(packet(many + "/>"), "p"); }).find("2000 attributes"),
            std::string::npos);
}

TEST(ParseXmp, GuessesTheCharacterSetOfOldPackets) {
  EXPECT_EQ(names(parse_xmp("<?xml version='1.0' encoding='iso-8859-1'?>" +
                                packet(bag("dc:subject", {"Z\xfcrich"})),
                            "p")),
            Names{"Zürich"});
}

TEST(ParseXmp, RefusesUndeclaredNamespaces) {
  EXPECT_THROW(parse_xmp(packet("<nobody:knows>this</nobody:knows>"), "p"), Error);
}

TEST(ParseXmp, RefusesPacketsBeyondTheLimit) {
  EXPECT_THROW(parse_xmp(packet(std::string(17 << 20, ' ')), "p"), Error);
}

TEST(ParsePlace, UnderstandsXmpAndPlainDegrees) {
  auto place = [](std::string_view latitude, std::string_view longitude) {
    return parse_place(latitude, "", longitude, "");
  };
  EXPECT_NEAR(place("51,30.12N", "0,7.5W")->latitude, 51.502, 1e-12);
  EXPECT_NEAR(place("51,30.12N", "0,7.5W")->longitude, -0.125, 1e-12);
  EXPECT_NEAR(place("33,51,35.9S", "151,12,40E")->latitude, -33.859972222, 1e-9);
  EXPECT_NEAR(place("-33.86", "151.2")->latitude, -33.86, 1e-12);
  EXPECT_NEAR(parse_place("33.86", "S", "151.2", "W")->longitude, -151.2, 1e-12);
  for (const char* wrong : {"", "north", "91", "1,2,3,4", "1;2", "nan", "inf", "1,,2", "5E", "5,"})
    EXPECT_FALSE(place(wrong, "1")) << wrong;
  EXPECT_FALSE(place("1", "180.1"));
  EXPECT_FALSE(place("1", ""));
}

TEST(ParsePhoto, FindsXmpInEveryContainer) {
  const std::string xmp = packet(bag("dc:subject", {"κουκουβάγια"}));
  const std::string in_jpeg =
      test::jpeg_with(test::jpeg_segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + xmp));
  const std::string in_png =
      test::png_with(test::png_chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0"s + xmp));
  const std::string in_webp = test::webp_with(test::webp_chunk("XMP ", xmp));
  for (const std::string& content : {in_jpeg, in_png, in_webp})
    EXPECT_EQ(names(parse_photo(content, "p")), Names{"κουκουβάγια"});
}

TEST(ParsePhoto, JoinsExtendedXmp) {
  const std::string xmp = packet(bag("dc:subject", {"one", "two"}));
  const std::string mark = "http://ns.adobe.com/xmp/extension/\0"s + std::string(32, 'A');
  auto number = [](std::size_t value) {
    return "\0\0"s + static_cast<char>(value >> 8) + static_cast<char>(value & 0xff);
  };
  const std::size_t half = xmp.size() / 2;
  const std::string first = mark + number(xmp.size()) + number(0) + xmp.substr(0, half);
  const std::string second = mark + number(xmp.size()) + number(half) + xmp.substr(half);
  EXPECT_EQ(names(parse_photo(
                test::jpeg_with(test::jpeg_segment(0xe1, first) + test::jpeg_segment(0xe1, second)),
                "p")),
            (Names{"one", "two"}));
  EXPECT_TRUE(parse_photo(test::jpeg_with(test::jpeg_segment(0xe1, first)), "p").tags.empty());
}

TEST(ParsePhoto, ReadsThePlainAndThePackedTextsOfPng) {
  std::string packed(100, '\0');
  uLongf size = packed.size();
  const std::string description = "Öl auf Leinwand";
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(description.data()), description.size()),
            Z_OK);
  packed.resize(size);
  const Item item =
      parse_photo(test::png_with(test::png_chunk("tEXt", "Title\0Caf\xe9"s) +
                                 test::png_chunk("tEXt", "Author\0Ann"s) +
                                 test::png_chunk("zTXt", "Description\0\0"s + packed) +
                                 test::png_chunk("iTXt", "Keywords\0\0\0\0\0owl, night;owl"s)),
                  "p");
  EXPECT_EQ(item.title, "Café");
  EXPECT_EQ(item.text, description);
  EXPECT_EQ(names(item), (Names{"night", "owl"}));
  EXPECT_EQ(item.metadata, R"({"creator":"Ann","width":1,"height":1})");
}

TEST(ParsePhoto, SkipsTextsThatUnpackToTooMuch) {
  const std::string huge(20 << 20, 'a');
  std::string packed(1 << 20, '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(huge.data()), huge.size()),
            Z_OK);
  packed.resize(size);
  EXPECT_EQ(parse_photo(test::png_with(test::png_chunk("zTXt", "Title\0\0"s + packed)), "p").title,
            "");
}

TEST(ParsePhoto, EveryCutOfAPictureIsRefusedOrRead) {
  const std::string xmp = packet(bag("dc:subject", {"owl"}));
  const std::vector<std::string> pictures = {
      test::jpeg_with(test::jpeg_segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + xmp)),
      test::png_with(test::png_chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0"s + xmp)),
      test::webp_with(test::webp_chunk("XMP ", xmp)), test::tiny_tiff()};
  for (const std::string& picture : pictures) {
    EXPECT_NO_THROW(parse_photo(picture, "p"));
    // Within the container's headers a cut is noticed; a JPEG may be cut in its pixels.
    for (std::size_t size = 0; size < picture.size(); ++size) {
      const bool noticed =
          error_of([&] { parse_photo(picture.substr(0, size), "p"); }) != "no error";
      EXPECT_TRUE(noticed || size + 13 >= picture.size()) << size << " of " << picture.size();
    }
  }
}

/// A JPEG whose EXIF has one entry of bytes.
std::string jpeg_with_exif_entry(const std::string& tag, const std::string& value) {
  const std::string count = "\0\0\0"s + static_cast<char>(value.size());
  return test::jpeg_with(test::jpeg_segment(0xe1, "Exif\0\0MM\0*\0\0\0\x08\0\1"s + tag + "\0\1"s +
                                                      count + "\0\0\0\x1a\0\0\0\0"s + value));
}

TEST(ParsePhoto, ReadsTheTextsOfWindows) {
  const std::string title = "\x09\x67\x3d\xd8\x89\xdd\x00\xd8!\0\0\0x\0"s;
  EXPECT_EQ(parse_photo(jpeg_with_exif_entry("\x9c\x9b", title), "p").title, "有🖉\uFFFD!");
}

TEST(ParsePhoto, DamagedExifIsPassedOver) {
  const std::string sound = jpeg_with_exif_entry("\x9c\x9b", "o\0w\0l\0\0\0"s);
  ASSERT_EQ(parse_photo(sound, "p").title, "owl");
  const std::size_t begin = sound.find("MM");
  for (std::size_t at = begin; at < begin + 26; ++at)
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string damaged = sound;
      damaged[at] = byte;
      EXPECT_NO_THROW(parse_photo(damaged, "p")) << at;
    }
}

TEST(ReadPhoto, SaysWhatIsWrong) {
  const TemporaryDirectory folder;
  const fs::path text = folder.write("notes.jpg", "just words");
  EXPECT_NE(error_of([&] { read_photo(text); }).find("is not a JPEG, PNG, WebP or TIFF"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_photo(folder.write("empty.png", "")); }).find("empty"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_photo(folder / "none.jpg"); }).find("none.jpg"), std::string::npos);
  EXPECT_THROW(read_photo(folder.path()), Error);
}

TEST(ReadPhoto, MergesTheFileAndBothSidecars) {
  const TemporaryDirectory folder;
  const std::string inside = packet(bag("dc:subject", {"inside", "shared"}) +
                                    "<dc:title>of the file</dc:title>"
                                    "<dc:description>only in the file</dc:description>");
  const fs::path photo = folder.write(
      "a.jpg",
      test::jpeg_with(test::jpeg_segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + inside)));
  folder.write("a.jpg.xmp", packet(bag("dc:subject", {"first", "Shared"}) +
                                   "<dc:title>of the sidecar</dc:title>"));
  folder.write("a.xmp", packet(bag("digiKam:TagsList", {"x/second"})));
  EXPECT_EQ(sidecars(photo).size(), 2U);
  const Item item = read_photo(photo);
  EXPECT_EQ(names(item), (Names{"Shared", "first", "inside", "x/second"}));
  EXPECT_EQ(item.title, "of the sidecar");
  EXPECT_EQ(item.text, "only in the file");
}

TEST(ReadPhoto, ABrokenSidecarIsNamed) {
  const TemporaryDirectory folder;
  const fs::path photo = folder.write("a.jpg", test::tiny_jpeg());
  folder.write("a.jpg.xmp", "<broken");
  EXPECT_NE(error_of([&] { read_photo(photo); }).find("a.jpg.xmp: is not XMP"), std::string::npos);
}

struct Found {
  std::vector<Item> items;
  std::vector<std::string> bad;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

Found read_folder(const fs::path& folder, ReadOptions options = {}) {
  Found found;
  Sink sink;
  sink.record = [&](Record&& record) { found.items.push_back(std::move(record.item)); };
  sink.bad = [&](const Where& where, const std::string& message) {
    found.bad.push_back(fs::path(where.file).filename().string() + ": " + message);
  };
  sink.progress = [&](const ProgressStep& step) {
    EXPECT_GE(step.done, found.done);
    found.done = step.done;
    found.total = step.total;
  };
  read_photos(folder, options, sink);
  return found;
}

std::vector<std::string> ids(const Found& found) {
  std::vector<std::string> result;
  for (const Item& item : found.items) {
    EXPECT_EQ(item.id, item.image);
    result.push_back(item.id);
  }
  return result;
}

TEST(ReadPhotos, WalksSortedAndSkipsWhatIsNoPhoto) {
  const TemporaryDirectory folder;
  folder.write("b/2.JPG", test::tiny_jpeg());
  folder.write("b/1.png", test::tiny_png());
  folder.write("a.webp", test::tiny_webp());
  folder.write("c/d/3.tiff", test::tiny_tiff());
  folder.write("c/d/4.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  folder.write("c/broken.jpg", "\xff\xd8\xff\xe1\xff\xff");
  folder.write("b/2.xmp", packet(bag("dc:subject", {"owl"})));
  folder.write("orphan.xmp", "not even XMP");
  folder.write("notes.txt", "words");
  for (const char* hidden : {".hidden.jpg", ".thumbnails/1.png", "@eaDir/1.png"})
    folder.write(hidden, test::tiny_png());
  fs::create_directory_symlink("..", folder / "c/loop");
  fs::create_symlink("nowhere", folder / "dangling.jpg");

  ReadOptions options;
  options.labels_from_folders = true;
  const Found found = read_folder(folder.path(), options);
  EXPECT_EQ(ids(found), (Names{"a.webp", "b/1.png", "b/2.JPG", "c/d/3.tiff", "c/d/4.svg"}));
  ASSERT_EQ(found.bad.size(), 2U);
  EXPECT_NE(found.bad[0].find("broken.jpg: is cut short"), std::string::npos) << found.bad[0];
  EXPECT_NE(found.bad[1].find("dangling.jpg: cannot be read"), std::string::npos) << found.bad[1];
  EXPECT_EQ(found.done, 7U);
  EXPECT_EQ(found.total, 7U);
  EXPECT_TRUE(found.items[0].labels.empty());
  EXPECT_EQ(found.items[3].labels, (std::vector<Label>{{"folder", "c/d"}}));
  EXPECT_EQ(names(found.items[2]), Names{"owl"});
}

TEST(ReadPhotos, ThreadsDoNotChangeTheOrder) {
  const TemporaryDirectory folder;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    folder.write(name, test::tiny_png());
    folder.write(name + ".xmp", packet(bag("dc:subject", {"tag" + std::to_string(i)})));
  }
  ReadOptions alone;
  alone.jobs = 1;
  ReadOptions together;
  together.jobs = 4;
  const Found one = read_folder(folder.path(), alone);
  EXPECT_EQ(one.items.size(), 300U);
  EXPECT_EQ(one.items, read_folder(folder.path(), together).items);
}

TEST(ReadPhotos, ANameThatIsNotUtf8IsReported) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "caf\xe9.png") << test::tiny_png();
  const Found found = read_folder(folder.path());
  EXPECT_TRUE(found.items.empty());
  ASSERT_EQ(found.bad.size(), 1U);
  EXPECT_NE(found.bad[0].find("café.png: the name of the file is not UTF-8"), std::string::npos);
}

TEST(ReadPhotos, RefusesWhatIsNoFolder) {
  const TemporaryDirectory folder;
  EXPECT_THROW(read_folder(folder / "none"), Error);
  EXPECT_THROW(read_folder(folder.write("a.jpg", test::tiny_jpeg())), Error);
}

TEST(ReadPhotos, RealFoldersAreReadWhole) {
  const fs::path photos = test::data_directory() / "caltech101";
  if (!fs::is_directory(photos)) GTEST_SKIP() << "the photographs of Caltech 101 are not here";
  const Found found = read_folder(photos);
  EXPECT_GT(found.items.size(), 1000U);
  EXPECT_TRUE(found.bad.empty()) << found.bad.front();
  for (const Item& item : found.items)
    ASSERT_NE(item.metadata.find("width"), std::string::npos) << item.id;
}

/// The four formats, with metadata that another program wrote.
class OtherWriters : public testing::TestWithParam<std::string> {
 protected:
  fs::path write(const std::string& ending) {
    if (ending == "jpg") return folder_.write("p.jpg", test::tiny_jpeg());
    if (ending == "png") return folder_.write("p.png", test::tiny_png());
    if (ending == "webp") return folder_.write("p.webp", test::tiny_webp());
    return folder_.write("p.tif", test::tiny_tiff());
  }
  TemporaryDirectory folder_;
};

INSTANTIATE_TEST_SUITE_P(Formats, OtherWriters, testing::Values("jpg", "png", "webp", "tif"),
                         [](const auto& format) { return format.param; });

TEST_P(OtherWriters, ExiftoolXmpIsRead) {
  if (!test::has_program("exiftool")) GTEST_SKIP() << "exiftool is not installed";
  const fs::path photo = write(GetParam());
  test::output_of(
      "exiftool -q -overwrite_original -XMP-dc:Subject=北京 -XMP-dc:Subject=Paris "
      "-XMP-digiKam:TagsList=Places/Paris -XMP-lr:HierarchicalSubject='Places|Köln' "
      "-XMP-dc:Title='A title' -XMP-dc:Description='Zwei Zeilen' "
      "-XMP-dc:Creator=Ann -XMP-dc:Rights='© Ann' -XMP:GPSLatitude=-33.8599 "
      "-XMP:GPSLongitude=-151.2111 -XMP-exif:DateTimeOriginal='2004:05:03 10:11:12' "
      "-XMP:Rating=4 -XMP-tiff:Make=Canon " +
      photo.string());
  const Item item = read_photo(photo);
  EXPECT_EQ(names(item), (Names{"Places/Köln", "Places/Paris", "北京"}));
  EXPECT_EQ(item.title, "A title");
  EXPECT_EQ(item.text, "Zwei Zeilen");
  EXPECT_EQ(item.time, "2004-05-03T10:11:12Z");
  ASSERT_TRUE(item.place);
  EXPECT_NEAR(item.place->latitude, -33.8599, 1e-6);
  EXPECT_NEAR(item.place->longitude, -151.2111, 1e-6);
  const std::string side = GetParam() == "jpg" ? "8" : "1";
  EXPECT_EQ(item.metadata, R"({"creator":"Ann","rights":"© Ann","make":"Canon","rating":4,)"
                           R"("width":)" +
                               side + R"(,"height":)" + side + "}");
}

TEST_P(OtherWriters, ExiftoolExifWithoutXmpIsRead) {
  if (!test::has_program("exiftool")) GTEST_SKIP() << "exiftool is not installed";
  const fs::path photo = write(GetParam());
  test::output_of(
      "exiftool -q -overwrite_original -EXIF:GPSLatitude=33.8599 "
      "-EXIF:GPSLatitudeRef=S -EXIF:GPSLongitude=70.5 -EXIF:GPSLongitudeRef=W "
      "-EXIF:DateTimeOriginal='2004:05:03 10:11:12' "
      "-EXIF:OffsetTimeOriginal='+02:00' -EXIF:UserComment='Grüße aus 北京' "
      "-EXIF:Make=Canon -EXIF:Model='PowerShot' -EXIF:Orientation#=6 "
      "-EXIF:Artist=Ann -EXIF:XPKeywords='owl;Köln' -EXIF:XPTitle='Ein Ölbild' " +
      photo.string());
  const Item item = read_photo(photo);
  EXPECT_EQ(names(item), (Names{"Köln", "owl"}));
  EXPECT_EQ(item.title, "Ein Ölbild");
  EXPECT_EQ(item.text, "Grüße aus 北京");
  EXPECT_EQ(item.time, "2004-05-03T08:11:12Z");
  ASSERT_TRUE(item.place);
  EXPECT_NEAR(item.place->latitude, -33.8599, 1e-6);
  EXPECT_NEAR(item.place->longitude, -70.5, 1e-6);
  EXPECT_NE(item.metadata.find(R"("creator":"Ann","make":"Canon","model":"PowerShot",)"
                               R"("orientation":6)"),
            std::string::npos)
      << item.metadata;
}

TEST_P(OtherWriters, IptcWithoutXmpIsRead) {
  if (!test::has_program("exiftool")) GTEST_SKIP() << "exiftool is not installed";
  if (GetParam() == "webp") GTEST_SKIP() << "WebP has no place for IPTC";
  for (const char* charset : {"UTF8", "Latin1"}) {
    const fs::path photo = write(GetParam());
    test::output_of("exiftool -q -q -overwrite_original -charset iptc="s + charset +
                    " -IPTC:Keywords=Köln -IPTC:Keywords=owl -IPTC:ObjectName=Titel "
                    "-IPTC:Caption-Abstract='Ein Käuzchen' -IPTC:DateCreated='2004:05:03' "
                    "-IPTC:TimeCreated='10:11:12+02:00' -IPTC:By-line=Ann " +
                    photo.string());
    const Item item = read_photo(photo);
    EXPECT_EQ(names(item), (Names{"Köln", "owl"})) << charset;
    EXPECT_EQ(item.title, "Titel");
    EXPECT_EQ(item.text, "Ein Käuzchen");
    EXPECT_EQ(item.time, "2004-05-03T08:11:12Z");
  }
}

TEST_P(OtherWriters, Exiv2IsRead) {
  if (!test::has_program("exiv2")) GTEST_SKIP() << "exiv2 is not installed";
  const fs::path photo = write(GetParam());
  const bool has_iptc = GetParam() != "webp";
  test::output_of(
      "exiv2 -M'set Exif.Image.Make Ascii Foo' "
      "-M'set Exif.Image.ImageDescription Ascii Ein Käuzchen' "
      "-M'set Exif.Photo.DateTimeOriginal Ascii 2004:05:03 10:11:12' "
      "-M'set Exif.GPSInfo.GPSLatitude Rational 33/1 5159/100 0/1' "
      "-M'set Exif.GPSInfo.GPSLatitudeRef Ascii S' "
      "-M'set Exif.GPSInfo.GPSLongitude Rational 70/1 30/1 0/1' "
      "-M'set Exif.GPSInfo.GPSLongitudeRef Ascii W' "s +
      (has_iptc ? "-M'add Iptc.Application2.Keywords String Köln' " : "") +
      "-M'set Xmp.digiKam.TagsList XmpSeq Places/Paris' " + photo.string());
  const Item item = read_photo(photo);
  EXPECT_EQ(names(item), has_iptc ? (Names{"Köln", "Places/Paris"}) : Names{"Places/Paris"});
  EXPECT_EQ(item.text, "Ein Käuzchen");
  EXPECT_EQ(item.time, "2004-05-03T10:11:12Z");
  ASSERT_TRUE(item.place);
  EXPECT_NEAR(item.place->latitude, -33.859833333, 1e-8);
  EXPECT_NEAR(item.place->longitude, -70.5, 1e-12);
  EXPECT_NE(item.metadata.find(R"("make":"Foo")"), std::string::npos);
}

TEST(ReadPhotos, TakesPicturesWhoseSidecarsCannotBeRead) {
  const TemporaryDirectory folder;
  folder.write("a.jpg", test::tiny_jpeg());
  folder.write("a.jpg.xmp", "<broken");
  folder.write("raw/1.CR2", "x");
  folder.write("raw/2.heic", "x");
  folder.write("raw/3.cr2", "x");
  std::vector<std::string> notes;
  std::vector<std::string> ids;
  Sink sink;
  sink.record = [&](Record&& record) { ids.push_back(record.item.id); };
  sink.bad = [](const Where&, const std::string& message) { ADD_FAILURE() << message; };
  sink.note = [&](const Where&, const std::string& message) { notes.push_back(message); };
  read_photos(folder.path(), {}, sink);
  EXPECT_EQ(ids, (std::vector<std::string>{"a.jpg"}));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("3 files are of kinds that are not read (2 .cr2, 1 .heic)"),
            std::string::npos)
      << notes[0];
  EXPECT_NE(notes[1].find("a.jpg.xmp"), std::string::npos) << notes[1];
  EXPECT_NE(notes[1].find("the picture is taken without it"), std::string::npos) << notes[1];
}

TEST(ParseXmp, ReadsUtf16) {
  const std::string utf8 = packet(bag("dc:subject", {"K\xc3\xb6ln"}));
  std::string little = "\xff\xfe";
  std::string big;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    unsigned code = static_cast<unsigned char>(utf8[i]);
    if (code == 0xC3) code = 0xC0U | (static_cast<unsigned char>(utf8[++i]) & 0x3FU);
    if (code == 0xEF) {  // the mark within the packet's header
      i += 2;
      code = 0xFEFF;
    }
    little += static_cast<char>(code & 0xFFU);
    little += static_cast<char>(code >> 8U);
    big += static_cast<char>(code >> 8U);
    big += static_cast<char>(code & 0xFFU);
  }
  EXPECT_EQ(names(parse_xmp(little, "a.xmp")), (Names{"K\xc3\xb6ln"}));
  EXPECT_EQ(names(parse_xmp(big, "a.xmp")), (Names{"K\xc3\xb6ln"}));
}

}  // namespace photo_test
}  // namespace commonplace
