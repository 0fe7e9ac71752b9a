#include "app/server/http/http_server.h"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/server/running_server.h"

namespace commonplace::server {
namespace http_server_test {

using test::eventually;
using test::options_for_test;
using test::RawAnswer;
using test::RawClient;
using test::RunningServer;

const std::string kHost = "Host: localhost\r\n";
const std::string kJson = "Content-Type: application/json\r\n";

std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\n" + kHost + more + "\r\n";
}

std::string post(const std::string& target, const std::string& body, const std::string& more = "") {
  return "POST " + target + " HTTP/1.1\r\n" + kHost + kJson + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void expect_problem(const RawAnswer& answer, int status) {
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(answer.headers.contains("content-type") ? answer.headers.at("content-type") : "",
            "application/problem+json");
  EXPECT_EQ(answer.headers.count("x-content-type-options"), 1U);
  const auto json = nlohmann::json::parse(answer.body, nullptr, false);
  ASSERT_TRUE(json.is_object()) << answer.body;
  EXPECT_EQ(json["status"], status);
}

std::string noise(std::size_t size, std::uint64_t seed) {
  std::string result(size, '\0');
  Rng random(seed);
  for (char& c : result) c = static_cast<char>(random() & 0xFFU);
  return result;
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  RunningServer server;
  RawClient client = server.client();
  for (int i = 0; i < 3; ++i) {
    const RawAnswer answer = client.ask(get("/hello?name=a%20b+c"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "\"hello a b c\"");
    EXPECT_EQ(answer.headers.at("content-type"), "application/json");
    EXPECT_EQ(answer.headers.at("date").size(), 29U);
    EXPECT_FALSE(answer.headers.contains("server"));
    EXPECT_FALSE(answer.headers.contains("connection"));
    EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY");
  }
  const RawAnswer values = client.ask(get("/v1/echo/x%2Fy/%C3%A4"));
  EXPECT_EQ(values.body, "x/y|ä");
  EXPECT_EQ(values.headers.at("cache-control"), "no-store");
  EXPECT_EQ(client.ask(post("/v1/echo", "{\"a\":1}")).body, "{\"a\":1}");
  EXPECT_EQ(client.ask(post("/v1/echo", "")).body, "");
  const RawAnswer none = client.ask("DELETE /nothing HTTP/1.1\r\n" + kHost + "\r\n");
  EXPECT_EQ(none.status, 204);
  EXPECT_FALSE(none.headers.contains("content-length"));
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  EXPECT_EQ(server.metrics.connections, 1);
  client.close();
  EXPECT_TRUE(eventually([&] { return server.metrics.connections == 0; }));
}

TEST(HttpServer, HeadHasTheLengthAndNoBody) {
  RunningServer server;
  server.files.write("a.png", "0123456789");
  RawClient client = server.client();
  const std::vector<std::pair<std::string, std::string>> lengths = {
      {"/hello", "8"}, {"/file/a.png", "10"}, {"/file/none", ""}};
  for (const auto& [target, length] : lengths) {
    client.send("HEAD " + target + " HTTP/1.1\r\n" + kHost + "\r\n");
    const RawAnswer head = client.answer(true);
    EXPECT_EQ(head.status, length.empty() ? 404 : 200);
    if (!length.empty()) {
      EXPECT_EQ(head.headers.at("content-length"), length);
    }
  }
  client.send("HEAD /stream HTTP/1.1\r\n" + kHost + "\r\n");
  EXPECT_EQ(client.answer(true).status, 200);
  EXPECT_EQ(client.ask(get("/hello")).body, "\"hello \"");
}

TEST(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  RunningServer server;
  RawClient client = server.client();
  std::string all;
  for (int i = 0; i < 20; ++i)
    all += i % 3 == 2
               ? post("/v1/echo", std::to_string(i))
               : get("/hello?name=" + std::to_string(i), i == 19 ? "Connection: close\r\n" : "");
  client.send(all);
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(client.answer().body, i % 3 == 2 ? number : "\"hello " + number + "\"");
  }
  EXPECT_TRUE(client.ends());
}

TEST(HttpServer, ClosesWhenAskedTo) {
  RunningServer server;
  RawClient newer = server.client();
  const RawAnswer closed = newer.ask(get("/hello", "Connection: close\r\n"));
  EXPECT_EQ(closed.headers.at("connection"), "close");
  EXPECT_TRUE(newer.ends());
  RawClient older = server.client();
  EXPECT_EQ(older.ask("GET /hello HTTP/1.0\r\n" + kHost + "\r\n").headers.at("connection"),
            "close");
  EXPECT_TRUE(older.ends());
  RawClient kept = server.client();
  for (int i = 0; i < 2; ++i) {
    const RawAnswer answer =
        kept.ask("GET /hello HTTP/1.0\r\n" + kHost + "Connection: keep-alive\r\n\r\n");
    EXPECT_EQ(answer.headers.at("connection"), "keep-alive");
  }
}

TEST(HttpServer, RefusesWhatIsNoRequest) {
  RunningServer server;
  const std::vector<std::string> bad = {
      "GARBAGE\r\n\r\n",
      "\x16\x03\x01\x02",
      "GET / HTTP/1.1\nHost: localhost\n\n",
      "GET / HTTP/2.0\r\n" + kHost + "\r\n",
      "GET  / HTTP/1.1\r\n" + kHost + "\r\n",
      "GET /hello HTTP/1.1\r\nHo st: localhost\r\n\r\n",
      "GET /%zz HTTP/1.1\r\n" + kHost + "\r\n",
      "GET /../etc/passwd HTTP/1.1\r\n" + kHost + "\r\n",
      "GET http://localhost/hello HTTP/1.1\r\n" + kHost + "\r\n",
      "GET /hello HTTP/1.1\r\n\r\n",
      "GET /hello HTTP/1.1\r\n" + kHost + kHost + "\r\n",
      get("/hello", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Content-Length: x\r\n\r\n",
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Content-Length: -1\r\n\r\n",
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson +
          "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      post("/v1/echo", "abc", "Transfer-Encoding: chunked\r\n"),
      post("/v1/echo", "abc", "Transfer-Encoding: gzip\r\n"),
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: gzip\r\n\r\nabc",
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: chunked, gzip\r\n\r\nabc",
      "POST /v1/echo HTTP/1.0\r\n" + kHost + kJson + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson +
          "Transfer-Encoding: chunked\r\n\r\n3\r\nabcde\r\n",
  };
  for (const std::string& request : bad) {
    SCOPED_TRACE(request);
    RawClient client = server.client();
    client.send(request);
    const RawAnswer answer = client.answer();
    expect_problem(answer, 400);
    if (answer.headers.contains("connection")) {
      EXPECT_TRUE(client.ends());
    }
  }
  EXPECT_EQ(server.get("/hello").status, 200);
}

TEST(HttpServer, DeclinesHttp2AndStaysWithHttp1) {
  RunningServer server;
  EXPECT_EQ(server.client().ask(get("/hello", "Connection: Upgrade\r\nUpgrade: h2c\r\n")).status,
            200);
  EXPECT_EQ(server.client().ask("\r\n" + get("/hello")).status, 200);
}

TEST(HttpServer, RefusesByStatus) {
  RunningServer server;
  RawClient client = server.client();
  expect_problem(client.ask(get("/nowhere")), 404);
  const RawAnswer method =
      client.ask("PUT /hello HTTP/1.1\r\n" + kHost + "Content-Length: 0\r\n\r\n");
  expect_problem(method, 405);
  EXPECT_EQ(method.headers.at("allow"), "GET, HEAD");
  expect_problem(client.ask("OPTIONS /hello HTTP/1.1\r\n" + kHost + "\r\n"), 405);
  EXPECT_EQ(client.ask(get("/hello")).status, 200)
      << "refused without a body, the connection stays";
  RawClient typed = server.client();
  expect_problem(typed.ask("POST /v1/echo HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\n\r\nabc"),
                 415);
  EXPECT_TRUE(typed.ends()) << "its body was not read";
  RawClient lengthless = server.client();
  expect_problem(lengthless.ask("POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "\r\n"), 411);
  expect_problem(server.client().ask(post("/v1/echo", "a", "Expect: miracles\r\n")), 417);
}

TEST(HttpServer, RefusesLongAddressesAndHeaders) {
  ServerOptions options = options_for_test();
  options.most_target = 100;
  options.most_headers = 500;
  RunningServer server(options);
  const std::string fits = "/hello?name=" + std::string(88, 'a');
  EXPECT_EQ(server.client().ask(get(fits)).status, 200);
  expect_problem(server.client().ask(get(fits + "a")), 414);
  expect_problem(server.client().ask("GET /" + std::string(100000, 'a')), 414);
  EXPECT_EQ(server.client().ask(get("/hello", "X: " + std::string(400, 'a') + "\r\n")).status, 200);
  expect_problem(server.client().ask(get("/hello", "X: " + std::string(600, 'a') + "\r\n")), 431);
  expect_problem(server.client().ask("GET /hello HTTP/1.1\r\nX: " + std::string(100000, 'a')), 431);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "A: b\r\n";
  expect_problem(server.client().ask(get("/hello", many)), 431);
}

TEST(HttpServer, HoldsBodiesToTheirLimit) {
  RunningServer server;
  const std::string fits(1U << 20U, 'a');
  EXPECT_TRUE(server.client().ask(post("/v1/echo", fits)).body == fits);
  RawClient announced = server.client();
  expect_problem(announced.ask("POST /v1/echo HTTP/1.1\r\n" + kHost + kJson +
                               "Content-Length: 1048577\r\n\r\n"),
                 413);
  EXPECT_TRUE(announced.ends());
  expect_problem(server.client().ask("POST /v1/echo HTTP/1.1\r\n" + kHost + kJson +
                                     "Content-Length: 18446744073709551615\r\n\r\n"),
                 413);
  RawClient chunked = server.client();
  chunked.send("POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  for (int i = 0; i < 17 && chunked.send(chunk); ++i) {
  }
  expect_problem(chunked.answer(), 413);
  EXPECT_EQ(server.handled, 0);
}

TEST(HttpServer, ReadsChunkedBodies) {
  RunningServer server;
  RawClient client = server.client();
  const std::string head =
      "POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(
      client.ask(head + "3\r\nabc\r\nA;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n").body,
      "abc0123456789");
  std::string body;
  client.send(head);
  for (int i = 1; i < 60; ++i) {
    const std::string piece(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    body += piece;
    char size[16];
    std::snprintf(size, sizeof(size), "%x\r\n", i);
    client.send(size + piece);
    client.send("\r\n");
  }
  EXPECT_EQ(client.ask("0\r\n\r\n").body, body);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  RawClient endless = server.client();
  endless.send(head + "1;" + std::string(100000, 'x'));
  expect_problem(endless.answer(), 400);
}

TEST(HttpServer, TellsClientsToContinue) {
  RunningServer server;
  RawClient client = server.client();
  const std::string expects = "Expect: 100-continue\r\n";
  client.send("POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + expects + "Content-Length: 3\r\n\r\n");
  EXPECT_EQ(client.head().status, 100);
  EXPECT_EQ(client.ask("abc").body, "abc");
  client.send("POST /v1/echo HTTP/1.1\r\n" + kHost + kJson + expects +
              "Content-Length: 9999999\r\n\r\n");
  expect_problem(client.answer(), 413);
  expect_problem(server.client().ask("POST /v1/none HTTP/1.1\r\n" + kHost + kJson + expects +
                                     "Content-Length: 3\r\n\r\n"),
                 404);
}

TEST(HttpServer, PutsUploadsIntoFiles) {
  RunningServer server;
  const std::string content = noise(5000000, 1);
  RawClient client = server.client();
  EXPECT_EQ(client.ask(post("/v1/uploads?keep=kept", content)).body, "5000000");
  EXPECT_EQ(test::slurp(server.files / "kept"), content);
  const auto rights = std::filesystem::status(server.files / "kept").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(client.ask(post("/v1/uploads", content.substr(0, 1000))).body, "1000");
  EXPECT_EQ(client.ask(post("/v1/uploads", "")).body, "0");
  EXPECT_EQ(client
                .ask("POST /v1/uploads HTTP/1.1\r\n" + kHost +
                     "Transfer-Encoding: chunked\r\n\r\n" + "4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n")
                .body,
            "6");
  EXPECT_TRUE(eventually([&] { return is_empty(server.uploads.path()); }));
}

TEST(HttpServer, RemovesUploadsThatBreakOff) {
  ServerOptions options = options_for_test();
  options.read_time = std::chrono::milliseconds(1000);
  RunningServer server(options);
  const std::string head =
      "POST /v1/uploads HTTP/1.1\r\n" + kHost + "Content-Length: 1000000\r\n\r\n" + noise(1000, 2);
  RawClient leaves = server.client();
  leaves.send(head);
  EXPECT_TRUE(eventually([&] { return !is_empty(server.uploads.path()); }));
  leaves.close();
  EXPECT_TRUE(eventually([&] { return is_empty(server.uploads.path()); }));
  RawClient stalls = server.client();
  stalls.send(head);
  EXPECT_TRUE(stalls.ends());
  EXPECT_TRUE(eventually([&] { return is_empty(server.uploads.path()); }));
  RawClient too_large = server.client();
  expect_problem(
      too_large.ask("POST /v1/uploads HTTP/1.1\r\n" + kHost + "Content-Length: 100000000\r\n\r\n"),
      413);
  EXPECT_EQ(server.handled, 0);
}

/// A limit on the size of files stands for a disk that is full.
TEST(HttpServer, SaysThatTheDiskIsFull) {
  RunningServer server;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 100000;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const RawAnswer answer = server.client().ask(post("/v1/uploads", noise(200000, 3)));
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  expect_problem(answer, 503);
  EXPECT_TRUE(eventually([&] { return is_empty(server.uploads.path()); }));
  ServerOptions nowhere = options_for_test();
  nowhere.upload_folder = server.files / "none";
  RunningServer other(nowhere);
  expect_problem(other.client().ask(post("/v1/uploads", "a")), 503);
}

TEST(HttpServer, SendsFiles) {
  RunningServer server;
  const std::string content = noise(3000000, 4);
  server.files.write("a.png", content);
  server.files.write("empty", "");
  RawClient client = server.client();
  const RawAnswer answer = client.ask(get("/file/a.png"));
  EXPECT_EQ(answer.headers.at("content-type"), "image/png");
  EXPECT_TRUE(answer.whole);
  EXPECT_TRUE(answer.body == content);
  const RawAnswer empty = client.ask(get("/file/empty"));
  EXPECT_EQ(empty.status, 200);
  EXPECT_EQ(empty.body, "");
  expect_problem(client.ask(get("/file/none")), 404);
  std::filesystem::create_directory(server.files / "folder");
  expect_problem(client.ask(get("/file/folder")), 404);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
}

TEST(HttpServer, SendsPartsOfFilesAndNothingToWhoHasThem) {
  RunningServer server;
  const std::string content = noise(700000, 5);
  server.files.write("a.png", content);
  RawClient client = server.client();
  const RawAnswer part = client.ask(get("/file/a.png", "Range: bytes=300000-599999\r\n"));
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.headers.at("content-length"), "300000");
  EXPECT_EQ(part.headers.at("content-range"), "bytes 300000-599999/700000");
  EXPECT_TRUE(part.body == content.substr(300000, 300000));
  const std::string tag = part.headers.at("etag");
  const RawAnswer same = client.ask(get("/file/a.png", "If-None-Match: " + tag + "\r\n"));
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(same.headers.at("etag"), tag);
  expect_problem(client.ask(get("/file/a.png", "Range: bytes=700000-\r\n")), 416);
  const RawAnswer last = client.ask(get("/file/a.png", "Range: bytes=-5\r\n"));
  EXPECT_EQ(last.status, 206);
  EXPECT_TRUE(last.body == content.substr(699995));
  EXPECT_EQ(client.ask(get("/hello")).status, 200) << "the connection is kept";
}

TEST(HttpServer, Streams) {
  RunningServer server;
  RawClient client = server.client();
  const RawAnswer answer = client.ask(get("/stream"));
  EXPECT_EQ(answer.headers.at("transfer-encoding"), "chunked");
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(answer.body, "data: 1\n\ndata: 2\n\ndata: 3\n\n");
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(client.ask(get("/hello")).status, 200);
  const RawAnswer older = server.client().ask("GET /stream HTTP/1.0\r\n" + kHost + "\r\n");
  EXPECT_FALSE(older.headers.contains("transfer-encoding"));
  EXPECT_EQ(older.body, "data: 1\n\ndata: 2\n\ndata: 3\n\n");
}

TEST(HttpServer, ListensWhereItIsTold) {
  RunningServer server;
  Metrics metrics;
  ServerOptions options = options_for_test();
  options.port = server.port();
  try {
    const HttpServer second(options, Service{}, metrics);
    FAIL() << "two servers have one port";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("127.0.0.1"), std::string::npos) << message;
    EXPECT_NE(message.find(std::to_string(options.port)), std::string::npos) << message;
  }
  options.host = "192.0.2.1";
  options.port = 0;
  EXPECT_THROW(HttpServer(options, Service{}, metrics), Error);
  options.host = "no-such-host.invalid";
  EXPECT_THROW(HttpServer(options, Service{}, metrics), Error);
  options.host = "localhost";
  EXPECT_GT(HttpServer(options, Service{}, metrics).port(), 0);
  options.workers = 0;
  EXPECT_THROW(HttpServer(options, Service{}, metrics), Error);
  options.workers = 1;
  options.port = 65536;
  EXPECT_THROW(HttpServer(options, Service{}, metrics), Error);
}

TEST(HttpServer, GuardsAreAsked) {
  GuardOptions guard;
  guard.token = "t0";
  guard.read_only = true;
  RunningServer server(options_for_test(), guard);
  const std::string token = "Authorization: Bearer t0\r\n";
  expect_problem(server.client().ask(get("/hello")), 401);
  EXPECT_EQ(server.client().ask(get("/hello", token)).status, 200);
  EXPECT_EQ(server.client().ask(get("/hello?token=t0")).status, 200);
  expect_problem(server.client().ask(post("/v1/uploads", "abc", token)), 403);
  expect_problem(server.client().ask(get("/hello", token + "Origin: http://evil.example\r\n")),
                 403);
  expect_problem(server.client().ask("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
}

}  // namespace http_server_test
}  // namespace commonplace::server
