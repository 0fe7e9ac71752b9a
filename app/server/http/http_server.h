#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "app/server/http/http.h"
#include "app/server/metrics.h"

namespace commonplace::server {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 5000;           ///< 0: any that is free
  int workers = 4;           ///< requests that are handled at once
  int waiting = 64;          ///< requests that wait for a worker; more are answered 503
  int per_client = 32;       ///< requests of one address at once, waiting ones included; more: 429
  int connections = 512;     ///< open ones; more are answered 503 and closed
  int most_target = 8192;    ///< bytes of path and query; more: 414
  int most_headers = 16384;  ///< bytes; more: 431
  std::chrono::milliseconds handle_time{30000};  ///< for one request, waiting included; more: 503
  /// For a request to arrive; for a body that goes to a file: between two pieces of it.
  std::chrono::milliseconds read_time{15000};
  std::chrono::milliseconds write_time{15000};  ///< between two pieces of an answer that are taken
  std::chrono::milliseconds idle_time{60000};   ///< a connection without a request
  std::chrono::milliseconds heartbeat_time{15000};  ///< between signs of life of a silent stream
  std::filesystem::path upload_folder;  ///< for bodies that go to files; empty: the temporary one
};

/// What is decided when the head of a request is there and its body is not.
struct Admission {
  std::optional<Response> refusal;
  std::uint64_t most_bytes = 0;  ///< of the body; more: 413
  bool to_file = false;
  std::string route = "other";  ///< for the counts of what the server refuses by itself
};

struct Service {
  std::function<Admission(const Request&)> admit;  ///< quick: called where sockets are served
  std::function<Response(const Request&)> answer;  ///< called by a worker; may throw anything
};

/// Serves HTTP/1.1 on one socket. All connections are served by one thread that never waits, so a
/// client that is slow holds nobody up; requests are handled by a few workers.
class HttpServer {
 public:
  /// Listens at once; Error if the address cannot be had.
  HttpServer(const ServerOptions& options, Service service, Metrics& metrics);
  ~HttpServer();

  int port() const;
  /// Serves until `stop`. Then no new connections are taken, requests that have begun are answered
  /// (for at most `grace`), and it returns.
  void run();
  /// From any thread, or a signal handler's thread; any number of times.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(10000));

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace::server
