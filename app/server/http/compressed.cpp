#include "app/server/http/compressed.h"

#include <algorithm>
#include <cstdlib>

#include <zlib.h>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

/// What fits into one packet is not sooner there for being shorter.
constexpr std::size_t kLeast = 1400;
/// Quick: half a millisecond for the hundred hits of a page.
constexpr int kLevel = 3;

bool is_text(std::string_view type) {
  const std::string_view essence = type.substr(0, type.find(';'));
  return essence.starts_with("text/") || essence.ends_with("json") || essence == "image/svg+xml" ||
         essence == "application/x-ndjson";
}

}  // namespace

bool takes_gzip(const Request& request) {
  const std::string said = lower_case(request.header("accept-encoding").value_or(""));
  std::string_view list = said;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view each = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t semicolon = std::min(each.find(';'), each.size());
    const std::string_view name = trimmed(each.substr(0, semicolon));
    if (name != "gzip" && name != "*") continue;
    const std::string_view parameters = each.substr(semicolon);
    const std::size_t q = parameters.find("q=");
    if (q == std::string_view::npos) return true;
    return std::strtod(std::string(parameters.substr(q + 2)).c_str(), nullptr) > 0;
  }
  return false;
}

std::string gzipped(std::string_view bytes, int level) {
  constexpr int kWindowWithGzipHead = 15 + 16;
  z_stream stream{};
  require(
      deflateInit2(&stream, level, Z_DEFLATED, kWindowWithGzipHead, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "there is no memory to compress an answer");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  require(ended == Z_STREAM_END, "an answer could not be compressed");
  return packed;
}

void compress(const Request& request, Response& response) {
  const bool whole = !response.stream && response.file.empty() && !response.part &&
                     response.status != 206 && response.status != 304;
  if (!whole || response.body.size() < kLeast || !is_text(response.type)) return;
  const auto named = [&](std::string_view name) {
    return std::any_of(response.headers.begin(), response.headers.end(),
                       [&](const auto& each) { return lower_case(each.first) == name; });
  };
  if (named("content-encoding")) return;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  // A tag names bytes, and these would be others; what has one is packed by its handler.
  if (!response.tag.empty() || !takes_gzip(request)) return;
  response.body = gzipped(response.body, kLevel);
  response.headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace commonplace::server
