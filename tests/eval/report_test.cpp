#include "commonplace/eval/report.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

TEST(Report, AlignsColumns) {
  const Table table{{"measure", "value"}, {{"NDCG", 0.5}, {"Größe", 12.0}, {"F1", -0.12345}}};
  EXPECT_EQ(to_text(table),
            "measure    value\n"
            "NDCG      0.5000\n"
            "Größe         12\n"
            "F1       -0.1235\n");
}

TEST(Report, ResultsWithAndWithoutIntervals) {
  const std::vector<NamedResult> plain{{"NDCG", 0.5, {}}};
  EXPECT_EQ(results_table(plain).columns.size(), 2U);
  const std::vector<NamedResult> mixed{{"NDCG", 0.5, Interval{0.4, 0.6}}, {"Documents", 7, {}}};
  EXPECT_EQ(to_text(results_table(mixed)),
            "measure     value     low    high\n"
            "NDCG       0.5000  0.4000  0.6000\n"
            "Documents       7\n");
}

TEST(Report, JsonReadsBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Table table{{"name", "value"}, {{"a \"b\"\n", 0.1}, {"\xff", infinity}}};
  const auto parsed = nlohmann::json::parse(to_json(table));
  ASSERT_EQ(parsed.size(), 2U);
  EXPECT_EQ(parsed[0]["name"], "a \"b\"\n");
  EXPECT_EQ(parsed[0]["value"].get<double>(), 0.1);
  EXPECT_EQ(parsed[1]["name"], "\xEF\xBF\xBD");
  EXPECT_TRUE(parsed[1]["value"].is_null());
}

TEST(Report, AnEmptyTableIsItsHeader) {
  EXPECT_EQ(to_text(Table{{"a", "b"}, {}}), "a  b\n");
  EXPECT_EQ(to_json(Table{{"a", "b"}, {}}), "[]");
}

TEST(Report, RefusesRaggedRows) {
  const Table ragged{{"a", "b"}, {{1.0}}};
  EXPECT_THROW(to_text(ragged), Error);
  EXPECT_THROW(to_json(ragged), Error);
  EXPECT_THROW(to_text(Table{}, -1), Error);
}

}  // namespace
}  // namespace commonplace
