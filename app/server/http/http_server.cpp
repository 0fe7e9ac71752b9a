#include "app/server/http/http_server.h"

#include <utility>

#include "app/server/http/http_session.h"
#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

constexpr milliseconds kAcceptPause{100};
/// Connections above the limit that are told so; more are closed without a word.
constexpr std::size_t kMostTurnedAway = 64;

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
