#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "app/server/http/conditional.h"
#include "app/server/http/http_server.h"
#include "app/server/service.h"
#include "tests/server/raw_client.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {

/// A gate at which handlers wait until the test opens it.
class Gate {
 public:
  ~Gate() { open(); }
  void wait() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Until so many have come, since the beginning.
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return arrived_ >= count; });
  }
  int arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

inline server::ServerOptions options_for_test() {
  server::ServerOptions options;
  options.port = 0;
  options.workers = 2;
  return options;
}

/// A server on a free port with a few routes, running in a thread of its own.
class RunningServer {
 public:
  explicit RunningServer(server::ServerOptions options = options_for_test(),
                         server::GuardOptions given_guard = {})
      : guard(std::move(given_guard)) {
    if (options.upload_folder.empty()) options.upload_folder = uploads.path();
    add_routes();
    http = std::make_unique<server::HttpServer>(
        options,
        server::make_service(router, guard, metrics,
                             [this](const std::string& line) {
                               const std::lock_guard lock(log_mutex);
                               log.push_back(line);
                             }),
        metrics);
    guard.hosts.push_back("localhost");
    guard.port = http->port();
    thread = std::thread([this] {
      http->run();
      returned = true;
    });
  }
  ~RunningServer() {
    gate.open();
    http->stop(std::chrono::milliseconds(0));
    thread.join();
  }

  int port() const { return http->port(); }
  RawClient client(int receive_buffer = 0) const { return RawClient(port(), receive_buffer); }
  RawAnswer get(const std::string& target) const {
    RawClient one(port());
    return one.ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  std::string last_log() {
    const std::lock_guard lock(log_mutex);
    return log.empty() ? "" : log.back();
  }

  TemporaryDirectory uploads;
  TemporaryDirectory files;
  Gate gate;
  std::atomic<bool> returned{false};
  std::atomic<int> handled{0};
  std::atomic<bool> stream_ends{false};
  std::atomic<int> streams{0};
  server::Metrics metrics;
  server::Router router;
  server::GuardOptions guard;
  std::mutex log_mutex;
  std::vector<std::string> log;
  std::unique_ptr<server::HttpServer> http;
  std::thread thread;

 private:
  void add(const std::string& method, const std::string& pattern, server::Handler handler) {
    server::Route route;
    route.method = method;
    route.pattern = pattern;
    route.handler = std::move(handler);
    router.add(std::move(route));
  }
  void add_routes();
  void add_upload();
  server::Response count_to_three();
};

inline void RunningServer::add_routes() {
  using server::PathValues;
  using server::Request;
  using server::Response;
  add("GET", "/hello", [this](const Request& request, const PathValues&) {
    ++handled;
    return server::json_response("\"hello " + request.value("name").value_or("") + "\"");
  });
  add("GET", "/v1/echo/{a}/{b}", [](const Request&, const PathValues& values) {
    return server::json_response(values.at("a") + "|" + values.at("b"));
  });
  add("POST", "/v1/echo", [](const Request& request, const PathValues&) {
    return server::json_response(request.body);
  });
  add("GET", "/wait", [this](const Request&, const PathValues&) {
    gate.wait();
    return server::json_response("\"waited\"");
  });
  add("GET", "/large", [](const Request&, const PathValues&) {
    return server::json_response(std::string(std::size_t{32} << 20U, 'x'));
  });
  add("GET", "/file/{name}", [this](const Request&, const PathValues& values) {
    Response response;
    response.type = "image/png";
    response.file = files.path() / values.at("name");
    response.tag = server::file_tag(response.file);
    return response;
  });
  add("GET", "/stream", [this](const Request&, const PathValues&) { return count_to_three(); });
  add("GET", "/silent", [this](const Request&, const PathValues&) {
    Response response;
    response.type = "text/event-stream";
    // Alive for as long as the connection keeps its stream.
    const std::shared_ptr<void> alive(&(++streams, streams), [](std::atomic<int>* n) { --*n; });
    response.stream = [this, alive]() -> std::optional<std::string> {
      if (stream_ends) return std::nullopt;
      return "";
    };
    return response;
  });
  add("DELETE", "/nothing", [](const Request&, const PathValues&) {
    Response response;
    response.status = 204;
    return response;
  });
  add_upload();
}

inline void RunningServer::add_upload() {
  server::Route route;
  route.method = "POST";
  route.pattern = "/v1/uploads";
  route.to_file = true;
  route.writes = true;
  route.most_bytes = 64U << 20U;
  route.handler = [this](const server::Request& request, const server::PathValues&) {
    ++handled;
    const std::string content = slurp(request.body_file);
    if (request.value("keep"))
      std::filesystem::rename(request.body_file, files.path() / *request.value("keep"));
    return server::json_response(std::to_string(content.size()));
  };
  router.add(std::move(route));
}

inline server::Response RunningServer::count_to_three() {
  server::Response response;
  response.type = "text/event-stream";
  auto turn = std::make_shared<int>(0);
  response.stream = [turn]() -> std::optional<std::string> {
    const int now = (*turn)++;
    if (now > 5) return std::nullopt;
    if (now % 2 == 1) return "";
    return "data: " + std::to_string(now / 2 + 1) + "\n\n";
  };
  return response;
}

}  // namespace commonplace::test
