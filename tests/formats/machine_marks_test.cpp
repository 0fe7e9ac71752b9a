#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/formats/pictures/xmp.h"
#include "commonplace/formats/pictures/xmp_write.h"
#include "tests/formats/reading_support.h"
#include "tests/support/programs.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_images.h"

namespace commonplace::test {
namespace machine_marks_test {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

MachineMark by_machine(const std::string& name, double score = 0.75) {
  return {{name, 1, GivenBy::machine, "m", score}, "2024-05-03T10:11:12Z"};
}

/// The names of the tags that people, or machines, gave.
Names tags_by(const Item& item, bool machine) {
  Names names;
  for (const ItemTag& tag : item.tags)
    if ((tag.by == GivenBy::machine) == machine) names.push_back(tag.name);
  std::sort(names.begin(), names.end());
  return names;
}

class Marks : public testing::Test {
 protected:
  void write(const SidecarTags& tags) { apply_xmp(plan_xmp(photo_, tags)); }
  Names people() { return tags_by(read_photo(photo_), false); }
  Names machines() { return tags_by(read_photo(photo_), true); }

  const TemporaryDirectory folder_;
  const fs::path photo_ = folder_.write("a.jpg", tiny_jpeg());
  const fs::path sidecar_ = folder_ / "a.jpg.xmp";
};

TEST_F(Marks, ComeBackAsTheMachines) {
  write({.given = {"Köln"}, .machine = {by_machine("animals/owl"), by_machine("night", 0.3125)}});
  EXPECT_EQ(people(), (Names{"Köln"}));
  EXPECT_EQ(machines(), (Names{"animals/owl", "night"}));
  const std::vector<MachineMark> marks = machine_marks(XmpPacket(slurp(sidecar_), "a"));
  EXPECT_EQ(marks,
            (std::vector<MachineMark>{by_machine("animals/owl"), by_machine("night", 0.3125)}));
  EXPECT_EQ(read_photo(photo_).tags.back(), by_machine("night", 0.3125).tag);
  EXPECT_TRUE(plan_xmp(photo_, {.given = {"Köln"}, .machine = {by_machine("night", 0.3125)}})
                  .packet.empty());
}

TEST_F(Marks, TravelWithTheFiles) {
  write({.machine = {by_machine("owl")}});
  fs::create_directories(folder_ / "copy");
  fs::copy_file(photo_, folder_ / "copy/b.jpg");
  fs::copy_file(sidecar_, folder_ / "copy/b.xmp");
  EXPECT_EQ(tags_by(read_photo(folder_ / "copy/b.jpg"), true), (Names{"owl"}));
  EXPECT_EQ(tags_by(read_photo(folder_ / "copy/b.jpg"), false), Names{});
}

TEST_F(Marks, LeavePeoplesTagsOfTheSameWordAlone) {
  write({.given = {"owl"}});
  write({.given = {"owl"}, .machine = {by_machine("animals/owl")}});
  EXPECT_EQ(people(), (Names{"owl"}));
  EXPECT_EQ(machines(), (Names{"animals/owl"}));
  write({.given = {"owl"}, .withdrawn = [](const ItemTag&) { return true; }});
  EXPECT_EQ(people(), (Names{"owl"}));
  EXPECT_EQ(machines(), Names{});
  EXPECT_NE(slurp(sidecar_).find("<rdf:li>owl</rdf:li>"), std::string::npos);

  // The other way round: a person gives the word that is the last level of a machine's tag.
  write({.machine = {by_machine("plants/fern")}});
  write({.given = {"owl", "fern"}});
  EXPECT_EQ(people(), (Names{"fern", "owl"}));
  EXPECT_EQ(machines(), (Names{"plants/fern"}));
}

TEST_F(Marks, GoWhenAPersonAccepts) {
  write({.machine = {by_machine("owl"), by_machine("fox")}});
  const XmpChange change = plan_xmp(photo_, {.given = {"Owl"}, .machine = {by_machine("fox")}});
  EXPECT_EQ(change.accepts, (Names{"owl"}));
  EXPECT_EQ(change.adds, Names{});
  apply_xmp(change);
  EXPECT_EQ(people(), (Names{"owl"}));
  EXPECT_EQ(machines(), (Names{"fox"}));
}

TEST_F(Marks, GoWithTheirTagsWhenRejectedOrTakenBack) {
  folder_.write("a.jpg.xmp",
                "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
                "<rdf:Description rdf:about='' xmlns:my='http://example.org/my/' my:note='kept'>"
                "</rdf:Description></rdf:RDF>");
  write({.machine = {by_machine("a/owl"), by_machine("fox"), by_machine("elk")}});
  write({.rejected = {"FOX"}});
  EXPECT_EQ(machines(), (Names{"a/owl", "elk"}));
  const XmpChange change =
      plan_marks(sidecar_, {.withdrawn = [](const ItemTag& mark) { return mark.model == "m"; }});
  EXPECT_EQ(change.removes, (Names{"a/owl", "elk"}));
  EXPECT_FALSE(change.deletes);
  apply_xmp(change);
  EXPECT_EQ(machines(), Names{});
  EXPECT_EQ(people(), Names{});
  const std::string left = slurp(sidecar_);
  EXPECT_NE(left.find("my:note=\"kept\""), std::string::npos) << left;
  for (const char* gone : {"rdf:li", "TagsList>", "subject>", "MachineTags>"})
    EXPECT_EQ(left.find(gone), std::string::npos) << left;
}

TEST_F(Marks, LeaveNothingBehindWhereTheSidecarWasOurs) {
  write({.machine = {by_machine("owl")}});
  apply_xmp(plan_marks(sidecar_, {.withdrawn = [](const ItemTag&) { return true; }}));
  EXPECT_FALSE(fs::exists(sidecar_));
}

TEST_F(Marks, ATagThatSomeoneTookOutIsNotWrittenAgain) {
  write({.given = {"x"}, .machine = {by_machine("owl")}});
  std::string content = slurp(sidecar_);
  for (const std::string gone = "<rdf:li>owl</rdf:li>"; content.find(gone) != std::string::npos;)
    content.erase(content.find(gone), gone.size());
  folder_.write("a.jpg.xmp", content);
  EXPECT_EQ(machines(), Names{});
  EXPECT_TRUE(plan_xmp(photo_, {.machine = {by_machine("owl")}}).packet.empty());
  write({.given = {"owl"}});
  EXPECT_EQ(people(), (Names{"owl", "x"}));
}

TEST_F(Marks, APersonsWordInThePictureCounts) {
  const std::string inside =
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
      "xmlns:dc='http://purl.org/dc/elements/1.1/'><rdf:Description rdf:about=''>"
      "<dc:subject><rdf:Bag><rdf:li>owl</rdf:li></rdf:Bag></dc:subject>"
      "</rdf:Description></rdf:RDF>";
  write({.machine = {by_machine("owl")}});
  folder_.write("a.jpg", jpeg_with(jpeg_segment(
                             0xe1, std::string("http://ns.adobe.com/xap/1.0/\0", 29) + inside)));
  EXPECT_EQ(people(), (Names{"owl"}));
}

TEST(MarkForms, AreReadInEveryFormThatRdfAllows) {
  const std::string front =
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
      "<rdf:Description xmlns:c='urn:commonplace:1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
      "<dc:subject><rdf:Bag><rdf:li>owl</rdf:li><rdf:li>fox</rdf:li></rdf:Bag></dc:subject>"
      "<c:MachineTags><rdf:Bag>";
  const std::string back = "</rdf:Bag></c:MachineTags></rdf:Description></rdf:RDF>";
  for (const char* form :
       {"<rdf:li c:Tag='owl' c:Model='m' c:Score='0.75'/>",
        "<rdf:li><rdf:Description c:Tag='owl' c:Model='m' c:Score='0.75'/></rdf:li>",
        "<rdf:li rdf:parseType='Resource'><c:Tag>owl</c:Tag><c:Model>m</c:Model>"
        "<c:Score>0.75</c:Score></rdf:li>",
        "<rdf:li><rdf:Description><c:Tag>owl</c:Tag><c:Model>m</c:Model><c:Score>0.75</c:Score>"
        "</rdf:Description></rdf:li>"}) {
    const Item item = parse_xmp(front + form + back, "p");
    ASSERT_EQ(item.tags.size(), 2U) << form;
    EXPECT_EQ(item.tags[0].name, "fox") << form;
    EXPECT_EQ(item.tags[1], by_machine("owl").tag) << form;
  }
}

TEST_F(Marks, AreSeenAndKeptByExiftool) {
  if (!has_program("exiftool")) GTEST_SKIP() << "exiftool is not installed";
  write({.given = {"Köln"}, .machine = {by_machine("animals/owl")}});
  const nlohmann::json seen = nlohmann::json::parse(
      output_of("exiftool -j -G1 -struct " + shell_quoted(sidecar_.string())))[0];
  EXPECT_EQ(seen.at("XMP-dc:Subject"), (Names{"Köln", "owl"}));
  EXPECT_EQ(seen.at("XMP-commonplace:MachineTags")[0].at("Tag"), "animals/owl") << seen;
  output_of("exiftool -q -overwrite_original -XMP-dc:Subject+=new " +
            shell_quoted(sidecar_.string()));
  EXPECT_EQ(machines(), (Names{"animals/owl"})) << slurp(sidecar_);
  EXPECT_EQ(people(), (Names{"Köln", "new"}));
}

TEST_F(Marks, AreSeenAndKeptByExiv2) {
  if (!has_program("exiv2")) GTEST_SKIP() << "exiv2 is not installed";
  write({.given = {"Köln"}, .machine = {by_machine("animals/owl")}});
  EXPECT_NE(output_of("exiv2 -Pkv " + shell_quoted(sidecar_.string())).find("animals/owl"),
            std::string::npos);
  output_of("exiv2 -M'set Xmp.xmp.Rating XmpText 3' " + shell_quoted(sidecar_.string()));
  EXPECT_NE(slurp(sidecar_).find("Rating"), std::string::npos);
  EXPECT_EQ(machines(), (Names{"animals/owl"})) << slurp(sidecar_);
  EXPECT_EQ(people(), (Names{"Köln"}));
}

TEST(BookmarkMarks, ComeBackAsTheMachines) {
  std::vector<Item> items(1);
  items[0].id = "http://a.org/";
  items[0].tags = {{"mine", 1, GivenBy::source, "", 1}, by_machine("a, \"b\"").tag};
  const std::string html =
      written([&](const Output& out) { write_bookmarks(each_of(items), "x", out); });
  const auto back = [](const std::string& text) {
    Collected collected;
    read_bookmarks(*bytes_of(text), "b.html", collected.sink());
    return collected;
  };
  EXPECT_EQ(back(html).item().tags, items[0].tags) << html;
  // Beside the usual attribute, for programs that know no better.
  EXPECT_NE(html.find("TAGS=\"mine,a&#44; &quot;b&quot;\""), std::string::npos) << html;
  // A person who bookmarks the same address with that tag gives it.
  const Collected both =
      back(html + "<DL><DT><A HREF=\"http://a.org/\" TAGS=\"a&#44; &quot;b&quot;\">A</A></DL>");
  EXPECT_EQ(tags_by(both.item(), true), Names{});
}

}  // namespace machine_marks_test
}  // namespace commonplace::test
