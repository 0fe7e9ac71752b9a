#include "commonplace/encode/frames.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::uint32_t kFrameMagic = 0x57455043;  // "CPEW"
constexpr std::size_t kPiece = std::size_t{16} << 20;
constexpr int kPatience = 100;  ///< milliseconds between two calls of `wait`
constexpr std::size_t kMostParts = 1U << 20;

struct FrameHeader {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint64_t size;
};

bool write_all(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = send(socket, bytes, count, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_some(int socket, char* into, std::size_t count, const std::function<void()>& wait) {
  while (count > 0) {
    if (wait) {
      pollfd watched{socket, POLLIN, 0};
      if (poll(&watched, 1, kPatience) <= 0) {
        wait();
        continue;
      }
    }
    const ssize_t got = recv(socket, into, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool write_frame(int socket, const WorkerFrame& frame) {
  require(frame.payload.size() <= kMostPayload, "a batch of ", frame.payload.size(),
          " bytes is more than an encoder is given at once");
  const FrameHeader header{kFrameMagic, static_cast<std::uint32_t>(frame.kind),
                           frame.payload.size()};
  return write_all(socket, reinterpret_cast<const char*>(&header), sizeof header) &&
         write_all(socket, frame.payload.data(), frame.payload.size());
}

bool read_frame(int socket, WorkerFrame& frame, const std::function<void()>& wait) {
  FrameHeader header{};
  if (!read_some(socket, reinterpret_cast<char*>(&header), sizeof header, wait)) return false;
  require(header.magic == kFrameMagic && header.size <= kMostPayload &&
              header.kind >= static_cast<std::uint32_t>(FrameKind::open) &&
              header.kind <= static_cast<std::uint32_t>(FrameKind::failed),
          "what came from the other process is not understood");
  frame.kind = static_cast<FrameKind>(header.kind);
  frame.payload.clear();
  while (frame.payload.size() < header.size) {
    const std::size_t before = frame.payload.size();
    const std::size_t piece = std::min<std::size_t>(kPiece, header.size - before);
    frame.payload.resize(before + piece);
    if (!read_some(socket, frame.payload.data() + before, piece, wait)) return false;
  }
  return true;
}

void PayloadWriter::number(std::int64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void PayloadWriter::text(std::string_view text) {
  number(static_cast<std::int64_t>(text.size()));
  bytes_.append(text);
}

void PayloadWriter::texts(const std::vector<std::string>& texts) {
  number(std::ssize(texts));
  for (const std::string& each : texts) text(each);
}

void PayloadWriter::ports(const std::vector<Port>& ports) {
  number(std::ssize(ports));
  for (const Port& port : ports) {
    text(port.name);
    number(static_cast<std::int64_t>(port.type));
    number(std::ssize(port.shape));
    for (const std::int64_t side : port.shape) number(side);
  }
}

void PayloadWriter::tensors(const std::vector<Tensor>& tensors) {
  number(std::ssize(tensors));
  for (const Tensor& tensor : tensors) {
    ports({{tensor.name, tensor.type, tensor.shape}});
    text(tensor.bytes);
  }
}

std::string_view PayloadReader::take(std::uint64_t count) {
  require(count <= rest_.size(), "what came from the other process ends too soon");
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::int64_t PayloadReader::number() {
  std::int64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::size_t PayloadReader::count() {
  const std::int64_t value = number();
  require(value >= 0 && static_cast<std::uint64_t>(value) <= kMostParts,
          "what came from the other process promises ", value, " parts");
  return static_cast<std::size_t>(value);
}

std::string PayloadReader::text() {
  return std::string(take(static_cast<std::uint64_t>(number())));
}

std::vector<std::string> PayloadReader::texts() {
  std::vector<std::string> texts;
  for (std::size_t left = count(); left > 0; --left) texts.push_back(text());
  return texts;
}

NumberType PayloadReader::type() {
  const std::int64_t value = number();
  const auto type = static_cast<NumberType>(value);
  require(value >= 0 && value < 64 && size_of(type) != 0, "numbers of kind ", value,
          " are not understood");
  return type;
}

std::vector<std::int64_t> PayloadReader::shape() {
  std::vector<std::int64_t> shape;
  for (std::size_t left = count(); left > 0; --left) shape.push_back(number());
  return shape;
}

std::vector<Port> PayloadReader::ports() {
  std::vector<Port> ports;
  for (std::size_t left = count(); left > 0; --left) {
    std::string name = text();
    const NumberType kind = type();
    ports.push_back({std::move(name), kind, shape()});
  }
  return ports;
}

std::vector<Tensor> PayloadReader::tensors() {
  std::vector<Tensor> tensors;
  for (std::size_t left = count(); left > 0; --left) {
    std::vector<Port> described = ports();
    require(described.size() == 1, "a tensor without a description came from the other process");
    Port& port = described.front();
    std::string bytes = text();
    require(static_cast<std::size_t>(numbers_in(port.shape)) * size_of(port.type) == bytes.size(),
            "a tensor came with other bytes than its shape needs");
    tensors.push_back({std::move(port.name), port.type, std::move(port.shape), std::move(bytes)});
  }
  return tensors;
}

}  // namespace commonplace
