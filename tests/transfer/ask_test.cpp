#include "commonplace/transfer/ask.h"

#include <cmath>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/transfer/evaluate.h"
#include "tests/support/planted_chain.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace ask_test {

using namespace transfer;

using test::message_of;

const std::vector<std::string> kClasses = {"böse", "gut", "neutral"};

/// Collections "s", "i", "j" and "t" in a chain of words, the first labelled, and "far", which
/// shares nothing with any of them.
class TransferTask : public test::LibraryTest {
 protected:
  TransferTask() {
    const std::vector<std::string> names = {"s", "i", "j", "t"};
    for (std::size_t which = 0; which < names.size(); ++which)
      add(names[which], static_cast<std::int64_t>(which), which == 0);
    std::string far;
    for (int i = 0; i < 20; ++i)
      far += R"({"id":"f)" + std::to_string(i) +
             R"(","text":"x y z"})"
             "\n";
    test::import_jsonl(library(), "far", far);
  }
  void add(const std::string& name, std::int64_t which, bool labelled) {
    const Sparse rows = planted_.rows(which);
    std::string lines;
    for (std::int64_t item = 0; item < rows.rows(); ++item) {
      std::string text;
      for (std::size_t i = 0; i < rows.view().row_indices(item).size(); ++i)
        for (int times = 0; times < static_cast<int>(rows.view().row_values(item)[i]); ++times)
          text += "w" + std::to_string(rows.view().row_indices(item)[i]) + "x ";
      lines += R"({"id":")" + name + std::to_string(item) + R"(","text":")" + text + "\"" +
               (labelled ? R"(,"label":")" + class_of(item) + "\"" : "") + "}\n";
    }
    test::import_jsonl(library(), name, lines);
  }
  std::string class_of(std::int64_t item) const {
    return kClasses[static_cast<std::size_t>(planted_.label(item))];
  }
  transfer::Request request(std::vector<std::string> through = {}) const {
    transfer::Request result;
    result.sources = {"s"};
    result.target = "t";
    result.through = std::move(through);
    return result;
  }
  transfer::Answer transfer(const transfer::Request& request) {
    return transfer::ask(library(), request, {}, {}, {.jobs = 2});
  }
  double share_right(const transfer::Answer& summary) const {
    double right = 0;
    for (std::size_t item = 0; item < summary.predictions.size(); ++item)
      right += summary.predictions[item].label == class_of(static_cast<std::int64_t>(item)) ? 1 : 0;
    return right / static_cast<double>(summary.predictions.size());
  }

  test::PlantedChain planted_{.collections = 4, .classes = 3, .items = 120, .noise = 0.3};
};

TEST_F(TransferTask, GoesThroughTwoCollectionsAndStoresMachineLabels) {
  const transfer::Answer summary = transfer(request({"i", "j"}));
  EXPECT_FALSE(summary.refused) << summary.reason;
  EXPECT_GT(share_right(summary), 0.9);
  EXPECT_EQ(summary.written, 120);
  EXPECT_EQ(summary.model, "s-to-t");
  EXPECT_EQ(summary.field, "label");
  ASSERT_TRUE(summary.forecast.has_value());
  EXPECT_TRUE(summary.forecast->only_way);
  const std::vector<GivenLabel> given = machine_labels_of(library(), collection_named("t"), "t1");
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].value, summary.predictions[1].label);
  EXPECT_NEAR(given[0].score, summary.predictions[1].probability, 1e-12);
  EXPECT_EQ(model_record(library(), "s-to-t").kind, "transfer");
  EXPECT_TRUE(item(library(), collection_named("t"), "t1").labels.empty());
}

TEST_F(TransferTask, TakesSeveralSources) {
  add("s2", 0, true);
  transfer::Request asked = request({"i", "j"});
  asked.sources = {"s", "s2"};
  const transfer::Answer summary = transfer(asked);
  EXPECT_EQ(summary.model, "s-s2-to-t");
  EXPECT_GT(share_right(summary), 0.9);
  EXPECT_EQ(remove_machine_labels(library(), collection_named("t"), transfer::model_name(asked)),
            120);
}

TEST_F(TransferTask, FindsTheOnlyChain) {
  transfer::Request asked = request();
  asked.chain = true;
  asked.dry_run = true;
  const transfer::Answer summary = transfer(asked);
  EXPECT_EQ(summary.through, (std::vector<std::string>{"i", "j"}));
  EXPECT_GT(share_right(summary), 0.9);
  EXPECT_TRUE(machine_labels_of(library(), collection_named("t"), "t1").empty()) << "a dry run";
  asked.most = 1;
  EXPECT_NE(message_of([&] { transfer(asked); }).find("no way from s to t"), std::string::npos);
}

TEST_F(TransferTask, RefusesWhereNothingIsSharedUnlessForced) {
  for (const std::vector<std::string>& through :
       {std::vector<std::string>{}, {"i"}, {"far"}, {"j"}}) {
    transfer::Request asked = request(through);
    asked.direct = through.empty();
    const transfer::Answer summary = transfer(asked);
    EXPECT_TRUE(summary.refused);
    EXPECT_NE(summary.reason.find("hardly a feature in common"), std::string::npos)
        << summary.reason;
    EXPECT_TRUE(machine_labels_of(library(), collection_named("t"), "t1").empty());
  }
  transfer::Request forced = request({"i"});
  forced.force = true;
  EXPECT_FALSE(transfer(forced).refused);
}

/// The source's labels have nothing to do with its words, which are those of "i".
TEST_F(TransferTask, RefusesWhatIsNoBetterThanGuessingUnlessForced) {
  std::string lines;
  for (int i = 0; i < 200; ++i)
    lines += R"({"id":"g)" + std::to_string(i) + R"(","text":"w)" +
             std::to_string(36 + random_bits(1, static_cast<std::uint64_t>(i), 0) % 72) + R"(x w)" +
             std::to_string(36 + random_bits(2, static_cast<std::uint64_t>(i), 0) % 72) +
             R"(x","label":")" + kClasses[random_bits(3, static_cast<std::uint64_t>(i), 0) % 2] +
             "\"}\n";
  test::import_jsonl(library(), "guesses", lines);
  transfer::Request asked;
  asked.sources = {"guesses"};
  asked.target = "i";
  asked.direct = true;
  const transfer::Answer summary = transfer(asked);
  EXPECT_TRUE(summary.refused);
  EXPECT_NE(summary.reason.find("no better than guessing"), std::string::npos) << summary.reason;
  EXPECT_TRUE(machine_labels_of(library(), collection_named("i"), "i1").empty());
  asked.force = true;
  const transfer::Answer forced = transfer(asked);
  EXPECT_FALSE(forced.refused);
  EXPECT_EQ(forced.written, 120);
}

TEST_F(TransferTask, KeepsLabelsOfTheTargetAndLearnsFromThem) {
  std::string lines;
  for (int i = 0; i < 6; ++i)
    lines += R"({"id":"t)" + std::to_string(i) +
             R"(","text":"w156x w157x","label":"gut"})"
             "\n";
  test::import_jsonl(library(), "t", lines);
  const transfer::Answer summary = transfer(request({"i", "j"}));
  EXPECT_EQ(summary.known, 6);
  EXPECT_EQ(summary.predictions.size(), 114U);
  EXPECT_TRUE(machine_labels_of(library(), collection_named("t"), "t3").empty());
  transfer::Request sure = request({"i", "j"});
  double mean = 0;
  for (const transfer::Prediction& each : summary.predictions) mean += each.probability / 114;
  sure.above = mean;
  const transfer::Answer fewer = transfer(sure);
  EXPECT_LT(fewer.written, summary.written) << "only those that are surer than the mean";
  EXPECT_GT(fewer.written, 0);
}

TEST_F(TransferTask, RanksLabelAsOneProcessDoes) {
  std::string lines;
  for (int i = 0; i < 6; ++i)
    lines += R"({"id":"t)" + std::to_string(i) +
             R"(","text":"w156x w157x","label":"gut"})"
             "\n";
  test::import_jsonl(library(), "t", lines);
  transfer::Request chain = request();
  chain.chain = true;
  transfer::Options random;  // starts are drawn, not told by words
  random.evidence = false;
  random.cluster_assumption = "yes";
  random.factors.iterations = 20;
  for (const transfer::Options& options : {transfer::Options{}, random}) {
    chain.name = "alone";
    const transfer::Answer alone = transfer::ask(library(), chain, {}, options, {.jobs = 1});
    ASSERT_EQ(alone.predictions.size(), 114U);
    for (const int ranks : {1, 2, 3, 4}) {
      chain.name = "together";
      std::vector<std::string> said(static_cast<std::size_t>(ranks));
      test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
        const transfer::Answer summary = transfer::ask(each, chain, {}, options, {comm, 1});
        said[static_cast<std::size_t>(comm.rank())] = to_json(summary);
        EXPECT_EQ(summary.through, alone.through);
        EXPECT_EQ(summary.known, alone.known);
        EXPECT_EQ(summary.written, alone.written);
        ASSERT_EQ(summary.predictions.size(), alone.predictions.size());
        for (std::size_t i = 0; i < alone.predictions.size(); ++i) {
          EXPECT_EQ(summary.predictions[i].item, alone.predictions[i].item);
          EXPECT_EQ(summary.predictions[i].label, alone.predictions[i].label);
          EXPECT_NEAR(summary.predictions[i].probability, alone.predictions[i].probability, 1e-7);
        }
      });
      for (const std::string& each : said) EXPECT_EQ(each, said[0]);
      EXPECT_EQ(remove_machine_labels(library(), collection_named("t"), "together"), alone.written);
    }
  }
}

TEST_F(TransferTask, RanksRefuseAndTryAsOneProcessDoes) {
  transfer::Request direct = request();
  direct.direct = true;
  transfer::Request dry = request({"i", "j"});
  dry.dry_run = true;
  const std::string before = test::contents(library());
  test::with_rank_libraries(3, folder_ / "library", [&](Comm& comm, Library& each) {
    const transfer::Answer refused = transfer::ask(each, direct, {}, {}, {comm, 1});
    EXPECT_TRUE(refused.refused);
    EXPECT_NE(refused.reason.find("hardly a feature in common"), std::string::npos);
    const transfer::Answer tried = transfer::ask(each, dry, {}, {}, {comm, 1});
    EXPECT_EQ(tried.sure, 120);
    EXPECT_EQ(tried.written, 0);
  });
  EXPECT_EQ(test::contents(library()), before);
}

TEST_F(TransferTask, SaysWhatIsWrong) {
  const auto message = [&](const transfer::Request& asked, const transfer::ReadOptions& read = {}) {
    return message_of([&] { transfer::ask(library(), asked, read, {}, {.jobs = 1}); });
  };
  transfer::Request asked = request({"i", "t"});
  EXPECT_NE(message(asked).find("'t' is named twice"), std::string::npos);
  asked = request({"nowhere"});
  EXPECT_NE(message(asked).find("no collection 'nowhere'"), std::string::npos);
  asked = request({"i"});
  asked.sources = {"j"};
  EXPECT_NE(message(asked).find("no labels to transfer"), std::string::npos);
  transfer::ReadOptions read;
  read.label_field = "mood";
  EXPECT_NE(message(request({"i"}), read).find("no label 'mood'; it has: label"),
            std::string::npos);
  read = {};
  read.features = "sift";
  EXPECT_NE(message(request({"i"}), read).find("no collection has features 'sift'"),
            std::string::npos);
  asked = request({"i"});
  asked.chain = true;
  EXPECT_NE(message(asked).find("--through does not go with --chain"), std::string::npos);
}

/// A text source and a target of numbers meet in a collection that has both.
TEST_F(TransferTask, CrossesKindsOfFeatures) {
  const auto add_numbers = [&](const std::string& name) {
    Matrix rows(120, 6);
    for (Eigen::Index i = 0; i < 120; ++i)
      for (Eigen::Index j = 0; j < 6; ++j)
        rows(i, j) = static_cast<float>(
            std::sin(static_cast<double>(i * 7 + j * 13 + std::ssize(name))) * 0.3 +
            (j % 3 == i % 3 ? (j < 3 ? 1 : -1) : 0));
    store_features(library(), collection_named(name), "look", rows, "test");
  };
  std::string pictures;
  for (int i = 0; i < 120; ++i) pictures += R"({"id":"p)" + std::to_string(i) + "\"}\n";
  test::import_jsonl(library(), "pictures", pictures);
  add_numbers("i");
  add_numbers("pictures");
  transfer::Request asked = request({"i"});
  asked.target = "pictures";
  const transfer::Answer summary = transfer(asked);
  EXPECT_FALSE(summary.refused) << summary.reason;
  EXPECT_GT(share_right(summary), 0.9);
}

TEST_F(TransferTask, RanksBridges) {
  const BridgeRanking ranking = rank_library_bridges(library(), request(), {}, {.jobs = 2});
  ASSERT_EQ(ranking.bridges.size(), 3U);
  for (const RankedBridge& each : ranking.bridges) {
    EXPECT_FALSE(each.only_way) << "no single collection leads there";
    EXPECT_EQ(each.shared_source > 0, each.name == "i");
    EXPECT_EQ(each.shared_target > 0, each.name == "j");
  }
  EXPECT_EQ(ranking.chain, (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(ranking.map.shared(0, ranking.map.shared.cols() - 1), 0);
  EXPECT_GT(ranking.advice.choice.quality.examples, 100);
  EXPECT_NE(to_json(ranking).find("\"chain\":[\"i\",\"j\"]"), std::string::npos);
  EXPECT_NE(message_of([&] {
              learn_bridges(library(), {}, {}, {}, {.jobs = 1});
            }).find("only 1 collections have labels"),
            std::string::npos);
}

TEST_F(TransferTask, GoesDirectlyUnlessABridgeClearlyGains) {
  EXPECT_FALSE(is_clear_gain({.success = 0, .gain = 0.01, .gain_error = 0.001}));
  EXPECT_FALSE(is_clear_gain({.success = 0.9, .gain = 0.01, .gain_error = 0.02}));
  EXPECT_TRUE(is_clear_gain({.success = 0.9, .gain = 0.03, .gain_error = 0.01}));
  add("u", 0, false);
  transfer::Request asked = request();
  asked.target = "u";
  asked.candidates = {"i"};
  const BridgeRanking ranking = rank_library_bridges(library(), asked, {}, {.jobs = 2});
  ASSERT_FALSE(is_clear_gain(ranking.bridges[0].forecast));
  const transfer::Answer summary = transfer(asked);
  EXPECT_TRUE(summary.through.empty());
  EXPECT_GT(share_right(summary), 0.9);
}

TEST_F(TransferTask, LearnsFromTheLibraryWhichBridgesHelp) {
  for (const std::int64_t which : {0, 1, 2, 3}) add("n" + std::to_string(which), which, true);
  const LearnedBridges learned =
      learn_bridges(library(), {"n0", "n1", "n2", "n3"}, {}, {}, {.jobs = 2});
  EXPECT_EQ(learned.tried.trials.size(), 4 * 24U);
  EXPECT_EQ(learned.advice.choice.quality.examples, 4 * 24);
  EXPECT_EQ(bridge_advice(library()).learned_from, learned.advice.learned_from);
  EXPECT_NE(built_in_advice().learned_from, learned.advice.learned_from);
}

TEST_F(TransferTask, RanksLearnOfBridgesWhatOneProcessLearns) {
  for (const std::int64_t which : {0, 1, 2, 3}) add("n" + std::to_string(which), which, true);
  const std::vector<std::string> names = {"n0", "n1", "n2", "n3"};
  const auto without_seconds = [](LearnedBridges learned) {
    learned.seconds = 0;
    return to_json(learned);
  };
  const std::string distances = to_json(measure_library(library(), {}, {.jobs = 1}));
  const std::string ranking = to_json(rank_library_bridges(library(), request(), {}, {.jobs = 1}));
  const std::string alone = without_seconds(learn_bridges(library(), names, {}, {}, {.jobs = 1}));
  remove_model(library(), "bridges");
  for (const int ranks : {2, 3, 4}) {
    test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
      EXPECT_EQ(to_json(measure_library(each, {}, {comm, 1})), distances);
      EXPECT_EQ(to_json(rank_library_bridges(each, request(), {}, {comm, 1})), ranking);
      EXPECT_EQ(without_seconds(learn_bridges(each, names, {}, {}, {comm, 1})), alone);
    });
    remove_model(library(), "bridges");
  }
}

TEST_F(TransferTask, IsEvaluatedBesideOthers) {
  std::vector<transfer::Input> inputs;
  for (const std::string name : {"s", "i", "t"})
    inputs.push_back(transfer_input(library(), name, ""));
  // The target is labelled too, so that its answers can be judged.
  add("t", 2, true);
  add("i", 1, true);
  transfer::Data data = transfer::read_data(inputs, 1, {}, {.jobs = 1});
  transfer::EvaluationOptions options;
  options.repeat = 2;
  options.labelled_target = "6";
  options.removed = "5,20";
  transfer::Options transfer;
  transfer.factors.iterations = 30;
  const transfer::Evaluation found = transfer::evaluate(data, 1, transfer, options, {.jobs = 2});
  EXPECT_EQ(found.methods.size(), 2 * transfer::methods().size());
  std::map<std::string, double> right;
  for (const transfer::MethodQuality& each : found.methods)
    if (each.removed == 5) right[each.method] = each.accuracy;
  EXPECT_GT(right.at("commonplace"), 0.9);
  EXPECT_GT(right.at("naive-bayes"), 0.9);
  EXPECT_LT(right.at("svm"), right.at("commonplace"));
  ASSERT_FALSE(found.objective.empty());
  for (std::size_t i = 1; i < found.objective.size(); ++i)
    EXPECT_LE(found.objective[i], found.objective[i - 1] * (1 + 1e-12));
  EXPECT_NE(evaluation_plot(found).find("<svg"), std::string::npos);
  EXPECT_NE(to_json(found).find("calibration_error"), std::string::npos);
  options.methods = "magic";
  EXPECT_NE(message_of([&] {
              transfer::evaluate(data, 1, transfer, options, {.jobs = 1});
            }).find("no method 'magic'; there are: commonplace"),
            std::string::npos);
}

TEST_F(TransferTask, RanksShareTheMethods) {
  add("t", 2, true);
  add("i", 1, true);
  const auto read = [&](const Library& from, Comm& comm) {
    std::vector<transfer::Input> inputs;
    for (const std::string name : {"s", "i", "t"}) inputs.push_back(transfer_input(from, name, ""));
    return transfer::read_data(inputs, 1, {}, {comm, 1});
  };
  transfer::EvaluationOptions options;
  options.repeat = 2;
  options.removed = "5,20";
  options.methods = "commonplace,svm,words";
  transfer::Options transfer;
  transfer.factors.iterations = 10;
  const auto without_seconds = [](transfer::Evaluation evaluation) {
    for (transfer::MethodQuality& each : evaluation.methods) each.seconds = 0;
    return to_json(evaluation);
  };
  const transfer::Evaluation alone =
      transfer::evaluate(read(library(), self_comm()), 1, transfer, options, {.jobs = 1});
  ASSERT_EQ(alone.methods.size(), 6U);
  ASSERT_FALSE(alone.objective.empty());
  for (const int ranks : {2, 3, 4})
    test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
      const transfer::Data data = read(each, comm);
      require_same_data(data, comm);
      EXPECT_EQ(without_seconds(transfer::evaluate(data, 1, transfer, options, {comm, 1})),
                without_seconds(alone));
    });
}

TEST_F(TransferTask, CuttingTheFeaturesLeavesNothingInCommon) {
  add("i", 0, true);
  add("t", 0, true);
  std::vector<transfer::Input> inputs;
  for (const std::string name : {"s", "i", "t"})
    inputs.push_back(transfer_input(library(), name, ""));
  const transfer::Data data = transfer::read_data(inputs, 1, {}, {.jobs = 1});
  transfer::EvaluationOptions options;
  options.cut = true;
  options.methods = "commonplace,svm";
  const transfer::Evaluation found = transfer::evaluate(data, 1, {}, options, {.jobs = 1});
  EXPECT_GT(found.methods[0].accuracy, 0.9);
  EXPECT_LT(found.methods[1].accuracy, 0.5) << "a machine has no feature to go by";
}

TEST_F(TransferTask, ReadsFiles) {
  const std::string path = (folder_ / "one.jsonl").string();
  std::ofstream(path) << R"({"id":"1","text":"alpha beta","label":"x"})"
                         "\n"
                      << R"({"id":"2","text":"beta","label":"y"})"
                         "\n";
  const transfer::Input input = transfer_input(path);
  EXPECT_EQ(input.name, "one");
  const ItemStream next = input.open();
  Item item;
  ASSERT_TRUE(next(item));
  EXPECT_EQ(item.text, "alpha beta");
  std::ofstream(path) << "{broken\n";
  EXPECT_NE(message_of([&] { transfer_input(path); }).find("one.jsonl:1"), std::string::npos);
}

}  // namespace ask_test
}  // namespace commonplace
