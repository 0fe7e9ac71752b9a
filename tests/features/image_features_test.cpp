#include "commonplace/features/image_features.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/io/options_json.h"
#include "tests/support/sample_pictures.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace image_features_test {

constexpr int kPictures = 12;

ImageFeatureOptions options_of(const std::string& image) {
  ImageFeatureOptions options;
  options.image = image;
  options.dim = 8;
  options.words = 4;
  return options;
}

std::string file_of(int number) { return test::as_png(test::pattern(72, 60, number)); }

struct Learned {
  ImageFeatureModel model;
  Matrix raw;
};

Learned learn(const ImageFeatureOptions& options, int jobs = 1) {
  std::vector<Picture> pictures;
  Matrix descriptors;
  for (int i = 0; i < kPictures; ++i) {
    pictures.push_back(decode_for_features(options, file_of(i), "p"));
    const Matrix more =
        sample_descriptors(options, pictures.back(), 20, static_cast<std::uint64_t>(i));
    Matrix all(descriptors.rows() + more.rows(), more.cols());
    if (descriptors.rows() > 0) all.topRows(descriptors.rows()) = descriptors;
    all.bottomRows(more.rows()) = more;
    descriptors = std::move(all);
  }
  std::vector<Matrix> words = learn_vocabularies(descriptors, options, jobs, no_progress);
  Learned learned;
  learned.raw.resize(kPictures, raw_size(options, words));
  for (int i = 0; i < kPictures; ++i)
    learned.raw.row(i) = raw_image_features(options, words, pictures[static_cast<std::size_t>(i)]);
  learned.model = learn_image_features(options, std::move(words), learned.raw, jobs);
  return learned;
}

class ImageFeaturesTest : public testing::TestWithParam<const char*> {
 protected:
  test::TemporaryDirectory folder_;
};

TEST_P(ImageFeaturesTest, APictureAloneHasTheBitsOfTheBatch) {
  const Learned learned = learn(options_of(GetParam()));
  const Matrix batch = encode(learned.model, learned.raw, 3);
  ASSERT_EQ(batch.rows(), kPictures);
  for (int i = 0; i < kPictures; ++i) {
    EXPECT_EQ(batch.row(i), encode_picture(learned.model, file_of(i), "p"));
    EXPECT_NEAR(batch.row(i).norm(), 1, 1e-5);
  }
}

TEST_P(ImageFeaturesTest, ThreadsDoNotChangeTheModel) {
  EXPECT_EQ(fingerprint(learn(options_of(GetParam()), 1).model),
            fingerprint(learn(options_of(GetParam()), 4).model));
}

TEST_P(ImageFeaturesTest, SavedAndLoadedItIsTheSame) {
  const ImageFeatureModel model = learn(options_of(GetParam())).model;
  save(model, folder_ / "model");
  EXPECT_EQ(to_bytes(model), read_file(folder_ / "model", 1 << 24));
  const ImageFeatureModel loaded = load_image_features(TensorFile(folder_ / "model"));
  EXPECT_EQ(loaded.options, model.options);
  EXPECT_EQ(fingerprint(loaded), fingerprint(model));
  EXPECT_EQ(encode_picture(loaded, file_of(77), "p"), encode_picture(model, file_of(77), "p"));
}

TEST_P(ImageFeaturesTest, EncodingIsTheNaiveOne) {
  const Learned learned = learn(options_of(GetParam()));
  const ImageFeatureModel& model = learned.model;
  const Matrix batch = encode(model, learned.raw);
  for (int i = 0; i < kPictures; ++i) {
    std::vector<double> along;
    double length = 0;
    for (std::int64_t k = 0; k < model.axes.rows(); ++k) {
      double sum = 0;
      for (std::int64_t j = 0; j < model.axes.cols(); ++j)
        sum += (static_cast<double>(learned.raw(i, j)) - model.mean(j)) * model.axes(k, j);
      along.push_back(sum * model.scale(k));
      length += along.back() * along.back();
    }
    for (std::size_t k = 0; k < along.size(); ++k)
      EXPECT_NEAR(batch(i, static_cast<std::int64_t>(k)), along[k] / std::sqrt(length), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ImageFeaturesTest,
                         testing::Values("sift", "rgb-sift", "surf", "gist"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ImageModel, SurfIsWhitened) {
  const Learned learned = learn(options_of("surf"));
  const ImageFeatureModel& model = learned.model;
  EXPECT_EQ(model.vocabularies.size(), 4U);
  EXPECT_NE(model.vocabularies[0], model.vocabularies[1]);
  // Before its length is made one, a row along an axis has variance 1 over the pictures learned.
  for (std::int64_t k = 0; k < model.axes.rows(); ++k) {
    double sum = 0;
    for (int i = 0; i < kPictures; ++i) {
      double along = 0;
      for (std::int64_t j = 0; j < model.axes.cols(); ++j)
        along += (static_cast<double>(learned.raw(i, j)) - model.mean(j)) * model.axes(k, j);
      sum += std::pow(along * model.scale(k), 2);
    }
    EXPECT_NEAR(sum / kPictures, 1, 1e-2);
  }
}

TEST(ImageModel, FewPicturesHaveFewerNumbers) {
  ImageFeatureOptions options = options_of("gist");
  options.dim = 512;
  EXPECT_EQ(learn(options).model.axes.rows(), kPictures - 1);
  EXPECT_THROW(learn_image_features(options, {}, Matrix::Ones(3, 1536), 1), Error);
  EXPECT_THROW(learn_image_features(options, {}, Matrix(0, 1536), 1), Error);
}

TEST(ImageModel, TinyAndEvenPicturesAreEncoded) {
  for (const char* kind : {"sift", "rgb-sift", "surf", "gist"}) {
    const ImageFeatureModel model = learn(options_of(kind)).model;
    for (const std::string& file : {test::tiny_png(), test::tiny_jpeg(), test::tiny_webp()}) {
      const Eigen::RowVectorXf row = encode_picture(model, file, "p");
      EXPECT_TRUE(row.allFinite());
      EXPECT_NEAR(row.norm(), 1, 1e-5);
    }
    EXPECT_THROW(encode_picture(model, test::tiny_tiff(), "p"), Error);
  }
}

TEST(ImageModel, SamplesAreRowsOfThePicture) {
  const ImageFeatureOptions options = options_of("sift");
  const Picture picture = decode_for_features(options, file_of(3), "p");
  const Matrix all = sample_descriptors(options, picture, 1 << 20, 5);
  const Matrix some = sample_descriptors(options, picture, 9, 5);
  ASSERT_EQ(some.rows(), 9);
  for (std::int64_t i = 0; i < 9; ++i) {
    bool found = false;
    for (std::int64_t j = 0; j < all.rows(); ++j) found = found || all.row(j) == some.row(i);
    EXPECT_TRUE(found);
  }
  EXPECT_NE(some, sample_descriptors(options, picture, 9, 6));
}

TEST(ImageModel, WrongOptionsAreRefused) {
  auto refused = [](auto change) {
    ImageFeatureOptions options;
    change(options);
    EXPECT_THROW(check(options), Error);
  };
  refused([](auto& o) { o.image = "clip"; });
  refused([](auto& o) { o.dim = 0; });
  refused([](auto& o) { o.side = 3; });
  refused([](auto& o) { o.grid = 0; });
  refused([](auto& o) { o.words = -1; });
  refused([](auto& o) { o.vocabularies = 1000; });
}

TEST(ImageModel, DamagedFilesAreRefused) {
  const test::TemporaryDirectory folder;
  const ImageFeatureModel good = learn(options_of("sift")).model;
  auto refused = [&](auto change) {
    ImageFeatureModel model = good;
    change(model);
    save(model, folder / "model");
    EXPECT_THROW(load_image_features(TensorFile(folder / "model")), Error);
  };
  refused([](auto& m) { m.vocabularies.clear(); });
  refused([](auto& m) { m.vocabularies[0] = Matrix::Zero(4, 64); });
  refused([](auto& m) { m.vocabularies[0](0, 0) = std::nanf(""); });
  refused([](auto& m) { m.mean.conservativeResize(5); });
  refused([](auto& m) { m.scale = Eigen::RowVectorXf::Ones(3); });
  refused([](auto& m) { m.axes = Matrix::Zero(0, m.axes.cols()); });
  refused([](auto& m) { m.options.image = "gist"; });
  refused([](auto& m) { m.options.dim = 2; });
  refused([](auto& m) { m.options.vocabularies = 2; });
  save(good, folder / "model");
  const std::string bytes = read_file(folder / "model", 1 << 24);
  for (const std::size_t at : {bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THROW(load_image_features(TensorFile(damaged, "m")), Error);
    EXPECT_THROW(load_image_features(TensorFile(bytes.substr(0, at), "m")), Error);
  }
}

}  // namespace image_features_test
}  // namespace commonplace
