#include "commonplace/encode/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/io/files.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace tokenizer_test {

const std::string kFolder = "tests/oracles/tokenizers/";
constexpr std::size_t kPlenty = 100000;

nlohmann::json oracle(const std::string& name) {
  return nlohmann::json::parse(read_file(kFolder + name, 1 << 22));
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

using Ids = std::vector<std::int64_t>;

class TokenizerOracleTest : public testing::TestWithParam<const char*> {};

TEST_P(TokenizerOracleTest, TokensAreThoseOfTheFormatsOwnProgram) {
  const std::string name = GetParam();
  const SubwordTokenizer tokenizer = read_tokenizer(kFolder + name + ".json");
  const nlohmann::json texts = oracle("texts.json");
  const nlohmann::json expected = oracle(name + ".expected.json");
  ASSERT_EQ(texts.size(), expected["answers"].size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = from_hex(texts[i]);
    SCOPED_TRACE(testing::Message() << "text " << i << ": " << text);
    const Tokens tokens = tokenize(tokenizer, text, kPlenty);
    const nlohmann::json& answer = expected["answers"][i];
    EXPECT_EQ(tokens.ids, answer["ids"].get<Ids>());
    EXPECT_EQ(tokens.types,
              answer.contains("types") ? answer["types"].get<Ids>() : Ids(tokens.ids.size(), 0));
  }
  for (std::size_t i = 0; i < expected["cut"].size(); ++i)
    EXPECT_EQ(tokenize(tokenizer, from_hex(texts[i]), 8).ids, expected["cut"][i].get<Ids>());
}

TEST_P(TokenizerOracleTest, TheFirstTokensOfALongTextAreThoseOfAllOfIt) {
  const SubwordTokenizer tokenizer = read_tokenizer(kFolder + std::string(GetParam()) + ".json");
  const std::size_t special = tokenize(tokenizer, "", kPlenty).ids.size();
  std::string text;
  const nlohmann::json texts = oracle("texts.json");
  for (int again = 0; again < 3; ++again)
    for (const nlohmann::json& hex : texts) text += from_hex(hex) + (text.size() % 2 ? " " : "\n");
  const Ids all = tokenize(tokenizer, text, kPlenty).ids;
  for (std::size_t most = special + 1; most < 150; most += 7) {
    Ids cut = tokenize(tokenizer, text, most).ids;
    ASSERT_EQ(cut.size(), most);
    std::size_t same = 0;
    while (same < most && cut[same] == all[same]) ++same;
    EXPECT_GE(same + special, most);  // all but special tokens at the end
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TokenizerOracleTest,
                         testing::Values("bert", "bert_cased", "clip", "gpt2", "roberta", "llama",
                                         "mistral", "llama3", "t5", "xlm_roberta", "albert",
                                         "words", "marks"),
                         [](const auto& kind) { return std::string(kind.param); });

/// A small tokenizer of each kind of model, and one with a part replaced.
nlohmann::json plain(const std::string& model = "WordPiece") {
  nlohmann::json json = {{"normalizer", nullptr}, {"pre_tokenizer", {{"type", "WhitespaceSplit"}}}};
  if (model == "WordPiece")
    json["model"] = {{"type", "WordPiece"}, {"vocab", {{"[UNK]", 0}, {"a", 1}, {"##b", 2}}}};
  if (model == "BPE")
    json["model"] = {
        {"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}}, {"merges", {"a b"}}};
  if (model == "Unigram")
    json["model"] = nlohmann::json::parse(
        R"({"type": "Unigram", "vocab": [["a", -1], ["b", -1], ["ab", -1.5]]})");
  return json;
}

Ids ids_of(const nlohmann::json& json, std::string_view text) {
  return tokenize(parse_tokenizer(json.dump(), "t.json"), text, kPlenty).ids;
}

std::string refusal_of(const nlohmann::json& json) {
  return test::message_of([&] { parse_tokenizer(json.dump(), "t.json"); });
}

void expect_within(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(TokenizerTest, EachModelCutsAsItsDefinitionSays) {
  EXPECT_EQ(ids_of(plain("WordPiece"), "ab a ba abb abab"), (Ids{1, 2, 1, 0, 1, 2, 2, 0}));
  EXPECT_EQ(ids_of(plain("BPE"), "aab c ba"), (Ids{0, 2, 1, 0}));  // what is unknown is left out
  EXPECT_EQ(ids_of(plain("Unigram"), "aab bab"), (Ids{0, 2, 1, 2}));
}

TEST(TokenizerTest, ModelsOfOldFilesAreToldByTheirMembers) {
  nlohmann::json json = plain("BPE");
  json["model"].erase("type");
  EXPECT_EQ(ids_of(json, "ab"), Ids{2});
}

TEST(TokenizerTest, PaddingIsWhatTheFileSaysElseATokenOfThatName) {
  nlohmann::json json = plain();
  const auto padding = [&] { return padding_of(parse_tokenizer(json.dump(), "t.json")); };
  EXPECT_EQ(padding(), 0);
  json["added_tokens"] = {{{"id", 7}, {"content", "<pad>"}}};
  EXPECT_EQ(padding(), 7);
  json["padding"] = {{"pad_id", 5}};
  EXPECT_EQ(padding(), 5);
}

TEST(TokenizerTest, UnknownComponentsAreNamed) {
  for (const char* part : {"normalizer", "pre_tokenizer", "post_processor", "model"}) {
    nlohmann::json json = plain();
    json[part] = {{"type", "Frobnicate"}};
    expect_within(refusal_of(json), "t.json: the ");
    expect_within(refusal_of(json), part);
    expect_within(refusal_of(json), "Frobnicate");
  }
}

TEST(TokenizerTest, BrokenFilesAreRefused) {
  const auto with = [](const char* part, const nlohmann::json& value,
                       const std::string& model = "WordPiece") {
    nlohmann::json json = plain(model);
    json[part] = value;
    return refusal_of(json);
  };
  const auto with_member = [](const char* name, const nlohmann::json& value,
                              const std::string& model) {
    nlohmann::json json = plain(model);
    json["model"][name] = value;
    return refusal_of(json);
  };
  expect_within(test::message_of([] { parse_tokenizer("{\"model\":", "t.json"); }), "JSON");
  expect_within(refusal_of({{"normalizer", nullptr}}), "model is missing");
  expect_within(with_member("unk_token", "x", "WordPiece"), "unk_token");
  expect_within(with_member("unk_token", "x", "BPE"), "unk_token");
  expect_within(with_member("vocab", {{"a", -1}}, "BPE"), "number");
  expect_within(with_member("vocab", {{"a", 1e12}}, "BPE"), "number");
  expect_within(with_member("vocab", {{std::string(5000, 'a'), 1}}, "BPE"), "5000 bytes");
  expect_within(with_member("merges", {"a"}, "BPE"), "merge");
  expect_within(with_member("merges", {"a c"}, "BPE"), "\"ac\"");
  expect_within(with_member("unk_id", 3, "Unigram"), "unk_id");
  expect_within(with_member("vocab", {{"a", "b"}}, "Unigram"), "vocab");
  expect_within(with("post_processor", {{"type", "BertProcessing"}}), "cls");
  expect_within(with("post_processor",
                     {{"type", "TemplateProcessing"}, {"single", {nlohmann::json::object()}}}),
                "SpecialToken");
  expect_within(with("normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "////"}}),
                "precompiled_charsmap");
  expect_within(with("pre_tokenizer",
                     {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}}),
                "(a");
  nlohmann::json deep = nullptr;
  for (int i = 0; i < 100; ++i)
    deep = {{"type", "Sequence"}, {"normalizers", nlohmann::json::array({deep})}};
  expect_within(with("normalizer", deep), "too deep");
}

TEST(TokenizerTest, AnExpressionWithoutEndIsStopped) {
  nlohmann::json json = plain();
  json["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a+)+c"}}}, {"behavior", "Isolated"}};
  expect_within(test::message_of([&] { ids_of(json, std::string(60, 'a')); }), "too long");
}

TEST(TokenizerTest, NeitherATokenizerNorATextMakesMuchOfLittle) {
  nlohmann::json json = plain();
  nlohmann::json doubling = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "a a"}};
  json["normalizer"] = {{"type", "Sequence"},
                        {"normalizers", std::vector<nlohmann::json>(60, doubling)}};
  EXPECT_EQ(ids_of(json, "a").size(), kPlenty);
  EXPECT_EQ(ids_of(plain(), std::string(5U << 20U, 'a')), Ids{0});
}

TEST(TokenizerTest, TextsThatCannotBeTokenizedAreRefused) {
  expect_within(test::message_of([] { ids_of(plain("Unigram"), "abc"); }), "unk_id");
  const SubwordTokenizer bert = read_tokenizer(kFolder + "bert.json");
  expect_within(test::message_of([&] { tokenize(bert, "a", 1); }), "special");
  EXPECT_EQ(tokenize(bert, "a", 2).ids, (Ids{2, 3}));
}

}  // namespace tokenizer_test
}  // namespace commonplace
