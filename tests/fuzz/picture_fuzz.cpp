#include "commonplace/features/picture.h"
#include "tests/fuzz/fuzz.h"

using namespace commonplace;

/// libxml2 2.9 forgets the value of an entity whose declaration is broken (xmlParseEntityValue),
/// about a hundred bytes for each broken drawing; everything else that is lost counts.
extern "C" const char* __lsan_default_suppressions() { return "leak:xmlParseEntityValue\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::only_errors([&] {
    PictureOptions options;
    options.side = 48;
    options.most_pixels = 1 << 22;
    const Picture picture = decode_picture(fuzz::text_of(data, size), "input", options);
    const auto pixels =
        static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
    fuzz::check(
        picture.width >= 1 && picture.width <= 48 && picture.height >= 1 && picture.height <= 48,
        "the picture is not of the size that was asked for");
    for (const std::vector<float>& channel : picture.channels) {
      fuzz::check(channel.size() == pixels, "a channel is not of the picture's size");
      for (const float value : channel)
        fuzz::check(value >= 0 && value <= 1.0001F, "a pixel is not in [0, 1]");
    }
  });
}
