#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "app/server/http/http.h"

namespace commonplace::test {

/// An answer as it came over the socket.
struct RawAnswer {
  int status = 0;                              ///< 0: the connection ended before there was one
  std::map<std::string, std::string> headers;  ///< names in small letters
  std::string body;
  bool whole = false;  ///< as much body as the head had announced
};

/// A plain socket to a server on this machine, for sending what no decent client would send.
class RawClient {
 public:
  explicit RawClient(int port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{30, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (receive_buffer > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    if (port > 0) connect(port);
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient& operator=(RawClient&&) = delete;

  bool connect(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr generic{};
    static_assert(sizeof(generic) == sizeof(address));
    std::copy_n(reinterpret_cast<const char*>(&address), sizeof(address),
                reinterpret_cast<char*>(&generic));
    return ::connect(socket_, &generic, sizeof(generic)) == 0;
  }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  /// False if the server no longer takes it.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// False at the end of the connection.
  bool receive() {
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  /// Everything until the server ends the connection.
  std::string rest() {
    while (receive()) {
    }
    return std::exchange(buffer_, {});
  }

  /// True if the server ends the connection without another byte.
  bool ends() { return buffer_.empty() && !receive(); }

  std::string line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos)
      if (!receive()) return std::exchange(buffer_, {});
    std::string result = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return result;
  }

  std::string bytes(std::size_t count) {
    while (buffer_.size() < count && receive()) {
    }
    std::string result = buffer_.substr(0, count);
    buffer_.erase(0, result.size());
    return result;
  }

  /// Status and headers only.
  RawAnswer head() {
    RawAnswer answer;
    const std::string first = line();
    if (!first.starts_with("HTTP/1.1 ")) return answer;
    answer.status = std::atoi(first.c_str() + 9);
    for (std::string field = line(); !field.empty(); field = line()) {
      const std::size_t colon = field.find(": ");
      if (colon != std::string::npos)
        answer.headers[server::lower_case(field.substr(0, colon))] = field.substr(colon + 2);
    }
    return answer;
  }

  /// The next answer; `bodiless` for one to HEAD.
  RawAnswer answer(bool bodiless = false) {
    RawAnswer result = head();
    if (result.status == 0) return result;
    const auto length = result.headers.find("content-length");
    if (bodiless || result.status == 204) {
      result.whole = true;
    } else if (length != result.headers.end()) {
      const auto count = static_cast<std::size_t>(std::atoll(length->second.c_str()));
      result.body = bytes(count);
      result.whole = result.body.size() == count;
    } else if (result.headers.contains("transfer-encoding")) {
      result.whole = read_chunks(result.body);
    } else {
      result.body = rest();
      result.whole = true;
    }
    return result;
  }

  /// A chunk of a body, empty at its end; nothing if the connection ends before.
  std::optional<std::string> chunk() {
    const std::string size = line();
    if (size.empty()) return std::nullopt;
    const std::size_t count = std::strtoull(size.c_str(), nullptr, 16);
    const std::string all = bytes(count + 2);
    if (all.size() != count + 2) return std::nullopt;
    return all.substr(0, count);
  }

  RawAnswer ask(std::string_view request) {
    send(request);
    return answer();
  }

 private:
  bool read_chunks(std::string& body) {
    for (;;) {
      const std::optional<std::string> next = chunk();
      if (!next) return false;
      if (next->empty()) return true;
      body += *next;
    }
  }

  int socket_;
  std::string buffer_;
};

/// Waits for what other threads bring about, for as long as it takes on a slow machine.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace commonplace::test
