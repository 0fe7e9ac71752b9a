#include "commonplace/search/evaluate.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/planted_collections.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace evaluate_test {

using namespace search;

class EvaluateSearch : public test::LibraryTest {
 protected:
  EvaluateSearch() {
    // Enough tags that half of them can be hidden, and a third of the rest again.
    test::import_jsonl(library(), "photos",
                       test::planted_lines({.items = 180, .tags = 4, .first = "photo"}));
    test::import_jsonl(library(), "more",
                       test::planted_lines({.items = 120, .tags = 4, .first = "more", .seed = 4}));
    test::import_jsonl(library(), "gallery",
                       test::planted_lines({.items = 240, .tags = 6, .seed = 2}));
    model_.rank = model_.auxiliary_rank = 6;
  }

  search::Evaluation evaluate(const std::vector<std::string>& auxiliaries = {"gallery"}) {
    return search::evaluate(library(), "photos", auxiliaries, model_, options_, {.jobs = 1});
  }
  std::string refusal(const std::vector<std::string>& auxiliaries = {"gallery"}) {
    return test::message_of([&] { evaluate(auxiliaries); });
  }
  std::string judged(const std::string& lines) {
    options_.judgements = folder_.write("judgements.tsv", lines).string();
    return refusal();
  }

  search::ModelOptions model_;
  search::EvaluationOptions options_;
};

const MethodQuality& method(const search::Evaluation& evaluation, const std::string& name,
                            int shared = -1) {
  for (const MethodQuality& each : evaluation.methods)
    if (each.method == name && each.shared == shared) return each;
  throw std::runtime_error("no method " + name);
}

void expect_sound(const search::Evaluation& evaluation) {
  for (const MethodQuality& each : evaluation.methods) {
    for (const Measured& measured :
         {each.map, each.missing_map, each.precision_at_recall, each.precision_at}) {
      EXPECT_GE(measured.value, 0) << each.method;
      EXPECT_LE(measured.value, 1) << each.method;
      EXPECT_LE(measured.interval.low, measured.value + 1e-12) << each.method;
      EXPECT_GE(measured.interval.high, measured.value - 1e-12) << each.method;
    }
    for (std::size_t i = 0; i < each.curve.size(); ++i) {
      EXPECT_GE(each.curve[i], 0);
      EXPECT_LE(each.curve[i], i == 0 ? 1 : each.curve[i - 1] + 1e-12) << each.method;
    }
  }
}

TEST_F(EvaluateSearch, ComparesEveryMethodAndChangesNothing) {
  options_.same_source = "more";
  const std::string before = test::contents(library());
  const search::Evaluation evaluation = evaluate();
  EXPECT_TRUE(test::contents(library()) == before);
  EXPECT_TRUE(model_records(library()).empty());

  EXPECT_EQ(evaluation.items, 180);
  EXPECT_EQ(evaluation.terms, 48);
  EXPECT_GT(evaluation.asked, 20);
  for (const char* name :
       {"own words", "BM25", "tf-idf cosine", "word-to-word ridge (EASE) with own words",
        "NMF of the target alone", "NMF of the target alone with own words",
        "NMF with more of the same source", "fully joint NMF", "fully joint NMF with own words",
        "commonplace, the target alone", "commonplace"})
    EXPECT_NO_THROW(method(evaluation, name)) << name;
  std::set<int> swept;
  for (const MethodQuality& each : evaluation.methods)
    if (each.shared >= 0) swept.insert(each.shared);
  EXPECT_EQ(swept, std::set<int>({0, 1, 2, 3, 4, 5, 6}));
  expect_sound(evaluation);

  const double words = method(evaluation, "own words").map.value;
  EXPECT_GT(method(evaluation, "commonplace").map.value, words);
  EXPECT_NEAR(evaluation.over_words.value, method(evaluation, "commonplace").map.value - words,
              1e-12);
  EXPECT_GT(evaluation.over_words.interval.low, 0);
  EXPECT_GT(method(evaluation, "commonplace").missing_map.value,
            2 * method(evaluation, "own words").missing_map.value);
}

TEST_F(EvaluateSearch, TheTargetAloneNeedsNoAuxiliary) {
  const search::Evaluation evaluation = evaluate({});
  EXPECT_THROW(method(evaluation, "commonplace"), std::runtime_error);
  EXPECT_GE(evaluation.over_words.value, 0);
  EXPECT_EQ(evaluation.borrowed, 0);
  expect_sound(evaluation);
}

TEST_F(EvaluateSearch, RepetitionsHideOtherTagsAndGiveIntervals) {
  options_.sweep = false;
  const search::Evaluation once = evaluate();
  options_.repeat = 2;
  const search::Evaluation twice = evaluate();
  expect_sound(twice);
  const Measured map = method(twice, "commonplace").map;
  EXPECT_LT(map.interval.low, map.interval.high);
  EXPECT_NE(map.value, method(once, "commonplace").map.value);
  EXPECT_EQ(twice.methods.size(), once.methods.size());
  for (const MethodQuality& each : twice.methods) EXPECT_EQ(each.shared, -1);
}

TEST_F(EvaluateSearch, JudgementsStandInForHiding) {
  std::string lines;
  for (int i = 0; i < 180; i += 6) lines += "Harbour\tphoto-" + std::to_string(i) + "\n";
  for (int i = 1; i < 180; i += 6) lines += "owl\tphoto-" + std::to_string(i) + "\r\n";
  options_.sweep = false;
  ASSERT_EQ(judged(lines), "");
  const search::Evaluation evaluation = evaluate();
  EXPECT_EQ(evaluation.asked, 2);
  expect_sound(evaluation);
  EXPECT_GT(method(evaluation, "commonplace").map.value, 0.9);
  EXPECT_LT(method(evaluation, "own words").map.value, 0.8);
}

TEST_F(EvaluateSearch, JudgementsThatCannotBeUnderstoodAreRefusedWithTheirLine) {
  options_.sweep = false;
  const std::string no_tab = judged("harbour\tphoto-0\nharbour photo-1\n");
  EXPECT_NE(no_tab.find("judgements.tsv:2"), std::string::npos) << no_tab;
  EXPECT_NE(no_tab.find("TAB"), std::string::npos) << no_tab;
  const std::string no_item = judged("harbour\tphoto-0\n\nharbour\tnobody\n");
  EXPECT_NE(no_item.find("judgements.tsv:3"), std::string::npos) << no_item;
  EXPECT_NE(no_item.find("'nobody'"), std::string::npos) << no_item;
  const std::string no_query = judged("zebra\tphoto-0\n");
  EXPECT_NE(no_query.find("'zebra'"), std::string::npos) << no_query;
  EXPECT_NE(judged("").find("no judgements"), std::string::npos);
  options_.judgements = (folder_ / "absent.tsv").string();
  EXPECT_NE(refusal().find("absent.tsv"), std::string::npos);
}

TEST_F(EvaluateSearch, WrongOptionsAndCollectionsAreRefused) {
  EXPECT_NE(refusal({"galerie"}).find("'galerie'"), std::string::npos);
  EXPECT_NE(refusal({"photos"}).find("cannot borrow from itself"), std::string::npos);
  options_.repeat = 0;
  EXPECT_NE(refusal().find("repeat is 0"), std::string::npos);
  options_ = {};
  options_.hide = 1;
  EXPECT_NE(refusal().find("1"), std::string::npos);
  options_ = {};
  options_.queries = 0;
  EXPECT_FALSE(refusal().empty());
  options_ = {};
  options_.least = 1000;
  EXPECT_NE(refusal().find("1000"), std::string::npos);
  options_ = {};
  options_.same_source = "nowhere";
  EXPECT_NE(refusal().find("'nowhere'"), std::string::npos);
  options_ = {};
  model_.rank = 0;
  EXPECT_NE(refusal().find("rank is 0"), std::string::npos);
}

TEST_F(EvaluateSearch, PlotShowsTheMethodsAndTheSweep) {
  const search::Evaluation evaluation = evaluate();
  const std::string svg = evaluation_plot(evaluation);
  EXPECT_TRUE(svg.starts_with("<svg") || svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  for (const char* text : {"Precision at each recall", "own words", "topics in common"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  search::Evaluation unswept = evaluation;
  std::erase_if(unswept.methods, [](const MethodQuality& each) { return each.shared >= 0; });
  EXPECT_EQ(evaluation_plot(unswept).find("topics in common"), std::string::npos);
}

TEST_F(EvaluateSearch, SeveralRanksFindWhatOneDoes) {
  options_.repeat = 3;
  const search::Evaluation expected = evaluate();
  for (const int ranks : {2, 4})
    test::with_rank_libraries(ranks, library().path(), [&](Comm& comm, Library& own) {
      const search::Evaluation found =
          search::evaluate(own, "photos", {"gallery"}, model_, options_, {comm, 1});
      EXPECT_EQ(found.asked, expected.asked);
      EXPECT_EQ(found.borrowed, expected.borrowed);
      EXPECT_EQ(found.over_words.value, expected.over_words.value);
      ASSERT_EQ(found.methods.size(), expected.methods.size());
      for (std::size_t i = 0; i < found.methods.size(); ++i) {
        EXPECT_EQ(found.methods[i].method, expected.methods[i].method);
        EXPECT_EQ(found.methods[i].map.value, expected.methods[i].map.value);
        EXPECT_EQ(found.methods[i].curve, expected.methods[i].curve);
      }
    });
}

}  // namespace evaluate_test
}  // namespace commonplace
