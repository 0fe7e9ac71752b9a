#include "commonplace/upkeep/write_back.h"

#include <gtest/gtest.h>

#include "commonplace/io/files.h"
#include "commonplace/library/stored_models.h"
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

TEST_F(WriteBack, TakingBackReachesBothSidecars) {
  write(true);
  fs::rename(sidecar(), folder_ / "photos/a.xmp");
  write(true);
  folder_.write("photos/a.jpg.xmp", test::slurp(folder_ / "photos/a.xmp"));
  store_machine_tags(library(), photos(), "m", {});
  const TakenBack taken = take_back(library(), photos(), "m", no_progress);
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
    const TakenBack taken = take_back(library(), photos(), "m", no_progress);
    EXPECT_EQ(taken.sidecars, sidecars);
    EXPECT_EQ(taken.inside, (Names{(folder_ / "photos/a.jpg").string()}));
    EXPECT_TRUE(take_back(library(), photos(), "other", no_progress).inside.empty());
    add();
    EXPECT_EQ(shown(), Names{});
    EXPECT_EQ(write(true).changed, 0);
  }
  EXPECT_EQ(test::slurp(folder_ / "photos/a.jpg"), picture);
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
