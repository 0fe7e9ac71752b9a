#include "commonplace/search/learn.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/planted_collections.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace learn_test {

using namespace search;

search::ModelOptions small_options() {
  search::ModelOptions options;
  options.rank = 8;
  options.auxiliary_rank = 8;
  return options;
}

class LearnSearch : public test::LibraryTest {
 protected:
  LearnSearch() { test::add_planted_collections(library()); }

  search::Report learn(const std::vector<std::string>& auxiliaries,
                       const search::ModelOptions& options = small_options(),
                       const std::string& name = "") {
    return search::learn(library(), "photos", auxiliaries, name, options, {.jobs = 1});
  }
  search::Model stored(const std::string& name = "search.photos") {
    return search::load_model(TensorFile(model_record(library(), name).file));
  }
  /// Everything in the library, models too.
  std::string state() {
    std::string text = test::contents(library());
    for (const ModelRecord& record : model_records(library())) text += "model " + record.name;
    for (const auto& entry : std::filesystem::directory_iterator(library().path() / "models"))
      text += "file " + entry.path().filename().string();
    return text;
  }
  void remove_models() {
    for (const ModelRecord& record : model_records(library())) remove_model(library(), record.name);
  }
  /// The message of the Error; the library must be as it was.
  std::string refusal(const std::function<void()>& act) {
    const std::string before = state();
    std::string message = test::message_of(act);
    EXPECT_TRUE(state() == before) << "changed by what was refused: " << message;
    return message;
  }
  std::string refusal(const std::string& target, const std::vector<std::string>& auxiliaries,
                      const search::ModelOptions& options = small_options()) {
    return refusal(
        [&] { search::learn(library(), target, auxiliaries, "", options, {.jobs = 1}); });
  }
};

/// Topics that all collections of the model have in common.
int topics_in_common(const search::Model& model) {
  int topics = 0;
  for (const TopicBlock& block : model.borrowing.subspace.blocks)
    if (block.members.size() > 1) topics += block.topics;
  return topics;
}

TEST_F(LearnSearch, BorrowsFromACollectionOfTheSameTopics) {
  const search::Report report = learn({"gallery"});
  EXPECT_NE(report.lending, Lending::target);
  EXPECT_GT(report.alone.map, report.words.map);
  EXPECT_GT(report.borrowed.map, report.alone.map);
  EXPECT_GT(report.gain.high, 0);
  EXPECT_GT(report.borrowed.missing_map, report.words.missing_map);
  EXPECT_GT(report.asked, 0);
  for (const HeldOutQuality& quality : {report.words, report.alone, report.borrowed}) {
    EXPECT_LE(quality.interval.low, quality.map);
    EXPECT_GE(quality.interval.high, quality.map);
    EXPECT_LE(quality.interval.high, 1);
  }

  EXPECT_EQ(report.model, "search.photos");
  EXPECT_EQ(report.items, collection_named("photos").items);
  EXPECT_EQ(report.terms, 48);
  ASSERT_EQ(report.lenders.size(), 1U);
  EXPECT_EQ(report.lenders[0].name, "gallery");
  EXPECT_EQ(report.lenders[0].items, 300);
  EXPECT_EQ(report.lenders[0].common_terms, 48);
  EXPECT_GT(report.lenders[0].divergence, 0);
  EXPECT_LT(report.lenders[0].divergence, 0.2);

  std::vector<int> tried;
  for (const TuningTrial& each : report.tried) tried.push_back(std::stoi(each.setting));
  EXPECT_EQ(tried, std::vector<int>({0, 2, 4, 6, 8}));
  const auto best = std::max_element(report.tried.begin(), report.tried.end(),
                                     [](auto& a, auto& b) { return a.quality < b.quality; });
  EXPECT_EQ(std::stoi(best->setting), report.shared);
  EXPECT_TRUE(best->taken);

  const search::Model model = stored();
  EXPECT_EQ(model.target, "photos");
  EXPECT_EQ(model.lending.back(), "gallery");
  EXPECT_EQ(topics_in_common(model), report.shared);
  EXPECT_EQ(model.borrowing.weights, report.weights);
  EXPECT_EQ(std::count(model.lender_ids.begin(), model.lender_ids.end(), "picture-7"), 1);
}

TEST_F(LearnSearch, SharesNothingWithACollectionOfOtherMeaning) {
  const search::Report report = learn({"noise"});
  EXPECT_EQ(report.lending, Lending::target);
  EXPECT_EQ(report.shared, 0);
  EXPECT_EQ(report.tried.size(), 5U);
  EXPECT_LE(report.gain.low, 0);
  const search::Model model = stored();
  EXPECT_EQ(model.lending, std::vector<std::string>{"photos"});
  EXPECT_EQ(std::ssize(model.lender_ids), report.items);
  EXPECT_EQ(topics_in_common(model), 0);
}

TEST_F(LearnSearch, TheTargetAloneLendsToItself) {
  const search::Report report = learn({});
  EXPECT_EQ(report.lending, Lending::target);
  EXPECT_TRUE(report.lenders.empty());
  EXPECT_TRUE(report.tried.empty());
  EXPECT_EQ(report.borrowed.map, report.alone.map);
  EXPECT_GT(report.borrowed.map, report.words.map);
}

TEST_F(LearnSearch, ANumberOfSharedTopicsIsObeyedEvenIfItDoesNotHelp) {
  search::ModelOptions options = small_options();
  options.shared = "3";
  const search::Report report = learn({"noise"}, options);
  EXPECT_EQ(report.shared, 3);
  EXPECT_NE(report.lending, Lending::target);
  EXPECT_TRUE(report.tried.empty());
  EXPECT_EQ(topics_in_common(stored()), 3);
  options.shared = "0";
  EXPECT_EQ(learn({"gallery"}, options).lending, Lending::target);
}

TEST_F(LearnSearch, RuleAndRankChooseHowMuchToShare) {
  search::ModelOptions options = small_options();
  options.shared = "rule";
  EXPECT_EQ(learn({"gallery"}, options).shared, std::lround(std::sqrt(48 / 2.0)));
  options.shared = "rank";
  const int shared = learn({"gallery"}, options).shared;
  EXPECT_GE(shared, 1);
  EXPECT_LE(shared, 8);
  EXPECT_EQ(topics_in_common(stored()), shared);
}

TEST_F(LearnSearch, SeveralAuxiliariesMayShareInPairs) {
  search::ModelOptions options = small_options();
  options.shared = "2";
  options.pairwise = 1;
  const search::Report report = learn({"gallery", "noise"}, options);
  EXPECT_EQ(report.lenders.size(), 2U);
  int common = 0;
  int pairs = 0;
  const search::Model model = stored();
  for (const TopicBlock& block : model.borrowing.subspace.blocks) {
    if (block.members.size() == 3) common += block.topics;
    if (block.members.size() == 2) pairs += block.topics;
  }
  EXPECT_EQ(common, 2);
  EXPECT_EQ(pairs, 2);
}

TEST_F(LearnSearch, ReportIsStoredWithTheModelAndRunsAreTheSame) {
  const std::string report = to_json(learn({"gallery"}));
  const ModelRecord record = model_record(library(), "search.photos");
  EXPECT_EQ(record.kind, search::kModelKind);
  EXPECT_EQ(record.report, report);
  const auto json = nlohmann::json::parse(report);
  EXPECT_GT(json["held_out"]["borrowed"]["map"], json["held_out"]["words"]["map"]);
  const std::string first = test::slurp(record.file);
  EXPECT_EQ(
      to_json(search::learn(library(), "photos", {"gallery"}, "", small_options(), {.jobs = 3})),
      report);
  EXPECT_EQ(test::slurp(model_record(library(), "search.photos").file), first);
}

TEST_F(LearnSearch, ModelsOfDifferentNamesStandBesideEachOther) {
  learn({"gallery"}, small_options(), "rich");
  learn({}, small_options(), "plain");
  learn({}, small_options(), "plain");
  std::vector<std::string> names;
  for (const ModelRecord& record : model_records(library()))
    if (record.kind == search::kModelKind) names.push_back(record.name);
  EXPECT_EQ(names, std::vector<std::string>({"plain", "rich"}));
}

TEST_F(LearnSearch, ATargetOfSingleTagsCannotBeTestedOnButMayBorrow) {
  test::import_jsonl(library(), "single", test::planted_lines({.items = 120, .tags = 1}));
  auto learn_single = [&](const std::string& shared) {
    search::ModelOptions options = small_options();
    options.shared = shared;
    return search::learn(library(), "single", {"gallery"}, "", options, {.jobs = 1});
  };
  const search::Report careful = learn_single("auto");
  EXPECT_EQ(careful.asked, 0);
  EXPECT_EQ(careful.lending, Lending::target);
  const search::Report told = learn_single("4");
  EXPECT_EQ(told.shared, 4);
  EXPECT_NE(told.lending, Lending::target);
  EXPECT_EQ(topics_in_common(stored("search.single")), 4);
}

TEST_F(LearnSearch, WordsOfTitlesAndTextsServeWhereThereAreNoTags) {
  std::string lines;
  for (int i = 0; i < 120; ++i) {
    const auto& words = test::planted_topics()[static_cast<std::size_t>(i % 6)];
    lines += R"({"id":"note-)" + std::to_string(i) + R"(","text":")" +
             words[static_cast<std::size_t>(i / 6 % 8)] + " " +
             words[static_cast<std::size_t>(i / 48 % 8)] + "\"}\n";
  }
  test::import_jsonl(library(), "notes", lines);
  const std::string message = refusal("notes", {"gallery"});
  EXPECT_NE(message.find("'notes'"), std::string::npos) << message;
  EXPECT_NE(message.find("--text"), std::string::npos) << message;
  EXPECT_NE(refusal("photos", {"notes"}).find("'notes'"), std::string::npos);

  search::ModelOptions options = small_options();
  options.terms.text = true;
  const search::Report report =
      search::learn(library(), "notes", {"gallery"}, "", options, {.jobs = 1});
  EXPECT_EQ(report.lenders[0].common_terms, 48);
  EXPECT_GT(report.borrowed.map, report.words.map);
}

TEST_F(LearnSearch, CollectionsThatCannotServeAreRefused) {
  test::import_jsonl(library(), "empty", "\n");
  test::import_jsonl(library(), "single", "{\"id\":\"1\",\"tags\":[\"ship\",\"sail\"]}");
  EXPECT_NE(refusal("photos", {"photos"}).find("cannot borrow from itself"), std::string::npos);
  EXPECT_NE(refusal("photos", {"gallery", "gallery"}).find("named twice"), std::string::npos);
  const std::string unknown = refusal("fotos", {});
  EXPECT_NE(unknown.find("'fotos'"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("photos"), std::string::npos) << unknown;
  EXPECT_NE(refusal("photos", {"galerie"}).find("'galerie'"), std::string::npos);
  EXPECT_NE(refusal("empty", {}).find("no items"), std::string::npos);
  EXPECT_NE(refusal("photos", {"empty"}).find("'empty' has no items"), std::string::npos);
  EXPECT_FALSE(refusal("single", {}).empty());
  EXPECT_NE(refusal([&] { learn({}, small_options(), "a/b"); }).find("a/b"), std::string::npos);
}

TEST_F(LearnSearch, WrongOptionsAreRefusedWithTheirNameAndValue) {
  struct Wrong {
    std::function<void(search::ModelOptions&)> change;
    std::vector<std::string> says;
  };
  const std::vector<Wrong> all = {
      {[](auto& options) { options.rank = 0; }, {"rank is 0", "1 .."}},
      {[](auto& options) { options.rank = 1000000; }, {"rank is 1000000"}},
      {[](auto& options) { options.auxiliary_rank = -3; }, {"auxiliary_rank is -3"}},
      {[](auto& options) { options.shared = "many"; }, {"'many'", "auto, rule, rank"}},
      {[](auto& options) { options.shared = ""; }, {"shared is ''"}},
      {[](auto& options) { options.shared = "-1"; }, {"'-1'"}},
      {[](auto& options) { options.shared = "9"; }, {"shared is 9", "only 8 topics"}},
      {[](auto& options) { options.shared = "99999999999"; }, {"99999999999"}},
      {[](auto& options) { options.pairwise = 9; }, {"pairwise is 9"}},
      {[](auto& options) { options.pairwise = -1; }, {"pairwise is -1"}},
      {[](auto& options) { options.neighbours = -1; }, {"neighbours is -1"}},
      {[](auto& options) { options.terms.min_items = 0; }, {"min_documents is 0"}},
      {[](auto& options) { options.terms.max_terms = -1; }, {"-1"}},
      {[](auto& options) { options.subspace.solver = "magic"; }, {"magic", "hals"}},
      {[](auto& options) { options.subspace.iterations = 0; }, {"iterations", "0"}},
      {[](auto& options) { options.subspace.tolerance = -1; }, {"tolerance", "-1"}},
      {[](auto& options) { options.associations.smoothing = 0; }, {"smoothing is 0"}},
      {[](auto& options) { options.associations.ridge = -1; }, {"ridge is -1"}},
      {[](auto& options) { options.associations.most = 0; }, {"associations is 0"}},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    search::ModelOptions options = small_options();
    all[i].change(options);
    const std::string message = refusal("photos", {"gallery"}, options);
    for (const std::string& part : all[i].says)
      EXPECT_NE(message.find(part), std::string::npos) << i << ": " << message;
  }
}

TEST_F(LearnSearch, StoppingAtAnyStageLeavesTheLibraryAsItWas) {
  const std::string before = state();
  std::set<std::string> stages;
  search::learn(
      library(), "photos", {"gallery"}, "", small_options(),
      {.jobs = 1, .progress = [&](const ProgressStep& step) { stages.emplace(step.stage); }});
  remove_models();
  ASSERT_TRUE(state() == before);
  ASSERT_GE(stages.size(), 4U);
  for (const std::string& stage : stages) {
    EXPECT_THROW(search::learn(library(), "photos", {"gallery"}, "", small_options(),
                               {.jobs = 1,
                                .progress =
                                    [&](const ProgressStep& step) {
                                      if (step.stage == stage) throw Cancelled();
                                    }}),
                 Cancelled);
    EXPECT_TRUE(state() == before) << "changed, although stopped at: " << stage;
    remove_models();
  }
}

TEST_F(LearnSearch, SeveralRanksLearnWhatOneDoes) {
  const search::Report alone_report = learn({"gallery"});
  const search::Model expected = stored();
  for (const int ranks : {1, 2, 3, 4})
    test::with_rank_libraries(ranks, library().path(), [&](Comm& comm, Library& own) {
      const search::Report report =
          search::learn(own, "photos", {"gallery"}, "together", small_options(), {comm, 1});
      // The choices are made by each rank alone and do not depend on their number.
      EXPECT_EQ(report.shared, alone_report.shared);
      EXPECT_EQ(report.lending, alone_report.lending);
      EXPECT_EQ(report.weights, alone_report.weights);
      EXPECT_EQ(report.borrowed.map, alone_report.borrowed.map);
      const double objective = alone_report.fit.objective.back();
      EXPECT_NEAR(report.fit.objective.back(), objective, 1e-6 * objective);
      const search::Model found =
          search::load_model(TensorFile(model_record(own, "together").file));
      EXPECT_EQ(found.lender_ids, expected.lender_ids);
      const Matrix& basis = expected.borrowing.subspace.basis;
      ASSERT_EQ(found.borrowing.subspace.basis.cols(), basis.cols());
      EXPECT_LT((found.borrowing.subspace.basis - basis).cwiseAbs().maxCoeff(), 1e-3F) << ranks;
    });
}

TEST_F(LearnSearch, RanksThatSeeDifferentCollectionsDoNotGoOn) {
  test::TemporaryDirectory other;
  std::filesystem::copy(library().path(), other.path() / "copy",
                        std::filesystem::copy_options::recursive);
  Library copy(other.path() / "copy", Library::Access::write);
  test::import_jsonl(copy, "photos",
                     R"({"id":"another","tags":["owl"]})"
                     "\n");
  const std::string message = test::message_of([&] {
    run_as_threads(2, [&](Comm& comm) {
      Library own(comm.rank() == 0 ? library().path() : copy.path());
      search::learn(own, "photos", {"gallery"}, "together", small_options(), {comm, 1});
    });
  });
  EXPECT_NE(message.find("the ranks do not see the same collection 'photos'"), std::string::npos)
      << message;
}

}  // namespace learn_test
}  // namespace commonplace
