#include "commonplace/upkeep/write_back.h"

#include <gtest/gtest.h>

#include "commonplace/formats/pictures/photo.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/vocabulary.h"
#include "tests/support/sample_library.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace write_back_test {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class WriteBack : public test::LibraryTest {
 protected:
  WriteBack() {
    folder_.write("photos/a.jpg", test::tiny_jpeg());
    add();
    store_model(library(), {"m", "suggest", {}, "{}", "{}", ""}, [](const fs::path& path) {
      AtomicFile file(path);
      file.write("x");
      file.commit();
    });
    store_machine_tags(library(), photos(), "m", {{"a.jpg", "animals/owl", 0.75}});
  }
  void add() { import_collection(library(), "photos", folder_ / "photos", {}, no_progress); }
  Collection photos() { return collection_named("photos"); }
  WriteBackSummary write(bool machine) {
    return write_back(
        library(), photos(), {{.machine = machine}, false}, [](const XmpChange&) {}, no_progress);
  }
  Names shown() { return test::tag_names(library(), "photos", "a.jpg"); }
  std::int64_t sources_tags() {
    return library().database().integer("SELECT count(*) FROM human_tag");
  }
  fs::path sidecar() const { return folder_ / "photos/a.jpg.xmp"; }
};

TEST_F(WriteBack, AMachinesTagStaysTheMachines) {
  EXPECT_EQ(write(true).changed, 1);
  EXPECT_NE(test::slurp(sidecar()).find("<commonplace:Run>2"), std::string::npos);
  add();
  EXPECT_EQ(sources_tags(), 0);
  EXPECT_EQ(shown(), (Names{"animals/owl?"}));
  EXPECT_EQ(write(true).changed, 0);
}

TEST_F(WriteBack, WhatTagsMeanNowIsWrittenAndFormerNamesOfMachinesGo) {
  using Kind = VocabularyEdit::Kind;
  test::decide_one(library(), "photos", "a.jpg", "Eule", Verdict::accepted);
  test::decide_one(library(), "photos", "a.jpg", "sea", Verdict::accepted);
  write(true);
  add();  // the sidecar says it now, too
  change_vocabulary(library(), {{.kind = Kind::rename, .tag = "Eule", .to = "owl"},
                                {.kind = Kind::rename, .tag = "animals", .to = "fauna"}});
  write(true);
  const std::string written = test::slurp(sidecar());
  EXPECT_NE(written.find("<rdf:li>owl</rdf:li>"), std::string::npos) << written;
  EXPECT_EQ(written.find("animals"), std::string::npos) << written;
  EXPECT_NE(written.find("fauna"), std::string::npos);
  add();
  EXPECT_EQ(shown(), (Names{"sea", "owl", "fauna/owl?"}));
  EXPECT_EQ(write(true).changed, 0);
}

TEST_F(WriteBack, TakingBackReachesBothSidecars) {
  write(true);
  fs::rename(sidecar(), folder_ / "photos/a.xmp");
  write(true);
  folder_.write("photos/a.jpg.xmp", test::slurp(folder_ / "photos/a.xmp"));
  store_machine_tags(library(), photos(), "m", {});
  const TakenBack taken = take_back(library(), photos(), "m", false, no_progress);
  EXPECT_EQ(taken.sidecars, 2);
  EXPECT_EQ(taken.tags, 2);
  EXPECT_FALSE(fs::exists(sidecar()));
  EXPECT_FALSE(fs::exists(folder_ / "photos/a.xmp"));
}

/// Another program has put the sidecar's packet into the picture itself.
TEST_F(WriteBack, WhatStandsInThePictureItselfIsToldAndNotTakenInAgain) {
  using namespace std::string_literals;
  write(true);
  const std::string picture = test::jpeg_with(
      test::jpeg_segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + test::slurp(sidecar())));
  folder_.write("photos/a.jpg", picture);
  add();
  EXPECT_EQ(shown(), (Names{"animals/owl?"}));
  store_machine_tags(library(), photos(), "m", {});
  for (const int sidecars : {1, 0}) {
    const TakenBack taken = take_back(library(), photos(), "m", false, no_progress);
    EXPECT_EQ(taken.sidecars, sidecars);
    EXPECT_EQ(taken.inside, (Names{(folder_ / "photos/a.jpg").string()}));
    EXPECT_TRUE(take_back(library(), photos(), "other", false, no_progress).inside.empty());
    add();
    EXPECT_EQ(shown(), Names{});
    EXPECT_EQ(write(true).changed, 0);
  }
  EXPECT_EQ(test::slurp(folder_ / "photos/a.jpg"), picture);
}

/// Puts the sidecar's packet into pictures, as other programs do, beside what they have themselves.
class InPictures : public WriteBack {
 protected:
  InPictures() {
    write(true);
    packet_ = test::slurp(sidecar());
    fs::remove(sidecar());
  }
  TakenBack undo() {
    add();
    store_machine_tags(library(), photos(), "m", {});
    return take_back(library(), photos(), "m", true, no_progress);
  }
  static std::string jpeg_of(const std::string& packet) {
    using namespace std::string_literals;
    return test::jpeg_segment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + packet);
  }
  /// Of keywords as IPTC, in Photoshop's block.
  static std::string iptc_of(const std::string& keyword) {
    using namespace std::string_literals;
    const std::string dataset = "\x1c\x02\x19\0"s + static_cast<char>(keyword.size()) + keyword;
    std::string block = "Photoshop 3.0\0"s + "8BIM\x04\x04\0\0\0\0\0"s +
                        static_cast<char>(dataset.size()) + dataset;
    if (dataset.size() % 2 == 1) block += '\0';
    return test::jpeg_segment(0xed, block);
  }
  /// The bytes that differ, from the first to the last.
  static std::string changed(const std::string& before, const std::string& after) {
    EXPECT_EQ(before.size(), after.size());
    std::size_t first = 0;
    while (first < before.size() && before[first] == after[first]) ++first;
    std::size_t last = before.size();
    while (last > first && before[last - 1] == after[last - 1]) --last;
    return before.substr(first, last - first);
  }

  std::string packet_;
};

TEST_F(InPictures, TheMachinesTagsAreTakenOutAndNoOtherByteChanges) {
  const std::string before = test::jpeg_with(jpeg_of(packet_));
  folder_.write("photos/a.jpg", before);
  fs::permissions(folder_ / "photos/a.jpg", fs::perms(0640));
  const TakenBack taken = undo();
  EXPECT_EQ(taken.pictures, 1);
  EXPECT_EQ(taken.tags, 1);
  EXPECT_TRUE(taken.inside.empty());
  EXPECT_TRUE(taken.problems.empty());
  const std::string after = test::slurp(folder_ / "photos/a.jpg");
  EXPECT_NE(packet_.find(changed(before, after)), std::string::npos);
  EXPECT_EQ(after.find("owl"), std::string::npos);
  EXPECT_EQ(fs::status(folder_ / "photos/a.jpg").permissions(), fs::perms(0640));
  add();
  EXPECT_EQ(shown(), Names{});
  EXPECT_EQ(undo().pictures, 0);
  fs::copy(folder_ / "photos/a.jpg", folder_ / "copy.jpg");
  EXPECT_TRUE(read_photo(folder_ / "copy.jpg").tags.empty());
}

TEST_F(InPictures, APngsChecksumIsRightAgain) {
  using namespace std::string_literals;
  const auto png = [](const std::string& packet) {
    return test::png_with(test::png_chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0"s + packet) +
                          test::png_chunk("tEXt", "Title\0An owl"s));
  };
  folder_.write("photos/a.jpg", png(packet_));  // what it is, is told by its bytes
  EXPECT_EQ(undo().pictures, 1);
  const std::string after = test::slurp(folder_ / "photos/a.jpg");
  const std::size_t begin = after.find("<x:xmpmeta") != std::string::npos
                                ? after.find("<x:xmpmeta")
                                : after.find("<?xpacket begin");
  ASSERT_NE(begin, std::string::npos);
  const std::string packet = after.substr(after.find("XML:com.adobe.xmp") + 22, packet_.size());
  EXPECT_EQ(after, png(packet)) << "a PNG made anew of the same packet, checksums included";
  EXPECT_EQ(read_photo(folder_ / "photos/a.jpg").title, "An owl");
}

TEST_F(InPictures, WhatAPersonWroteStays) {
  std::string mixed = packet_;
  for (const std::string list : {"<dc:subject>", "<digiKam:TagsList>"}) {
    const std::size_t at = mixed.find("<rdf:li>", mixed.find(list));
    mixed.insert(at, "<rdf:li>snow</rdf:li>");
  }
  folder_.write("photos/a.jpg", test::jpeg_with(jpeg_of(mixed)));
  add();
  EXPECT_EQ(shown(), (Names{"snow", "animals/owl?"}));
  EXPECT_EQ(undo().tags, 1);
  add();
  EXPECT_EQ(shown(), (Names{"snow"}));
}

TEST_F(InPictures, KeywordsThatRepeatAMachinesTagsAreNoPersonsWord) {
  folder_.write("photos/a.jpg", test::jpeg_with(jpeg_of(packet_) + iptc_of("Owl")));
  add();
  EXPECT_EQ(sources_tags(), 0);
  EXPECT_EQ(shown(), (Names{"animals/owl?"}));
}

TEST_F(InPictures, APictureThatWouldSayItWithoutAMarkIsLeftAsItIs) {
  const std::string before = test::jpeg_with(jpeg_of(packet_) + iptc_of("owl"));
  folder_.write("photos/a.jpg", before);
  const TakenBack taken = undo();
  EXPECT_EQ(taken.pictures, 0);
  EXPECT_EQ(taken.inside.size(), 1U);
  ASSERT_EQ(taken.problems.size(), 1U);
  EXPECT_NE(taken.problems[0].message.find("IPTC"), std::string::npos) << taken.problems[0].message;
  EXPECT_EQ(test::slurp(folder_ / "photos/a.jpg"), before);
  add();
  EXPECT_EQ(shown(), Names{});
}

TEST_F(WriteBack, WhatARemovedModelWroteIsTakenOut) {
  write(true);
  add();
  remove_model(library(), "m");
  EXPECT_EQ(write(false).changed, 1);
  EXPECT_FALSE(fs::exists(sidecar()));
  add();
  EXPECT_EQ(sources_tags(), 0);
  EXPECT_EQ(shown(), Names{});
}

TEST_F(WriteBack, WhatOthersTookFromTheirSidecarCanBeGivenByAPerson) {
  write(true);
  add();
  fs::remove(sidecar());
  add();
  // Somebody tags it by hand now.
  apply_xmp(plan_xmp(folder_ / "photos/a.jpg", {"animals/owl"}));
  add();
  EXPECT_EQ(sources_tags(), 1);
  EXPECT_EQ(shown(), (Names{"animals/owl"}));
}

}  // namespace write_back_test
}  // namespace commonplace
