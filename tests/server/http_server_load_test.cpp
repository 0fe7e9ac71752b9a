#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "app/server/http/http_server.h"
#include "commonplace/base/rng.h"
#include "tests/server/running_server.h"

namespace commonplace::server {
namespace http_server_load_test {

using std::chrono::milliseconds;
using test::eventually;
using test::Gate;
using test::options_for_test;
using test::RawAnswer;
using test::RawClient;
using test::RunningServer;

std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
}

TEST(HttpServerLoad, SlowClientsHoldNobodyUp) {
  RunningServer server;
  std::vector<RawClient> stuck;
  const std::string head = "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 50; ++i) {
    stuck.push_back(server.client());
    stuck.back().send(i % 2 == 0 ? head
                                 : head +
                                       "Content-Type: application/json\r\n"
                                       "Content-Length: 10\r\n\r\nabc");
  }
  EXPECT_TRUE(eventually([&] { return server.metrics.connections >= 50; }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(server.get("/hello").status, 200);
  EXPECT_EQ(stuck[1].ask("defghij").body, "abcdefghij");
}

TEST(HttpServerLoad, SlowAndSilentClientsAreLetGo) {
  ServerOptions options = options_for_test();
  options.read_time = milliseconds(200);
  options.idle_time = milliseconds(200);
  options.write_time = milliseconds(200);
  RunningServer server(options);
  RawClient silent = server.client();
  EXPECT_TRUE(silent.ends());
  RawClient slow_head = server.client();
  slow_head.send("GET /hello HT");
  EXPECT_TRUE(slow_head.ends());
  RawClient slow_body = server.client();
  slow_body.send(
      "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 9\r\n\r\nab");
  EXPECT_TRUE(slow_body.ends());
  RawClient slow_reader = server.client(4096);
  slow_reader.send(get("/large"));
  EXPECT_EQ(slow_reader.head().status, 200);
  EXPECT_TRUE(eventually([&] { return server.metrics.connections == 0; }));
  EXPECT_EQ(server.get("/hello").status, 200);
}

TEST(HttpServerLoad, SlowReadersGetAllAndHoldNobodyUp) {
  RunningServer server;
  RawClient reader = server.client(4096);
  reader.send(get("/large"));
  const RawAnswer head = reader.head();
  EXPECT_EQ(head.status, 200);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(server.get("/hello").status, 200);
  const std::string body = reader.bytes(std::size_t{32} << 20U);
  EXPECT_EQ(body.size(), std::size_t{32} << 20U);
}

TEST(HttpServerLoad, RefusesWhatItCannotQueue) {
  ServerOptions options = options_for_test();
  options.waiting = 3;
  RunningServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(server.client());
    clients.back().send(get("/wait"));
    ASSERT_TRUE(server.gate.wait_for(std::min(i + 1, 2)));
  }
  ASSERT_TRUE(eventually([&] { return server.metrics.waiting == 3; }));
  EXPECT_EQ(server.metrics.in_work, 2);
  RawClient refused = server.client();
  const RawAnswer answer = refused.ask(get("/hello"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(answer.headers.at("content-type"), "application/problem+json");
  server.gate.open();
  for (RawClient& client : clients) EXPECT_EQ(client.answer().body, "\"waited\"");
  EXPECT_EQ(refused.ask(get("/hello")).status, 200) << "the connection stays";
  EXPECT_TRUE(eventually([&] { return server.metrics.in_work == 0; }));
  EXPECT_EQ(server.metrics.waiting, 0);
}

TEST(HttpServerLoad, LimitsWhatOneClientHasAtOnce) {
  ServerOptions options = options_for_test();
  options.per_client = 2;
  options.workers = 3;
  RunningServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(server.client());
    clients.back().send(get("/wait"));
  }
  ASSERT_TRUE(server.gate.wait_for(2));
  RawClient third = server.client();
  const RawAnswer answer = third.ask(get("/hello"));
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  server.gate.open();
  for (RawClient& client : clients) EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(third.ask(get("/hello")).status, 200);
}

TEST(HttpServerLoad, GivesUpWhatTakesTooLong) {
  ServerOptions options = options_for_test();
  options.handle_time = milliseconds(600);
  options.workers = 1;
  options.per_client = 2;
  RunningServer server(options);
  RawClient running = server.client();
  running.send(get("/wait"));
  ASSERT_TRUE(server.gate.wait_for(1));
  RawClient waiting = server.client();
  waiting.send(get("/hello"));
  for (RawClient* client : {&running, &waiting}) {
    const RawAnswer answer = client->answer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.headers.at("retry-after"), "1");
  }
  // The worker still has the first, so one more may wait and not two.
  waiting.send(get("/hello"));
  ASSERT_TRUE(eventually([&] { return server.metrics.waiting == 1; }));
  EXPECT_EQ(server.get("/hello").status, 429);
  EXPECT_EQ(waiting.answer().status, 503);
  EXPECT_EQ(server.handled, 0);
  server.gate.open();
  EXPECT_TRUE(eventually([&] { return server.metrics.in_work == 0; }));
  EXPECT_TRUE(eventually([&] { return running.ask(get("/hello")).body == "\"hello \""; }))
      << "the late answer went nowhere";
  const std::string counts = server.metrics.text();
  EXPECT_NE(counts.find("route=\"/wait\",status=\"503\"} 1\n"), std::string::npos);
  EXPECT_NE(counts.find("route=\"/hello\",status=\"503\"} 2\n"), std::string::npos);
  EXPECT_NE(counts.find("route=\"/hello\",status=\"429\"} 1\n"), std::string::npos);
}

TEST(HttpServerLoad, DropsRequestsWhoseClientsHaveLeft) {
  ServerOptions options = options_for_test();
  options.workers = 1;
  RunningServer server(options);
  RawClient running = server.client();
  running.send(get("/wait"));
  ASSERT_TRUE(server.gate.wait_for(1));
  RawClient leaves = server.client();
  leaves.send(get("/hello"));
  ASSERT_TRUE(eventually([&] { return server.metrics.waiting == 1; }));
  leaves.close();
  server.gate.open();
  EXPECT_EQ(running.answer().status, 200);
  EXPECT_TRUE(eventually([&] { return server.metrics.connections == 1; }));
  EXPECT_EQ(server.handled, 0);
  EXPECT_EQ(server.metrics.waiting, 0);
}

TEST(HttpServerLoad, TurnsAwayTooManyConnections) {
  ServerOptions options = options_for_test();
  options.connections = 3;
  RunningServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.client());
    EXPECT_EQ(clients.back().ask(get("/hello")).status, 200);
  }
  RawClient fourth = server.client();
  const RawAnswer answer = fourth.ask(get("/hello"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(fourth.ends());
  fourth.close();
  EXPECT_EQ(clients[0].ask(get("/hello")).status, 200);
  clients.pop_back();
  EXPECT_TRUE(eventually([&] { return server.get("/hello").status == 200; }));
  EXPECT_TRUE(eventually([&] { return server.metrics.connections == 2; }));
}

TEST(HttpServerLoad, SurvivesRunningOutOfFiles) {
  RunningServer server;
  EXPECT_EQ(server.get("/hello").status, 200);
  RawClient early(0);
  RawClient probe(0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool connected = early.connect(server.port()) && probe.connect(server.port());
  std::this_thread::sleep_for(milliseconds(250));
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(connected);
  EXPECT_EQ(early.ask(get("/hello")).status, 200);
  EXPECT_EQ(probe.ask(get("/hello")).status, 200);
}

TEST(HttpServerLoad, StreamsHoldNoWorkerAndSayThatTheyLive) {
  ServerOptions options = options_for_test();
  options.workers = 1;
  options.heartbeat_time = milliseconds(250);
  RunningServer server(options);
  std::vector<RawClient> streams;
  for (int i = 0; i < 5; ++i) {
    streams.push_back(server.client());
    streams.back().send(get("/silent"));
    EXPECT_EQ(streams.back().head().status, 200);
  }
  EXPECT_EQ(server.get("/hello").status, 200);
  EXPECT_EQ(streams[0].chunk(), ":\n\n");
  EXPECT_EQ(streams[0].chunk(), ":\n\n");
  EXPECT_EQ(server.streams, 5);
  streams[4].close();
  EXPECT_TRUE(eventually([&] { return server.streams == 4; })) << "a client that left is noticed";
  server.stream_ends = true;
  std::optional<std::string> chunk = streams[0].chunk();
  while (chunk && !chunk->empty()) chunk = streams[0].chunk();
  EXPECT_EQ(chunk, "");
  EXPECT_EQ(streams[0].ask(get("/hello")).status, 200);
  EXPECT_TRUE(eventually([&] { return server.streams == 0; }));
}

TEST(HttpServerLoad, StopFinishesWhatHasBegun) {
  RunningServer server;
  RawClient idle = server.client();
  EXPECT_EQ(idle.ask(get("/hello")).status, 200);
  RawClient half = server.client();
  half.send("GET /hello HTTP/1.1\r\nHo");
  RawClient stream = server.client();
  stream.send(get("/silent"));
  EXPECT_EQ(stream.head().status, 200);
  RawClient working = server.client();
  working.send(get("/wait"));
  RawClient uploading = server.client();
  uploading.send("POST /v1/uploads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nabc");
  ASSERT_TRUE(server.gate.wait_for(1));
  ASSERT_TRUE(eventually([&] {
    return server.metrics.connections == 5 && !std::filesystem::is_empty(server.uploads.path());
  }));
  server.http->stop(milliseconds(60000));
  server.http->stop();
  EXPECT_TRUE(idle.ends());
  EXPECT_TRUE(half.ends());
  std::optional<std::string> chunk = stream.chunk();
  EXPECT_EQ(chunk, "");
  EXPECT_TRUE(stream.ends());
  EXPECT_EQ(uploading.ask("def").body, "6");
  EXPECT_FALSE(server.returned);
  RawClient late(0);
  EXPECT_FALSE(late.connect(server.port()));
  server.gate.open();
  const RawAnswer answer = working.answer();
  EXPECT_EQ(answer.body, "\"waited\"");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(working.ends());
  EXPECT_TRUE(eventually([&] { return server.returned.load(); }));
}

TEST(HttpServerLoad, StopWaitsNoLongerThanItsGrace) {
  RunningServer server;
  RawClient working = server.client();
  working.send(get("/wait"));
  ASSERT_TRUE(server.gate.wait_for(1));
  server.http->stop(milliseconds(100));
  EXPECT_TRUE(eventually([&] { return server.returned.load(); })) << "though a worker is busy";
  EXPECT_TRUE(working.ends());
}

TEST(HttpServerLoad, StopsBeforeItRuns) {
  Metrics metrics;
  HttpServer server(options_for_test(), Service{}, metrics);
  server.stop();
  server.run();
  const HttpServer never_run(options_for_test(), Service{}, metrics);
  EXPECT_GT(never_run.port(), 0);
}

TEST(HttpServerLoad, AnswersWhenTheServiceItselfThrows) {
  Metrics metrics;
  Service service;
  service.admit = [](const Request&) { return Admission{}; };
  service.answer = [](const Request&) -> Response { throw 42; };
  HttpServer server(options_for_test(), service, metrics);
  std::thread thread([&] { server.run(); });
  RawClient client(server.port());
  EXPECT_EQ(client.ask(get("/")).status, 500);
  server.stop();
  thread.join();
}

TEST(HttpServerLoad, ManyClientsAtOnceGetTheirOwnAnswers) {
  RunningServer server;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      RawClient client = server.client();
      for (int i = 0; i < 50; ++i) {
        const std::string name = std::to_string(t * 1000 + i);
        if (client.ask(get("/hello?name=" + name)).body == "\"hello " + name + "\"") ++right;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
  EXPECT_EQ(server.handled, 400);
}

/// A request with some of its bytes changed, taken out, doubled, or cut off.
std::string mutated(std::string text, Rng& random) {
  static const std::vector<std::string> kPieces = {"\r\n",
                                                   "\r\n\r\n",
                                                   "\n",
                                                   "%",
                                                   " ",
                                                   ":",
                                                   std::string(1, '\0'),
                                                   "\xff",
                                                   "chunked",
                                                   "Content-Length: 5\r\n",
                                                   "-1",
                                                   "FFFFFFFFFFFFFFFFF\r\n",
                                                   "0\r\n",
                                                   "/../",
                                                   "?",
                                                   "\t"};
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    switch (random.below(5)) {
      case 0:
        text[at] = static_cast<char>(random() & 0xFFU);
        break;
      case 1:
        text.erase(at, 1 + random.below(8));
        break;
      case 2:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + random.below(40)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(HttpServerLoad, SurvivesRandomBytes) {
  ServerOptions options = options_for_test();
  options.read_time = milliseconds(5000);
  RunningServer server(options);
  server.files.write("a", "content");
  const std::vector<std::string> seeds = {
      get("/hello?name=a%20b") + get("/v1/echo/a/b", "Connection: close\r\n"),
      "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 7\r\n\r\n{\"a\":1}" +
          get("/file/a"),
      "POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5;x=y\r\n01234\r\n0\r\nA: b\r\n\r\n",
      "POST /v1/uploads HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 10\r\n\r\n0123456789",
      "HEAD /hello HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"};
  Rng random(7);
  for (int i = 0; i < 3000; ++i) {
    RawClient client = server.client();
    client.send(mutated(seeds[random.below(seeds.size())], random));
    client.end_sending();
    const std::string answer = client.rest();
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer;
  }
  EXPECT_EQ(server.get("/hello").status, 200);
  EXPECT_TRUE(eventually([&] {
    return server.metrics.connections == 0 && std::filesystem::is_empty(server.uploads.path());
  }));
  EXPECT_EQ(server.metrics.in_work, 0);
  EXPECT_EQ(server.metrics.waiting, 0);
}

}  // namespace http_server_load_test
}  // namespace commonplace::server
