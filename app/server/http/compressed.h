#pragma once

#include <string>
#include <string_view>

#include "app/server/http/http.h"

namespace commonplace::server {

/// Whether the client takes gzip, by what it says with its preferences ("gzip;q=0" is a no).
bool takes_gzip(const Request& request);

/// The bytes packed by gzip; `level` is 1 (quick) to 9 (small).
std::string gzipped(std::string_view bytes, int level);

/// Packs the body where the client takes that and it pays: text of more than a packet's length that
/// is in memory and whole. Streams, files, parts and pictures stay as they are.
void compress(const Request& request, Response& response);

}  // namespace commonplace::server
