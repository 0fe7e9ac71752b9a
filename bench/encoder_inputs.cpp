// How many texts and pictures a second become what an encoder reads, on one core.
//   bench_encoder_inputs TOKENIZER_JSON TEXTS      TEXTS has one text a line
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/encode/picture_tensor.h"
#include "commonplace/encode/tokenizer.h"

namespace {

using namespace commonplace;

constexpr double kLeastSeconds = 2;

void measure_texts(const char* tokenizer_json, const char* path) {
  const SubwordTokenizer tokenizer = read_tokenizer(tokenizer_json);
  std::ifstream file(path);
  std::vector<std::string> texts;
  for (std::string line; std::getline(file, line);) texts.push_back(line);
  require(!texts.empty(), path, " has no lines");
  std::size_t done = 0;
  std::size_t tokens = 0;
  const auto start = Clock::now();
  while (seconds_since(start) < kLeastSeconds)
    for (const std::string& text : texts) {
      tokens += tokenize(tokenizer, text, 256).ids.size();
      ++done;
    }
  const double seconds = seconds_since(start);
  std::printf("%.0f texts a second, %.1f tokens each\n", static_cast<double>(done) / seconds,
              static_cast<double>(tokens) / static_cast<double>(done));
}

void measure_pictures(int width, int height) {
  Picture picture{width, height, {}};
  for (std::size_t c = 0; c < 3; ++c)
    for (int i = 0; i < width * height; ++i)
      picture.channels[c].push_back(
          static_cast<float>(random_uniform(1, c, static_cast<std::uint64_t>(i))));
  const PictureRules rules;
  std::vector<float> tensor(3UL * 224 * 224);
  int done = 0;
  const auto start = Clock::now();
  for (; seconds_since(start) < kLeastSeconds; ++done) make_picture_tensor(picture, rules, tensor);
  std::printf("%.0f pictures a second, %d x %d to 224 x 224, bicubic\n",
              done / seconds_since(start), width, height);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: bench_encoder_inputs TOKENIZER_JSON TEXTS\n");
    return 2;
  }
  try {
    measure_texts(words[1], words[2]);
    measure_pictures(320, 240);
    measure_pictures(1024, 768);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
