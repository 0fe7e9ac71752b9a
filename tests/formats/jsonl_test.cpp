#include <gtest/gtest.h>

#include "tests/formats/random_items.h"
#include "tests/formats/reading_support.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {

namespace jsonl_test {

TEST(Jsonl, FillsEveryField) {
  const Collected read = jsonl(
      R"({"id":"a","title":"Owl","text":"It sees.","tags":["birds/owl","night"],"image":"o.jpg",)"
      R"("lat":51.5,"lon":-0.25,"date":"2010-05-07","label":"animal","camera":{"iso":400}})");
  ASSERT_TRUE(read.bad.empty());
  const Item& item = read.item();
  EXPECT_EQ(item.id, "a");
  EXPECT_EQ(item.title, "Owl");
  EXPECT_EQ(item.text, "It sees.");
  EXPECT_EQ(tag_names(item), (std::vector<std::string>{"birds/owl", "night"}));
  EXPECT_EQ(item.image, "o.jpg");
  EXPECT_EQ(item.place, (Place{51.5, -0.25}));
  EXPECT_EQ(item.time, "2010-05-07");
  EXPECT_EQ(item.labels, (std::vector<Label>{{"label", "animal"}}));
  EXPECT_EQ(item.metadata, R"({"camera":{"iso":400}})");
  EXPECT_EQ(read.records[0].where.line, 1U);
}

TEST(Jsonl, MapsOtherPeoplesNames) {
  const Collected read = jsonl(
      R"({"key":7,"overview":"Plot","tagline":"Line","keywords2":"x; y, z","group":"g","text":"old"})",
      "id=key,text=tagline,text=overview,tags=keywords2,labels=group");
  ASSERT_TRUE(read.bad.empty());
  EXPECT_EQ(read.item().id, "7");
  EXPECT_EQ(read.item().text, "Line\nPlot");
  EXPECT_EQ(tag_names(read.item()), (std::vector<std::string>{"x", "y, z"}));
  EXPECT_EQ(read.item().labels, (std::vector<Label>{{"group", "g"}}));
  EXPECT_EQ(read.item().metadata, R"({"text":"old"})");
}

TEST(Jsonl, OneSourceFieldMayFillTwo) {
  const Collected read =
      jsonl(R"({"image":"a.jpg","captions":["One.","Two."]})", "id=image,text=captions");
  EXPECT_EQ(read.item().id, "a.jpg");
  EXPECT_EQ(read.item().image, "a.jpg");
  EXPECT_EQ(read.item().text, "One.\nTwo.");
  EXPECT_EQ(read.item().metadata, "");
}

TEST(Jsonl, UnderstandsEveryFormOfTags) {
  EXPECT_EQ(tag_names(jsonl(R"({"tags":"a|b,c"})").item()), (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(tag_names(jsonl(R"({"subjects":["a",null,"",3]})").item()),
            (std::vector<std::string>{"a", "3"}));
  const Item counted = jsonl(R"({"tags":{"a":2,"b":0.5}})").item();
  EXPECT_EQ(counted.tags.at(0).count, 2);
  EXPECT_EQ(counted.tags.at(1).count, 0.5);
  const Item full =
      jsonl(R"({"tags":[{"name":"a","count":3,"by":"machine","model":"m","score":0.25}]})").item();
  EXPECT_EQ(full.tags.at(0), (ItemTag{"a", 3, GivenBy::machine, "m", 0.25}));
}

TEST(Jsonl, UnderstandsEveryFormOfLabels) {
  EXPECT_EQ(jsonl(R"({"labels":{"class":3,"split":"train"}})").item().labels,
            (std::vector<Label>{{"class", "3"}, {"split", "train"}}));
  EXPECT_EQ(jsonl(R"({"labels":["a",1]})").item().labels,
            (std::vector<Label>{{"label", "a"}, {"label", "1"}}));
  EXPECT_EQ(jsonl(R"({"label":0})").item().labels, (std::vector<Label>{{"label", "0"}}));
  EXPECT_EQ(jsonl(R"({"label":"[draft]"})").item().labels,
            (std::vector<Label>{{"label", "[draft]"}}));
  EXPECT_TRUE(jsonl(R"({"label":null})").item().labels.empty());
}

TEST(Jsonl, MakesUpMissingIds) {
  const Collected read = jsonl("{\"url\":\"http://a/\"}\n\n{\"title\":\"t\"}\n{\"id\":12}\n");
  EXPECT_EQ(read.item(0).id, "http://a/");
  EXPECT_EQ(read.item(0).metadata, R"({"url":"http://a/"})");
  EXPECT_EQ(read.item(1).id, "3");
  EXPECT_EQ(read.item(2).id, "12");
}

TEST(Jsonl, KeepsWhatItDoesNotUnderstandAsMetadata) {
  EXPECT_EQ(jsonl(R"({"date":"date not known"})").item().metadata, R"({"date":"date not known"})");
  EXPECT_EQ(jsonl(R"({"date":"","time":null})").item().metadata, "");
  const Item both = jsonl(R"({"time":"1427216132","date":"2010"})").item();
  EXPECT_EQ(both.time, "2015-03-24T16:55:32Z");
  EXPECT_EQ(both.metadata, R"({"date":"2010"})");
  const Item order = jsonl(R"({"z":1,"a":2.5,"m":[null,true],"z":3})").item();
  EXPECT_EQ(order.metadata, R"({"z":3,"a":2.5,"m":[null,true]})");
}

TEST(Jsonl, AcceptsPinboardsRecords) {
  const Item item =
      jsonl(R"({"href":"http://a/","description":"T","extended":"E","tags":"x y"})").item();
  EXPECT_EQ(item.id, "http://a/");
  EXPECT_EQ(item.title, "T");
  EXPECT_EQ(tag_names(item), (std::vector<std::string>{"x", "y"}));
}

struct BadLine {
  std::string line;
  std::string mentions;
};
class JsonlBad : public testing::TestWithParam<BadLine> {};

TEST_P(JsonlBad, IsReportedAndPassedOver) {
  const Collected read =
      jsonl("{\"id\":\"before\"}\n" + GetParam().line + "\n{\"id\":\"after\"}\n");
  ASSERT_EQ(read.bad.size(), 1U);
  EXPECT_EQ(to_string(read.bad[0].first), "test.jsonl:2");
  EXPECT_NE(read.bad[0].second.find(GetParam().mentions), std::string::npos) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.item(1).id, "after");
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonlBad,
    testing::Values(
        BadLine{R"({"lat":95,"lon":1})", "'lat' is '95'"},
        BadLine{R"({"lat":"north","lon":1})", "north"},
        BadLine{R"({"lat":1,"lon":-180.5})", "-180.5"},
        BadLine{R"({"lat":1})", "latitude without a longitude"},
        BadLine{R"({"lat":"nan","lon":1})", "nan"}, BadLine{R"({"id":["a"]})", "'id' is an array"},
        BadLine{R"({"id":true})", "'id'"}, BadLine{R"({"title":{"en":"x"}})", "an object"},
        BadLine{R"({"tags":5})", "'tags' is a number"}, BadLine{R"({"tags":[["a"]]})", "an array"},
        BadLine{R"({"tags":{"a":0}})", "above 0"}, BadLine{R"({"tags":{"a":"many"}})", "many"},
        BadLine{R"({"tags":[{"name":"a","by":"nobody"}]})", "nobody"},
        BadLine{R"({"tags":[{"name":"a","score":2}]})", "'2'"},
        BadLine{R"({"tags":"['a', 'b']"})", "not JSON"},
        BadLine{R"({"label":{"a":{"b":1}}})", "an object"}, BadLine{R"(["a"])", "an array"},
        BadLine{"nonsense", "not JSON"}, BadLine{R"({"id":"a")", "not JSON"},
        BadLine{R"({"id":"a"} x)", "not JSON"}, BadLine{R"({"n":1e999})", "too large"},
        BadLine{"{\"id\":\"caf\xE9\"}", "UTF-8"}, BadLine{R"({"id":"\ud800"})", "not JSON"},
        BadLine{"{\"a\":" + std::string(64, '[') + std::string(64, ']') + "}", "64 levels"},
        BadLine{std::string(100'000, '['), "64 levels"}));

TEST(Jsonl, RefusesAnObjectOfTooManyMembers) {
  std::string line = "{\"a\":1";
  for (int i = 0; i < 10'000; ++i) line += ",\"k" + std::to_string(i) + "\":1";
  EXPECT_EQ(jsonl(line + "}").bad.size(), 1U);
}

TEST(Jsonl, LetsErrorsOfTheSinkPass) {
  Sink sink;
  sink.record = [](Record&&) { throw Cancelled(); };
  sink.bad = [](const Where&, const std::string&) {
    FAIL() << "the sink's error is not a bad record";
  };
  LineReader lines(bytes_of("{}\n"), "x");
  EXPECT_THROW(read_jsonl(lines, {}, sink), Cancelled);
}

TEST(Jsonl, ReadsBackWhatItWrites) {
  const std::vector<Item> items = random_items(1, 500);
  const Collected read =
      jsonl(written([&](const Output& out) { write_jsonl(each_of(items), out); }));
  ASSERT_TRUE(read.bad.empty()) << read.bad[0].second;
  ASSERT_EQ(read.records.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(read.item(i), items[i]) << i;
}

TEST(Jsonl, RefusesToWriteBrokenMetadata) {
  Item item;
  item.metadata = "{broken";
  const std::vector<Item> items{item};
  EXPECT_THROW(written([&](const Output& out) { write_jsonl(each_of(items), out); }), Error);
}

TEST(FieldMapText, IsRead) {
  EXPECT_EQ(parse_field_map(" text=overview , latitude=y,lon=x,labels=a=b"),
            (FieldMap{{"text", "overview"}, {"lat", "y"}, {"lon", "x"}, {"labels", "a=b"}}));
  EXPECT_TRUE(parse_field_map("").empty());
  EXPECT_THROW(parse_field_map("body=text"), Error);
  EXPECT_THROW(parse_field_map("text"), Error);
  EXPECT_THROW(parse_field_map("text="), Error);
}

struct RealFile {
  std::string file;
  std::string map;
  std::size_t items;
};
class RealJsonl : public testing::TestWithParam<RealFile> {};

TEST_P(RealJsonl, HasNoBadRecord) {
  if (data_directory().empty())
    GTEST_SKIP() << "the real data sets are not here (COMMONPLACE_DATA)";
  std::size_t count = 0;
  std::size_t with_tags = 0;
  Sink sink;
  sink.record = [&](Record&& record) {
    ++count;
    with_tags += record.item.tags.empty() ? 0 : 1;
    EXPECT_FALSE(record.item.id.empty());
  };
  sink.bad = [&](const Where& where, const std::string& message) {
    ADD_FAILURE() << to_string(where) << ": " << message;
  };
  ReadOptions options;
  options.map = parse_field_map(GetParam().map);
  const auto source = data_directory() / GetParam().file;
  ASSERT_EQ(recognise_format(source), "jsonl");
  read_source(source, "jsonl", options, sink);
  EXPECT_EQ(count, GetParam().items);
  const bool tagged = GetParam().map.find("labels") == std::string::npos;
  EXPECT_EQ(with_tags > 0, tagged);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealJsonl,
    testing::Values(RealFile{"20newsgroups", "title=subject,labels=group,labels=split", 18'846},
                    RealFile{"amazon_reviews", "labels=label,labels=split", 47'895},
                    RealFile{"bookmarks", "text=note", 9'172},
                    RealFile{"flickr8k", "id=image,text=captions,tags=captions", 2'600},
                    RealFile{"flickr_dresden", "", 17'879},
                    RealFile{"oldnyc", "image=images", 49'101},
                    RealFile{"tate", "tags=tag_paths", 69'202},
                    RealFile{"youtube", "id=video_id,text=description", 4'911}));

TEST(Jsonl, TakesTheLabelsOfAVocabularysSubjects) {
  const Collected read = jsonl(
      R"({"id":"1","subjects":[{"uri":"http://v.org/1","label":"owls"},{"uri":"http://v.org/2"}]})");
  ASSERT_EQ(read.records.size(), 1U);
  EXPECT_EQ(tag_names(read.item()), (std::vector<std::string>{"owls", "http://v.org/2"}));
  // The addresses of the subjects are kept, too.
  EXPECT_EQ(read.item().metadata,
            R"({"subjects":[{"uri":"http://v.org/1","label":"owls"},{"uri":"http://v.org/2"}]})");
}

TEST(Jsonl, RefusesTagsWithoutAName) {
  const Collected read = jsonl(R"({"id":"1","tags":[{"colour":"red"}]})");
  EXPECT_TRUE(read.records.empty());
  ASSERT_EQ(read.bad.size(), 1U);
  EXPECT_NE(read.bad[0].second.find("expected a name in one of name, label"), std::string::npos)
      << read.bad[0].second;
}

}  // namespace jsonl_test
}  // namespace commonplace::test
