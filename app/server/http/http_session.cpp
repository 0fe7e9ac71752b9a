#include "app/server/http/http_session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <utility>

#include <sys/socket.h>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;
/// Of what stands beside the address in a request's first line, and between two chunks of a body.
constexpr std::size_t kMostMethodAndVersion = 64;
constexpr std::size_t kMostChunkHead = 8192;
constexpr milliseconds kPoll{200};
/// How long a client may take to notice that a connection is ending.
constexpr milliseconds kLinger{2000};
constexpr milliseconds kLingerAtStop{100};

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

}  // namespace

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
  exchange.pending->request.client = client_;
  std::optional<Problem> bad;
  try {
    co_await receive(exchange);
  } catch (const Problem& thrown) {
    bad = thrown;
  }
  interruptible_ = false;
  if (bad) {
    exchange.keeps = false;
    refuse(exchange, problem(*bad));
  }
  if (!exchange.response) co_await handle(exchange);
  exchange.keeps = exchange.keeps && !core_.stopping;
  co_await send(exchange);
  if (!exchange.pending->body_file.path().empty())
    asio::post(core_.disk, [pending = std::move(exchange.pending)]() mutable { pending.reset(); });
  if (!exchange.keeps) co_await linger();
  co_return exchange.keeps;
}

Task<void> Session::receive(Exchange& exchange) {
  co_await receive_head(exchange);
  interruptible_ = false;
  Admission admission = core_.service.admit(exchange.pending->request);
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
  const std::string expects = lower_case(exchange.pending->request.header("expect").value_or(""));
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
  Request& request = exchange.pending->request;
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
  PendingRequest& pending = *exchange.pending;
  int error = 0;
  if (exchange.to_file) {
    co_await on_disk(
        [this, &pending, &error] { error = pending.body_file.open(core_.options.upload_folder); });
    if (error != 0)
      throw Problem{503, "the body cannot be stored on the server's disk", {{"Retry-After", "60"}}};
    pending.request.body_file = pending.body_file.path();
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
  if (exchange.to_file) co_await on_disk([&pending, &error] { error = pending.body_file.close(); });
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
  PendingRequest& pending = *exchange.pending;
  if (!exchange.to_file) {
    pending.request.body += piece;
    co_return;
  }
  int error = 0;
  co_await on_disk([&pending, &error, piece] { error = pending.body_file.write(piece); });
  if (error != 0)
    throw Problem{503, "the server's disk is full or cannot be written", {{"Retry-After", "60"}}};
}

/// Has a worker answer the request, for as long as there is time.
Task<void> Session::handle(Exchange& exchange) {
  const std::shared_ptr<PendingRequest> pending = exchange.pending;
  pending->request.deadline = Clock::now() + core_.options.handle_time;
  const Clock::time_point deadline = pending->request.deadline;
  pending->wake = [self = shared_from_this()] { self->timer_.cancel(); };
  pending->client_is_gone = [self = shared_from_this()] { return self->client_is_gone(); };
  if (std::optional<Response> refused = core_.desk.submit(pending)) {
    core_.desk.drop(pending);
    refuse(exchange, *std::move(refused));
    co_return;
  }
  const auto ended = [&pending] {
    return pending->state == PendingRequest::State::kDone ||
           pending->state == PendingRequest::State::kGone;
  };
  while (!ended() && !closed_ && Clock::now() < deadline) co_await wait(deadline);
  const bool began = pending->state == PendingRequest::State::kInWork;
  const bool done = pending->state == PendingRequest::State::kDone;
  core_.desk.drop(pending);
  if (done) {
    exchange.response = std::move(pending->response);
    co_return;
  }
  if (closed_ || ended()) throw boost::system::system_error(asio::error::operation_aborted);
  // What a worker still has belongs to it.
  exchange.pending = std::make_shared<PendingRequest>();
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
  const std::optional<Part> part = exchange.response->part;
  co_await on_disk([&] {
    opened = file.open(exchange.response->file) &&
             (!part || (part->first + part->length <= file.size() && file.seek(part->first)));
  });
  if (!opened) {
    Response missing = problem(404, "the file is not there");
    add_standard_headers(missing, exchange.path);
    exchange.response = std::move(missing);
    co_await send(exchange);
    co_return;
  }
  const std::uint64_t length = part ? part->length : file.size();
  const std::string head = answer_head(*exchange.response, framing(exchange, length));
  co_await write(head);
  std::uint64_t left = exchange.head_only ? 0 : length;
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

}  // namespace commonplace::server
