#include "app/server/interface/schemas.h"

#include <set>

#include <gtest/gtest.h>

#include "app/server/interface/openapi.h"
#include "app/server/interface/types.h"

namespace commonplace::server {
namespace schemas_test {

using Json = nlohmann::ordered_json;

struct Inner {
  double value = 0;
};
template <class Visit>
void visit_fields(const Inner& inner, Visit&& visit) {
  visit("value", inner.value, "a number");
}
struct Outer {
  std::optional<std::string> maybe;
  std::optional<Inner> known;
  std::vector<std::optional<Inner>> list;
};
template <class Visit>
void visit_fields(const Outer& outer, Visit&& visit) {
  visit("maybe", outer.maybe, "left out");
  visit.or_null("known", outer.known, "or null");
  visit("a@1", outer.list, "of them");
}

TEST(Schemas, SayWhatIsAlwaysThereAndReferToWhatHasAName) {
  Schemas schemas;
  schemas.add<Inner>("Inner");
  schemas.add<Outer>("Outer");
  const Json& outer = schemas.components()["Outer"];
  EXPECT_EQ(outer["required"], Json({"known", "a@1"}));
  EXPECT_EQ(outer["properties"]["maybe"], Json({{"type", "string"}, {"description", "left out"}}));
  EXPECT_EQ(outer["properties"]["known"]["anyOf"][0]["$ref"], "#/components/schemas/Inner");
  const Json document = {{"components", {{"schemas", schemas.components()}}}};
  EXPECT_NE(typescript(document).find("export interface Outer {\n"
                                      "  maybe?: string; // left out\n"
                                      "  known: Inner | null; // or null\n"
                                      "  'a@1': (Inner | null)[]; // of them\n"
                                      "}\n"),
            std::string::npos)
      << typescript(document);
}

/// All that a document refers to.
void references(const Json& json, std::set<std::string>& found) {
  if (json.is_object() && json.contains("$ref")) found.insert(json["$ref"].get<std::string>());
  if (json.is_structured())
    for (const Json& each : json) references(each, found);
}

TEST(Schemas, ADocumentRefersToNothingThatIsMissing) {
  std::set<std::string> found;
  references(openapi_document(), found);
  EXPECT_GT(found.size(), 40U);
  for (const std::string& each : found)
    EXPECT_TRUE(openapi_document().contains(Json::json_pointer(each.substr(1)))) << each;
}

}  // namespace schemas_test
}  // namespace commonplace::server
