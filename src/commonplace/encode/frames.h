#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/encode/tensor.h"

namespace commonplace {

/// What goes to and fro between this process and its worker.
enum class FrameKind : std::uint32_t { open = 1, run, opened, computed, failed };

struct WorkerFrame {
  FrameKind kind = FrameKind::failed;
  std::string payload;
};

/// The longest payload, so that a lying length takes no memory.
constexpr std::uint64_t kMostPayload = std::uint64_t{1} << 30;

/// Writes one frame to a socket; false if nobody is there to read it any more.
bool write_frame(int socket, const WorkerFrame& frame);
/// Reads one; false at the end of the stream, however it came. Error for what is no frame. `wait`,
/// if given, is called several times a second while nothing comes; it may throw.
bool read_frame(int socket, WorkerFrame& frame, const std::function<void()>& wait = {});

/// Puts values into a payload.
class PayloadWriter {
 public:
  void number(std::int64_t value);
  void text(std::string_view text);
  void texts(const std::vector<std::string>& texts);
  void tensors(const std::vector<Tensor>& tensors);
  void ports(const std::vector<Port>& ports);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Takes them out again, in order; Error if they are not there. Whoever wrote them is not trusted:
/// the bytes of a tensor are as many as its shape and type need.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view bytes) : rest_(bytes) {}
  std::int64_t number();
  std::string text();
  std::vector<std::string> texts();
  std::vector<Tensor> tensors();
  std::vector<Port> ports();

 private:
  std::string_view take(std::uint64_t count);
  std::size_t count();
  NumberType type();
  std::vector<std::int64_t> shape();
  std::string_view rest_;
};

}  // namespace commonplace
