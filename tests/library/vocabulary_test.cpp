#include "commonplace/library/tags/vocabulary.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/identity.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace vocabulary_test {

class Vocabulary : public test::LibraryTest {};

TEST_F(Vocabulary, SaysWhatTagsAreForAndRemembersChanges) {
  test::import_jsonl(library(), "birds", R"({"id":"1","tags":["Owl"]})");
  EXPECT_TRUE(described_tags(library()).empty());
  describe_tag(library(), {"OWL", "flies by night", false, false});
  describe_tag(library(), {"owl", "flies by night", false, false});
  describe_tag(library(), {"owl", "", true, true});
  EXPECT_EQ(described_tags(library()), (std::vector<TagEntry>{{"Owl", "", true, true}}));
  const std::vector<VocabularyChange> history = vocabulary_history(library());
  ASSERT_EQ(history.size(), 2u) << "what changes nothing is no change";
  EXPECT_EQ(history[1].kind, "describe");
  EXPECT_NE(history[0].change.find("flies by night"), std::string::npos);
  EXPECT_EQ(history[0].who, current_person());
  EXPECT_NE(test::message_of([&] { tag_entry(library(), "gull"); }).find("gull"),
            std::string::npos);
  EXPECT_THROW(describe_tag(library(), {" ", "", false, false}), Error);
  EXPECT_THROW(describe_tag(library(), {"owl", std::string(10'001, 'x'), false, false}), Error);
  EXPECT_THROW(describe_tag(library(), {"owl", "\xff", false, false}), Error);
}

}  // namespace vocabulary_test
}  // namespace commonplace
