#include "commonplace/library/tags/lessons.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace lessons_test {

class Lessons : public test::LibraryTest {
 protected:
  Lessons() {
    test::import_jsonl(library(), "photos",
                       "{\"id\":\"a\",\"tags\":[\"x\"]}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n");
  }
};

TEST_F(Lessons, TheNewestOfAnItemIsInForce) {
  const Collection photos = collection_named("photos");
  teach(library(), photos, "Sonne über Öl", {{"a", 1, ""}, {"b", -1, ""}});
  teach(library(), photos, "sonne ÜBER öl", {{"b", 1, ""}, {"c", 1, ""}});
  teach(library(), photos, "sonne über öl", {{"a", 0, ""}});
  const std::vector<Lesson> lessons = lessons_in_force(library(), "photos", "SONNE über öl");
  ASSERT_EQ(lessons.size(), 2U);
  EXPECT_EQ(lessons[0].item, "b");
  EXPECT_EQ(lessons[0].shows, 1);
  EXPECT_EQ(lessons[1].item, "c");
  EXPECT_FALSE(lessons[0].time.empty());
  EXPECT_TRUE(lessons_in_force(library(), "photos", "other").empty());
  EXPECT_TRUE(lessons_in_force(library(), "others", "sonne über öl").empty());
}

TEST_F(Lessons, ConceptsAreCounted) {
  const Collection photos = collection_named("photos");
  teach(library(), photos, "Sun", {{"a", 1, ""}, {"b", -1, ""}, {"c", 1, ""}});
  teach(library(), photos, "rain", {{"a", 1, ""}});
  teach(library(), photos, "rain", {{"a", 0, ""}});
  const std::vector<TaughtConcept> concepts = taught_concepts(library(), "photos");
  ASSERT_EQ(concepts.size(), 1U);
  EXPECT_EQ(concepts[0].name, "Sun");
  EXPECT_EQ(concepts[0].shown, 2);
  EXPECT_EQ(concepts[0].not_shown, 1);
}

TEST_F(Lessons, ChangeNoTags) {
  teach(library(), collection_named("photos"), "sun", {{"b", 1, ""}});
  EXPECT_TRUE(test::tag_names(library(), "photos", "b").empty());
}

TEST_F(Lessons, AllOrNone) {
  const Collection photos = collection_named("photos");
  EXPECT_NE(test::message_of([&] {
              teach(library(), photos, "sun", {{"a", 1, ""}, {"nobody", 1, ""}});
            }).find("'nobody'"),
            std::string::npos);
  EXPECT_TRUE(lessons_in_force(library(), "photos", "sun").empty());
  EXPECT_THROW(teach(library(), photos, " \t", {{"a", 1, ""}}), Error);
}

TEST_F(Lessons, RowsAndIds) {
  const Collection photos = collection_named("photos");
  EXPECT_EQ(row_of_item(library(), photos, "c"), 2);
  EXPECT_THROW(row_of_item(library(), photos, "z"), Error);
  const std::vector<std::int64_t> rows = {2, 0, 9};
  EXPECT_EQ(ids_of_rows(library(), photos, rows), (std::vector<std::string>{"c", "a", ""}));
}

}  // namespace lessons_test
}  // namespace commonplace
