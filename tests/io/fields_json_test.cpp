#include "commonplace/io/fields_json.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace commonplace {
namespace fields_json_test {

enum class Colour { red, green };
constexpr std::array<std::pair<Colour, const char*>, 2> words_of(Colour) {
  return {{{Colour::red, "red"}, {Colour::green, "green"}}};
}

struct Part {
  std::string name;
  float share = 0;
};
template <class Visit>
void visit_fields(const Part& part, Visit&& visit) {
  visit("name", part.name, "of the part");
  visit("share", part.share, "of the whole");
}

struct Whole {
  bool is = false;
  std::uint64_t size = 0;
  Colour colour = Colour::red;
  std::optional<double> maybe;
  std::optional<std::string> known;
  std::vector<Part> parts;
  std::vector<std::pair<std::string, int>> counts;
  std::string text = "[1]";
};
template <class Visit>
void visit_fields(const Whole& whole, Visit&& visit) {
  visit("is", whole.is, "");
  visit("size", whole.size, "");
  visit("colour", whole.colour, "");
  visit("maybe", whole.maybe, "");
  visit.or_null("known", whole.known, "");
  visit("parts", whole.parts, "");
  visit.where(!whole.counts.empty(), "counts", whole.counts, "");
  visit("text", JsonText{whole.text}, "");
}

TEST(FieldsJson, WritesWhatIsListedInItsOrder) {
  Whole whole;
  EXPECT_EQ(to_json(whole),
            R"({"is":false,"size":0,"colour":"red","known":null,"parts":[],"text":[1]})");
  whole = {true,        1ULL << 63U, Colour::green, 0.5, "é", {{"a\"", 0.25F}, {"b", 0}},
           {{"x", -1}}, "{}"};
  EXPECT_EQ(to_json(whole),
            R"({"is":true,"size":9223372036854775808,"colour":"green","maybe":0.5,"known":"é",)"
            R"("parts":[{"name":"a\"","share":0.25},{"name":"b","share":0.0}],)"
            R"("counts":{"x":-1},"text":{}})");
}

TEST(FieldsJson, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(to_json(Part{"a\xff", 1}), "{\"name\":\"a\xef\xbf\xbd\",\"share\":1.0}");
}

TEST(FieldsJson, ReadsAWordBack) {
  EXPECT_EQ(word_of(Colour::green), "green");
  EXPECT_EQ(from_word<Colour>("green"), Colour::green);
  EXPECT_EQ(from_word<Colour>("blue"), std::nullopt);
  EXPECT_EQ(all_words<Colour>(), "red, green");
}

}  // namespace fields_json_test
}  // namespace commonplace
