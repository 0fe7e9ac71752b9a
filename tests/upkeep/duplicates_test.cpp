#include "commonplace/upkeep/duplicates.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_features.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"
#include "tests/support/scenes.h"

namespace commonplace {
namespace duplicates_test {

using test::as_jpeg;
using test::as_png;
using test::as_webp;
using test::Pixels;
using test::scene;

class Duplicates : public test::LibraryTest {
 protected:
  void put(const std::string& id, const std::string& bytes) {
    folder_.write("photos/" + id, bytes);
    lines_ +=
        "{\"id\":\"" + id + "\",\"image\":\"" + id + "\",\"tags\":[\"" + id.substr(0, 1) + "\"]}\n";
  }
  void add_photos() {
    folder_.write("photos/items.jsonl", lines_);
    import_collection(library(), "photos", folder_ / "photos/items.jsonl", {}, no_progress);
  }
  DuplicateReport find(const DuplicateOptions& options = {}, int jobs = 2) {
    return find_duplicates(library(), collections(library()), options, {.jobs = jobs});
  }
  /// What each item is beside the best of its group, by the groups' best ones.
  static std::map<std::string, std::map<std::string, std::string>> groups_of(
      const DuplicateReport& report) {
    std::map<std::string, std::map<std::string, std::string>> groups;
    for (const DuplicateGroup& group : report.groups) {
      EXPECT_TRUE(group.items.at(0).best);
      for (std::size_t i = 1; i < group.items.size(); ++i) {
        EXPECT_FALSE(group.items[i].best);
        groups[group.items[0].id][group.items[i].id] = group.items[i].is;
      }
    }
    return groups;
  }

  std::string lines_;
};

Pixels with_spot(Pixels pixels) {
  for (int y = 20; y < 60; ++y)
    for (int x = 30; x < 70; ++x) std::fill_n(pixels.at(x, y), 3, std::uint8_t{250});
  return pixels;
}

TEST_F(Duplicates, OfPicturesAreFoundInOtherSizesCropsAndFormats) {
  for (int number = 0; number < 6; ++number) {
    const std::string name = std::string(1, static_cast<char>('a' + number));
    put(name + ".png", as_png(scene(320, 240, number)));
    put(name + "-poor.jpg", as_jpeg(scene(320, 240, number), {.quality = 35}));
    put(name + "-small.jpg", as_jpeg(scene(160, 120, number)));
    put(name + ".webp", as_webp(scene(240, 180, number)));
    put(name + "-crop.jpg",
        as_jpeg(scene(256, 192, number, {.left = 0.15, .top = 0.1, .width = 0.8, .height = 0.8})));
    put(name + "-half.png",
        as_png(scene(200, 150, number, {.left = 0.4, .top = 0.3, .width = 0.6, .height = 0.6})));
    put(name + "-bright.jpg", as_jpeg(scene(300, 225, number, {.brightness = 1.2})));
    put(name + "-spot.jpg", as_jpeg(with_spot(scene(320, 240, number)), {.quality = 80}));
  }
  add_photos();
  const DuplicateReport report = find();
  EXPECT_EQ(report.pictures, 48);
  EXPECT_TRUE(report.skipped.empty());
  const auto groups = groups_of(report);
  EXPECT_EQ(groups.size(), 6U);
  for (int number = 0; number < 6; ++number) {
    const std::string name = std::string(1, static_cast<char>('a' + number));
    ASSERT_TRUE(groups.contains(name + ".png"))
        << name << ": the largest without losses is the best";
    const auto& group = groups.at(name + ".png");
    EXPECT_EQ(group.size(), 7U) << name;
    for (const auto& [id, is] : group) EXPECT_EQ(id[0], name[0]) << id;
    EXPECT_EQ(group.at(name + "-small.jpg"), "smaller");
    EXPECT_EQ(group.at(name + "-crop.jpg"), "crop");
    EXPECT_EQ(group.at(name + "-half.png"), "crop");
  }
  EXPECT_EQ(report.groups[0].differs, (std::vector<std::string>{"size", "format", "bytes"}));
}

TEST_F(Duplicates, OfPicturesAreNotThoseThatLookAlike) {
  // The same scene with a third of its things elsewhere, as a moment later; other colours; other
  // scenes; pictures without anything to see.
  for (int number = 0; number < 6; ++number) {
    const std::string name = std::string(1, static_cast<char>('a' + number));
    put(name + ".png", as_png(scene(320, 240, number)));
    put(name + "-later.png", as_png(scene(320, 240, number, {}, 14)));
    Pixels other = scene(320, 240, number);
    for (std::size_t i = 0; i < other.rgb.size(); i += 3) std::swap(other.rgb[i], other.rgb[i + 2]);
    put(name + "-red.jpg", as_jpeg(other));
    const auto shade = static_cast<std::uint8_t>(30 * number);
    put(name + "-plain.png",
        as_png({64, 64, std::vector<std::uint8_t>(std::size_t{3 * 64 * 64}, shade)}));
  }
  add_photos();
  const DuplicateReport report = find();
  EXPECT_EQ(report.pictures, 24);
  for (const DuplicateGroup& group : report.groups)
    ADD_FAILURE() << group.items[0].id << " and " << group.items[1].id << " are not the same";
}

TEST_F(Duplicates, OfFilesAreFoundWhereNoPixelsCanBeRead) {
  put("a.tif", "II*\x08 no picture that is read");
  put("b.tif", "II*\x08 no picture that is read");
  put("c.tif", "II*\x08 another one");
  lines_ +=
      "{\"id\":\"gone\",\"image\":\"gone.jpg\"}\n{\"id\":\"far\",\"image\":\"http://e.org/"
      "a.jpg\"}\n";
  add_photos();
  const DuplicateReport report = find();
  const auto groups = groups_of(report);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups.begin()->second.begin()->second, "same file");
  EXPECT_EQ(report.pictures, 0);
  std::set<std::string> skipped;
  for (const auto& each : report.skipped) skipped.insert(each.id);
  EXPECT_EQ(skipped, (std::set<std::string>{"a.tif", "b.tif", "c.tif", "gone"}));
}

TEST_F(Duplicates, OfManyEqualPicturesAreOneGroup) {
  const std::string bytes = as_jpeg(scene(120, 90, 1));
  for (int i = 0; i < 60; ++i)
    put("p" + std::to_string(i) + ".jpg",
        bytes + std::string(static_cast<std::size_t>(i % 2), 'x'));
  add_photos();
  const DuplicateReport report = find();
  ASSERT_EQ(report.groups.size(), 1U);
  EXPECT_EQ(report.groups[0].items.size(), 60U);
}

TEST_F(Duplicates, AreTheSameWithAnyNumberOfThreads) {
  for (int number = 0; number < 6; ++number) {
    put(std::to_string(number) + ".png", as_png(scene(160, 120, number % 3)));
    put(std::to_string(number) + ".jpg", as_jpeg(scene(200, 150, number)));
  }
  add_photos();
  const auto without_time = [](DuplicateReport report) {
    report.seconds = 0;
    return to_json(report);
  };
  const std::string one = without_time(find({}, 1));
  EXPECT_EQ(without_time(find({}, 4)), one);
  EXPECT_NE(one.find("\"groups\":[{"), std::string::npos);
}

TEST_F(Duplicates, OfTextsHaveNearlyTheSameWords) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i * i) + " ";
  std::string edited = words;
  edited.replace(edited.find("word400 "), 8, "another ending ");
  std::string other;
  for (int i = 0; i < 60; ++i)
    other += (i % 2 == 0 ? "word" : "other") + std::to_string(i * i) + " ";
  const auto line = [](const std::string& id, const std::string& text,
                       const std::string& more = "") {
    return "{\"id\":\"" + id + "\",\"text\":\"" + text + "\"" + more + "}\n";
  };
  test::import_jsonl(library(), "notes",
                     line("a", words, ",\"tags\":[\"x\",\"y\"]") + line("b", edited) +
                         line("c", other) + line("short", "the same") +
                         line("short too", "the same") +
                         line("d", "wholly different words stand in this short text") +
                         line("e", "Wholly different words: stand in this short text!"));
  const DuplicateReport report = find();
  const auto groups = groups_of(report);
  EXPECT_EQ(report.texts, 5);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups.at("a").at("b"), "similar text");
  EXPECT_EQ(groups.at("e").at("d"), "same text");
  const auto& first = report.groups[report.groups[0].items[0].id == "a" ? 0 : 1];
  EXPECT_EQ(first.differs, (std::vector<std::string>{"bytes", "tags"}));
  EXPECT_EQ(find({.by = {}, .likeness = 0.99}).groups.size(), 1U);
}

TEST_F(Duplicates, OfLinksAreSpellingsOfOneAddressAcrossCollections) {
  test::import_jsonl(library(), "mine",
                     "{\"id\":\"http://www.e.org/a/?utm_source=x\",\"tags\":[\"t\"]}\n"
                     "{\"id\":\"https://e.org/b\"}\n");
  test::import_jsonl(library(), "yours",
                     "{\"id\":\"1\",\"metadata\":{\"url\":\"https://e.org/a\"}}\n"
                     "{\"id\":\"2\",\"metadata\":{\"url\":\"https://e.org/a?page=2\"}}\n");
  const DuplicateReport report = find();
  EXPECT_EQ(report.links, 4);
  ASSERT_EQ(report.groups.size(), 1U);
  EXPECT_EQ(report.groups[0].by, "links");
  EXPECT_EQ(report.groups[0].items[0].id, "1") << "https is the better one";
  EXPECT_EQ(report.groups[0].items[1].is, "same address");
  EXPECT_TRUE(find({.by = {"pictures", "texts"}, .likeness = 0.8}).groups.empty());
}

TEST_F(Duplicates, RefuseWhatMakesNoSense) {
  EXPECT_NE(test::message_of([&] {
              find({.by = {"smell"}, .likeness = 0.8});
            }).find("pictures, texts or links"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] { find({.by = {}, .likeness = 0}); }).find("likeness"),
            std::string::npos);
  EXPECT_TRUE(find().groups.empty());
}

}  // namespace duplicates_test
}  // namespace commonplace
