#include "app/server/http/compressed.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace commonplace::server {
namespace compressed_test {

Request asking(const std::string& encodings) {
  Request request;
  request.headers = {{"accept-encoding", encodings}};
  return request;
}

std::string unpacked(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string bytes(1U << 20U, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

std::string header_of(const Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return "";
}

TEST(Compressed, ReadsWhatAClientTakes) {
  EXPECT_TRUE(takes_gzip(asking("gzip, deflate, br")));
  EXPECT_TRUE(takes_gzip(asking("br;q=1, GZIP ;q=0.5")));
  EXPECT_TRUE(takes_gzip(asking("*")));
  EXPECT_FALSE(takes_gzip(asking("gzip;q=0")));
  EXPECT_FALSE(takes_gzip(asking("identity, xgzip")));
  EXPECT_FALSE(takes_gzip(Request{}));
}

TEST(Compressed, PacksLongTextAndGivesItBackToTheByte) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\"id\":" + std::to_string(i * i) + "},";
  Response response = json_response(text);
  compress(asking("gzip"), response);
  EXPECT_EQ(header_of(response, "Content-Encoding"), "gzip");
  EXPECT_EQ(header_of(response, "Vary"), "Accept-Encoding");
  EXPECT_LT(response.body.size(), text.size() / 3);
  EXPECT_EQ(unpacked(response.body), text);
  EXPECT_EQ(unpacked(gzipped("", 9)), "");
}

TEST(Compressed, LeavesTheRestAlone) {
  const std::string text(5000, 'a');
  const auto stays = [&](Response response, const std::string& encodings = "gzip") {
    const std::string before = response.body;
    compress(asking(encodings), response);
    return response.body == before && header_of(response, "Content-Encoding").empty();
  };
  EXPECT_TRUE(stays(json_response(text), "identity"));
  EXPECT_TRUE(stays(json_response("short")));
  Response picture = json_response(text);
  picture.type = "image/jpeg";
  EXPECT_TRUE(stays(picture));
  Response part = json_response(text, 206);
  EXPECT_TRUE(stays(part));
  Response tagged = json_response(text);
  tagged.tag = "a1";
  EXPECT_TRUE(stays(tagged));
  Response streamed = json_response(text);
  streamed.stream = [] { return std::optional<std::string>(); };
  EXPECT_TRUE(stays(streamed));
}

}  // namespace compressed_test
}  // namespace commonplace::server
