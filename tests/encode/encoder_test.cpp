#include "commonplace/encode/encoder.h"

#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/encode/models.h"
#include "commonplace/io/files.h"
#include "tests/support/encoder_folders.h"
#include "tests/support/formula_picture.h"

namespace commonplace {
namespace encoder_test {

using test::TemporaryDirectory;

class EncoderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (options_.runtime.empty()) GTEST_SKIP() << "there is no ONNX Runtime";
  }
  Encoder open(const std::filesystem::path& path) const {
    return Encoder(read_encoder_model(path), options_);
  }
  TemporaryDirectory folder_;
  EncoderOptions options_{test::runtime_for_tests(), {}, 1};
};

std::vector<Tokens> prepared(const Encoder& encoder, const std::vector<std::string>& texts) {
  std::vector<Tokens> tokens;
  for (const std::string& text : texts) tokens.push_back(encoder.prepare(text));
  return tokens;
}

Picture plain(float red, float green, float blue) {
  Picture picture{20, 10, {}};
  for (std::size_t c = 0; c < 3; ++c)
    picture.channels[c].assign(200, c == 0 ? red : c == 1 ? green : blue);
  return picture;
}

TEST_F(EncoderTest, MeanOfTokensLeavesThePaddingOut) {
  Encoder encoder = open(test::write_sentence_folder(folder_, "small"));
  EXPECT_EQ(encoder.dimensions(Medium::text), 3);
  const Matrix rows = encoder.encode(prepared(encoder, {"dog", "cat car dog cat", "dog"}));
  // (1, 0, 0) + (0, 1, 0) stand around (3, 0, 0).
  const Eigen::RowVector3f dog = Eigen::RowVector3f(4, 1, 0).normalized();
  const Eigen::RowVector3f all = Eigen::RowVector3f(4, 11, 7).normalized();
  EXPECT_LT((rows.row(0) - dog).norm(), 1e-6);
  EXPECT_LT((rows.row(1) - all).norm(), 1e-6);
  EXPECT_LT((rows.row(2) - dog).norm(), 1e-6);
  EXPECT_LT((encoder.encode_text("dog") - dog).norm(), 1e-6);
}

TEST_F(EncoderTest, PoolingIsWhatSentenceTransformersSay) {
  const auto folder = test::write_sentence_folder(folder_, "small");
  folder_.write("small/modules.json", "[]");
  folder_.write("small/1_Pooling/config.json", R"({"pooling_mode_cls_token":true})");
  EXPECT_LT((open(folder).encode_text("car") - Eigen::RowVector3f(1, 0, 0)).norm(), 1e-6);
  folder_.write("small/1_Pooling/config.json", R"({"pooling_mode_max_tokens":true})");
  EXPECT_LT((open(folder).encode_text("car") - Eigen::RowVector3f(1, 1, 7).normalized()).norm(),
            1e-6);
  folder_.write("small/1_Pooling/config.json", R"({"pooling_mode_lasttoken":true})");
  EXPECT_THROW(read_encoder_model(folder), Error);
}

TEST_F(EncoderTest, ManyTextsComeBackInTheirOrder) {
  Encoder encoder = open(test::write_sentence_folder(folder_, "small"));
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    std::string text = i % 3 == 0 ? "dog" : i % 3 == 1 ? "cat" : "car";
    for (int more = 0; more < i % 7; ++more) text += " cat";
    texts.push_back(text);
  }
  const Matrix rows = encoder.encode(prepared(encoder, texts));
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_LT((rows.row(static_cast<std::int64_t>(i)) - encoder.encode_text(texts[i])).norm(), 1e-6)
        << texts[i];
}

TEST_F(EncoderTest, PicturesGiveVectorsAndClasses) {
  Encoder encoder = open(test::write_picture_folder(folder_, "look"));
  EXPECT_FALSE(encoder.model().reads(Medium::text));
  std::vector<std::vector<float>> pictures;
  for (int i = 0; i < 19; ++i) pictures.push_back(encoder.prepare(plain(1, 0, 0)));
  pictures.push_back(encoder.prepare(plain(0, 0.6F, 0.8F)));
  const Encoder::Seen seen = encoder.look(pictures);
  EXPECT_LT((seen.vectors.row(18) - Eigen::RowVector3f(1, 0, 0)).norm(), 1e-5);
  EXPECT_LT((seen.vectors.row(19) - Eigen::RowVector3f(0, 0.6F, 0.8F)).norm(), 1e-2);
  ASSERT_EQ(encoder.model().picture->labels, (std::vector<std::string>{"red", "green", "blue"}));
  const float e = std::exp(1.0F);
  EXPECT_LT((seen.classes.row(0) - Eigen::RowVector3f(e, 1, 1) / (e + 2)).norm(), 1e-5);
  EXPECT_LT((encoder.encode(pictures) - seen.vectors).norm(), 1e-6);
}

TEST_F(EncoderTest, APairMayBeOneFile) {
  Encoder encoder = open(test::write_one_file_pair(folder_, "whole"));
  EXPECT_EQ(encoder.dimensions(Medium::text), 3);
  EXPECT_EQ(encoder.dimensions(Medium::picture), 3);
  EXPECT_LT((encoder.encode_picture(plain(0, 255, 0)) - Eigen::RowVector3f(0, 1, 0)).norm(), 1e-5);
  // The vectors of "dog" and of what stands around it are averaged.
  EXPECT_LT((encoder.encode_text("dog") - Eigen::RowVector3f(4, 1, 0).normalized()).norm(), 1e-5);
  const Matrix rows = encoder.encode(prepared(encoder, {"cat", "car", "cat"}));
  EXPECT_LT((rows.row(0) - rows.row(2)).norm(), 1e-6);
  EXPECT_FALSE(encoder.classifies());
}

TEST_F(EncoderTest, APairOfTowersSharesASpace) {
  Encoder encoder = open(test::write_pair_folder(folder_, "pair"));
  EXPECT_EQ(encoder.dimensions(Medium::text), encoder.dimensions(Medium::picture));
  // Five tokens whatever the text: [CLS] dog [SEP] and two of padding.
  const Eigen::RowVector3f dog = Eigen::RowVector3f(4 + 180, 1 + 180, 180).normalized();
  const Matrix rows = encoder.encode(prepared(encoder, {"dog", "dog dog dog dog dog dog"}));
  EXPECT_LT((rows.row(0) - dog).norm(), 1e-5);
  EXPECT_LT((rows.row(1) - Eigen::RowVector3f(10, 1, 0).normalized()).norm(), 1e-5);
  EXPECT_LT((encoder.encode_picture(plain(0, 1, 0)) - Eigen::RowVector3f(0, 1, 0)).norm(), 1e-5);
}

TEST_F(EncoderTest, ACrashOfTheProcessIsAnErrorAndTheNextBatchWorks) {
  Encoder encoder = open(test::write_sentence_folder(folder_, "small"));
  const auto texts = prepared(encoder, {"dog"});
  encoder.encode(texts);
  const pid_t process = encoder.process(Medium::text);
  ASSERT_GT(process, 0);
  kill(process, SIGSEGV);
  EXPECT_THROW(encoder.encode(texts), WorkerCrash);
  EXPECT_EQ(encoder.encode(texts).rows(), 1);
  EXPECT_NE(encoder.process(Medium::text), process);
}

TEST_F(EncoderTest, WaitingCanBeGivenUp) {
  Encoder encoder = open(test::write_sentence_folder(folder_, "small"));
  const auto texts = prepared(encoder, {"dog"});
  encoder.encode(texts);
  kill(encoder.process(Medium::text), SIGSTOP);
  EXPECT_THROW(encoder.encode(texts, [] { throw Cancelled(); }), Cancelled);
  EXPECT_EQ(encoder.encode(texts).rows(), 1);
}

TEST_F(EncoderTest, DamagedModelsAreErrors) {
  const auto folder = test::write_sentence_folder(folder_, "small");
  const std::string good = test::token_model();
  for (const std::string& bad : {std::string(), std::string("not a model"),
                                 good.substr(0, good.size() / 2), std::string(1000, '\xff')}) {
    folder_.write("small/onnx/model.onnx", bad);
    EXPECT_THROW(open(folder).encode_text("dog"), Error) << bad.size();
  }
  // Any single byte may be wrong: there is an answer or an error, and this process goes on.
  for (std::size_t at = 0; at < good.size(); at += 37) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    folder_.write("small/onnx/model.onnx", bad);
    try {
      EXPECT_LE(open(folder).encode_text("dog").norm(), 1.0001);
    } catch (const Error&) {
      continue;
    }
  }
}

TEST_F(EncoderTest, AModelOfAnotherKindIsRefusedByName) {
  const auto folder = test::write_sentence_folder(folder_, "small");
  folder_.write("small/onnx/model.onnx", test::channel_model("image_embeds"));
  try {
    open(folder).encode_text("dog");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("pixel_values"), std::string::npos) << error.what();
  }
}

TEST(OnnxRuntimeTest, WhatIsNoRuntimeIsSaid) {
  TemporaryDirectory folder;
  EXPECT_THROW(find_onnx_runtime(folder / "nowhere.so", {}), Error);
  const auto file = folder.write("libonnxruntime.so", "not a library");
  EXPECT_EQ(find_onnx_runtime(folder.path(), {}), file);
  const auto model = folder.write("model.onnx", test::token_model());
  EXPECT_THROW(Worker(file, model, 1), Error);
}

/// Sentences and what @huggingface/transformers makes of them with the same model, one by one.
TEST_F(EncoderTest, SentencesAreWhatAnotherProgramMakesOfThem) {
  const std::filesystem::path minilm = test::brought_models() / "minilm";
  if (!std::filesystem::exists(minilm)) GTEST_SKIP() << "./dev models brings the encoder";
  Encoder encoder = open(minilm);
  const auto expected =
      nlohmann::json::parse(read_file("tests/oracles/encoders/minilm.json", 1 << 20));
  ASSERT_GE(expected.size(), 6U);
  for (const nlohmann::json& one : expected) {
    const auto values = one["vector"].get<std::vector<float>>();
    const Eigen::Map<const Eigen::RowVectorXf> vector(values.data(), std::ssize(values));
    const auto text = one["text"].get<std::string>();
    // Its weights are bytes, which processors round in ways of their own.
    EXPECT_GT(encoder.encode_text(text).dot(vector.normalized()), 0.98) << text;
  }
}

/// Pictures and what numpy makes of them by the layers and weights that the model was converted
/// from.
TEST_F(EncoderTest, PicturesAreWhatAnotherProgramMakesOfThem) {
  const std::filesystem::path resnet = test::brought_models() / "resnet50";
  if (!std::filesystem::exists(resnet)) GTEST_SKIP() << "./dev models brings the encoder";
  Encoder encoder = open(resnet);
  const auto expected =
      nlohmann::json::parse(read_file("tests/oracles/encoders/resnet50.json", 1 << 20));
  ASSERT_GE(expected.size(), 3U);
  for (const nlohmann::json& one : expected) {
    const Picture picture = test::formula_picture(one["width"], one["height"]);
    const std::vector<std::vector<float>> tensors = {encoder.prepare(picture)};
    const auto seen = encoder.look(tensors);
    ASSERT_EQ(seen.vectors.cols(), one["dimensions"].get<std::int64_t>());
    Eigen::Index best = 0;
    seen.classes.row(0).maxCoeff(&best);
    EXPECT_EQ(best, one["class"].get<std::int64_t>());
    for (std::size_t i = 0; i < one["samples"].size(); ++i)
      ASSERT_NEAR(seen.vectors(0, static_cast<Eigen::Index>(16 * i)),
                  one["samples"][i].get<double>(), 1e-4)
          << one["width"] << " pixels wide, number " << 16 * i;
  }
}

}  // namespace encoder_test
}  // namespace commonplace
