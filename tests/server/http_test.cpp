#include "app/server/http/http.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/server/answer_head.h"

namespace commonplace::server {
namespace http_test {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Http, DecodesPercents) {
  EXPECT_EQ(percent_decoded("a%20b%2Fc+d"), "a b/c+d");
  EXPECT_EQ(percent_decoded("a+b%2b", true), "a b+");
  EXPECT_EQ(percent_decoded("%C3%a4"), "ä");
  EXPECT_EQ(percent_decoded(""), "");
  for (const char* bad : {"%", "%4", "a%4", "%G0", "%0g", "%00", "%C3", "%FF", "%ed%a0%80"})
    EXPECT_EQ(percent_decoded(bad), std::nullopt) << bad;
}

TEST(Http, EncodesWhatDecodes) {
  EXPECT_EQ(percent_encoded("2019/owl ä.jpg"), "2019%2Fowl%20%C3%A4.jpg");
  std::string all;
  for (char c = 1; c > 0 && c < 127; ++c) all.push_back(c);
  EXPECT_EQ(percent_decoded(percent_encoded(all)), all);
}

TEST(Http, ReadsForms) {
  EXPECT_EQ(parse_form("a=1&b=x+y&a=%26&c&=d&&e="),
            (Pairs{{"a", "1"}, {"b", "x y"}, {"a", "&"}, {"c", ""}, {"", "d"}, {"e", ""}}));
  EXPECT_EQ(parse_form(""), Pairs{});
  EXPECT_EQ(parse_form("a=%zz"), std::nullopt);
  EXPECT_EQ(parse_form("%=1"), std::nullopt);
}

TEST(Http, ReadsTargets) {
  Request request;
  ASSERT_TRUE(parse_target("/v1/items/2019%2Fowl.jpg?q=a+b&q=c", request));
  EXPECT_EQ(request.path, "/v1/items/2019%2Fowl.jpg");
  EXPECT_EQ(request.parts, (std::vector<std::string>{"v1", "items", "2019/owl.jpg"}));
  EXPECT_EQ(request.value("q"), "a b");
  EXPECT_EQ(request.values("q"), (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(request.value("r"), std::nullopt);
  ASSERT_TRUE(parse_target("/", request));
  EXPECT_TRUE(request.parts.empty());
  EXPECT_TRUE(request.query.empty());
  ASSERT_TRUE(parse_target("/a//b/", request));
  EXPECT_EQ(request.parts, (std::vector<std::string>{"a", "", "b", ""}));
  ASSERT_TRUE(parse_target("/..a/.b", request));
}

TEST(Http, RefusesTargetsThatAreNotWellFormed) {
  Request request;
  for (const char* bad : {"", "a", "*", "http://localhost/", "/a/../b", "/..", "/.", "/%2e%2E/etc",
                          "/%zz", "/a?b=%f", "/a#b", "/a b", "/a\tb", "/\x7f", "/\xff", "?a=1"})
    EXPECT_FALSE(parse_target(bad, request)) << bad;
}

TEST(Http, FindsHeadersByAnySpelling) {
  Request request;
  request.headers = {{"content-type", "a"}, {"content-type", "b"}};
  EXPECT_EQ(request.header("Content-Type"), "a");
  EXPECT_EQ(request.header("accept"), std::nullopt);
}

TEST(Http, WritesProblems) {
  const Response response = problem(404, "no 'x\"\n\xff'", {{"A", "b"}});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.type, "application/problem+json");
  EXPECT_EQ(response.headers, (Headers{{"A", "b"}}));
  const auto json = nlohmann::json::parse(response.body);
  EXPECT_EQ(json["type"], "about:blank");
  EXPECT_EQ(json["title"], "Not found");
  EXPECT_EQ(json["status"], 404);
  EXPECT_EQ(json["detail"], "no 'x\"\n\xEF\xBF\xBD'");
  EXPECT_FALSE(reason(499).empty());
}

TEST(Http, LeavesHeadersThatAreSet) {
  Response response;
  response.headers = {{"cache-control", "max-age=60"}};
  add_standard_headers(response, "/v1/x");
  add_standard_headers(response, "/v1/x");
  EXPECT_EQ(response.headers.size(), 5U);
  EXPECT_EQ(response.headers.front().second, "max-age=60");
  Response page;
  add_standard_headers(page, "/v11");
  EXPECT_EQ(page.headers.size(), 4U);
}

TEST(AnswerHead, WritesDatesOfAnyLocale) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST(AnswerHead, KeepsLinesApart) {
  Response response = json_response("{}");
  response.headers = {{"X-A", "1\r\nX-B: 2"}, {"Content-Length", "99"}, {"connection", "upgrade"}};
  Framing framing;
  framing.length = 2;
  const std::string head = answer_head(response, framing);
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_NE(head.find("\r\nX-A: 1  X-B: 2\r\n"), std::string::npos);
  EXPECT_NE(head.find("\r\nContent-Length: 2\r\n"), std::string::npos);
  EXPECT_EQ(head.find("99"), std::string::npos);
  EXPECT_EQ(head.find("upgrade"), std::string::npos);
  EXPECT_EQ(head.find("Server:"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

}  // namespace http_test
}  // namespace commonplace::server
