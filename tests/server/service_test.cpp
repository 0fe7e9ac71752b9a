#include "app/server/service.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace service_test {

std::string header_of(const Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (lower_case(key) == lower_case(name)) return value;
  return "";
}

class ServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    guard_.hosts = {"localhost"};
    guard_.port = 80;
    add("GET", "/v1/ok/{a}", [](const Request&, const PathValues& values) {
      return json_response('"' + values.at("a") + '"');
    });
    add("GET", "/v1/kept", [](const Request&, const PathValues&) {
      Response response = json_response("1");
      response.headers = {{"Cache-Control", "max-age=9"}};
      return response;
    });
    add("GET", "/page", [](const Request&, const PathValues&) { return json_response("1"); });
    add("POST", "/v1/ok/{a}", [](const Request&, const PathValues&) { return json_response("2"); });
    add("GET", "/v1/throw/{what}", [](const Request&, const PathValues& values) -> Response {
      const std::string& what = values.at("what");
      if (what == "problem") throw Problem{409, "it is there", {{"X-Extra", "1"}}};
      if (what == "coded") throw Problem{404, "no", {}, "no-owl", {{"owl", "of <Minerva>"}}};
      if (what == "error") throw Error("the number is 7; expected 8");
      if (what == "storage") throw StorageError("secret\npath");
      if (what == "cancelled") throw Cancelled();
      if (what == "logic") throw std::logic_error("secret logic");
      throw 42;
    });
  }

  void add(const std::string& method, const std::string& pattern, Handler handler) {
    Route route;
    route.method = method;
    route.pattern = pattern;
    route.handler = std::move(handler);
    route.most_bytes = 77;
    router_.add(route);
  }

  static Request request(const std::string& method, const std::string& target) {
    Request result;
    result.method = method;
    EXPECT_TRUE(parse_target(target, result));
    result.headers = {{"host", "localhost"}};
    return result;
  }

  Response answer(const std::string& target) { return service_.answer(request("GET", target)); }

  Router router_;
  GuardOptions guard_;
  Metrics metrics_;
  std::vector<std::string> log_;
  Service service_ =
      make_service(router_, guard_, metrics_, [this](const std::string& l) { log_.push_back(l); });
};

TEST_F(ServiceTest, AdmitsByRoute) {
  const Admission admission = service_.admit(request("GET", "/v1/ok/x"));
  EXPECT_FALSE(admission.refusal);
  EXPECT_EQ(admission.most_bytes, 77U);
  EXPECT_FALSE(admission.to_file);
  EXPECT_EQ(admission.route, "/v1/ok/{a}");
  const Admission none = service_.admit(request("GET", "/v1/other"));
  ASSERT_TRUE(none.refusal);
  EXPECT_EQ(none.refusal->status, 404);
  EXPECT_EQ(header_of(*none.refusal, "Cache-Control"), "no-store");
  EXPECT_EQ(header_of(*none.refusal, "X-Frame-Options"), "DENY");
  for (const char* method : {"OPTIONS", "DELETE", "get", "TRACE"}) {
    const Admission wrong = service_.admit(request(method, "/v1/ok/x"));
    ASSERT_TRUE(wrong.refusal);
    EXPECT_EQ(wrong.refusal->status, 405);
    EXPECT_EQ(header_of(*wrong.refusal, "Allow"), "GET, HEAD, POST");
  }
  Request foreign = request("GET", "/v1/ok/x");
  foreign.headers = {{"host", "evil.example"}};
  const Admission refused = service_.admit(foreign);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 403);
  EXPECT_EQ(header_of(*refused.refusal, "X-Content-Type-Options"), "nosniff");
}

TEST_F(ServiceTest, AnswersWithTheHeadersThatProtect) {
  const Response response = answer("/v1/ok/owl");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "\"owl\"");
  EXPECT_EQ(header_of(response, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header_of(response, "X-Frame-Options"), "DENY");
  EXPECT_EQ(header_of(response, "Referrer-Policy"), "no-referrer");
  EXPECT_EQ(header_of(response, "Cross-Origin-Resource-Policy"), "same-origin");
  EXPECT_EQ(header_of(response, "Cache-Control"), "no-store");
  EXPECT_EQ(header_of(answer("/v1/kept"), "Cache-Control"), "max-age=9");
  EXPECT_EQ(header_of(answer("/page"), "Cache-Control"), "");
  EXPECT_EQ(service_.answer(request("HEAD", "/v1/ok/owl")).status, 200);
  EXPECT_EQ(answer("/v1/nowhere").status, 404);
}

TEST_F(ServiceTest, TurnsWhatIsThrownIntoProblems) {
  const Response thrown = answer("/v1/throw/problem");
  EXPECT_EQ(thrown.status, 409);
  EXPECT_EQ(header_of(thrown, "X-Extra"), "1");
  EXPECT_EQ(header_of(thrown, "X-Frame-Options"), "DENY");
  EXPECT_EQ(nlohmann::json::parse(thrown.body)["detail"], "it is there");
  EXPECT_EQ(nlohmann::json::parse(thrown.body)["code"], "conflict");
  const nlohmann::json coded = nlohmann::json::parse(answer("/v1/throw/coded").body);
  EXPECT_EQ(coded["code"], "no-owl");
  EXPECT_EQ(coded["values"], (nlohmann::json{{"owl", "of <Minerva>"}}));
  const Response error = answer("/v1/throw/error");
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(nlohmann::json::parse(error.body)["detail"], "the number is 7; expected 8");
  const Response cancelled = answer("/v1/throw/cancelled");
  EXPECT_EQ(cancelled.status, 503);
  EXPECT_EQ(header_of(cancelled, "Retry-After"), "1");
  EXPECT_TRUE(log_.empty());
}

TEST_F(ServiceTest, KeepsItsFaultsToItself) {
  int count = 0;
  for (const char* what : {"storage", "logic", "number"}) {
    const Response response = answer(std::string("/v1/throw/") + what);
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.body.find("secret"), std::string::npos);
    EXPECT_EQ(response.type, "application/problem+json");
    ASSERT_EQ(std::ssize(log_), ++count);
    EXPECT_EQ(log_.back().find('\n'), std::string::npos);
    EXPECT_TRUE(log_.back().starts_with("GET /v1/throw/")) << log_.back();
  }
  EXPECT_EQ(log_.front(), "GET /v1/throw/storage: secret path");
}

TEST_F(ServiceTest, CountsByPattern) {
  answer("/v1/ok/a");
  answer("/v1/ok/b");
  answer("/v1/throw/logic");
  service_.admit(request("GET", "/secret"));
  service_.admit(request("PUT", "/v1/ok/a"));
  Request late = request("GET", "/v1/ok/late");
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  service_.answer(late);
  const std::string text = metrics_.text();
  const auto counted = [&](const std::string& labels, int count) {
    return text.find("commonplace_requests_total{" + labels + "} " + std::to_string(count) +
                     '\n') != std::string::npos;
  };
  EXPECT_TRUE(counted("method=\"GET\",route=\"/v1/ok/{a}\",status=\"200\"", 2));
  EXPECT_TRUE(counted("method=\"GET\",route=\"/v1/ok/{a}\",status=\"503\"", 1));
  EXPECT_TRUE(counted("method=\"GET\",route=\"/v1/throw/{what}\",status=\"500\"", 1));
  EXPECT_TRUE(counted("method=\"GET\",route=\"other\",status=\"404\"", 1));
  EXPECT_TRUE(counted("method=\"PUT\",route=\"other\",status=\"405\"", 1));
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

}  // namespace service_test
}  // namespace commonplace::server
