#include "app/server/http/conditional.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace commonplace::server {
namespace conditional_test {

std::string header_of(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return "";
}

Response asked(const Headers& headers, const std::string& method = "GET") {
  Request request;
  request.method = method;
  request.headers = headers;
  Response response;
  response.body = "0123456789";
  response.tag = "t1";
  apply_conditions(request, response);
  return response;
}

TEST(Conditional, SaysWhichVersionItIs) {
  const Response whole = asked({});
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(header_of(whole, "ETag"), "\"t1\"");
  EXPECT_EQ(header_of(whole, "Accept-Ranges"), "bytes");
  Response plain;
  apply_conditions({}, plain);
  EXPECT_TRUE(plain.headers.empty());
  Response missing = problem(404, "none");
  missing.tag = "t1";
  Request request;
  request.headers = {{"if-none-match", "*"}};
  apply_conditions(request, missing);
  EXPECT_EQ(missing.status, 404);
}

TEST(Conditional, WhatTheClientHasIsNotSentAgain) {
  for (const char* list : {"\"t1\"", "W/\"t1\"", "\"t0\", \"t1\"", "*", "\"t0\" ,W/\"t1\""}) {
    const Response same = asked({{"if-none-match", list}});
    EXPECT_EQ(same.status, 304) << list;
    EXPECT_EQ(same.body, "");
    EXPECT_EQ(header_of(same, "ETag"), "\"t1\"");
    EXPECT_EQ(asked({{"if-none-match", list}, {"range", "bytes=0-1"}}).status, 304);
    EXPECT_EQ(asked({{"if-none-match", list}}, "HEAD").status, 304);
  }
  for (const char* list : {"\"t0\"", "t1", "", ",,", "\"t1", "W/"})
    EXPECT_EQ(asked({{"if-none-match", list}}).status, 200) << list;
}

TEST(Conditional, APartIsCut) {
  struct Case {
    const char* range;
    const char* body;
    const char* says;
  };
  for (const Case& each : {Case{"bytes=2-4", "234", "bytes 2-4/10"},
                           {"bytes=7-", "789", "bytes 7-9/10"},
                           {"bytes=-3", "789", "bytes 7-9/10"},
                           {"bytes=-99", "0123456789", "bytes 0-9/10"},
                           {"BYTES = 8-99", "89", "bytes 8-9/10"},
                           {"bytes=0-18446744073709551615", "0123456789", "bytes 0-9/10"}}) {
    const Response part = asked({{"range", each.range}});
    EXPECT_EQ(part.status, 206) << each.range;
    EXPECT_EQ(part.body, each.body);
    EXPECT_EQ(header_of(part, "Content-Range"), each.says);
  }
  for (const char* range : {"bytes=10-", "bytes=99-100", "bytes=-0"}) {
    const Response none = asked({{"range", range}});
    EXPECT_EQ(none.status, 416) << range;
    EXPECT_EQ(none.type, "application/problem+json");
    EXPECT_EQ(header_of(none, "Content-Range"), "bytes */10");
  }
}

TEST(Conditional, WhatIsNoRangeGetsTheWhole) {
  for (const char* range : {"bytes=4-2", "bytes=", "bytes=-", "bytes=a-b", "bytes=1-x", "items=0-1",
                            "0-1", "bytes=0-1,3-4", "bytes=99999999999999999999-", "bytes=+1-2"}) {
    const Response whole = asked({{"range", range}});
    EXPECT_EQ(whole.status, 200) << range;
    EXPECT_EQ(whole.body, "0123456789");
  }
  EXPECT_EQ(asked({{"range", "bytes=0-1"}}, "HEAD").status, 200);
  EXPECT_EQ(asked({{"range", "bytes=0-1"}, {"if-range", "\"t0\""}}).status, 200);
  EXPECT_EQ(asked({{"range", "bytes=0-1"}, {"if-range", "\"t1\""}}).status, 206);
}

TEST(Conditional, AFileIsNamedByItsSizeAndTime) {
  const test::TemporaryDirectory folder;
  const auto file = folder.write("a", "12345");
  const std::string tag = file_tag(file);
  EXPECT_FALSE(tag.empty());
  EXPECT_EQ(file_tag(file), tag);
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_NE(file_tag(file), tag);
  EXPECT_EQ(file_tag(folder.path() / "none"), "");
  EXPECT_NE(bytes_tag("a"), bytes_tag("b"));
  Request request;
  request.method = "GET";
  request.headers = {{"range", "bytes=1-2"}};
  Response response;
  response.file = file;
  response.tag = tag;
  apply_conditions(request, response);
  ASSERT_TRUE(response.part.has_value());
  EXPECT_EQ(response.part->first, 1U);
  EXPECT_EQ(response.part->length, 2U);
}

}  // namespace conditional_test
}  // namespace commonplace::server
