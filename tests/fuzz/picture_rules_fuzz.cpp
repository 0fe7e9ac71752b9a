#include <cmath>
#include <vector>

#include "commonplace/encode/picture_tensor.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    const PictureRules rules = parse_picture_rules(fuzz::text_of(data, size), "input");
    const auto [first, second, third] = shape_of(rules);
    fuzz::check(first >= 1 && second >= 1 && third >= 1, "a tensor is empty");
    if (first * second * third > 1 << 16) return;
    Picture picture{7, 5, {}};
    for (auto& channel : picture.channels)
      for (int i = 0; i < 35; ++i) channel.push_back(static_cast<float>(i) / 35);
    std::vector<float> tensor(static_cast<std::size_t>(first * second * third));
    make_picture_tensor(picture, rules, tensor);
    for (const float value : tensor) fuzz::check(std::isfinite(value), "a number is not finite");
  });
}
