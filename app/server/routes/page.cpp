#include <algorithm>
#include <memory>

#include "app/server/http/compressed.h"
#include "app/server/http/conditional.h"
#include "app/server/routes/routes.h"
#include "commonplace/base/error.h"
#include "commonplace/io/files.h"

namespace commonplace::server {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 16U << 20U;
constexpr const char* kPolicy =
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const char* type_of(const fs::path& file) {
  static const std::map<std::string, const char*> kTypes = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
      {".webmanifest", "application/manifest+json"}};
  const auto found = kTypes.find(file.extension().string());
  return found == kTypes.end() ? nullptr : found->second;
}

void add_file(Router& router, const std::string& path, const fs::path& file, const char* type) {
  Response response;
  response.type = type;
  response.body = read_file(file, kMostBytes);
  response.tag = bytes_tag(response.body);
  // Files below assets/ carry a digest in their names, so that they never change.
  response.headers = {
      {"Content-Security-Policy", kPolicy},
      {"Cache-Control",
       path.starts_with("/assets/") ? "public, max-age=31536000, immutable" : "no-cache"}};
  Response packed = response;
  packed.body = gzipped(response.body, 9);
  packed.tag += "-gzip";
  packed.headers.emplace_back("Content-Encoding", "gzip");
  // What is packed already, such as a picture, only grows.
  const bool pays = packed.body.size() < response.body.size();
  struct Forms {
    Response plain;
    Response packed;
  };
  Route route;
  route.method = "GET";
  route.pattern = path;
  route.handler = [kept =
                       std::make_shared<const Forms>(Forms{std::move(response), std::move(packed)}),
                   pays](const Request& request, const PathValues&) {
    return pays && takes_gzip(request) ? kept->packed : kept->plain;
  };
  route.open = true;
  router.add(std::move(route));
}

}  // namespace

bool add_page_routes(Router& router, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "index.html", error)) return false;
  for (const fs::directory_entry& each : fs::recursive_directory_iterator(folder)) {
    const char* type = type_of(each.path());
    if (!each.is_regular_file() || type == nullptr) continue;
    add_file(router, "/" + each.path().lexically_relative(folder).generic_string(), each.path(),
             type);
  }
  add_file(router, "/", folder / "index.html", type_of("index.html"));
  return true;
}

}  // namespace commonplace::server
