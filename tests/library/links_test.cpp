#include "commonplace/library/items/links.h"

#include <gtest/gtest.h>

#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace links_test {

using test::message_of;

class Links : public test::LibraryTest {
 protected:
  Links() {
    test::import_jsonl(library(), "photos",
                       R"({"id":"p1"})"
                       "\n"
                       R"({"id":"p, 2"})");
    test::import_jsonl(library(), "places",
                       R"({"id":"x"})"
                       "\n"
                       R"({"id":"y"})");
  }
  LinkSummary import(const std::string& from, const std::string& to, const std::string& csv) {
    return import_links(library(), collection_named(from), collection_named(to),
                        folder_.write("links.csv", csv), no_progress);
  }
  std::vector<Link> between(const std::string& from, const std::string& to) {
    std::vector<Link> links;
    visit_links(library(), collection_named(from), collection_named(to),
                [&](const Link& link) { links.push_back(link); });
    return links;
  }
};

TEST_F(Links, WithinAndAcrossWithoutDirection) {
  EXPECT_EQ(import("photos", "places", "a,b,weight\np1,x,0.5\n\"p, 2\",y,-1\n").added, 2);
  EXPECT_EQ(between("photos", "places"), (std::vector<Link>{{"p1", "x", 0.5}, {"p, 2", "y", -1}}));
  EXPECT_EQ(between("places", "photos"), (std::vector<Link>{{"x", "p1", 0.5}, {"y", "p, 2", -1}}));
  const LinkSummary again = import("places", "photos", "x,p1,0.25\ny,\"p, 2\",-1\n");
  EXPECT_EQ(again.changed, 1);
  EXPECT_EQ(again.unchanged, 1);
  EXPECT_EQ(import("photos", "photos", "p1,\"p, 2\"\n").added, 1);
  EXPECT_EQ(between("photos", "photos"), (std::vector<Link>{{"p1", "p, 2", 1}}));
  EXPECT_EQ(link_counts(library()),
            (std::vector<LinkCount>{{"photos", "photos", 1}, {"photos", "places", 2}}));
}

TEST_F(Links, FromMemory) {
  const auto store = [&](const std::vector<Link>& links) {
    return store_links(library(), collection_named("photos"), collection_named("places"), links);
  };
  EXPECT_EQ(store({{"p1", "x", 0.5}, {"p, 2", "y", -1}}).added, 2);
  const std::string message = message_of([&] { store({{"p1", "y", 1}, {"p1", "nowhere", 1}}); });
  EXPECT_NE(message.find("link 2: "), std::string::npos) << message;
  EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
  EXPECT_EQ(between("photos", "places"), (std::vector<Link>{{"p1", "x", 0.5}, {"p, 2", "y", -1}}));
}

TEST_F(Links, ABadLineIsNamedAndNothingIsAdded) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"p1,x,1\np1,nowhere,1\n", "nowhere"},
      {"p1,x,1\np1,y,1.5\n", "1.5"},
      {"p1,x,1\np1,y,much\n", "much"},
      {"p1,x,1\np1\n", "a,b,weight"},
      {"p1,x,1\np1,y,nan\n", "-1 and 1"}};
  for (const auto& [csv, part] : cases) {
    const std::string message = message_of([&, &text = csv] { import("photos", "places", text); });
    EXPECT_NE(message.find("links.csv:2"), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_NE(message_of([&] { import("photos", "photos", "p1,p1,1\n"); }).find("itself"),
            std::string::npos);
  EXPECT_TRUE(link_counts(library()).empty());
}

}  // namespace links_test
}  // namespace commonplace
