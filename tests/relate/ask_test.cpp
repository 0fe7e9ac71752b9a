#include "commonplace/relate/ask.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/relate/learn.h"
#include "commonplace/relate/overview.h"
#include "tests/support/planted_features.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace ask_test {

using namespace relate;

using test::grouped_rows;
using test::message_of;

/// Photographs of four groups. Those of a group look alike, were taken near each other, have words
/// in common, and tags: the group's name (half of them spelled otherwise) and one that all share.
class Relate : public test::LibraryTest {
 protected:
  static constexpr int kPhotos = 200;

  Relate() { add_photos(kPhotos); }

  static std::string group_tag(int group, bool other = false) {
    static const char* const names[] = {"owl", "Öl/barrel", "harbour", "<kite>"};
    return std::string(names[group]) + (other ? "s" : "");
  }
  static Place centre_of(int group) { return {40.0 + 0.1 * group, -74.0 + 0.05 * group}; }

  /// Every fifth photograph has no tags, every seventh no place.
  static std::string line(int i) {
    static const char* const words[] = {"night feather", "workshop grease", "water ship",
                                        "wind sky"};
    const int group = i % 4;
    std::string tags;
    if (i % 5 != 0) tags = "\"" + group_tag(group, i % 3 == 0) + "\",\"photo\"";
    std::string place;
    if (i % 7 != 0) {
      const Place at = centre_of(group);
      place = ",\"lat\":" + std::to_string(at.latitude + 0.0005 * (i % 11)) +
              ",\"lon\":" + std::to_string(at.longitude + 0.0005 * (i % 13));
    }
    return "{\"id\":\"p" + std::to_string(i) + "\",\"title\":\"" + words[group] + "\",\"tags\":[" +
           tags + "]" + place + "}\n";
  }

  void add_photos(int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += line(i);
    test::import_jsonl(library(), "photos", lines);
    store_features(library(), collection_named("photos"), "look", grouped_rows(count, 24, 1.0),
                   "made up");
  }

  /// Notes that share nothing with the photographs but links: to one of their group, and away from
  /// one of another.
  void add_linked_notes() {
    std::string notes;
    for (int i = 0; i < 40; ++i)
      notes += "{\"id\":\"n" + std::to_string(i) + "\",\"title\":\"note\",\"tags\":[]}\n";
    test::import_jsonl(library(), "notes", notes);
    store_features(library(), collection_named("notes"), "own", grouped_rows(40, 12, 0.5, 9),
                   "made");
    {
      std::ofstream file(folder_ / "links.csv");
      file << "a,b,weight\n";
      for (int i = 0; i < 40; ++i) {
        file << "n" << i << ",p" << i << ",1\n";
        file << "n" << i << ",p" << i + 1 << ",-1\n";
      }
    }
    import_links(library(), collection_named("notes"), collection_named("photos"),
                 folder_ / "links.csv", no_progress);
  }

  /// Settings that need no choice, for speed.
  static relate::ModelOptions quick(const std::string& collections = "photos") {
    relate::ModelOptions options;
    options.read.collections = collections;
    options.read.kernel = "photos=linear,places=laplace:0.01";
    options.gamma = "0.3";
    options.dim = "8";
    if (collections.find("photos/") != std::string::npos &&
        collections.find("places") == std::string::npos)
      options.read.kernel = "photos=linear";
    return options;
  }
  relate::Report learn(const relate::ModelOptions& options = quick()) {
    return relate::learn(library(), "", options, {.jobs = 1});
  }
  relate::Answerer relations() { return {library(), "", 1}; }

  static const RelatedNodes& of_modality(const relate::Answer& answer,
                                         const std::string& modality) {
    for (const RelatedNodes& each : answer.modalities)
      if (each.modality == modality) return each;
    throw Error("no " + modality);
  }
  static relate::Query about(const std::string& item) {
    relate::Query query;
    query.item = item;
    return query;
  }
};

TEST_F(Relate, LearnsAllThatACollectionHas) {
  const relate::Report report = learn();
  ASSERT_EQ(report.modalities.size(), 4U);
  EXPECT_EQ(report.modalities[0].name, "photos");
  EXPECT_EQ(report.modalities[0].features, "look");
  EXPECT_EQ(report.modalities[1].name, "photos/text");
  EXPECT_EQ(report.modalities[2].name, "photos/tags");
  EXPECT_EQ(report.modalities[2].nodes, 9);
  EXPECT_EQ(report.modalities[3].name, "photos/places");
  EXPECT_EQ(report.model, "relate");
  EXPECT_EQ(report.dim, 8);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.largest_residual, 1e-8);
  EXPECT_GT(report.quality, 0.7);
}

TEST_F(Relate, FindsTheTagsOfAnUntaggedItem) {
  learn();
  const relate::Answer answer = relations().ask(about("p5"));  // of group 1, without tags
  const RelatedNodes& tags = of_modality(answer, "photos/tags");
  ASSERT_GE(tags.nodes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(tags.nodes[i].known);
    EXPECT_GT(tags.nodes[i].times, 1);
    EXPECT_TRUE(tags.nodes[i].name.starts_with(group_tag(1))) << tags.nodes[i].name;
  }
  const RelatedNodes& photos = of_modality(answer, "photos");
  ASSERT_EQ(photos.nodes.size(), 10U);
  int right = 0;
  for (const RelatedNode& each : photos.nodes) {
    EXPECT_NE(each.name, "p5");
    right += std::stoi(each.name.substr(1)) % 4 == 1 ? 1 : 0;
  }
  EXPECT_GE(right, 9);
}

TEST_F(Relate, StartsFromATagAPlaceOrWords) {
  learn();
  const relate::Answerer open = relations();
  relate::Query query;
  query.tag = "HARBOUR";
  query.modalities = {"tags", "places"};
  const relate::Answer by_tag = open.ask(query);
  ASSERT_EQ(by_tag.modalities.size(), 2U);
  EXPECT_EQ(of_modality(by_tag, "photos/tags").nodes[0].name, "harbours");
  const Place place = parse_place(of_modality(by_tag, "photos/places").nodes[0].name);
  EXPECT_LT(metres_between(place.latitude, place.longitude, centre_of(2).latitude,
                           centre_of(2).longitude),
            2000);

  relate::Query at;
  at.at = Place{centre_of(3).latitude + 0.001, centre_of(3).longitude};
  at.modalities = {"photos/tags"};
  EXPECT_TRUE(open.ask(at).modalities[0].nodes[0].name.starts_with("<kite>"));

  relate::Query words;
  words.text = "ship on the water";
  words.modalities = {"photos"};
  const relate::Answer by_words = open.ask(words);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(std::stoi(by_words.modalities[0].nodes[i].name.substr(1)) % 4, 2);
}

TEST_F(Relate, SaysThatNothingIsNearWhereNothingIs) {
  learn();
  const relate::Answerer open = relations();
  relate::Query far;
  far.at = Place{46.5, 10.5};
  const relate::Answer nothing = open.ask(far);
  ASSERT_TRUE(nothing.nearest);
  EXPECT_NEAR(*nothing.nearest, metres_between(46.5, 10.5, 40.3, -73.85), 20000);
  EXPECT_TRUE(nothing.evidence.empty());
  for (const RelatedNodes& each : nothing.modalities)
    EXPECT_TRUE(each.nodes.empty()) << each.modality;

  far.tag = "harbour";
  const relate::Answer by_tag = open.ask(far);
  EXPECT_TRUE(by_tag.nearest);
  EXPECT_EQ(of_modality(by_tag, "photos/tags").nodes[0].name, "harbours");
  far.at = centre_of(2);
  EXPECT_FALSE(open.ask(far).nearest);
}

TEST_F(Relate, TheWidthOfPlacesSpansTheGapsBetweenThem) {
  // A crowd in a town, and a fifth of all along a road, each two kilometres from the next.
  std::string lines;
  for (int i = 0; i < 100; ++i) {
    const bool road = i % 5 == 0;
    lines += concat(R"({"id":"w)", i, R"(","tags":[")", road ? "road" : "town", R"("],"lat":)",
                    50 + (road ? 1 + 0.018 * (i / 5) : 0.0001 * (i % 9)), R"(,"lon":)",
                    13 + (road ? 0 : 0.0001 * (i % 7)), "}\n");
  }
  test::import_jsonl(library(), "walks", lines);
  relate::ModelOptions options;
  options.read.collections = "walks/tags,walks/places";
  relate::learn(library(), "walks", options, {.jobs = 1});
  const relate::Answerer open(library(), "walks", 1);
  relate::Query query;
  query.at = Place{51.009, 13};  // between two of the road
  query.modalities = {"tags"};
  const relate::Answer answer = open.ask(query);
  EXPECT_FALSE(answer.nearest);
  ASSERT_FALSE(answer.modalities[0].nodes.empty());
  EXPECT_EQ(answer.modalities[0].nodes[0].name, "road");
}

TEST_F(Relate, GuessesWhereAPhotographWasTaken) {
  relate::ModelOptions options = quick();
  learn(options);
  const relate::Answerer open = relations();
  for (const int i : {7, 14, 21, 42}) {
    const relate::Answer answer = open.ask(about("p" + std::to_string(i)));
    EXPECT_FALSE(answer.known_place.has_value());
    ASSERT_TRUE(answer.guess.has_value());
    EXPECT_TRUE(answer.guess->tells);
    EXPECT_LT(answer.guess->radius, 3000);
    const Place centre = centre_of(i % 4);
    EXPECT_LT(metres_between(answer.guess->place.latitude, answer.guess->place.longitude,
                             centre.latitude, centre.longitude),
              3000);
  }
  const relate::Answer known = open.ask(about("p1"));
  ASSERT_TRUE(known.known_place.has_value());
  EXPECT_FALSE(known.guess.has_value());
}

TEST_F(Relate, SaysWhy) {
  learn();
  relate::Query query = about("p5");
  query.explain = true;
  query.modalities = {"tags"};
  const RelatedNode best = relations().ask(query).modalities[0].nodes[0];
  ASSERT_FALSE(best.reasons.empty());
  double sum = 1;
  for (const relate::Reason& reason : best.reasons) sum += reason.adds;
  EXPECT_NEAR(sum, best.times, 1e-4);
  ASSERT_EQ(best.examples.size(), 3U);
  if (best.name != "photo") {
    for (const std::string& id : best.examples) EXPECT_EQ(std::stoi(id.substr(1)) % 4, 1);
  }
}

TEST_F(Relate, ListsTagsThatMeanTheSame) {
  learn();
  const std::vector<SameTags> pairs = relations().same_tags(4);
  ASSERT_EQ(pairs.size(), 4U);
  for (const SameTags& each : pairs) {
    EXPECT_EQ(each.first + "s", each.second);
    EXPECT_EQ(each.together, 0);
  }
}

TEST_F(Relate, GroupsEverythingTogether) {
  learn();
  const std::vector<relate::Group> groups = group_relations(relations(), 4, 100, 1, {.jobs = 1});
  ASSERT_EQ(groups.size(), 4U);
  int right = 0;
  int all = 0;
  for (const relate::Group& group : groups) {
    int count[4] = {};
    for (const GroupedModality& modality : group.modalities)
      if (modality.modality == "photos")
        for (const std::string& id : modality.nearest) ++count[std::stoi(id.substr(1)) % 4];
    right += *std::max_element(count, count + 4);
    all += count[0] + count[1] + count[2] + count[3];
  }
  EXPECT_GE(right, all * 9 / 10);
  EXPECT_NE(message_of([&] {
              group_relations(relations(), 100000, 5, 1, {.jobs = 1});
            }).find("smaller --k"),
            std::string::npos);
}

TEST_F(Relate, DrawsAMapThatShowsNamesAsTheyAre) {
  learn();
  const std::string page = draw_map(relations(), {}, 1);
  EXPECT_NE(page.find("photos/tags: &lt;kite&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<kite>"), std::string::npos);
  EXPECT_NE(page.find("Öl/barrel"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("NaN"), std::string::npos);
}

TEST_F(Relate, LaysEverythingOutInNamedGroups) {
  learn();
  const relate::Answerer relations(library(), "", 1);
  MapOptions options;
  options.most = 10'000;
  const relate::Map map = lay_out_map(relations, options, 3, {.jobs = 1});
  ASSERT_EQ(map.modalities.size(), relations.model().modalities.size());
  std::int64_t drawn = 0;
  for (const relate::Map::Modality& modality : map.modalities) drawn += modality.drawn;
  ASSERT_EQ(drawn, std::ssize(map.points));
  ASSERT_EQ(map.groups.size(), 3U);
  std::vector<std::int64_t> members(3);
  for (const relate::Map::Point& point : map.points) {
    EXPECT_TRUE(point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1);
    ++members.at(static_cast<std::size_t>(point.group));
  }
  for (std::size_t g = 0; g < 3; ++g) {
    EXPECT_EQ(map.groups[g].nodes, members[g]);
    EXPECT_FALSE(map.groups[g].name.empty());
  }
  EXPECT_TRUE(lay_out_map(relations, options, 0, {.jobs = 1}).groups.empty());
}

TEST_F(Relate, ANewItemIsPlacedWithoutLearningAgain) {
  learn();
  std::string lines;
  for (int i = 0; i < kPhotos; ++i) lines += line(i);
  lines += "{\"id\":\"new\",\"title\":\"feather in the night\",\"tags\":[]}\n";
  test::import_jsonl(library(), "photos", lines);
  const relate::Answer answer = relations().ask(about("new"));
  EXPECT_EQ(answer.evidence, std::vector<std::string>{"photos/text"});
  EXPECT_TRUE(of_modality(answer, "photos/tags").nodes[0].name.starts_with("owl") ||
              of_modality(answer, "photos/tags").nodes[1].name.starts_with("owl"));
}

TEST_F(Relate, AnUpdateTakesInNewItemsAndRejections) {
  learn();
  const double before = of_modality(relations().ask(about("p5")), "photos/tags").nodes[0].times;
  for (int i = 1; i < 120; i += 4)
    test::decide_one(library(), "photos", "p" + std::to_string(i), group_tag(0), Verdict::rejected);
  add_photos(kPhotos + 40);
  const relate::Report update = relate::update(library(), "relate", {.jobs = 1});
  EXPECT_TRUE(update.converged);
  EXPECT_EQ(update.modalities[0].nodes, kPhotos + 40);
  EXPECT_GT(before, 0);
  const relate::Answer answer = relations().ask(about("p203"));
  EXPECT_TRUE(of_modality(answer, "photos/tags").nodes[0].name.starts_with("<kite>") ||
              of_modality(answer, "photos/tags").nodes[1].name.starts_with("<kite>"));
}

TEST_F(Relate, RejectionsKeepApart) {
  learn();
  const auto times = [&] {
    relate::Query query = about("p0");  // of the first group, without tags
    query.modalities = {"tags"};
    const relate::Answer answer = relations().ask(query);
    for (const RelatedNode& each : answer.modalities[0].nodes)
      if (each.name == group_tag(0)) return each.times;
    return 0.0;
  };
  const double before = times();
  EXPECT_GT(before, 1);
  for (int i = 4; i < 100; i += 4)
    test::decide_one(library(), "photos", "p" + std::to_string(i), group_tag(0), Verdict::rejected);
  learn();
  EXPECT_LT(times(), before);
}

TEST_F(Relate, ARejectedTagIsNoAnswerForItsItem) {
  learn();
  const auto tags = [&] {
    relate::Query query = about("p5");
    query.modalities = {"tags"};
    std::vector<std::string> names;
    const relate::Answer answer = relations().ask(query);
    for (const RelatedNode& each : answer.modalities[0].nodes) names.push_back(each.name);
    return names;
  };
  const std::vector<std::string> before = tags();
  ASSERT_NE(std::find(before.begin(), before.end(), group_tag(1)), before.end());
  test::decide_one(library(), "photos", "p5", group_tag(1), Verdict::rejected);
  const auto missing = [&] {
    const std::vector<std::string> now = tags();
    return std::find(now.begin(), now.end(), group_tag(1)) == now.end();
  };
  EXPECT_TRUE(missing());  // at once
  learn();
  EXPECT_TRUE(missing());  // and after learning
}

TEST_F(Relate, LinksOfTheUserTieCollectionsThatShareNothing) {
  add_linked_notes();
  relate::ModelOptions options = quick("notes,photos");
  options.read.kernel = "linear";
  learn(options);
  relate::Query query = about("n2");
  query.modalities = {"photos"};
  const relate::Answer answer = relations().ask(query);
  int right = 0;
  for (const RelatedNode& each : answer.modalities[0].nodes)
    right += std::stoi(each.name.substr(1)) % 4 == 2 ? 1 : 0;
  EXPECT_GE(right, 8);
}

/// The models may differ by rounding alone: eigenvalues by 1e-12, positions, which are floats, by
/// 1e-6 of the largest.
void expect_near(const relate::Model& found, const relate::Model& expected) {
  EXPECT_TRUE(found.space.settings == expected.space.settings);
  EXPECT_TRUE(found.rules == expected.rules);
  EXPECT_NEAR(found.space.mass, expected.space.mass, 1e-9 * expected.space.mass);
  ASSERT_EQ(found.space.dim(), expected.space.dim());
  const VectorD& values = expected.space.projection.eigenvalues;
  EXPECT_LT((found.space.projection.eigenvalues - values).cwiseAbs().maxCoeff(), 1e-12);
  ASSERT_EQ(found.modalities.size(), expected.modalities.size());
  for (std::size_t k = 0; k < found.modalities.size(); ++k) {
    const PlacedModality& modality = expected.modalities[k];
    EXPECT_EQ(found.modalities[k].names, modality.names);
    ASSERT_EQ(found.modalities[k].nodes(), modality.nodes());
    EXPECT_LT((found.space.degrees[k] - expected.space.degrees[k]).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((found.modalities[k].positions - modality.positions).cwiseAbs().maxCoeff(),
              1e-6 * modality.positions.cwiseAbs().maxCoeff())
        << modality.what.full();
  }
}

TEST_F(Relate, RanksLearnWhatOneProcessLearns) {
  add_linked_notes();
  relate::ModelOptions with_links = quick("notes,photos");
  with_links.read.kernel = "linear";
  relate::ModelOptions with_choice;
  with_choice.read.collections = "photos";
  with_choice.read.kernel = "places=laplace:0.01";
  with_choice.dim = "8";
  for (const relate::ModelOptions& options : {quick(), with_links, with_choice}) {
    learn(options);
    const relate::Model alone =
        relate::load_model(TensorFile(model_record(library(), "relate").file));
    for (const int ranks : {1, 2, 3, 4}) {
      std::vector<std::string> reports(static_cast<std::size_t>(ranks));
      test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
        reports[static_cast<std::size_t>(comm.rank())] =
            to_json(relate::learn(each, "together", options, {comm, 1}));
      });
      for (const std::string& report : reports) EXPECT_EQ(report, reports[0]);
      const ModelRecord record = model_record(library(), "together");
      EXPECT_EQ(record.report, reports[0]);
      expect_near(relate::load_model(TensorFile(record.file)), alone);
    }
  }
}

TEST_F(Relate, RanksUpdateAsOneProcessDoes) {
  for (const char* name : {"1", "2", "3", "4"})
    relate::learn(library(), name, quick(), {.jobs = 1});
  for (int i = 1; i < 120; i += 4)
    test::decide_one(library(), "photos", "p" + std::to_string(i), group_tag(0), Verdict::rejected);
  add_photos(kPhotos + 40);
  relate::update(library(), "1", {.jobs = 1});
  const relate::Model alone = relate::load_model(TensorFile(model_record(library(), "1").file));
  for (const int ranks : {2, 3, 4}) {
    const std::string name = std::to_string(ranks);
    test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
      EXPECT_EQ(relate::update(each, name, {comm, 1}).modalities[0].nodes, kPhotos + 40);
    });
    expect_near(relate::load_model(TensorFile(model_record(library(), name).file)), alone);
  }
}

TEST_F(Relate, RanksGroupAsOneProcessDoes) {
  learn();
  const auto as_text = [](const std::vector<relate::Group>& groups) {
    std::string text;
    for (const relate::Group& group : groups)
      for (const GroupedModality& modality : group.modalities) {
        text += concat(group.nodes, ' ', modality.modality, ' ', modality.nodes, ':');
        for (const std::string& name : modality.nearest) text += ' ' + name;
        text += '\n';
      }
    return text;
  };
  for (const std::int64_t groups : {4, 60}) {
    const std::string alone = as_text(group_relations(relations(), groups, 100, 1, {.jobs = 1}));
    for (const int ranks : {2, 3, 4})
      test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
        const relate::Answerer open(each, "", 1);
        EXPECT_EQ(as_text(group_relations(open, groups, 100, 1, {comm, 1})), alone);
      });
  }
}

TEST_F(Relate, TheModelFileKeepsEverything) {
  learn();
  const ModelRecord record = model_record(library(), "relate");
  const relate::Model model = relate::load_model(TensorFile(record.file));
  save(model, folder_ / "again.safetensors");
  EXPECT_EQ(read_file(record.file, 1U << 30), read_file(folder_ / "again.safetensors", 1U << 30));
  std::string bytes = read_file(record.file, 1U << 30);
  for (const std::size_t size : {bytes.size() / 3, bytes.size() - 1})
    EXPECT_THROW(relate::load_model(TensorFile(bytes.substr(0, size), "cut")), Error);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW(relate::load_model(TensorFile(bytes, "flipped")), Error);
}

TEST_F(Relate, RefusesWhatCannotBe) {
  EXPECT_NE(message_of([&] { relations(); }).find("learn one"), std::string::npos);
  const auto refused = [&](auto change) {
    relate::ModelOptions options = quick();
    change(options);
    return message_of([&] { learn(options); });
  };
  EXPECT_NE(refused([](auto& o) { o.read.collections = "paintings"; }).find("photos"),
            std::string::npos);
  EXPECT_NE(
      refused([](auto& o) { o.read.collections = "photos,photos/smells"; }).find("NAME/places"),
      std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.collections = "photos/tags"; }).find("more"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.collections = "photos,tags,photos/tags"; }).find("twice"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.kernel = "photos=round"; }).find("laplace"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.kernel = "photos=rbf:other"; }).find("look"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.kernel = "birds=rbf"; }).find("photos/tags"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.weights = "tags=-1"; }).find("0 or more"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.gamma = "tags=x"; }).find("auto"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.gamma = "birds=1"; }).find("photos/tags"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.dim = "0"; }).find("--dim"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.read.collections = "photos,photos/label:mood"; }).find("mood"),
            std::string::npos);
  EXPECT_EQ(model_records(library()).size(), 0U);

  learn();
  const relate::Answerer open = relations();
  EXPECT_NE(message_of([&] { open.ask({}); }).find("--tag"), std::string::npos);
  EXPECT_NE(message_of([&] { open.ask(about("nobody")); }).find("nobody"), std::string::npos);
  relate::Query query;
  query.tag = "no such tag";
  EXPECT_NE(message_of([&] { open.ask(query); }).find("no such tag"), std::string::npos);
  query = about("p1");
  query.modalities = {"smells"};
  EXPECT_NE(message_of([&] { open.ask(query); }).find("photos/places"), std::string::npos);
  query = {};
  query.text = "zzz qqq";
  EXPECT_NE(message_of([&] { open.ask(query); }).find("zzz"), std::string::npos);
  EXPECT_THROW(parse_place("here"), Error);
  EXPECT_THROW(parse_place("91,0"), Error);
  EXPECT_THROW(parse_place("1,2,3"), Error);
}

}  // namespace ask_test
}  // namespace commonplace
