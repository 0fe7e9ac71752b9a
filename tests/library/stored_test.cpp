#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace stored_test {

namespace fs = std::filesystem;
using test::message_of;

class Stored : public test::LibraryTest {
 protected:
  Stored() {
    test::import_jsonl(library(), "birds",
                       R"({"id":"a"})"
                       "\n"
                       R"({"id":"b"})"
                       "\n"
                       R"({"id":"c"})");
  }
  Collection birds() { return collection_named("birds"); }
  FeatureRecord import(const fs::path& file, const fs::path& ids = {}) {
    return import_features(library(), birds(), "clip", file, ids, no_progress);
  }
  std::size_t feature_files() {
    return static_cast<std::size_t>(std::distance(
        fs::directory_iterator(folder_ / "library/features"), fs::directory_iterator()));
  }
};

TEST_F(Stored, AFolderOfPartsIsOneMatrix) {
  Matrix rows(3, 2);
  rows << 1, 2, 3, 4, 5, 6;
  fs::create_directories(folder_ / "parts");
  const auto write = [&](const std::string& name, std::int64_t first, std::int64_t count) {
    NpyWriter writer(folder_ / ("parts/" + name), 2);
    writer.write(rows.middleRows(first, count));
    writer.commit();
  };
  write("part-001.npy", 2, 1);
  write("part-000.npy", 0, 2);
  folder_.write("parts/.hidden", "not a part");
  EXPECT_EQ(Matrix(dense_features(import(folder_ / "parts")).view()), rows);
  // Rows with ids, and another order than that of the items.
  folder_.write("named/1.csv", "c,5,6\n");
  folder_.write("named/2.csv", "b,3,4\na,1,2\n");
  EXPECT_EQ(Matrix(dense_features(import(folder_ / "named")).view()), rows);

  folder_.write("mixed/1.csv", "a,1,2\nb,3,4\n");
  folder_.write("mixed/2.csv", "5,6\n");
  EXPECT_NE(test::message_of([&] { import(folder_ / "mixed"); }).find("others have none"),
            std::string::npos);
  folder_.write("wide/1.csv", "1,2\n3,4\n");
  folder_.write("wide/2.csv", "5,6,7\n");
  EXPECT_NE(test::message_of([&] {
              import(folder_ / "wide");
            }).find("2.csv: has rows of 3 numbers, and the files before it of 2"),
            std::string::npos);
  fs::create_directories(folder_ / "empty");
  EXPECT_NE(test::message_of([&] { import(folder_ / "empty"); }).find("no files in it"),
            std::string::npos);
}

TEST_F(Stored, FeaturesInItemOrder) {
  Matrix rows(3, 2);
  rows << 1, 2, 3, 4, 5, 6;
  {
    NpyWriter writer(folder_ / "v.npy", 2);
    writer.write(rows);
    writer.commit();
  }
  EXPECT_EQ(dense_features(import(folder_ / "v.npy")).view(), rows);
  const FeatureRecord record = import(folder_ / "v.npy", folder_.write("ids.txt", "c\na\nb\n"));
  Matrix sorted(3, 2);
  sorted << 3, 4, 5, 6, 1, 2;
  EXPECT_EQ(dense_features(record).view(), sorted);
  EXPECT_EQ(feature_files(), 1u) << "the replaced file is gone";
}

TEST_F(Stored, FeaturesFromCsv) {
  Matrix expected(3, 2);
  expected << 1, 2, 3, 4, 5, 6.5F;
  for (const char* csv : {"1,2\n3,4\n5,6.5\n", "x,y\n1,2\n3,4\n5,6.5\n", "1;2\n3;4\n5;6.5\n",
                          "c,5,6.5\na,1,2\nb,3,4\n", "id\tx\ty\nb\t3\t4\na\t1\t2\nc\t5\t6.5\n"})
    EXPECT_EQ(dense_features(import(folder_.write("v.csv", csv))).view(), expected) << csv;
}

TEST_F(Stored, WrongFeatureFilesAreRefusedAndTheOldOnesStay) {
  import(folder_.write("v.csv", "1\n2\n3\n"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1\n2\n", "3 items"},     {"1\nx\n3\n", "v.csv:2"},           {"1,2\n3\n4,5\n", "v.csv:2"},
      {"1\nnan\n3\n", "finite"}, {"a,1\nb,2\na,3\n", "'a'"},         {"a,1\nb,2\nz,3\n", "'c'"},
      {"", "no numbers"},        {"a,1\nb,2\nc,3\nd,4\n", "1 items"}};
  for (const auto& [csv, part] : cases) {
    const std::string message =
        message_of([&, &text = csv] { import(folder_.write("v.csv", text)); });
    EXPECT_NE(message.find(part), std::string::npos) << csv << " -> " << message;
  }
  EXPECT_EQ(dense_features(feature_record(library(), birds(), "clip")).view()(2, 0), 3);
  EXPECT_THROW(store_features(library(), birds(), "a/b", Matrix::Zero(3, 1), ""), Error);
  EXPECT_EQ(feature_files(), 1u);
}

TEST_F(Stored, FeaturesAreFoundByNameAndKind) {
  store_features(library(), birds(), "dense", Matrix::Zero(3, 1), "test");
  EXPECT_NE(message_of([&] { feature_record(library(), birds(), "x"); }).find("dense"),
            std::string::npos);
  EXPECT_THROW(SparseFeatures(feature_record(library(), birds(), "dense")), Error);
  remove_features(library(), birds(), "dense");
  EXPECT_TRUE(feature_records(library(), birds()).empty());
  EXPECT_EQ(feature_files(), 0u);
}

TEST_F(Stored, ModelsAreReplacedWholeAndRemovedWithTheirTags) {
  const std::vector<float> first = {1, 2};
  const std::vector<float> second = {3};
  auto store = [&](const std::vector<float>& values) {
    return store_model(library(), {"m", "test", {}, R"({"rank":2})", "{}", ""},
                       [&](const fs::path& path) {
                         TensorWriter writer;
                         writer.add("w", std::span<const float>(values));
                         writer.write(path);
                       });
  };
  store(first);
  store_machine_tags(library(), birds(), "m", {{"a", "owl", 0.75}});
  store(second);
  const ModelRecord record = model_record(library(), "m");
  EXPECT_EQ(TensorFile(record.file).floats("w").size(), 1u);
  EXPECT_EQ(record.options, R"({"rank":2})");
  EXPECT_EQ(test::tag_names(library(), "birds", "a"), std::vector<std::string>({"owl?"}));
  EXPECT_EQ(item(library(), birds(), "a", {.machine = true, .threshold = 0.8}).tags.size(), 0u);
  EXPECT_THROW(store_machine_tags(library(), birds(), "m", {{"a", "x", 1.5}}), Error);
  EXPECT_EQ(test::tag_names(library(), "birds", "a"), std::vector<std::string>({"owl?"}));
  remove_model(library(), "m");
  EXPECT_TRUE(test::tag_names(library(), "birds", "a").empty());
  EXPECT_TRUE(fs::is_empty(folder_ / "library/models"));
  EXPECT_THROW(model_record(library(), "m"), Error);
}

}  // namespace stored_test
}  // namespace commonplace
