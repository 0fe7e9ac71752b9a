#include "commonplace/suggest/learn.h"

#include <algorithm>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/text_features.h"
#include "tests/support/tagged_notes.h"

namespace commonplace {
namespace learn_test {

using namespace suggest;

using test::message_of;

class LearnSuggest : public test::TaggedNotes {
 protected:
  suggest::Model stored_model() {
    return suggest::load_model(TensorFile(model_record(library(), "suggest.notes").file));
  }
  std::string write(const std::string& name, const std::string& content) {
    const auto path = library().path().parent_path() / name;
    std::ofstream(path) << content;
    return path.string();
  }
  Matrix scores_of(const suggest::Model& model) {
    return score(model.suggester, model.suggester.known.view(), {}, 1);
  }
};

bool has(const std::vector<std::string>& tags, const std::string& tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

TEST_F(LearnSuggest, TellsUntaggedNotesFromTheirWords) {
  const suggest::Report report = suggest::learn(library(), "notes", "", {}, {.jobs = 1});
  EXPECT_EQ(report.model, "suggest.notes");
  EXPECT_EQ(report.features, "text");
  EXPECT_EQ(report.fit.items, 512);
  EXPECT_EQ(report.fit.tags, 5);
  EXPECT_GT(report.fit.quality.precision_at_1, 0.95);
  EXPECT_LT(report.fit.quality.calibration_error, 0.1);
  EXPECT_GT(report.file_bytes, 0);
  const suggest::Answerer by = suggester();
  for (const std::string id : {"n0", "n5", "n10", "n15"})
    EXPECT_EQ(suggested(by, id).front(), topic_of(id)) << id;
  const auto json = nlohmann::json::parse(model_record(library(), "suggest.notes").report);
  EXPECT_EQ(json["collection"], "notes");
}

TEST_F(LearnSuggest, TheStoredModelGivesTheSameScores) {
  learn();
  const suggest::Model once = stored_model();
  const suggest::Model again = stored_model();
  EXPECT_EQ(scores_of(once), scores_of(again));
  EXPECT_EQ(once.tags, again.tags);
  EXPECT_EQ(once.control, again.control);
  EXPECT_EQ(once.known_ids, again.known_ids);
  EXPECT_EQ(once.suggester.threshold, again.suggester.threshold);
}

TEST_F(LearnSuggest, ADamagedModelIsRefused) {
  learn();
  std::ifstream file(model_record(library(), "suggest.notes").file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NO_THROW(suggest::load_model(TensorFile(bytes, "whole")));
  EXPECT_THROW(suggest::load_model(TensorFile(bytes.substr(0, bytes.size() / 2), "half")), Error);
  std::string flipped = bytes;
  flipped[bytes.size() - 100] = static_cast<char>(flipped[bytes.size() - 100] ^ 1);
  EXPECT_THROW(suggest::load_model(TensorFile(flipped, "flipped")), Error);
}

TEST_F(LearnSuggest, NewItemsAreLearnedAsIfTheyHadBeenThere) {
  suggest::ModelOptions options = usual_options();
  learn(options);
  suggest::Model grown = stored_model();
  test::import_jsonl(
      library(), "notes",
      test::note_lines() +
          R"({"id":"later","text":"wordaa wordab wordac","tags":["Sea/Harbour","photo"]})" + "\n");
  const suggest::Update update = update_model(grown, library(), {.jobs = 1});
  EXPECT_EQ(update.new_items, 1);
  EXPECT_EQ(update.changed_items, 0);
  EXPECT_EQ(grown.known_ids.back(), "later");
  EXPECT_EQ(update_model(grown, library(), {.jobs = 1}).new_items, 0) << "only once";

  // The same statistics with the item among them, on the same prototypes.
  const SparseGp refit = solve_sparse_gp(
      gather_statistics(grown.suggester.basis, grown.suggester.known.view(),
                        share_say(grown.suggester.known_tags.view()).view(), {.jobs = 1}),
      grown.suggester.tag_gp.noise_variance, 1);
  EXPECT_LT((refit.weights - grown.suggester.tag_gp.weights).cwiseAbs().maxCoeff(), 1e-3F);
}

TEST_F(LearnSuggest, ALoneRejectionSaysNothingOfOtherTags) {
  learn();
  suggest::Model model = stored_model();
  const Matrix before = model.suggester.tag_gp.weights;
  test::decide_one(library(), "notes", "n0", "photo", Verdict::rejected);
  EXPECT_EQ(update_model(model, library(), {.jobs = 1}).new_items, 1);
  const Matrix& after = model.suggester.tag_gp.weights;
  for (std::size_t tag = 0; tag < model.tags.size(); ++tag) {
    const float moved =
        (after.col(static_cast<Eigen::Index>(tag)) - before.col(static_cast<Eigen::Index>(tag)))
            .cwiseAbs()
            .maxCoeff();
    if (model.tags[tag] == "photo")
      EXPECT_GT(moved, 1e-3F);
    else
      EXPECT_EQ(moved, 0) << model.tags[tag];
  }
  // Learning again knows it too, in the same way.
  learn();
  EXPECT_TRUE(has(stored_model().known_ids, "n0"));
  EXPECT_FALSE(has(suggested(suggester(), "n0"), "photo"));
  EXPECT_EQ(suggested(suggester(), "n0").front(), "Sea/Harbour");
}

TEST_F(LearnSuggest, OnlyAllowedTagsAreSuggested) {
  suggest::ModelOptions options = usual_options();
  options.tags.exclude = write("never.txt", "# not these\nPHOTO\n");
  learn(options);
  EXPECT_FALSE(has(stored_model().tags, "photo"));
  options = usual_options();
  options.tags.include = write("only.txt", "forest\nKitchen\nNobody Has This\n");
  learn(options);
  EXPECT_EQ(stored_model().tags, (std::vector<std::string>{"Forest", "Kitchen"}));
  options = usual_options();
  options.tags.min_uses = 400;
  EXPECT_NE(message_of([&] { learn(options); }).find("--min-uses"), std::string::npos);
}

TEST_F(LearnSuggest, SynonymsAreMergedAndParentsImplied) {
  suggest::ModelOptions options = usual_options();
  options.tags.synonyms = write("same.tsv", "kitchen\tcooking\ncooking\tFood\n");
  options.tags.parents = true;
  learn(options);
  const std::vector<std::string> tags = stored_model().tags;
  EXPECT_TRUE(has(tags, "Food"));
  EXPECT_FALSE(has(tags, "Kitchen"));
  EXPECT_TRUE(has(tags, "Sea"));
  const std::vector<std::string> of_sea = suggested(suggester(), "n0");
  EXPECT_TRUE(has(of_sea, "Sea"));
  EXPECT_FALSE(has(suggested(suggester(), "n2"), "Food")) << "it has Kitchen, which is Food";
}

TEST_F(LearnSuggest, ATagAndAPathThatEndsInItAreOne) {
  std::string lines = test::note_lines();
  // Half of the harbours are written without their path.
  for (std::size_t at = 0, found = 0; (at = lines.find("\"Sea/Harbour\"", at)) != std::string::npos;
       ++at)
    if (++found % 2 == 0) lines.replace(at, 13, "\"harbour\"");
  test::import_jsonl(library(), "notes", lines);
  const suggest::Report report =
      suggest::learn(library(), "notes", "", usual_options(), {.jobs = 1});
  EXPECT_EQ(report.merged, 1);
  EXPECT_TRUE(has(stored_model().tags, "Sea/Harbour"));
  EXPECT_FALSE(has(stored_model().tags, "harbour"));
  const suggest::Answerer by = suggester();
  for (const std::string id : {"n4", "n8", "n12", "n16"})
    EXPECT_FALSE(has(suggested(by, id), "Sea/Harbour")) << "it has that by one name or the other";
  EXPECT_EQ(suggested(by, "n0").front(), "Sea/Harbour");

  // Not where two paths end in it, nor where a list speaks of it.
  suggest::ModelOptions options = usual_options();
  options.tags.exclude = write("never.txt", "harbour\n");
  EXPECT_EQ(suggest::learn(library(), "notes", "", options, {.jobs = 1}).merged, 0);
  test::import_jsonl(library(), "notes",
                     lines + R"({"id":"o","text":"wordaa","tags":["Air/Harbour"]})" + "\n");
  EXPECT_EQ(suggest::learn(library(), "notes", "", usual_options(), {.jobs = 1}).merged, 0);
}

TEST_F(LearnSuggest, WithNothingToTellTagsFromItIsRefused) {
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines += "{\"id\":\"p" + std::to_string(i) + "\",\"tags\":[\"a\",\"b\"]}\n";
  test::import_jsonl(library(), "bare", lines);
  suggest::ModelOptions options = usual_options();
  const std::string refusal =
      message_of([&] { suggest::learn(library(), "bare", "", options, {.jobs = 1}); });
  EXPECT_NE(refusal.find("--features tags"), std::string::npos) << refusal;
  options.evidence.features = "tags";
  EXPECT_TRUE(suggest::learn(library(), "bare", "", options, {.jobs = 1}).from_tags);
}

TEST_F(LearnSuggest, FilesOfTagsThatMakeNoSenseAreRefused) {
  const auto complaint = [&](const TagControlOptions& options) {
    return message_of([&] { read_tag_control(options); });
  };
  EXPECT_NE(complaint({.synonyms = write("circle.tsv", "a\tb\nb\ta\n")}).find("circle"),
            std::string::npos);
  EXPECT_NE(complaint({.synonyms = write("one.tsv", "a b\n")}).find("one.tsv:1"),
            std::string::npos);
  EXPECT_NE(complaint({.include = write("empty.txt", "\n")}).find("names no tags"),
            std::string::npos);
  EXPECT_NE(complaint({.exclude = "/nowhere/list.txt"}), "");
  EXPECT_NE(complaint({.min_uses = 0}).find("min_uses"), std::string::npos);
}

TEST_F(LearnSuggest, VectorsAndOtherTagsAreEvidenceToo) {
  // The vector tells the topic by one of four axes, and the words are left aside.
  Matrix vectors = Matrix::Constant(test::kNotes, 4, 3);
  for (int i = 0; i < test::kNotes; ++i) vectors(i, i % 4) += 1 + 0.01F * static_cast<float>(i % 7);
  store_features(library(), collection(library(), "notes"), "axes", vectors, "made up");
  suggest::ModelOptions options = usual_options();
  options.evidence.features = "axes";
  learn(options);
  EXPECT_FALSE(stored_model().suggester.known.is_sparse);
  EXPECT_EQ(suggested(suggester(), "n5").front(), "Forest");
  suggest::Options asked;
  asked.threshold = 0;
  EvidenceOf thing;
  thing.vectors["axes"] = {3, 3, 4, 3};
  EXPECT_EQ(suggester().ask(std::span(&thing, 1), asked)[0].suggestions.front().tag, "Kitchen");
  thing.vectors["axes"] = {3, 3};
  EXPECT_NE(message_of([&] { suggester().ask(std::span(&thing, 1), asked); }).find("axes"),
            std::string::npos);

  options.evidence.features = "text,axes";
  learn(options);
  EXPECT_EQ(stored_model().evidence.blocks().size(), 2U);
  EXPECT_EQ(suggested(suggester(), "n10").front(), "Kitchen");

  options.evidence.features = "tags";
  learn(options);
  thing = {};
  thing.tags = {"photo"};
  const auto answers = suggester().ask(std::span(&thing, 1), asked);
  for (const Suggestion& each : answers[0].suggestions)
    EXPECT_NE(each.tag, "photo") << "it has that";
  options.evidence.features = "text,text";
  EXPECT_NE(message_of([&] { learn(options); }).find("twice"), std::string::npos);
  options.evidence.features = "nothing";
  EXPECT_NE(message_of([&] { learn(options); }).find("axes"), std::string::npos)
      << "lists what there is";
}

TEST_F(LearnSuggest, RanksLearnAndUpdateAsOneProcess) {
  test::decide_one(library(), "notes", "n0", "Forest", Verdict::rejected);
  learn();
  const Matrix before = scores_of(stored_model());
  const std::vector<std::string> known = stored_model().known_ids;
  const auto by_ranks = [&](int ranks, const std::function<std::string(Library&, Comm&)>& work) {
    std::vector<std::string> said(static_cast<std::size_t>(ranks));
    run_as_threads(ranks, [&](Comm& comm) {
      Library own(folder_ / "library",
                  comm.rank() == 0 ? Library::Access::write : Library::Access::read);
      said[static_cast<std::size_t>(comm.rank())] = work(own, comm);
    });
    for (const std::string& each : said) EXPECT_EQ(each, said[0]);
  };
  for (const int ranks : {1, 2, 3, 4}) {
    by_ranks(ranks, [](Library& own, Comm& comm) {
      return to_json(suggest::learn(own, "notes", "", usual_options(), {comm, 1}));
    });
    const suggest::Model model = stored_model();
    EXPECT_EQ(model.known_ids, known);
    EXPECT_EQ(model.state, state_of(library(), collection_named("notes")));
    const Matrix after = scores_of(model);
    ASSERT_EQ(after.rows(), before.rows());
    EXPECT_LT((after - before).cwiseAbs().maxCoeff(), 1e-4F) << ranks;

    test::decide_one(library(), "notes", "n" + std::to_string(5 * ranks), "Kitchen",
                     Verdict::accepted);
    by_ranks(ranks, [](Library& own, Comm& comm) {
      const suggest::Update update = suggest::update(own, "suggest.notes", {comm, 1});
      EXPECT_EQ(update.new_items, 1);
      return concat(update.new_items, " ", update.changed_items, " ", update.new_tags, " ",
                    update.seconds);
    });
    EXPECT_EQ(stored_model().known_ids.size(), known.size() + 1);
    test::decide_one(library(), "notes", "n" + std::to_string(5 * ranks), "Kitchen",
                     Verdict::withdrawn);
  }
}

TEST_F(LearnSuggest, FeaturesMadeOfTheTagsAreNoEvidence) {
  const Collection notes = collection(library(), "notes");
  make_tag_features(library(), notes, "of_tags", {}, {});
  PlsaOptions topics;
  topics.topics = 3;
  topics.iterations = 3;
  make_topics(library(), notes, "topics", true, {}, topics, {});
  make_topics(library(), notes, "themes", false, {}, topics, {});
  EXPECT_EQ(choose_evidence(library(), notes, {}, {.jobs = 1}).sources.size(), 1U)
      << "the text alone";
  for (const std::string name : {"of_tags", "topics"}) {
    suggest::ModelOptions options = usual_options();
    options.evidence.features = name;
    EXPECT_NE(message_of([&] { learn(options); }).find("made of the tags"), std::string::npos);
  }
}

TEST_F(LearnSuggest, WithoutTagsThereIsNothingToLearn) {
  test::import_jsonl(library(), "bare",
                     R"({"id":"a","text":"some words"})"
                     "\n");
  EXPECT_NE(message_of([&] {
              suggest::learn(library(), "bare", "", {}, {.jobs = 1});
            }).find("no tag of collection 'bare'"),
            std::string::npos);
  EXPECT_TRUE(model_records(library()).empty());
}

}  // namespace learn_test
}  // namespace commonplace
