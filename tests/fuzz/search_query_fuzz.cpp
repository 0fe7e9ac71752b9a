#include "commonplace/base/unicode.h"
#include "commonplace/formats/item.h"
#include "commonplace/search/core/query.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

namespace {

using Kind = search::Condition::Kind;

void check_condition(const search::Condition& condition) {
  const bool group = condition.kind == Kind::all || condition.kind == Kind::any;
  if (group) fuzz::check(condition.children.size() > 1, "a group of fewer than two");
  if (condition.kind == Kind::negation)
    fuzz::check(condition.children.size() == 1, "a negation of not one thing");
  if (group || condition.kind == Kind::negation) {
    fuzz::check(condition.text.empty(), "a group with text");
    for (const search::Condition& child : condition.children) check_condition(child);
    return;
  }
  fuzz::check(condition.children.empty(), "a leaf with children");
  fuzz::check(!condition.text.empty(), "a leaf without text");
  fuzz::check(invalid_utf8(condition.text) == std::string::npos, "a leaf that is not UTF-8");
  if (condition.kind == Kind::before || condition.kind == Kind::after)
    fuzz::check(parse_time(condition.text) == condition.text, "a time in another form");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const search::Query query = search::parse_query(fuzz::text_of(data, size));
    if (query.condition) check_condition(*query.condition);
    for (const std::string& word : query.words) fuzz::check(!word.empty(), "an empty word");
  });
}
