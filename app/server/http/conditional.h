#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/server/http/http.h"

namespace commonplace::server {

/// Names what a file holds now, for Response::tag: another size or time of change gives another
/// name. Empty if the file is not there.
std::string file_tag(const std::filesystem::path& file);
std::string bytes_tag(std::string_view bytes);

/// Where a response of 200 has a tag: says 304 to a client that has this version already
/// (If-None-Match), gives it the part that it asks for (Range, unless If-Range names another
/// version) as 206, or says 416 where there is no such part. Who asks for several parts at once, or
/// for what is no range, gets the whole.
void apply_conditions(const Request& request, Response& response);

}  // namespace commonplace::server
