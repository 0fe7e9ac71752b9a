#include "commonplace/upkeep/thumbnails.h"

#include <gtest/gtest.h>

#include "commonplace/features/picture.h"
#include "commonplace/io/files.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"

namespace commonplace {
namespace thumbnails_test {

namespace fs = std::filesystem;

class Thumbnails : public test::LibraryTest {
 protected:
  void write(const std::string& name, std::string_view bytes) {
    fs::create_directories((folder_ / name).parent_path());
    AtomicFile file(folder_ / name);
    file.write(bytes);
    file.commit();
  }
  /// A collection "c" whose items 0, 1, ... have these images, from a file in the folder c.
  void add(const std::vector<std::string>& images) {
    std::string lines;
    for (std::size_t i = 0; i < images.size(); ++i)
      lines += "{\"id\":\"" + std::to_string(i) + "\",\"image\":\"" + images[i] + "\"}\n";
    write("c/c.jsonl", lines);
    import_collection(library(), "c", folder_ / "c/c.jsonl", {}, no_progress);
  }
  std::string type_of(const std::string& id) {
    const auto picture = picture_file(library(), "c", id);
    return picture ? picture->type : "";
  }
};

TEST_F(Thumbnails, OnlyPicturesBelowTheCollectionAreShown) {
  const std::string png = test::as_png(test::pattern(8, 6, 1));
  write("c/a.png", png);
  write("c/deep/b.bin", png);
  write("outside.png", png);
  write("c/text.png", "no picture");
  write("c/drawing.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
  write("cc/a.png", png);
  fs::create_symlink(folder_ / "outside.png", folder_ / "c/link.png");
  fs::create_symlink(folder_ / "c/a.png", folder_ / "c/inside.png");
  add({"a.png", "deep/b.bin", "../outside.png", (folder_ / "outside.png").string(), "link.png",
       "text.png", "none.png", "/etc/passwd", "http://example.org/a.png", "drawing.svg",
       "../cc/a.png", "inside.png", "deep", ""});
  EXPECT_EQ(type_of("0"), "image/png");
  EXPECT_EQ(type_of("1"), "image/png") << "by its bytes, not its name";
  for (const char* id : {"2", "3", "4", "5", "6", "7", "8", "10", "12", "13"})
    EXPECT_EQ(type_of(id), "") << id;
  EXPECT_EQ(type_of("9"), "image/svg+xml");
  EXPECT_EQ(type_of("11"), "image/png");
  EXPECT_FALSE(test::message_of([&] { picture_file(library(), "c", "none"); }).empty());
}

TEST_F(Thumbnails, OutliveADiskThatIsAway) {
  write("c/a.png", test::as_png(test::pattern(300, 150, 1)));
  add({"a.png"});
  const auto shown = [&] {
    return thumbnail(folder_ / "library", *picture_file(library(), "c", "0"), 64);
  };
  shown();
  const fs::path kept = shown()->file;
  ASSERT_TRUE(fs::is_regular_file(kept));
  fs::rename(folder_ / "c", folder_ / "unplugged");
  EXPECT_FALSE(picture_file(library(), "c", "0"));
  EXPECT_TRUE(fs::is_regular_file(kept));
  fs::rename(folder_ / "unplugged", folder_ / "c");
  EXPECT_EQ(shown()->file, kept);
}

TEST_F(Thumbnails, AreSmallKeptAndMadeAgainWhenThePictureChanges) {
  write("c/a.png", test::as_png(test::pattern(300, 150, 1)));
  add({"a.png"});
  const PictureFile picture = *picture_file(library(), "c", "0");
  const fs::path where = folder_ / "library";
  const std::optional<Thumbnail> made = thumbnail(where, picture, 64);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->type, "image/jpeg");
  const Picture small = decode_picture(made->bytes, "made");
  EXPECT_EQ(small.width, 64);
  EXPECT_EQ(small.height, 32);
  const std::optional<Thumbnail> again = thumbnail(where, picture, 64);
  EXPECT_EQ(read_file(again->file, 1U << 20U), made->bytes);
  EXPECT_NE(thumbnail(where, picture, 128)->bytes, made->bytes);
  write("c/a.png", test::as_png(test::pattern(100, 90, 2)));
  EXPECT_EQ(decode_picture(thumbnail(where, picture, 64)->bytes, "made").height, 58);
  write("c/a.png", test::as_png(test::pattern(100, 90, 2)).substr(0, 200));
  EXPECT_FALSE(thumbnail(where, picture, 64).has_value()) << "it is broken";
}

TEST_F(Thumbnails, DrawingsAreDrawnOnWhite) {
  write("c/a.svg",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\">"
        "<rect width=\"2\" height=\"2\" fill=\"red\"/></svg>");
  write("c/large.svg", "<svg>" + std::string(5U << 20U, ' ') + "</svg>");
  add({"a.svg", "large.svg"});
  const std::optional<Thumbnail> made =
      thumbnail(folder_ / "library", *picture_file(library(), "c", "0"), 64);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->type, "image/jpeg");
  const Picture drawn = decode_picture(made->bytes, "made");
  ASSERT_EQ(drawn.width, 64);
  ASSERT_EQ(drawn.height, 32);
  EXPECT_GT(drawn.channels[0][8], 0.9);
  EXPECT_LT(drawn.channels[1][8], 0.1) << "red";
  EXPECT_GT(drawn.channels[1][56], 0.9) << "white where nothing is drawn";
  EXPECT_FALSE(thumbnail(folder_ / "library", *picture_file(library(), "c", "1"), 64).has_value());
}

TEST_F(Thumbnails, WhatCannotBeDrawnIsShownAsItIsWithTheNamespacesThatItLacks) {
  write("c/0.svg", "<?xml version=\"1.0\"?><!-- <svg> --><svg width=\"0\"><path/></svg>");
  write("c/1.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><a xlink:href=\"#b\"></svg>");
  write("c/2.svg", "<?xml version=\"1.0\"?><!-- <svg>");
  write("c/3.svg", "<svg:svg xmlns:svg=\"http://www.w3.org/2000/svg\"><svg:path></svg:svg>");
  add({"0.svg", "1.svg", "2.svg", "3.svg"});
  const auto shown = [&](const char* id) {
    return *thumbnail(folder_ / "library", *picture_file(library(), "c", id), 64);
  };
  EXPECT_EQ(shown("0").bytes,
            "<?xml version=\"1.0\"?><!-- <svg> --><svg xmlns=\"http://www.w3.org/2000/svg\" "
            "width=\"0\"><path/></svg>");
  EXPECT_EQ(shown("1").bytes,
            "<svg xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
            "xmlns=\"http://www.w3.org/2000/svg\"><a xlink:href=\"#b\"></svg>");
  EXPECT_EQ(shown("2").file.filename(), "2.svg") << "no root: as it is";
  EXPECT_EQ(shown("3").file.filename(), "3.svg") << "a root with a prefix: as it is";
}

}  // namespace thumbnails_test
}  // namespace commonplace
