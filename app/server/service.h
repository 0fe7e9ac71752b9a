#pragma once

#include "app/server/http/http_server.h"
#include "app/server/router.h"

namespace commonplace::server {

/// Routes, guards, turns what handlers throw into problems, and counts: Problem as it says, Error
/// (what the user gave is wrong) as 400, StorageError and anything else as 500 without details,
/// Cancelled as 503. Answers of /v1 are not to be stored by caches unless a handler says otherwise,
/// and every answer carries the headers that keep browsers from guessing types and from framing it.
/// The router, guard options and metrics must outlive it. `log` is given one line for each fault
/// of ours.
Service make_service(const Router& router, const GuardOptions& guard, Metrics& metrics,
                     std::function<void(const std::string&)> log);

}  // namespace commonplace::server
