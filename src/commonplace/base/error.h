#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>

namespace commonplace {

/// Wrong input or a wrong environment. The message names the value, what was expected, and where.
/// A programmer's mistake is an assert instead; user input never reaches one.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The store itself failed (disk full, locked, damaged), as opposed to one record in it: no reader
/// skips it.
class StorageError : public Error {
 public:
  using Error::Error;
};

/// Thrown from a progress callback to stop long work; whatever was begun is undone.
class Cancelled : public Error {
 public:
  Cancelled() : Error("stopped on request; nothing was changed") {}
};

/// A place in somebody's data: a file and, where it has lines, a line counted from 1.
struct Where {
  std::string file;
  std::size_t line = 0;
};

/// "file:line", or "file" when there is no line.
inline std::string to_string(const Where& where) {
  return where.line == 0 ? where.file : where.file + ":" + std::to_string(where.line);
}

/// The parts, streamed one after the other.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(concat(parts...));
}

/// Throws Error with the parts as its message unless `condition` holds.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(parts...);
}

}  // namespace commonplace
