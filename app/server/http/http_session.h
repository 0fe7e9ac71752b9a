#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

// The thread sanitizer knows locks but not fences; what Asio hands over, it hands over by locks.
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif
// Asio does not know that clang has coroutines with the library of g++.
#ifdef __clang__
#define BOOST_ASIO_HAS_CO_AWAIT 1
#define BOOST_ASIO_HAS_STD_COROUTINE 1
#endif
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include "app/server/answer_head.h"
#include "app/server/http/http_server.h"
#include "app/server/http/request_queue.h"

// What http_server.cpp and http_session.cpp share; nobody else includes it, for it brings Boost.
namespace commonplace::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
template <class Value>
using Task = asio::awaitable<Value>;
using Parser = beast::http::request_parser<beast::http::buffer_body>;

class Session;

/// What the connections share. All of it belongs to the thread in run(), but for `stop`.
struct Core {
  Core(const ServerOptions& given, Service given_service, Metrics& given_metrics)
      : options(given),
        service(std::move(given_service)),
        metrics(given_metrics),
        desk(options, service, metrics,
             [this](std::function<void()> work) { asio::post(io, std::move(work)); }) {}

  void listen();
  void run();
  void stop(milliseconds grace);
  void begin_stop(milliseconds grace);
  Task<void> accept_all();
  void take(tcp::socket socket);
  void remove(Session* session);

  const ServerOptions options;
  const Service service;
  Metrics& metrics;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard = asio::make_work_guard(io);
  tcp::acceptor acceptor{io};
  asio::steady_timer accept_pause{io};
  asio::steady_timer grace_end{io};
  std::set<Session*> sessions;
  std::size_t turned_away = 0;
  bool stopping = false;
  int port = 0;
  asio::thread_pool disk{1};
  RequestQueue desk;
};

/// One request and what becomes of it.
struct Exchange {
  std::shared_ptr<PendingRequest> pending = std::make_shared<PendingRequest>();
  std::optional<Response> response;
  Clock::time_point begin = Clock::now();
  std::string method;
  std::string path;
  std::string route = "other";
  std::uint64_t most_bytes = 0;
  bool to_file = false;
  bool newer = true;  ///< HTTP/1.1, not 1.0
  bool keeps = false;
  bool head_only = false;
};

/// One connection. A socket that fails or takes too long ends it by an exception.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Core& core, tcp::socket socket)
      : core_(core),
        stream_(std::move(socket)),
        timer_(core.io),
        client_(stream_.socket().remote_endpoint().address().to_string()) {
    stream_.socket().set_option(tcp::no_delay(true));
  }

  /// Answers requests until the connection ends, or says only that there are too many connections.
  Task<void> serve(bool turned_away);
  /// Closes the connection unless a request has begun; wakes it up if it streams.
  void stop();
  void close();

 private:
  Task<void> turn_away();
  Task<bool> exchange();
  Task<void> receive(Exchange& exchange);
  Task<void> receive_head(Exchange& exchange);
  void parse_head(Exchange& exchange, std::size_t length);
  Task<void> receive_body(Exchange& exchange);
  std::size_t parse_piece(std::string& piece, bool& needs_more);
  Task<void> keep_piece(Exchange& exchange, std::string_view piece);
  Task<void> handle(Exchange& exchange);
  Task<void> send(Exchange& exchange);
  Task<void> send_file(Exchange& exchange);
  Task<void> send_stream(Exchange& exchange);
  Task<void> linger();

  void refuse(Exchange& exchange, Response response);
  Task<void> read_more(Clock::time_point until);
  Task<void> write(std::string_view bytes);
  Task<void> on_disk(std::function<void()> work);
  Task<void> wait(Clock::time_point until);
  bool client_is_gone();
  Framing framing(const Exchange& exchange, std::optional<std::uint64_t> length) const;

  Core& core_;
  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  std::string client_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Clock::time_point arrived_by_;
  bool interruptible_ = true;
  bool closed_ = false;
};

}  // namespace commonplace::server
