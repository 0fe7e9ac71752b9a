#include "commonplace/comm/collectives.h"

#include <algorithm>
#include <cstring>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// A piece is its number, its length and its bytes.
void append_number(std::string& text, std::int64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  text.append(bytes, sizeof number);
}

std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  std::memcpy(&number, text.data(), sizeof number);
  text.remove_prefix(sizeof number);
  return number;
}

}  // namespace

void require_same(Comm& comm, std::string_view text, std::string_view what) {
  const std::vector<std::string> texts = comm.gather_texts(text);
  const auto other = std::find_if(texts.begin(), texts.end(),
                                  [&](const std::string& each) { return each != texts.front(); });
  require(other == texts.end(), "the ranks do not see the same ", what, ": rank 0 has '",
          texts.front(), "', rank ", other - texts.begin(), " has '",
          other == texts.end() ? "" : *other,
          "'; run this again when nobody changes it, on a library that all hosts share");
}

std::string broadcast_text(Comm& comm, std::string_view text) {
  std::string result(text);
  result.resize(static_cast<std::size_t>(comm.broadcast(std::ssize(result), 0)));
  comm.broadcast(std::span<char>(result), 0);
  return result;
}

std::vector<std::string> share_work(Comm& comm, std::int64_t count,
                                    const std::function<std::string(std::int64_t)>& make) {
  std::string mine;
  {
    const auto counter = comm.share_work(count);
    for (std::int64_t piece = counter->next(); piece >= 0; piece = counter->next()) {
      const std::string made = make(piece);
      append_number(mine, piece);
      append_number(mine, std::ssize(made));
      mine += made;
    }
  }
  std::vector<std::string> result(static_cast<std::size_t>(count));
  for (const std::string& text : comm.gather_texts(mine)) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto piece = static_cast<std::size_t>(take_number(rest));
      const auto length = static_cast<std::size_t>(take_number(rest));
      result[piece] = std::string(rest.substr(0, length));
      rest.remove_prefix(length);
    }
  }
  return result;
}

}  // namespace commonplace
