#include "commonplace/upkeep/thesaurus.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/fields.h"
#include "commonplace/library/tags/tag_tree.h"
#include "commonplace/upkeep/merge_candidates.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace thesaurus_test {

using Names = std::vector<std::string>;
using Kind = VocabularyEdit::Kind;

class Thesaurus : public test::LibraryTest {
 protected:
  Names tags(const std::string& id) { return test::tag_names(library(), "birds", id); }
  Names candidates() {
    Names lines;
    for (const MergeCandidate& each : merge_candidates(library(), {}))
      lines.push_back(each.tag + " -> " + each.into + ' ' + word_of(each.why));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
};

TEST_F(Thesaurus, BringsTagsToTheirPlaces) {
  test::import_jsonl(library(), "birds", R"({"id":"a","tags":["Eule","night bird/tawny","other"]}
{"id":"b","tags":["cat","bank"]})");
  const std::vector<SkosConcept> concepts = {
      {"u:cat", "cat", {}, "", {"u:animal"}},
      {"u:animal", "animal", {}, "all of them", {}},
      {"u:owl", "owl", {"Eule", "night bird"}, "by night", {"u:animal", "u:nowhere"}},
      {"u:money", "bank", {}, "", {"u:animal"}},
      {"u:seat", "bank", {}, "", {}}};
  change_vocabulary(library(), edits_for(library(), concepts));
  EXPECT_EQ(tags("a"), (Names{"animal/owl", "animal/owl/tawny", "other"}));
  EXPECT_EQ(tags("b"), (Names{"animal/cat", "bank"})) << "which bank is meant nobody knows";
  EXPECT_EQ(tag_entry(library(), "animal/owl").description, "by night");
  EXPECT_TRUE(edits_for(library(), concepts).size() <= 2) << "only what is said of tags, again";
  const std::vector<std::int64_t> again =
      change_vocabulary(library(), edits_for(library(), concepts));
  EXPECT_TRUE(again.empty());
  EXPECT_THROW(edits_for(library(), {{"u:a", "a", {}, "", {"u:b"}}, {"u:b", "b", {}, "", {"u:a"}}}),
               Error);
}

TEST_F(Thesaurus, ALibraryGoesOutAndInAgain) {
  test::import_jsonl(library(), "birds", R"({"id":"a","tags":["animals/owls","x/y, z"]})");
  change_vocabulary(library(), {{.kind = Kind::rename, .tag = "animals/owls", .to = "fauna/Owl"},
                                {.tag = "fauna/owl", .description = "d", .manual = true}});
  const std::string file = write_skos("l", thesaurus_of(library()), SkosFormat::turtle);
  Library::create(folder_ / "other");
  Library other(folder_ / "other", Library::Access::write);
  test::import_jsonl(other, "birds", R"({"id":"a","tags":["OWL","animals/owls"]})");
  change_vocabulary(other, edits_for(other, read_skos(file)));
  EXPECT_EQ(test::tag_names(other, "birds", "a"), (Names{"fauna/Owl"}));
  EXPECT_TRUE(tag_entry(other, "fauna/owl").manual);
}

TEST_F(Thesaurus, TagsThatMayBeOneAreFound) {
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    lines += R"({"id":")" + n + R"(","tags":[)" +
             (i % 2 == 0 ? R"("feline","pet","fur","claw","milk")"
                         : R"("cat","pet","fur","claw","milk")") +
             (i == 0 ? R"(,"new-york","owls","harbor","C++","animals/owl")"
                     : R"(,"New York","owl","harbour","C","boat")") +
             "]}\n";
  }
  test::import_jsonl(library(), "birds", lines);
  const Names found = candidates();
  const auto has = [&](const std::string& line) {
    return std::find(found.begin(), found.end(), line) != found.end();
  };
  EXPECT_TRUE(has("new-york -> New York writing"));
  EXPECT_TRUE(has("owls -> owl plural"));
  EXPECT_TRUE(has("harbor -> harbour spelling"));
  EXPECT_TRUE(has("owl -> animals/owl level"));
  EXPECT_TRUE(has("feline -> cat use") || has("cat -> feline use"));
  EXPECT_FALSE(has("C++ -> C writing"));
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const std::string& line) { return line.find("boat") != line.npos; }),
            0)
      << "what is always given together is not the same";
  change_vocabulary(library(), {{.kind = Kind::keep, .tag = "OWLS", .to = "owl"},
                                {.kind = Kind::merge, .tag = "harbor", .to = "harbour"}});
  const Names left = candidates();
  EXPECT_EQ(std::count(left.begin(), left.end(), "owls -> owl plural"), 0);
  EXPECT_EQ(std::count(left.begin(), left.end(), "harbor -> harbour spelling"), 0);
}

}  // namespace thesaurus_test
}  // namespace commonplace
