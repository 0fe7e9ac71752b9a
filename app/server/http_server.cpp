#include "app/server/http_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <set>
#include <utility>

#include <sys/socket.h>

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
#include "app/server/desk.h"
#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

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

constexpr std::size_t kPiece = std::size_t{1} << 16U;
/// Of what stands beside the address in a request's first line, and between two chunks of a body.
constexpr std::size_t kMostMethodAndVersion = 64;
constexpr std::size_t kMostChunkHead = 8192;
constexpr milliseconds kPoll{200};
constexpr milliseconds kAcceptPause{100};
/// How long a client may take to notice that a connection is ending.
constexpr milliseconds kLinger{2000};
constexpr milliseconds kLingerAtStop{100};
/// Connections above the limit that are told so; more are closed without a word.
constexpr std::size_t kMostTurnedAway = 64;

std::string_view bytes_of(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

/// The length of a request's head, or nothing while it is not all there. Problem if it is too long
/// or can no longer become one.
std::optional<std::size_t> head_length(std::string_view bytes, const ServerOptions& options) {
  const auto most_target = static_cast<std::size_t>(options.most_target);
  const auto most_headers = static_cast<std::size_t>(options.most_headers);
  const std::size_t end = bytes.find("\r\n\r\n");
  const std::string_view head = bytes.substr(0, std::min(end, bytes.size()));
  const std::size_t first_line = std::min(head.find('\r'), head.size());
  if (first_line > most_target + kMostMethodAndVersion)
    throw Problem{414, concat("the address is too long; expected ", most_target, " bytes at most")};
  if (head.size() - first_line > most_headers)
    throw Problem{431,
                  concat("the headers are too large; expected ", most_headers, " bytes at most")};
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    const bool bare = head[i] == '\n' && (i == 0 || head[i - 1] != '\r');
    if (bare || (byte < 0x20 && head[i] != '\r' && head[i] != '\n' && head[i] != '\t'))
      throw Problem{400, "this is no HTTP/1.1 request"};
  }
  if (end == std::string_view::npos) return std::nullopt;
  return end + 4;
}

/// Problem where the length of a body can be read in two ways, or not at all.
void check_body_length(const Parser& parser, const Request& request) {
  std::size_t encodings = 0;
  bool chunked = false;
  for (const auto& [name, value] : request.headers) {
    if (name != "transfer-encoding") continue;
    ++encodings;
    chunked = lower_case(value) == "chunked";
  }
  const bool length = request.header("content-length").has_value();
  if (encodings > 1 || (encodings == 1 && (!chunked || length || parser.get().version() < 11)))
    throw Problem{400,
                  "the body's length is not clear; expected either Content-Length or "
                  "'Transfer-Encoding: chunked'"};
  const std::string& method = request.method;
  if (encodings == 0 && !length && (method == "POST" || method == "PUT" || method == "PATCH"))
    throw Problem{411, "the body's length is missing; send Content-Length"};
}

/// What the parser has found. Problem if it makes no sense or asks for what is not there.
void take_head(const Parser& parser, Request& request) {
  const auto& head = parser.get();
  const auto text = [](beast::string_view view) { return std::string(view.data(), view.size()); };
  request.method = text(head.method_string());
  for (const auto& field : head)
    request.headers.emplace_back(lower_case(text(field.name_string())), text(field.value()));
  if (!parse_target(text(head.target()), request))
    throw Problem{400, "the address is not well-formed"};
  check_body_length(parser, request);
  // Some clients offer HTTP/2 with every request; to ignore that is to decline it.
  const std::string upgrade = lower_case(request.header("upgrade").value_or("h2c"));
  if (upgrade != "h2c")
    throw Problem{400, "the connection cannot be upgraded; only HTTP/1.1 is spoken here"};
}

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
  Desk desk;
};

/// One request and what becomes of it.
struct Exchange {
  std::shared_ptr<Job> job = std::make_shared<Job>();
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

Task<void> Session::serve(bool turned_away) {
  if (turned_away) {
    co_await turn_away();
    co_return;
  }
  // g++ 12 goes wrong where co_await stands inside a larger expression or condition.
  bool more = true;
  while (more && !core_.stopping) more = co_await exchange();
}

Task<void> Session::turn_away() {
  Response response =
      problem(503, "there are too many connections; try again soon", {{"Retry-After", "1"}});
  add_standard_headers(response, "/");
  Framing framed;
  framed.length = response.body.size();
  framed.keeps = false;
  const std::string bytes = answer_head(response, framed) + response.body;
  co_await write(bytes);
  co_await linger();
}

void Session::stop() {
  if (interruptible_)
    close();
  else
    timer_.cancel();
}

void Session::close() {
  closed_ = true;
  stream_.close();
  timer_.cancel();
}

Task<bool> Session::exchange() {
  Exchange exchange;
  exchange.job->request.client = client_;
  std::optional<Problem> bad;
  try {
    co_await receive(exchange);
  } catch (const Problem& thrown) {
    bad = thrown;
  }
  interruptible_ = false;
  if (bad) {
    exchange.keeps = false;
    refuse(exchange, problem(bad->status, bad->detail, bad->headers));
  }
  if (!exchange.response) co_await handle(exchange);
  exchange.keeps = exchange.keeps && !core_.stopping;
  co_await send(exchange);
  if (!exchange.job->body_file.path().empty())
    asio::post(core_.disk, [job = std::move(exchange.job)]() mutable { job.reset(); });
  if (!exchange.keeps) co_await linger();
  co_return exchange.keeps;
}

Task<void> Session::receive(Exchange& exchange) {
  co_await receive_head(exchange);
  interruptible_ = false;
  Admission admission = core_.service.admit(exchange.job->request);
  exchange.route = admission.route;
  exchange.most_bytes = admission.most_bytes;
  exchange.to_file = admission.to_file;
  const bool has_body = !parser_->is_done();
  if (admission.refusal) {
    exchange.response = std::move(admission.refusal);
    exchange.keeps = exchange.keeps && !has_body;
    co_return;
  }
  if (parser_->content_length().value_or(0) > exchange.most_bytes)
    throw Problem{
        413, concat("the body is too large; expected ", exchange.most_bytes, " bytes at most")};
  const std::string expects = lower_case(exchange.job->request.header("expect").value_or(""));
  if (!expects.empty() && expects != "100-continue")
    throw Problem{417, "only 'Expect: 100-continue' can be met"};
  if (!expects.empty() && has_body && exchange.newer)
    co_await write("HTTP/1.1 100 Continue\r\n\r\n");
  co_await receive_body(exchange);
}

Task<void> Session::receive_head(Exchange& exchange) {
  interruptible_ = true;
  if (buffer_.size() == 0) {
    buffer_.shrink_to_fit();
    co_await read_more(Clock::now() + core_.options.idle_time);
  }
  exchange.begin = Clock::now();
  arrived_by_ = exchange.begin + core_.options.read_time;
  for (;;) {
    while (bytes_of(buffer_).starts_with("\r\n")) buffer_.consume(2);
    const std::optional<std::size_t> length = head_length(bytes_of(buffer_), core_.options);
    if (length) {
      parse_head(exchange, *length);
      co_return;
    }
    co_await read_more(arrived_by_);
  }
}

void Session::parse_head(Exchange& exchange, std::size_t length) {
  parser_.emplace();
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  parser_->header_limit(static_cast<std::uint32_t>(length + 1));
  error_code error;
  const std::size_t used = parser_->put(asio::buffer(buffer_.data(), length), error);
  buffer_.consume(used);
  if (error || !parser_->is_header_done()) throw Problem{400, "this is no HTTP/1.1 request"};
  Request& request = exchange.job->request;
  exchange.method = std::string(parser_->get().method_string());
  exchange.head_only = exchange.method == "HEAD";
  exchange.newer = parser_->get().version() >= 11;
  take_head(*parser_, request);
  if (parser_->get().target().size() > static_cast<std::size_t>(core_.options.most_target))
    throw Problem{414, concat("the address is too long; expected ", core_.options.most_target,
                              " bytes at most")};
  exchange.path = request.path;
  exchange.keeps = parser_->keep_alive();
}

Task<void> Session::receive_body(Exchange& exchange) {
  Job& job = *exchange.job;
  int error = 0;
  if (exchange.to_file) {
    co_await on_disk(
        [this, &job, &error] { error = job.body_file.open(core_.options.upload_folder); });
    if (error != 0)
      throw Problem{503, "the body cannot be stored on the server's disk", {{"Retry-After", "60"}}};
    job.request.body_file = job.body_file.path();
  }
  std::string piece(parser_->is_done() ? 0 : kPiece, '\0');
  std::uint64_t length = 0;
  while (!parser_->is_done()) {
    bool needs_more = buffer_.size() == 0;
    const std::size_t got = needs_more ? 0 : parse_piece(piece, needs_more);
    length += got;
    if (length > exchange.most_bytes)
      throw Problem{
          413, concat("the body is too large; expected ", exchange.most_bytes, " bytes at most")};
    if (got > 0) co_await keep_piece(exchange, std::string_view(piece).substr(0, got));
    if (needs_more)
      co_await read_more(exchange.to_file ? Clock::now() + core_.options.read_time : arrived_by_);
  }
  if (exchange.to_file) co_await on_disk([&job, &error] { error = job.body_file.close(); });
  if (error != 0)
    throw Problem{503, "the body cannot be stored on the server's disk", {{"Retry-After", "60"}}};
}

/// Parses what has arrived until a piece is full, and returns how many bytes of the body that gave.
std::size_t Session::parse_piece(std::string& piece, bool& needs_more) {
  auto& body = parser_->get().body();
  body.data = piece.data();
  body.size = piece.size();
  body.more = true;
  error_code error;
  buffer_.consume(parser_->put(buffer_.data(), error));
  needs_more = error == beast::http::error::need_more;
  if (error && !needs_more && error != beast::http::error::need_buffer)
    throw Problem{400, "the body is not well-formed"};
  if (needs_more && buffer_.size() > kMostChunkHead)
    throw Problem{400, "a chunk of the body begins with too much that is not the body"};
  return piece.size() - body.size;
}

Task<void> Session::keep_piece(Exchange& exchange, std::string_view piece) {
  Job& job = *exchange.job;
  if (!exchange.to_file) {
    job.request.body += piece;
    co_return;
  }
  int error = 0;
  co_await on_disk([&job, &error, piece] { error = job.body_file.write(piece); });
  if (error != 0)
    throw Problem{503, "the server's disk is full or cannot be written", {{"Retry-After", "60"}}};
}

/// Has a worker answer the request, for as long as there is time.
Task<void> Session::handle(Exchange& exchange) {
  const std::shared_ptr<Job> job = exchange.job;
  job->request.deadline = Clock::now() + core_.options.handle_time;
  const Clock::time_point deadline = job->request.deadline;
  job->wake = [self = shared_from_this()] { self->timer_.cancel(); };
  job->client_is_gone = [self = shared_from_this()] { return self->client_is_gone(); };
  if (std::optional<Response> refused = core_.desk.submit(job)) {
    core_.desk.drop(job);
    refuse(exchange, *std::move(refused));
    co_return;
  }
  const auto ended = [&job] {
    return job->state == Job::State::kDone || job->state == Job::State::kGone;
  };
  while (!ended() && !closed_ && Clock::now() < deadline) co_await wait(deadline);
  const bool began = job->state == Job::State::kInWork;
  const bool done = job->state == Job::State::kDone;
  core_.desk.drop(job);
  if (done) {
    exchange.response = std::move(job->response);
    co_return;
  }
  if (closed_ || ended()) throw boost::system::system_error(asio::error::operation_aborted);
  // What a worker still has belongs to it.
  exchange.job = std::make_shared<Job>();
  Response late =
      problem(503, "it took too long; ask for less, or try again later", {{"Retry-After", "1"}});
  add_standard_headers(late, exchange.path);
  if (began)
    exchange.response = std::move(late);  // counted when the worker is done
  else
    refuse(exchange, std::move(late));
}

Task<void> Session::send(Exchange& exchange) {
  Response& response = *exchange.response;
  if (response.stream) {
    co_await send_stream(exchange);
  } else if (!response.file.empty()) {
    co_await send_file(exchange);
  } else {
    std::string bytes = answer_head(response, framing(exchange, response.body.size()));
    const bool has_body = !exchange.head_only && response.status != 204 && response.status != 304;
    const bool small = response.body.size() < kPiece;
    if (has_body && small) bytes += response.body;
    co_await write(bytes);
    if (has_body && !small) co_await write(response.body);
  }
}

Task<void> Session::send_file(Exchange& exchange) {
  AnswerFile file;
  bool opened = false;
  co_await on_disk([&] { opened = file.open(exchange.response->file); });
  if (!opened) {
    Response missing = problem(404, "the file is not there");
    add_standard_headers(missing, exchange.path);
    exchange.response = std::move(missing);
    co_await send(exchange);
    co_return;
  }
  const std::string head = answer_head(*exchange.response, framing(exchange, file.size()));
  co_await write(head);
  std::uint64_t left = exchange.head_only ? 0 : file.size();
  std::string piece;
  while (left > 0) {
    co_await on_disk([&] { piece = file.read(std::min<std::uint64_t>(left, 4 * kPiece)); });
    // Shorter than it said: only a broken connection tells the client.
    if (piece.empty()) throw boost::system::system_error(asio::error::eof);
    co_await write(piece);
    left -= piece.size();
  }
}

Task<void> Session::send_stream(Exchange& exchange) {
  const Response& response = *exchange.response;
  const bool events = response.type.starts_with("text/event-stream");
  exchange.keeps = exchange.keeps && exchange.newer;
  Framing framed = framing(exchange, std::nullopt);
  framed.chunked = exchange.newer;
  std::string bytes = answer_head(response, framed);
  co_await write(bytes);
  if (exchange.head_only) co_return;
  Clock::time_point last = Clock::now();
  while (!core_.stopping) {
    std::optional<std::string> piece = response.stream();
    if (!piece) break;
    if (piece->empty() && events && Clock::now() >= last + core_.options.heartbeat_time)
      piece = ":\n\n";
    if (piece->empty()) {
      if (closed_ || client_is_gone()) throw boost::system::system_error(asio::error::eof);
      co_await wait(Clock::now() + kPoll);
      continue;
    }
    if (framed.chunked) {
      std::array<char, 24> size{};
      std::snprintf(size.data(), size.size(), "%zx\r\n", piece->size());
      bytes = size.data() + *piece + "\r\n";
    } else {
      bytes = *std::move(piece);
    }
    co_await write(bytes);
    last = Clock::now();
  }
  exchange.keeps = exchange.keeps && !core_.stopping;
  if (framed.chunked) co_await write("0\r\n\r\n");
}

/// Lets the client read what was sent before the connection ends: to close it while bytes of the
/// client are unread would take the answer back.
Task<void> Session::linger() {
  interruptible_ = true;
  error_code error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  const Clock::time_point until = Clock::now() + (core_.stopping ? kLingerAtStop : kLinger);
  while (!error && !closed_) {
    buffer_.clear();
    stream_.expires_at(until);
    co_await stream_.async_read_some(buffer_.prepare(kPiece / 4),
                                     asio::redirect_error(use_awaitable, error));
  }
}

/// An answer that no worker and no route was needed for.
void Session::refuse(Exchange& exchange, Response response) {
  add_standard_headers(response, exchange.path);
  const std::chrono::duration<double> seconds = Clock::now() - exchange.begin;
  core_.metrics.count_request(exchange.method, exchange.route, response.status, seconds.count());
  exchange.response = std::move(response);
}

Task<void> Session::read_more(Clock::time_point until) {
  if (closed_) throw boost::system::system_error(asio::error::operation_aborted);
  stream_.expires_at(until);
  const std::size_t count =
      co_await stream_.async_read_some(buffer_.prepare(kPiece / 4), use_awaitable);
  buffer_.commit(count);
  stream_.expires_never();
}

Task<void> Session::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (closed_) throw boost::system::system_error(asio::error::operation_aborted);
    stream_.expires_after(core_.options.write_time);
    const std::size_t count = co_await stream_.async_write_some(
        asio::buffer(bytes.data(), std::min(bytes.size(), 4 * kPiece)), use_awaitable);
    bytes.remove_prefix(count);
  }
  stream_.expires_never();
}

/// Has another thread do what may wait for the disk.
Task<void> Session::on_disk(std::function<void()> work) {
  bool done = false;
  asio::post(core_.disk, [this, &work, &done] {
    work();
    asio::post(core_.io, [this, &done] {
      done = true;
      timer_.cancel();
    });
  });
  while (!done) co_await wait(Clock::time_point::max());
}

/// Until then, or until somebody cancels the timer.
Task<void> Session::wait(Clock::time_point until) {
  error_code error;
  timer_.expires_at(until);
  co_await timer_.async_wait(asio::redirect_error(use_awaitable, error));
}

bool Session::client_is_gone() {
  if (closed_) return true;
  char byte = 0;
  const ssize_t count = ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

Framing Session::framing(const Exchange& exchange, std::optional<std::uint64_t> length) const {
  Framing result;
  result.length = length;
  result.keeps = exchange.keeps;
  result.says_keeps = !exchange.newer;
  return result;
}

void Core::listen() {
  try {
    error_code not_literal;
    const asio::ip::address literal = asio::ip::make_address(options.host, not_literal);
    const auto number = static_cast<std::uint16_t>(options.port);
    tcp::endpoint endpoint(literal, number);
    if (not_literal) {
      tcp::resolver resolver(io);
      const auto found = resolver.resolve(options.host, std::to_string(number));
      endpoint = found.begin()->endpoint();
    }
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen();
    port = acceptor.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    fail("cannot listen at ", options.host, " port ", options.port, ": ", error.code().message(),
         "; give an address of this machine and a port that no other program has");
  }
}

void Core::run() {
  asio::co_spawn(io, accept_all(), [](const std::exception_ptr&) {});
  io.run();
}

void Core::stop(milliseconds grace) {
  asio::post(io, [this, grace] { begin_stop(grace); });
}

void Core::begin_stop(milliseconds grace) {
  const Clock::time_point end = Clock::now() + grace;
  if (stopping && end >= grace_end.expiry()) return;
  stopping = true;
  error_code ignored;
  acceptor.close(ignored);
  accept_pause.cancel();
  grace_end.expires_at(end);
  grace_end.async_wait([this](error_code error) {
    if (error) return;
    for (Session* session : sessions) session->close();
  });
  for (Session* session : sessions) session->stop();
  remove(nullptr);
}

Task<void> Core::accept_all() {
  while (!stopping) {
    error_code error;
    tcp::socket socket(io);
    co_await acceptor.async_accept(socket, asio::redirect_error(use_awaitable, error));
    if (stopping) break;
    if (!error) {
      take(std::move(socket));
      continue;
    }
    accept_pause.expires_after(kAcceptPause);
    co_await accept_pause.async_wait(asio::redirect_error(use_awaitable, error));
  }
}

void Core::take(tcp::socket socket) try {
  const bool full = sessions.size() - turned_away >= static_cast<std::size_t>(options.connections);
  if (full && turned_away >= kMostTurnedAway) return;
  const auto session = std::make_shared<Session>(*this, std::move(socket));
  sessions.insert(session.get());
  if (full) ++turned_away;
  metrics.connections = std::ssize(sessions);
  asio::co_spawn(io, session->serve(full), [this, session, full](const std::exception_ptr&) {
    session->close();
    if (full) --turned_away;
    remove(session.get());
  });
} catch (const std::exception&) {
  // The client had gone before it was looked at.
}

/// Lets run() return when nobody is left.
void Core::remove(Session* session) {
  sessions.erase(session);
  metrics.connections = std::ssize(sessions);
  if (!stopping || !sessions.empty()) return;
  grace_end.cancel();
  guard.reset();
}

ServerOptions checked(ServerOptions options) {
  require(options.port >= 0 && options.port <= 65535, "the port is ", options.port,
          "; expected 0 .. 65,535");
  require(options.workers >= 1, "workers is ", options.workers, "; expected 1 or more");
  require(options.waiting >= 0, "waiting is ", options.waiting, "; expected 0 or more");
  require(options.per_client >= 1, "per_client is ", options.per_client, "; expected 1 or more");
  require(options.connections >= 1, "connections is ", options.connections, "; expected 1 or more");
  require(options.most_target >= 1 && options.most_headers >= 1,
          "most_target and most_headers are ", options.most_target, " and ", options.most_headers,
          "; expected 1 or more");
  if (options.upload_folder.empty()) options.upload_folder = std::filesystem::temp_directory_path();
  return options;
}

}  // namespace

struct HttpServer::Parts {
  Core core;
};

HttpServer::HttpServer(const ServerOptions& options, Service service, Metrics& metrics)
    : parts_(new Parts{Core(checked(options), std::move(service), metrics)}) {
  parts_->core.listen();
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return parts_->core.port; }

void HttpServer::run() { parts_->core.run(); }

void HttpServer::stop(milliseconds grace) { parts_->core.stop(grace); }

}  // namespace commonplace::server
