#include <algorithm>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/features/picture.h"
#include "tests/support/gzip.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"

namespace commonplace {
namespace decode_svg_test {

constexpr const char* kRed = "1 0 0";
constexpr const char* kWhite = "1 1 1";

/// An outermost element with these attributes and this inside.
std::string svg(const std::string& attributes, const std::string& inside) {
  return "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' " +
         attributes + ">" + inside + "</svg>";
}
std::string circle() {
  return svg("width='200' height='100'", "<circle cx='100' cy='50' r='40' fill='#f00'/>");
}

Picture drawn(const std::string& bytes, int side = 64) {
  PictureOptions options;
  options.side = side;
  return decode_picture(bytes, "p.svg", options);
}
std::string message_of(const std::string& bytes) {
  return test::message_of([&] { drawn(bytes); });
}
/// Red, green and blue at a place from (0, 0), the upper left corner, to (1, 1).
std::string colour(const Picture& picture, double x, double y) {
  const auto column = static_cast<std::size_t>(x * (picture.width - 1) + 0.5);
  const auto row = static_cast<std::size_t>(y * (picture.height - 1) + 0.5);
  const std::size_t at = row * static_cast<std::size_t>(picture.width) + column;
  return concat(picture.channels[0][at], ' ', picture.channels[1][at], ' ',
                picture.channels[2][at]);
}

std::string base64(const std::string& bytes) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= bytes.size() - i ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// A black PNG of a bit a pixel, in a drawing that it fills.
std::string with_embedded(int side) {
  const auto rows = static_cast<std::size_t>(side) * static_cast<std::size_t>((side + 7) / 8);
  test::PngForm form;
  form.depth = 1;
  form.type = PNG_COLOR_TYPE_GRAY;
  const std::string png = test::as_png(side, side, std::vector<std::uint8_t>(rows), form);
  return svg(
      "viewBox='0 0 10 10'",
      "<image width='10' height='10' xlink:href='data:image/png;base64," + base64(png) + "'/>");
}

TEST(DecodeSvgTest, DrawsOnWhite) {
  const Picture picture = drawn(circle());
  EXPECT_EQ(colour(picture, 0.5, 0.5), kRed);
  EXPECT_EQ(colour(picture, 0, 0), kWhite);
  EXPECT_EQ(colour(picture, 1, 1), kWhite);
  const Picture half = drawn(
      svg("viewBox='0 0 9 9'", "<rect width='9' height='9' fill='#000' fill-opacity='0.6'/>"));
  EXPECT_NEAR(half.channels[1][64 * 32 + 32], 0.4, 0.01);
}

TEST(DecodeSvgTest, KeepsTheShapeAtTheSizeAskedFor) {
  for (const int side : {1, 10, 64, 500}) {
    const Picture wide = drawn(circle(), side);
    EXPECT_EQ(wide.width, side);
    EXPECT_EQ(wide.height, std::max(1, side / 2));
  }
  const Picture high = drawn(svg("width='1in' height='10.16cm'", ""));
  EXPECT_EQ(high.width, 16);
  EXPECT_EQ(high.height, 64);
  const Picture thin = drawn(svg("width='100000' height='1'", ""));
  EXPECT_EQ(thin.width, 64);
  EXPECT_EQ(thin.height, 1);
}

TEST(DecodeSvgTest, WithoutASizeTheViewBoxOrElseWhatIsDrawnGivesTheShape) {
  const std::string dot = "<circle cx='1050' cy='20' r='9' fill='#f00'/>";
  const Picture boxed = drawn(svg("viewBox='1000 0 100 40'", dot));
  EXPECT_EQ(boxed.width, 64);
  EXPECT_EQ(boxed.height, 26);
  EXPECT_EQ(colour(boxed, 0.5, 0.5), kRed);
  EXPECT_EQ(colour(boxed, 0.1, 0.5), kWhite);
  const Picture half_sized = drawn(svg("width='100%' viewBox='1000 0 100 40'", dot));
  EXPECT_EQ(half_sized.height, 26);
  const Picture unsized = drawn(svg("", dot));
  EXPECT_EQ(unsized.width, unsized.height);
  EXPECT_EQ(colour(unsized, 0.5, 0.5), kRed);
  EXPECT_EQ(colour(unsized, 0, 0), kWhite);
  EXPECT_NE(message_of(svg("", "")).find("shows nothing"), std::string::npos);
}

TEST(DecodeSvgTest, MarksAndDeclarationsBeforeTheDrawingAreNoHindrance) {
  const std::string declared = "<?xml version='1.0' encoding='UTF-8'?>\n<!-- made by hand -->\n";
  EXPECT_EQ(colour(drawn(declared + circle()), 0.5, 0.5), kRed);
  EXPECT_EQ(colour(drawn("\xef\xbb\xbf" + circle()), 0.5, 0.5), kRed);
  const std::string prefixed =
      "<v:svg xmlns:v='http://www.w3.org/2000/svg' viewBox='0 0 9 9'>"
      "<v:rect width='9' height='9' fill='#f00'/></v:svg>";
  EXPECT_EQ(colour(drawn(prefixed), 0.5, 0.5), kRed);
}

TEST(DecodeSvgTest, PackedDrawingsAreTheSame) {
  const std::string packed = test::gzip(circle());
  EXPECT_EQ(drawn(packed).channels, drawn(circle()).channels);
  EXPECT_NE(message_of(packed.substr(0, packed.size() / 2)).find("broken SVGZ"), std::string::npos);
  EXPECT_NE(message_of(test::gzip("hello")).find("no SVG"), std::string::npos);
}

TEST(DecodeSvgTest, NothingElseIsRead) {
  const test::TemporaryDirectory folder;
  const test::Pixels red{1, 1, {255, 0, 0}};
  const std::string png = folder.write("red.png", test::as_png(red)).string();
  const std::string part =
      folder.write("part.svg", "<rect width='9' height='9' fill='#f00'/>").string();
  const std::string style = folder.write("red.css", "rect { fill: #f00 }").string();
  const std::string white = "<rect width='9' height='9' fill='#fff'/>";
  for (const std::string scheme : {"", "file://"}) {
    EXPECT_EQ(colour(drawn(svg("viewBox='0 0 9 9'",
                               "<image width='9' height='9' xlink:href='" + scheme + png + "'/>")),
                     0.5, 0.5),
              kWhite);
    EXPECT_EQ(colour(drawn(svg("viewBox='0 0 9 9' xmlns:xi='http://www.w3.org/2001/XInclude'",
                               "<xi:include href='" + scheme + part + "'/>")),
                     0.5, 0.5),
              kWhite);
    EXPECT_EQ(colour(drawn(svg("viewBox='0 0 9 9'",
                               "<style>@import url('" + scheme + style + "');</style>" + white)),
                     0.5, 0.5),
              kWhite);
    const std::string entity = "<!DOCTYPE svg [<!ENTITY e SYSTEM '" + scheme + part + "'>]>";
    try {
      EXPECT_EQ(colour(drawn(entity + svg("viewBox='0 0 9 9'", "&e;")), 0.5, 0.5), kWhite);
    } catch (const Error&) {  // as good
    }
  }
  EXPECT_EQ(colour(drawn(svg("viewBox='0 0 9 9'",
                             "<image width='9' height='9' xlink:href='data:image/png;base64," +
                                 base64(test::as_png(red)) + "'/>")),
                   0.5, 0.5),
            kRed)
      << "what is inside the drawing is";
}

TEST(DecodeSvgTest, BrokenDrawingsAreRefused) {
  const std::string whole = circle();
  for (std::size_t tenths = 2; tenths < 10; ++tenths)
    EXPECT_NE(message_of(whole.substr(0, whole.size() * tenths / 10)).find("broken SVG"),
              std::string::npos)
        << tenths;
  EXPECT_NE(message_of("<html><svg/></html>"), "");
  EXPECT_NE(message_of(svg("viewBox='0 0 9 9'", "<g></rect>")).find("broken SVG"),
            std::string::npos);
  std::string laughs = "<!DOCTYPE svg [<!ENTITY a 'haha'>";
  for (char name = 'b'; name < 'n'; ++name) {
    laughs += concat("<!ENTITY ", name, " '");
    for (int i = 0; i < 10; ++i) laughs += concat('&', static_cast<char>(name - 1), ';');
    laughs += "'>";
  }
  EXPECT_NE(message_of(laughs + "]>" + svg("viewBox='0 0 9 9'", "<text>&m;</text>")), "");
}

TEST(DecodeSvgTest, LargeOnesAreRefusedBeforeMemoryIsTaken) {
  EXPECT_NE(message_of(svg("width='1e9' height='1e9'", "")).find("more than 1e+06"),
            std::string::npos);
  EXPECT_NE(message_of(svg("width='0' height='5'", "")).find("shows nothing"), std::string::npos);
  const std::string padding(std::size_t{33} << 20, ' ');
  EXPECT_NE(message_of(svg("viewBox='0 0 9 9'", padding)).find("33554432"), std::string::npos);
  EXPECT_NE(message_of(test::gzip(svg("viewBox='0 0 9 9'", padding))).find("when unpacked"),
            std::string::npos);
  std::string many;
  for (int i = 0; i < 200001; ++i) many += "<g/>";
  EXPECT_NE(message_of(svg("viewBox='0 0 9 9'", many)).find("elements"), std::string::npos);
}

TEST(DecodeSvgTest, OnlySmallPicturesInsideAreShown) {
  EXPECT_EQ(colour(drawn(with_embedded(40)), 0.5, 0.5), "0 0 0");
  EXPECT_EQ(colour(drawn(with_embedded(5000)), 0.5, 0.5), kWhite);
}

TEST(DecodeSvgTest, ManyThreadsDrawAtOnce) {
  std::vector<std::string> drawings;
  for (int i = 0; i < 40; ++i)
    drawings.push_back(
        svg("viewBox='0 0 90 90'", concat("<text y='50' font-size='40'>", i, "</text><circle cx='",
                                          2 * i, "' cy='40' r='9' fill='#f00'/>")));
  std::vector<Picture> together(drawings.size());
  parallel_for(drawings.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) together[i] = drawn(drawings[i]);
  });
  for (std::size_t i = 0; i < drawings.size(); ++i)
    EXPECT_EQ(together[i].channels, drawn(drawings[i]).channels) << i;
}

}  // namespace decode_svg_test
}  // namespace commonplace
