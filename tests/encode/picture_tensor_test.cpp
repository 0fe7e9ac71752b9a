#include "commonplace/encode/picture_tensor.h"

#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/io/files.h"
#include "tests/support/formula_picture.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace picture_tensor_test {

std::vector<float> tensor_of(const Picture& picture, const PictureRules& rules) {
  const auto shape = shape_of(rules);
  std::vector<float> tensor(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
  make_picture_tensor(picture, rules, tensor);
  return tensor;
}

TEST(PictureTensorTest, IsWhatPilAndNumpyMake) {
  const auto cases =
      nlohmann::json::parse(read_file("tests/oracles/pictures/expected.json", 1 << 20));
  ASSERT_GT(cases.size(), 25U);
  for (const nlohmann::json& one : cases) {
    SCOPED_TRACE(one["rules"].dump());
    const PictureRules rules = parse_picture_rules(one["rules"].dump(), "rules.json");
    ASSERT_EQ(shape_of(rules), (one["shape"].get<std::array<std::int64_t, 3>>()));
    const std::vector<float> tensor =
        tensor_of(test::formula_picture(one["width"], one["height"]), rules);
    double sum = 0;
    double weighted = 0;
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      sum += tensor[i];
      weighted += tensor[i] * static_cast<double>(i % 97);
    }
    const auto size = static_cast<double>(tensor.size());
    EXPECT_NEAR(sum / size, one["mean"].get<double>(), 1e-5);
    EXPECT_NEAR(weighted / size, one["weighted"].get<double>(), 1e-4);
    const auto stride = one["stride"].get<std::size_t>();
    for (std::size_t i = 0; i < one["samples"].size(); ++i)
      ASSERT_NEAR(tensor[i * stride], one["samples"][i].get<double>(), 1e-4) << "sample " << i;
  }
}

TEST(PictureTensorTest, PixelsBetweenBytesAreRounded) {
  Picture picture{1, 1, {{{0.5F}, {-0.2F}, {1.3F}}}};
  PictureRules rules;
  rules.height = rules.width = 1;
  rules.resize_height = rules.resize_width = 1;
  EXPECT_EQ(tensor_of(picture, rules), (std::vector<float>{128.0F / 255, 0, 1}));
}

TEST(PictureTensorTest, AVeryNarrowPictureIsNotEnlargedAsAWhole) {
  Picture picture{4000, 1, {}};
  for (auto& channel : picture.channels) channel.assign(4000, 1.0F);
  PictureRules rules;
  rules.resize_height = 4000;  // 16 million pixels wide
  EXPECT_EQ(tensor_of(picture, rules), std::vector<float>(3 * 224 * 224, 1.0F));
}

TEST(PictureTensorTest, ATensorOfAnotherSizeIsRefused) {
  std::vector<float> tensor(5);
  EXPECT_NE(test::message_of([&] {
              make_picture_tensor(test::formula_picture(4, 4), {}, tensor);
            }).find("150528"),
            std::string::npos);
}

TEST(PictureRulesTest, WhatCannotBeFollowedIsRefused) {
  const auto refused = [](const std::string& json) {
    return test::message_of([&] { parse_picture_rules(json, "p.json"); });
  };
  EXPECT_NE(refused("[]").find("p.json"), std::string::npos);
  EXPECT_NE(refused("{").find("JSON"), std::string::npos);
  EXPECT_NE(refused("{}").find("size is missing"), std::string::npos);
  EXPECT_NE(refused(R"({"size": 0})").find("size is 0"), std::string::npos);
  EXPECT_NE(refused(R"({"size": 1e9})").find("4096"), std::string::npos);
  EXPECT_NE(refused(R"({"size": {"shortest_edge": 224}})").find("no fixed size"),
            std::string::npos);
  EXPECT_NE(refused(R"({"size": {"longest_edge": 224}})").find("longest_edge"), std::string::npos);
  EXPECT_NE(refused(R"({"size": 9, "resample": 6})").find("resample"), std::string::npos);
  EXPECT_NE(refused(R"({"size": 9, "do_normalize": true})").find("image_mean"), std::string::npos);
  EXPECT_NE(refused(R"({"size": 9, "image_mean": [0,0,0], "image_std": [1,0,1]})").find("zero"),
            std::string::npos);
  EXPECT_NE(refused(R"({"size": 9, "include_top": true})").find("include_top"), std::string::npos);
  EXPECT_NE(refused(R"({"size": 9, "mean": 0, "std": 1, "interpolation": "x"})").find("\"x\""),
            std::string::npos);
  EXPECT_NE(refused(R"({"size": 9, "mean": 0, "std": 1, "resize_mode": "x"})").find("\"x\""),
            std::string::npos);
}

}  // namespace picture_tensor_test
}  // namespace commonplace
