#include "app/server/router.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace router_test {

Route route(const std::string& method, const std::string& pattern) {
  Route result;
  result.method = method;
  result.pattern = pattern;
  return result;
}

Request request(const std::string& method, const std::string& target) {
  Request result;
  result.method = method;
  EXPECT_TRUE(parse_target(target, result));
  result.headers = {{"host", "localhost:5000"}};
  return result;
}

GuardOptions guard() {
  GuardOptions options;
  options.hosts = {"localhost", "127.0.0.1", "[::1]"};
  options.port = 5000;
  return options;
}

Request with(Request base, const std::string& name, const std::string& value) {
  base.headers.emplace_back(name, value);
  return base;
}

int status(const Request& asked, const Route& found, const GuardOptions& options) {
  const std::optional<Response> refused = refusal(asked, found, options);
  return refused ? refused->status : 200;
}

TEST(Router, FindsTheMostExactPattern) {
  Router router;
  router.add(route("GET", "/"));
  router.add(route("GET", "/v1/{c}/{id}"));
  router.add(route("GET", "/v1/{c}/new"));
  router.add(route("GET", "/v1/photos/{id}"));
  router.add(route("GET", "/v1/photos/new"));
  const auto pattern = [&](const std::string& target) {
    const Router::Found found = router.find(request("GET", target));
    return found.route == nullptr ? "" : found.route->pattern;
  };
  EXPECT_EQ(pattern("/"), "/");
  EXPECT_EQ(pattern("/v1/a/b"), "/v1/{c}/{id}");
  EXPECT_EQ(pattern("/v1/a/new"), "/v1/{c}/new");
  EXPECT_EQ(pattern("/v1/photos/b"), "/v1/photos/{id}");
  EXPECT_EQ(pattern("/v1/photos/new"), "/v1/photos/new");
  EXPECT_EQ(pattern("/v1/photos"), "");
  EXPECT_EQ(pattern("/v1/photos/new/"), "");
  EXPECT_EQ(pattern("/v1/photos/"), "");
  EXPECT_EQ(pattern("/v1//new"), "");
  EXPECT_EQ(pattern("/V1/photos/new"), "");
}

TEST(Router, GivesValuesAndMethods) {
  Router router;
  router.add(route("GET", "/v1/{c}/items/{id}"));
  router.add(route("DELETE", "/v1/{c}/items/{id}"));
  const Router::Found found = router.find(request("DELETE", "/v1/a%20b/items/2019%2Fowl.jpg"));
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.route->method, "DELETE");
  EXPECT_EQ(found.values, (PathValues{{"c", "a b"}, {"id", "2019/owl.jpg"}}));
  EXPECT_EQ(found.allowed, (std::vector<std::string>{"GET", "HEAD", "DELETE"}));
  const Router::Found head = router.find(request("HEAD", "/v1/a/items/b"));
  ASSERT_NE(head.route, nullptr);
  EXPECT_EQ(head.route->method, "GET");
  const Router::Found post = router.find(request("POST", "/v1/a/items/b"));
  EXPECT_EQ(post.route, nullptr);
  EXPECT_EQ(post.allowed.size(), 3U);
  EXPECT_TRUE(router.find(request("GET", "/v2")).allowed.empty());
}

TEST(Router, RefusesRoutesThatCannotBe) {
  Router router;
  router.add(route("GET", "/a"));
  EXPECT_THROW(router.add(route("GET", "/a")), Error);
  EXPECT_THROW(router.add(route("GET", "a")), Error);
}

TEST(Refusal, HostMustBeOurs) {
  const Route get = route("GET", "/a");
  const auto by_host = [&](const std::string& host) {
    Request asked = request("GET", "/a");
    asked.headers = {{"host", host}};
    return status(asked, get, guard());
  };
  for (const char* ours : {"localhost", "LocalHost:5000", "127.0.0.1:5000", "[::1]:5000", "[::1]"})
    EXPECT_EQ(by_host(ours), 200) << ours;
  for (const char* other : {"evil.example", "evil.example:5000", "localhost:5001", "localhost.evil",
                            "localhost.", "[::2]:5000", "127.0.0.1:05000"})
    EXPECT_EQ(by_host(other), 403) << other;
  for (const char* bad :
       {"", ":5000", "localhost:", "localhost:a", "[::1", "[::1]5000", "a:b:c", "localhost:999999"})
    EXPECT_EQ(by_host(bad), 400) << bad;
  Request none = request("GET", "/a");
  none.headers.clear();
  EXPECT_EQ(status(none, get, guard()), 400);
  EXPECT_EQ(status(with(request("GET", "/a"), "host", "localhost"), get, guard()), 400);
}

TEST(Refusal, OriginMustBeOurs) {
  const Route get = route("GET", "/a");
  const auto by_origin = [&](const std::string& origin, int port) {
    GuardOptions options = guard();
    options.port = port;
    Request asked = request("GET", "/a");
    asked.headers = {{"host", "localhost"}, {"origin", origin}};
    return status(asked, get, options);
  };
  EXPECT_EQ(by_origin("http://localhost:5000", 5000), 200);
  EXPECT_EQ(by_origin("http://[::1]:5000", 5000), 200);
  EXPECT_EQ(by_origin("http://localhost", 80), 200);
  EXPECT_EQ(by_origin("http://localhost:80", 80), 200);
  for (const char* other :
       {"http://localhost", "null", "", "https://localhost:5000", "http://localhost:5001",
        "http://evil.example", "http://localhost:5000.evil.example", "http://evil@localhost:5000",
        "http://localhost:5000/"})
    EXPECT_EQ(by_origin(other, 5000), 403) << other;
}

TEST(Refusal, OtherSitesMayOnlyLinkToThePage) {
  Route page = route("GET", "/");
  page.open = true;
  const Route data = route("GET", "/a");
  for (const char* site : {"cross-site", "same-site"}) {
    const Request linked =
        with(with(request("GET", "/"), "sec-fetch-site", site), "sec-fetch-mode", "navigate");
    EXPECT_EQ(status(linked, page, guard()), 200);
    EXPECT_EQ(status(linked, data, guard()), 403);
    EXPECT_EQ(status(with(request("GET", "/"), "sec-fetch-site", site), page, guard()), 403);
    Request posted = linked;
    posted.method = "POST";
    EXPECT_EQ(status(posted, page, guard()), 403);
  }
  for (const char* site : {"same-origin", "none"})
    EXPECT_EQ(status(with(request("GET", "/a"), "sec-fetch-site", site), data, guard()), 200);
}

TEST(Refusal, TokenMustBeRight) {
  GuardOptions options = guard();
  options.token = "Secret1";
  const Route get = route("GET", "/a");
  const auto by_header = [&](const std::string& value) {
    return status(with(request("GET", "/a"), "authorization", value), get, options);
  };
  EXPECT_EQ(by_header("Bearer Secret1"), 200);
  EXPECT_EQ(by_header("bearer Secret1"), 200);
  for (const char* bad : {"Bearer Secret", "Bearer Secret12", "Bearer secret1", "Bearer ",
                          "Secret1", "Basic Secret1", "Bearer Secret1Secret1", "Bearer  Secret1"})
    EXPECT_EQ(by_header(bad), 401) << bad;
  const std::optional<Response> refused = refusal(request("GET", "/a"), get, options);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 401);
  EXPECT_EQ(refused->headers, (Headers{{"WWW-Authenticate", "Bearer"}}));
  EXPECT_EQ(status(request("GET", "/a?token=Secret1"), get, options), 200);
  EXPECT_EQ(status(request("GET", "/a?token=Secret2"), get, options), 401);
  EXPECT_EQ(status(request("DELETE", "/a?token=Secret1"), route("DELETE", "/a"), options), 401);
  Route open = get;
  open.open = true;
  EXPECT_EQ(status(request("GET", "/a"), open, options), 200);
}

TEST(Refusal, ReadOnlyRefusesWhatWrites) {
  GuardOptions options = guard();
  options.read_only = true;
  Route writes = route("DELETE", "/a");
  writes.writes = true;
  EXPECT_EQ(status(request("DELETE", "/a"), writes, options), 403);
  EXPECT_EQ(status(request("DELETE", "/a"), writes, guard()), 200);
  EXPECT_EQ(status(request("POST", "/a"), route("POST", "/a"), options), 200);
}

TEST(Refusal, BodiesMustHaveATypeThatIsRead) {
  const Route post = route("POST", "/a");
  const auto by_type = [&](const std::string& type, const Route& to) {
    Request asked = with(request("POST", "/a"), "content-length", "3");
    if (!type.empty()) asked.headers.emplace_back("content-type", type);
    return status(asked, to, guard());
  };
  EXPECT_EQ(by_type("application/json", post), 200);
  EXPECT_EQ(by_type("Application/JSON ; charset=utf-8", post), 200);
  EXPECT_EQ(by_type("application/x-www-form-urlencoded", post), 200);
  for (const char* bad : {"", "text/plain", "application/jsonp", "multipart/form-data; boundary=a"})
    EXPECT_EQ(by_type(bad, post), 415) << bad;
  Route upload = post;
  upload.to_file = true;
  EXPECT_EQ(by_type("application/zip", upload), 200);
  EXPECT_EQ(by_type("", upload), 200);
  Route picture = post;
  picture.any_type = true;
  EXPECT_EQ(by_type("image/jpeg", picture), 200);
  EXPECT_EQ(status(with(request("POST", "/a"), "content-length", "0"), post, guard()), 200);
  EXPECT_EQ(status(with(request("POST", "/a"), "transfer-encoding", "chunked"), post, guard()),
            415);
}

}  // namespace router_test
}  // namespace commonplace::server
